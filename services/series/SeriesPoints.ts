import type { PgClient } from "@effect/sql-pg/PgClient"
import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"
import * as Measurements from "./Measurements.ts"
import type { MeasurementName } from "./Measurements.ts"

const day = 86_400_000

/** The steps of which points are stored, in milliseconds, and for how long. */
export const resolutions = {
  minute: { step: 60_000, life: 2 * day },
  hour: { step: 3_600_000, life: 35 * day },
  day: { step: day, life: 400 * day }
} as const

export type Resolution = keyof typeof resolutions

/** The measurements of a step, on one node or on several. Null: it was not measured. */
export interface Point {
  readonly values: Readonly<Record<MeasurementName, number | null>>
  /** Requests by the buckets of `LatencyBuckets`. */
  readonly latency: ReadonlyArray<number>
}

const isPeak = (name: MeasurementName): boolean => Measurements.measurements[name].kind === "peak"

/** The point of both: of two steps, or of two nodes. The order of merges does not matter. */
export const merge = (one: Point, other: Point): Point => ({
  values: Measurements.forEach((name) => {
    const [a, b] = [one.values[name], other.values[name]]
    return a === null || b === null ? (a ?? b) : isPeak(name) ? Math.max(a, b) : a + b
  }),
  latency: one.latency.map((count, index) => count + other.latency[index]!)
})

const { measurementNames } = Measurements

/** The same as `merge`. */
const merged = [
  ...measurementNames.map((name) => {
    const [a, b] = [`p.${name}`, `excluded.${name}`]
    return `${name} = ${isPeak(name) ? `greatest(${a}, ${b})` : `coalesce(${a} + ${b}, ${a}, ${b})`}`
  }),
  `latency = ARRAY(SELECT a + b FROM unnest(p.latency, excluded.latency) WITH ORDINALITY AS x (a, b, place) ORDER BY place)`
]

/**
 * Adds a point to its minute, hour and day. All nodes add to the same rows, and lock them in the same order. There is no
 * read before the write, so no clock and no other node can break a row.
 */
const addText = `INSERT INTO series_points AS p (resolution, at, ${measurementNames.join(", ")}, latency)
  SELECT step.resolution, step.at, ${measurementNames.join(", ")}, latency
  FROM unnest($1::text[], $2::text[]) AS step (resolution, at),
    jsonb_to_record($3::jsonb) AS point (${measurementNames.map((name) => `${name} float8`).join(", ")}, latency float8[])
  ON CONFLICT (resolution, at) DO UPDATE SET ${merged.join(", ")}`

const iso = (millis: number): string => new Date(millis).toISOString()

/** Adds a point that was measured in the minute that begins at `at`, in Unix milliseconds. */
export const add = (sql: Reads, at: number, { latency, values }: Point) => {
  const steps = Object.entries(resolutions).map(([resolution, { step }]) => [resolution, iso(at - (at % step))])
  return sql.unsafe(addText, [
    steps.map(([resolution]) => resolution),
    steps.map(([, begins]) => begins),
    JSON.stringify({ ...values, latency })
  ])
}

type Row = Readonly<Record<MeasurementName, number | null>> & {
  readonly at: string
  readonly latency: ReadonlyArray<number>
}

const betweenText = `SELECT at, ${measurementNames.join(", ")}, latency FROM series_points
  WHERE resolution = $1 AND at >= $2 AND at < $3 ORDER BY at`

/** The points of steps that begin in a time, in Unix milliseconds; `to` is excluded. */
export const between = (sql: Reads, resolution: Resolution, from: number, to: number) =>
  Effect.map(sql.unsafe<Row>(betweenText, [resolution, iso(from), iso(to)]), (rows) =>
    rows.map(({ at, latency, ...values }) => ({ at: Date.parse(at), point: { values, latency } }))
  )

/** Deletes the points whose time is over. */
export const prune = (sql: PgClient) =>
  Effect.forEach(
    Object.entries(resolutions),
    ([resolution, { life }]) =>
      Effect.flatMap(ago(life), (moment) =>
        deleteInBatches(sql, "series_points", `resolution = '${resolution}' AND at < $1`, moment)
      ),
    { discard: true }
  )
