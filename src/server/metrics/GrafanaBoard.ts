/** The data source that the user of the board chooses. */
const datasource = { type: "prometheus", uid: "${datasource}" }

/** A selector of the samples of the chosen nodes. */
const of = (labels = ""): string => `{instance=~"$instance"${labels === "" ? "" : `,${labels}`}}`

const withoutProbes = `route!~"/healthz|/readyz|/metrics"`
/** Requests of the API, without pulls, which may wait for changes. */
const ofApi = `route=~"/v2/.*",route!="/v2/sync/pull"`

const rate = (metric: string, labels?: string): string => `rate(${metric}${of(labels)}[$__rate_interval])`
const quantile = (share: number, metric: string, labels?: string, by = "le"): string =>
  `histogram_quantile(${share}, sum by (${by}) (${rate(`${metric}_bucket`, labels)}))`
const shareOf = (status: string): string =>
  `sum(${rate("sheaf_http_requests_total", `${withoutProbes},status="${status}"`)}) / sum(${rate("sheaf_http_requests_total", withoutProbes)})`

interface Panel {
  readonly title: string
  readonly description: string
  /** The unit, as Grafana names it. */
  readonly unit: "reqps" | "percentunit" | "s" | "bytes" | "short"
  /** The expressions by the legend of their lines. */
  readonly lines: Readonly<Record<string, string>>
}

const duration = "sheaf_http_request_duration_seconds"

/** Two panels a row, in the order of the board. */
const panels: ReadonlyArray<Panel> = [
  {
    title: "Requests",
    description: "Requests per second by class of status, without probes",
    unit: "reqps",
    lines: { "{{status}}": `sum by (status) (${rate("sheaf_http_requests_total", withoutProbes)})` }
  },
  {
    title: "Refused and failed requests",
    description: "Share of the requests",
    unit: "percentunit",
    lines: { "4xx": shareOf("4xx"), "5xx": shareOf("5xx") }
  },
  {
    title: "Duration of requests",
    description: "Requests of the API, without files and pulls, which may wait for changes",
    unit: "s",
    lines: {
      p50: quantile(0.5, duration, ofApi),
      p95: quantile(0.95, duration, ofApi),
      p99: quantile(0.99, duration, ofApi)
    }
  },
  {
    title: "Slowest routes",
    description: "95th percentile of the five slowest routes of the API",
    unit: "s",
    lines: { "{{method}} {{route}}": `topk(5, ${quantile(0.95, duration, ofApi, "le, method, route")})` }
  },
  {
    title: "Problems",
    description: "Responses with a problem, per second by code",
    unit: "reqps",
    lines: { "{{code}}": `sum by (code) (${rate("sheaf_http_problems_total")})` }
  },
  {
    title: "Stored",
    description: "Attachments, texts of notes with their history, and the database",
    unit: "bytes",
    lines: { "{{kind}}": `max by (kind) (sheaf_stored_bytes${of()})` }
  },
  {
    title: "Free disk space",
    description: "Share of the disk of DATA_DIR",
    unit: "percentunit",
    lines: { "{{instance}}": `sheaf_disk_free_bytes${of()} / sheaf_disk_size_bytes${of()}` }
  },
  {
    title: "Queues",
    description: "Rows that are not finished, of all nodes",
    unit: "short",
    lines: {
      mails: `max(sheaf_mails_waiting${of()})`,
      transfers: `max(sheaf_transfers_waiting${of()})`,
      "webhook deliveries": `max(sheaf_webhook_deliveries_waiting${of()})`,
      "reminder pushes": `max(sheaf_reminder_pushes_waiting${of()})`
    }
  },
  {
    title: "Overdue work",
    description: "How long the oldest due row of a queue has waited",
    unit: "s",
    lines: { "{{queue}}": `max by (queue) (sheaf_queue_overdue_seconds${of()})` }
  },
  {
    title: "Lag",
    description:
      "For how long streams and search indexes have missed changes; up to two seconds is usual for the search",
    unit: "s",
    lines: { streams: `max(sheaf_stream_lag_seconds${of()})`, search: `max(sheaf_search_lag_seconds${of()})` }
  },
  {
    title: "Streams and connections",
    description: "Event streams and connections of all nodes",
    unit: "short",
    lines: { "event streams": `sum(sheaf_streams_open${of()})`, connections: `sum(sheaf_http_connections${of()})` }
  },
  {
    title: "Memory",
    description: "Resident memory, and the used heap",
    unit: "bytes",
    lines: {
      "{{instance}} resident": `process_resident_memory_bytes${of()}`,
      "{{instance}} heap": `nodejs_heap_size_used_bytes${of()}`
    }
  },
  {
    title: "Processor",
    description: "Cores that are in use",
    unit: "short",
    lines: { "{{instance}}": rate("process_cpu_seconds_total") }
  },
  {
    title: "Delay of the event loop",
    description: "99th percentile; above 0.5 s a node is overloaded",
    unit: "s",
    lines: { "{{instance}}": `nodejs_eventloop_lag_p99_seconds${of()}` }
  },
  {
    title: "Connections to the database",
    description: "By state, and whether the database responds",
    unit: "short",
    lines: {
      "{{state}}": `max by (state) (sheaf_database_connections${of()})`,
      up: `min(sheaf_database_up${of()})`
    }
  },
  {
    title: "Commits",
    description: "95th percentile of the time of a flush",
    unit: "s",
    lines: { p95: quantile(0.95, "sheaf_committer_flush_seconds") }
  }
]

const [width, height] = [12, 8]

const panelOf = ({ description, lines, title, unit }: Panel, index: number) => ({
  id: index + 1,
  type: "timeseries",
  title,
  description,
  datasource,
  gridPos: { x: (index % 2) * width, y: Math.floor(index / 2) * height, w: width, h: height },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: Object.entries(lines).map(([legendFormat, expr], line) => ({
    refId: String.fromCodePoint("A".codePointAt(0)! + line),
    datasource,
    expr,
    legendFormat
  }))
})

/** A board of Grafana on the metrics of `/metrics`: Dashboards, New, Import. */
export const grafanaBoard = {
  uid: "sheaf",
  title: "Sheaf",
  tags: ["sheaf"],
  schemaVersion: 39,
  editable: true,
  timezone: "browser",
  refresh: "1m",
  time: { from: "now-24h", to: "now" },
  templating: {
    list: [
      { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" },
      {
        name: "instance",
        label: "Node",
        type: "query",
        datasource,
        query: "label_values(sheaf_build_info, instance)",
        refresh: 2,
        multi: true,
        includeAll: true,
        allValue: ".*",
        current: { text: "All", value: "$__all" }
      }
    ]
  },
  panels: panels.map(panelOf)
}
