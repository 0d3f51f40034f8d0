import type { Schemas } from "../../../client/SheafClient.ts"
import { Chart } from "../../ui/charts/Chart.tsx"
import { texts } from "../ServerMessages.ts"

type Report = Schemas["SeriesReport"]
type SeriesName = Report["series"][number]["name"]

const { charts: titles, queues } = texts.overview

/** The charts with their lines, at most four, which have the same unit. */
const charts: ReadonlyArray<readonly [title: string, lines: Readonly<Partial<Record<SeriesName, string>>>]> = [
  [titles.requests, texts.overview.requests],
  [titles.latency, texts.overview.latency],
  [titles.stored, texts.overview.stored],
  [
    titles.waiting,
    {
      mails_waiting: queues.mails,
      transfers_waiting: queues.transfers,
      webhook_deliveries_waiting: queues.webhooks,
      reminder_pushes_waiting: queues.reminders
    }
  ],
  [
    titles.overdue,
    {
      mails_overdue: queues.mails,
      transfers_overdue: queues.transfers,
      webhook_deliveries_overdue: queues.webhooks,
      reminder_pushes_overdue: queues.reminders
    }
  ],
  [titles.lag, texts.overview.lag],
  [titles.memory, texts.overview.memory]
]

/** Charts of the measurements of the server. A line that this version of the server does not measure is left out. */
export const ServerCharts = ({ report: { from, series, step_seconds } }: { readonly report: Report }) => (
  <div class="charts">
    {charts.map(([title, names]) => {
      const lines = Object.entries(names).flatMap(([name, label]) => {
        const found = series.find((each) => each.name === name)
        return found === undefined ? [] : [{ label, ...found }]
      })
      const [first] = lines
      return (
        first !== undefined && (
          <Chart
            key={title}
            title={title}
            unit={first.unit}
            steps={{ from: Date.parse(from), step: step_seconds * 1000, count: first.values.length }}
            lines={lines}
          />
        )
      )
    })}
  </div>
)
