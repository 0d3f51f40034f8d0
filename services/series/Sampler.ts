import { Clock, Effect, Layer, Metric } from "effect"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database } from "../database/Database.ts"
import { noLatencies } from "./LatencyBuckets.ts"
import { forEach, latencySource, type Measurement, measurements } from "./Measurements.ts"
import { add, type Point } from "./SeriesPoints.ts"
import * as StoredTotals from "./StoredTotals.ts"

const minute = 60_000
/** Maximum number of points that wait for a database that cannot be reached: those of an hour. */
const maxWaiting = 60

type Snapshots = ReadonlyMap<string, ReadonlyArray<Metric.Metric.Snapshot>>

type Source = Pick<Measurement, "metric" | "matches">

const matching = (snapshots: Snapshots, { matches, metric }: Source) =>
  (snapshots.get(metric) ?? []).filter(({ attributes }) => matches === undefined || matches(attributes ?? {}))

const numberIn = ({ state, type }: Metric.Metric.Snapshot): number =>
  type === "Counter" ? Number(state.count) : type === "Gauge" ? Number(state.value) : 0

/** Counts of each bucket, of all matching histograms. */
const latencyOf = (snapshots: Snapshots): ReadonlyArray<number> => {
  const counts = [...noLatencies]
  for (const { state, type } of matching(snapshots, latencySource)) {
    if (type !== "Histogram") continue
    let below = 0
    for (const [index, [, atMost]] of [...state.buckets, [Infinity, state.count] as const].entries()) {
      counts[index]! += atMost - below
      below = atMost
    }
  }
  return counts
}

/** Reads the metrics of this process. Counters are read as totals since its start. */
const readTotals = (snapshots: Snapshots): Point => ({
  values: forEach((name) => {
    const found = matching(snapshots, measurements[name])
    return found.length === 0 ? null : found.reduce((sum, snapshot) => sum + numberIn(snapshot), 0)
  }),
  latency: latencyOf(snapshots)
})

/** The increase of counters since an earlier reading, and the present values of the others. */
const since = (before: Point | undefined, { latency, values }: Point): Point => ({
  values: forEach((name) =>
    measurements[name].kind === "count" ? (values[name] ?? 0) - (before?.values[name] ?? 0) : values[name]
  ),
  latency: latency.map((count, index) => count - (before?.latency[index] ?? 0))
})

/** The point with its counts alone, of a node that stops during the minute. */
const onlyCounts = ({ latency, values }: Point): Point => ({
  values: forEach((name) => (measurements[name].kind === "count" ? values[name] : null)),
  latency
})

/**
 * Measures this node at the end of each minute of the clock, by its own metrics, and adds the point to the stored ones.
 * While the database cannot be reached, the points of the last hour wait in memory. A node that dies loses what it has
 * counted in the current minute.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { write: sql } = yield* Database
    const context = yield* Effect.context<never>()
    const waiting: Array<{ readonly at: number; readonly point: Point }> = []
    let before: Point | undefined

    const measure = (): Point => {
      const totals = readTotals(Map.groupBy(Metric.snapshotUnsafe(context), ({ id }) => id))
      const point = since(before, totals)
      before = totals
      return point
    }

    /** Stores the points that wait. One whose commit got no response is dropped: it must not count twice. */
    const store = Effect.uninterruptible(
      Effect.gen(function* () {
        for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
          let isCommitting = false
          const added = Effect.map(add(sql, next.at, next.point), () => {
            isCommitting = true
          })
          const exit = yield* Effect.exit(sql.withTransaction(added))
          if (isCommitting) waiting.shift()
          yield* exit
        }
      })
    )

    const keep = (at: number, point: Point) => {
      waiting.push({ at, point })
      if (waiting.length > maxWaiting) waiting.shift()
      return store
    }

    const orLog = <A, E>(what: string, effect: Effect.Effect<A, E>) =>
      Effect.catchCause(effect, (cause) => Effect.logWarning(what, cause))

    const rounds = (yield* BackgroundWork).rounds("series")
    const round = Effect.gen(function* () {
      // A timer may end a little before or after the minute does.
      const end = Math.round((yield* Clock.currentTimeMillis) / minute) * minute
      yield* orLog("what is stored could not be measured", StoredTotals.refresh(sql))
      yield* orLog(
        "the measurements of a minute could not be stored",
        Effect.suspend(() => keep(end - minute, measure()))
      )
    })

    yield* Effect.addFinalizer(() =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const point = onlyCounts(measure())
        if (point.values.requests === 0) return Effect.void
        return orLog("the measurements of the last minute could not be stored", keep(now - (now % minute), point))
      })
    )
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const end = (Math.round(now / minute) + 1) * minute
          return Effect.andThen(Effect.sleep(end - now), rounds(round))
        })
      )
    )
  })
)
