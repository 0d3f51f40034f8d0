import { Clock, Context, Effect, Layer } from "effect"
import { Database, orUnavailable } from "../database/Database.ts"
import type { Unavailable } from "../Errors.ts"
import { traced } from "../Traced.ts"
import { quantile } from "./LatencyBuckets.ts"
import { type Measurement, measurementNames, measurements } from "./Measurements.ts"
import { between, merge, type Point, prune, type Resolution, resolutions } from "./SeriesPoints.ts"
import { percentiles, type SeriesRange, type SeriesReport } from "./SeriesReport.ts"

const minute = resolutions.minute.step

interface Range {
  /** The stored points that are read. Several of them are merged if the step is longer. */
  readonly resolution: Resolution
  /** Milliseconds. */
  readonly step: number
  readonly steps: number
}

/** At most a few hundred values for each series. */
const ranges: Readonly<Record<SeriesRange, Range>> = {
  hour: { resolution: "minute", step: minute, steps: 60 },
  day: { resolution: "minute", step: 5 * minute, steps: 288 },
  month: { resolution: "hour", step: 180 * minute, steps: 240 },
  year: { resolution: "day", step: 1440 * minute, steps: 365 }
}

/** Five decimals: digits of a mean or a percentile after these are noise. */
const rounded = (value: number): number => Math.round(value * 1e5) / 1e5

/** The value of a point whose step has lasted for some minutes. */
const valueOf = ({ kind }: Measurement, value: number, minutes: number): number =>
  kind === "mean" ? rounded(value / minutes) : rounded(value)

/** The measurements of the server, summed over all nodes (`Sampler`). */
export class Series extends Context.Service<
  Series,
  {
    /** The series of the last hour, day, month or year, up to the last complete minute. */
    readonly read: (options: { readonly range: SeriesRange }) => Effect.Effect<SeriesReport, Unavailable>
    /** Deletes the points whose time is over. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/series/Series") {
  static readonly layer = Layer.effect(
    Series,
    Effect.gen(function* () {
      const { read: sql, write } = yield* Database

      const read = traced("Series.read")(function* ({ range }: { readonly range: SeriesRange }) {
        const { resolution, step, steps } = ranges[range]
        const now = yield* Clock.currentTimeMillis
        const to = now - (now % minute)
        const from = (Math.ceil(to / step) - steps) * step
        const points: Array<Point | undefined> = Array.from({ length: steps })
        for (const { at, point } of yield* orUnavailable(between(sql, resolution, from, to))) {
          const index = Math.floor((at - from) / step)
          const known = points[index]
          points[index] = known === undefined ? point : merge(known, point)
        }
        const minutesOf = (index: number) => Math.min(step, to - from - index * step) / minute
        const measured = measurementNames.map((name) => ({
          name,
          unit: measurements[name].unit,
          values: points.map((point, index) => {
            const value = point?.values[name] ?? null
            return value === null ? null : valueOf(measurements[name], value, minutesOf(index))
          })
        }))
        const latencies = Object.entries(percentiles).map(([name, share]) => ({
          name,
          unit: "seconds" as const,
          values: points.map((point) => {
            const value = point === undefined ? null : quantile(point.latency, share)
            return value === null ? null : rounded(value)
          })
        }))
        const report: SeriesReport = {
          range,
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
          step_seconds: step / 1000,
          series: [...measured, ...latencies]
        }
        return report
      })

      return Series.of({ read, prune: Effect.orDie(prune(write)) })
    })
  )
}
