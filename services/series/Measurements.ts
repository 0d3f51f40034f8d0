/** The labels of a metric. */
type Labels = Readonly<Record<string, string>>

/** Probes and scrapes would outnumber the requests of users. */
const isProbe = ({ route }: Labels): boolean => /^\/(healthz|readyz|metrics)$/.test(route!)

const ofStatus =
  (status: string) =>
  (labels: Labels): boolean =>
    labels["status"] === status && !isProbe(labels)

const ofQueue = (queue: string) => (labels: Labels) => labels["queue"] === queue
const ofKind = (kind: string) => (labels: Labels) => labels["kind"] === kind

/** The metric of `/metrics` that is measured: the sum of its samples whose labels match. */
interface Source {
  readonly metric: string
  readonly matches?: (labels: Labels) => boolean
}

/**
 * A series, by the way in which its values over time and of several nodes become one:
 *
 * - `count`: the increase of a counter. Values are added.
 * - `mean`: a part that each node has. Values are added, and divided by the minutes.
 * - `peak`: something that all nodes share, or that is to be watched on each. The highest value counts.
 */
export interface Measurement extends Source {
  readonly kind: "count" | "mean" | "peak"
  readonly unit: "requests" | "streams" | "rows" | "bytes" | "seconds"
  readonly description: string
}

/** The series that each node measures once a minute, by the name of their column. */
export const measurements = {
  requests: {
    kind: "count",
    unit: "requests",
    description: "Requests, without `/healthz`, `/readyz` and `/metrics`.",
    metric: "sheaf_http_requests_total",
    matches: (labels) => !isProbe(labels)
  },
  refused: {
    kind: "count",
    unit: "requests",
    description: "Requests with a status of 400 to 499.",
    metric: "sheaf_http_requests_total",
    matches: ofStatus("4xx")
  },
  errors: {
    kind: "count",
    unit: "requests",
    description: "Requests with a status of 500 or more.",
    metric: "sheaf_http_requests_total",
    matches: ofStatus("5xx")
  },
  open_streams: {
    kind: "mean",
    unit: "streams",
    description: "Open event streams of all nodes, on average.",
    metric: "sheaf_streams_open"
  },
  stream_lag: {
    kind: "peak",
    unit: "seconds",
    description: "For how long live clients have missed committed changes.",
    metric: "sheaf_stream_lag_seconds"
  },
  search_lag: {
    kind: "peak",
    unit: "seconds",
    description: "For how long the search indexes in memory have missed changes; up to 2 is usual.",
    metric: "sheaf_search_lag_seconds"
  },
  mails_waiting: {
    kind: "peak",
    unit: "rows",
    description: "Mails that are to be sent.",
    metric: "sheaf_mails_waiting"
  },
  transfers_waiting: {
    kind: "peak",
    unit: "rows",
    description: "Exports and imports that are not finished.",
    metric: "sheaf_transfers_waiting"
  },
  webhook_deliveries_waiting: {
    kind: "peak",
    unit: "rows",
    description: "Deliveries of webhooks that are to be sent.",
    metric: "sheaf_webhook_deliveries_waiting"
  },
  reminder_pushes_waiting: {
    kind: "peak",
    unit: "rows",
    description: "Messages of reminders that are to be sent.",
    metric: "sheaf_reminder_pushes_waiting"
  },
  mails_overdue: {
    kind: "peak",
    unit: "seconds",
    description: "How long the oldest due mail has waited.",
    metric: "sheaf_queue_overdue_seconds",
    matches: ofQueue("mails")
  },
  transfers_overdue: {
    kind: "peak",
    unit: "seconds",
    description: "How long the oldest due export or import has waited.",
    metric: "sheaf_queue_overdue_seconds",
    matches: ofQueue("transfers")
  },
  webhook_deliveries_overdue: {
    kind: "peak",
    unit: "seconds",
    description: "How long the oldest due delivery of a webhook has waited.",
    metric: "sheaf_queue_overdue_seconds",
    matches: ofQueue("webhook_deliveries")
  },
  reminder_pushes_overdue: {
    kind: "peak",
    unit: "seconds",
    description: "How long the oldest due message of a reminder has waited.",
    metric: "sheaf_queue_overdue_seconds",
    matches: ofQueue("reminder_pushes")
  },
  file_bytes: {
    kind: "peak",
    unit: "bytes",
    description: "Bytes of attachments in all workspaces.",
    metric: "sheaf_stored_bytes",
    matches: ofKind("files")
  },
  text_bytes: {
    kind: "peak",
    unit: "bytes",
    description: "Bytes of the texts of notes, their history and templates in all workspaces.",
    metric: "sheaf_stored_bytes",
    matches: ofKind("texts")
  },
  database_bytes: {
    kind: "peak",
    unit: "bytes",
    description: "Size of the database.",
    metric: "sheaf_stored_bytes",
    matches: ofKind("database")
  },
  memory_bytes: {
    kind: "peak",
    unit: "bytes",
    description: "Resident memory of the node that uses most.",
    metric: "process_resident_memory_bytes"
  }
} as const satisfies Readonly<Record<string, Measurement>>

export type MeasurementName = keyof typeof measurements

export const measurementNames = Object.keys(measurements) as ReadonlyArray<MeasurementName>

/** A value for each series. */
export const forEach = <A>(valueOf: (name: MeasurementName) => A): Readonly<Record<MeasurementName, A>> =>
  Object.fromEntries(measurementNames.map((name) => [name, valueOf(name)])) as Readonly<Record<MeasurementName, A>>

/** The durations of the API's requests, without pulls, which may wait for changes, and without files. */
export const latencySource: Source = {
  metric: "sheaf_http_request_duration_seconds",
  matches: ({ route }) => route!.startsWith("/v2/") && route !== "/v2/sync/pull"
}
