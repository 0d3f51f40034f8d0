import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { measurementNames } from "../../../services/series/Measurements.ts"
import { Series } from "../../../services/series/Series.ts"
import { type SeriesRange, type SeriesReport } from "../../../services/series/SeriesReport.ts"
import { epoch, startApp, type TestApp } from "../../support/TestApp.ts"

const minute = 60_000
const iso = (millis: number) => new Date(millis).toISOString()

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const read = (range: SeriesRange, of = app): Promise<SeriesReport> =>
  of.run(Effect.flatMap(Effect.service(Series), (series) => series.read({ range })))

/** The values of a series that are not null, by the time of their step. */
const valuesOf = ({ from, series, step_seconds }: SeriesReport, name: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    series
      .find((each) => each.name === name)!
      .values.flatMap((value, index) =>
        value === null ? [] : [[iso(Date.parse(from) + index * step_seconds * 1000), value]]
      )
  )

const at = (minutes: number) => iso(epoch + minutes * minute)

/** Sends requests that succeed, and others that are refused. */
const send = async (to: TestApp, good: number, bad = 0) => {
  for (let n = 0; n < good; n++) await to.call("GET", "/notebooks")
  for (let n = 0; n < bad; n++) await to.call("GET", `/notes/nt_missing${n}`)
}

it("has a value for each measurement after the first minute, and null for the time before", async () => {
  // Queues are counted after five seconds.
  await app.advance("10 seconds")
  await send(app, 3, 2)
  await fetch(new URL("/readyz", app.url))
  await app.advance("50 seconds")
  const report = await read("hour")
  expect(report).toMatchObject({ range: "hour", from: at(-59), to: at(1), step_seconds: 60 })
  for (const { name, values } of report.series) {
    expect(values, name).toHaveLength(60)
    expect(values.slice(0, 59), name).toEqual(Array.from({ length: 59 }, () => null))
    expect(values[59], name).toBeTypeOf("number")
  }
  const value = (name: string) => valuesOf(report, name)[at(0)]
  expect([value("requests"), value("refused"), value("errors")]).toEqual([5, 2, 0])
  expect(value("memory_bytes")).toBeGreaterThan(1e7)
  expect(value("database_bytes")).toBeGreaterThan(1e6)
  expect(value("latency_p99")).toBeGreaterThanOrEqual(value("latency_p50")!)
  expect(report.series).toHaveLength(measurementNames.length + 3)
})

it("adds the requests of two nodes, also of one that stops and starts in the same minute", async () => {
  const start = () => startApp({ databaseOf: app })
  let other = await start()
  await other.advance("1 minute")
  await send(app, 3)
  await send(other, 1, 1)
  await other.stop()
  other = await start()
  await other.advance("1 minute")
  await send(other, 4)
  await Promise.all([app.advance("1 minute"), other.advance("1 minute")])
  await other.stop()
  const report = await read("hour")
  expect(valuesOf(report, "requests")).toEqual({ [at(0)]: 5, [at(1)]: 9 })
  expect(valuesOf(report, "refused")).toEqual({ [at(0)]: 2, [at(1)]: 1 })
  for (const range of ["day", "month", "year"] as const) {
    expect(Object.values(valuesOf(await read(range), "requests")), range).toEqual([14])
  }
})

it("merges the points of a step: counts add up, peaks stay, and means are by the minutes that have passed", async () => {
  await app.sql("DELETE FROM series_points")
  const points = [
    { minutes: -5, requests: 1, open_streams: 5, mails_waiting: null },
    { minutes: 0, requests: 1, open_streams: 4, mails_waiting: 9 },
    { minutes: 1, requests: 2, open_streams: 2, mails_waiting: 3 },
    // A node whose clock is wrong has stored it.
    { minutes: 90, requests: 7, open_streams: 7, mails_waiting: 7 }
  ]
  for (const { mails_waiting, minutes, open_streams, requests } of points) {
    await app.sql(
      `INSERT INTO series_points (resolution, at, requests, open_streams, mails_waiting, latency)
        VALUES ('minute', $1, $2::float8, $3::float8, $4::float8, '{0,0,0,0,10,0,0,0,0,0,0,0,0,0,0}')`,
      [at(minutes), requests, open_streams, mails_waiting]
    )
  }
  const report = await read("day")
  expect(report).toMatchObject({ from: iso(epoch - 1435 * minute), to: at(2), step_seconds: 300 })
  expect(valuesOf(report, "requests")).toEqual({ [at(-5)]: 1, [at(0)]: 3 })
  expect(valuesOf(report, "open_streams")).toEqual({ [at(-5)]: 1, [at(0)]: 3 })
  expect(valuesOf(report, "mails_waiting")).toEqual({ [at(0)]: 9 })
  expect(valuesOf(report, "latency_p50")).toEqual({ [at(-5)]: 0.0175, [at(0)]: 0.0175 })
  expect(valuesOf(report, "latency_p99")).toEqual({ [at(-5)]: 0.02485, [at(0)]: 0.02485 })
})

it("stores one row for each step, whichever node adds to it, and forgets it when its time is over", async () => {
  const old = (days: number) => iso(epoch - days * 1440 * minute)
  await app.sql(
    `INSERT INTO series_points (resolution, at, requests, latency)
      SELECT resolution, at, 1, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}' FROM unnest($1::text[]) AS r (resolution), unnest($2::text[]) AS a (at)`,
    [["minute", "hour", "day"], [1.5, 2.5, 34, 36, 399, 401].map(old)]
  )
  const kept = () => app.sql("SELECT resolution, at FROM series_points WHERE at < $1 ORDER BY 1, 2", [old(1)])
  expect(await kept()).toHaveLength(18)
  await app.advance("1 hour")
  expect(await kept()).toEqual([
    ...[399, 36, 34, 2.5, 1.5].map((days) => ({ resolution: "day", at: old(days) })),
    ...[34, 2.5, 1.5].map((days) => ({ resolution: "hour", at: old(days) })),
    { resolution: "minute", at: old(1.5) }
  ])
})
