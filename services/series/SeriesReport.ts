import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { type Measurement, measurements } from "./Measurements.ts"

/** The times for which series can be read. */
export const seriesRanges = ["hour", "day", "month", "year"] as const
export type SeriesRange = (typeof seriesRanges)[number]

/** Shares of requests whose durations are shown. */
export const percentiles = { latency_p50: 0.5, latency_p95: 0.95, latency_p99: 0.99 } as const

const shown: ReadonlyArray<readonly [string, string]> = [
  ...Object.entries<Measurement>(measurements).map(([name, { description }]) => [name, description] as const),
  ...Object.entries(percentiles).map(
    ([name, share]) =>
      [
        name,
        `The duration of ${share * 100} % of the requests of the API was at most this; without files and pulls.`
      ] as const
  )
]

/** A series: one measurement over time. */
const Series = Schema.Struct({
  name: Schema.Literals(shown.map(([name]) => name)).annotate({
    description: [
      "The measurement. Later versions may have more.",
      ...shown.map(([name, text]) => `\`${name}\`: ${text}`)
    ].join("\n- "),
    examples: ["requests"]
  }),
  unit: Schema.Literals(["requests", "streams", "rows", "bytes", "seconds"]).annotate({
    description: "The unit of the values. `requests` is a number for each step, the others do not depend on the step.",
    examples: ["requests"]
  }),
  values: Schema.Array(Schema.NullOr(Schema.Finite)).annotate({
    description: "A value for each step from `from` on, over all nodes; null if nothing was measured.",
    examples: [[12, 40, null, 7]]
  })
}).annotate({ identifier: "Series" })
export type Series = typeof Series.Type

/** The measurements of the server over a time. */
export const SeriesReport = Schema.Struct({
  range: Schema.Literals(seriesRanges).annotate({
    description: "The time: 60 minutes, 24 hours, 30 days or 365 days, up to now.",
    examples: ["hour"]
  }),
  from: Fields.time("When the first step begins."),
  to: Fields.time("The end of the last complete minute. If the last step ends later, its value is not final."),
  step_seconds: Fields.count("The length of a step in seconds. Days are those of UTC.", 60),
  series: Schema.Array(Series).annotate({ description: "The series, each with the same number of values." })
}).annotate({ identifier: "SeriesReport" })
export type SeriesReport = typeof SeriesReport.Type
