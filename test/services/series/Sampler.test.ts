import { Context, Effect, Layer, ManagedRuntime, Metric } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest"
import { BackgroundWork } from "../../../services/concurrency/BackgroundWork.ts"
import { Database } from "../../../services/database/Database.ts"
import { latencyBounds } from "../../../services/series/LatencyBuckets.ts"
import { forEach, measurements } from "../../../services/series/Measurements.ts"
import * as Sampler from "../../../services/series/Sampler.ts"
import { add, between, merge, type Point, resolutions } from "../../../services/series/SeriesPoints.ts"
import { idle } from "../../../src/program/testing/Idle.ts"
import { LeapClock } from "../../../src/program/testing/LeapClock.ts"
import { rounds } from "../../support/Slow.ts"
import { type Cut, PostgresProxy } from "../../support/storage/PostgresProxy.ts"
import { createDatabase, type TestDatabase } from "../../support/storage/StorageProcess.ts"

const minute = 60_000
const start = Date.parse("2026-02-28T23:00:20.000Z")

let database: TestDatabase
let proxy: PostgresProxy

beforeAll(async () => {
  database = await createDatabase()
  // Only the parameter of a stored point contains it.
  proxy = new PostgresProxy(inject("postgres"), '"latency":[')
})
afterAll(async () => {
  proxy.stop()
  await database.drop()
})
beforeEach(async () => {
  proxy.cuts.length = 0
  await database.sql("DELETE FROM series_points")
})

/** A node with metrics of its own that measures itself. */
const node = async () => {
  const address = { ...inject("postgres"), database: database.name, socketDirectory: proxy.socketDirectory }
  const registry: Metric.MetricRegistry = new Map()
  const runtime = ManagedRuntime.make(
    Sampler.layer.pipe(
      Layer.provideMerge(BackgroundWork.layer),
      Layer.provideMerge(Database.layer(address)),
      Layer.provideMerge(LeapClock.layer(start)),
      Layer.provideMerge(Layer.succeed(Metric.MetricRegistry, registry))
    )
  )
  const context = Context.make(Metric.MetricRegistry, registry)
  await runtime.runPromise(Effect.service(LeapClock))
  const of = (route: string, status: string) => ({ attributes: { route, method: "GET", status } })
  return {
    run: runtime.runPromise,
    /** Counts requests as the server does. */
    serve: (count: number, status = "2xx", route = "/v2/notes") =>
      Metric.counter("sheaf_http_requests_total", of(route, status)).updateUnsafe(count, context),
    /** Counts the duration of a request in seconds. */
    took: (seconds: number, route = "/v2/notes") =>
      Metric.histogram("sheaf_http_request_duration_seconds", {
        boundaries: latencyBounds,
        attributes: { route, method: "GET" }
      }).updateUnsafe(seconds, context),
    opens: (streams: number) => Metric.gauge("sheaf_streams_open").updateUnsafe(streams, context),
    uses: (bytes: number) => Metric.gauge("process_resident_memory_bytes").updateUnsafe(bytes, context),
    /** Moves the clock to the end of its minute, or by other milliseconds, and waits for the work that is due. */
    pass: (millis?: number) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const clock = yield* LeapClock
          yield* idle()
          const now = yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
          yield* clock.advance(millis ?? minute - (now % minute))
          yield* idle()
        })
      ),
    stop: () => runtime.dispose()
  }
}

const stored = async (resolution: string, columns: string): Promise<ReadonlyArray<any>> =>
  database.sql(`SELECT at, ${columns} FROM series_points WHERE resolution = $1 ORDER BY at`, [resolution])

const requests = async (resolution = "minute"): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries((await stored(resolution, "requests")).map((row) => [row.at.slice(11, 16), row.requests]))

describe("a node", () => {
  it("stores the increase of its counters, the values of its gauges, and durations of the API", async () => {
    const one = await node()
    one.serve(3)
    one.serve(2, "4xx")
    one.serve(1, "5xx")
    one.serve(9, "2xx", "/readyz")
    one.opens(4)
    one.uses(100)
    for (const seconds of [0.0005, 0.003, 99]) one.took(seconds)
    one.took(30, "/v2/sync/pull")
    one.took(30, "/files/{workspace_id}/{id}")
    await one.pass()
    one.serve(5)
    one.opens(2)
    one.uses(70)
    one.took(0.003)
    await one.pass()
    const zeros = (from: number, to: number) => Array.from({ length: to - from }, () => 0)
    const columns = "requests, refused, errors, open_streams, memory_bytes, latency"
    const first = { requests: 6, refused: 2, errors: 1, open_streams: 4, memory_bytes: 100 }
    const second = { requests: 5, refused: 0, errors: 0, open_streams: 2, memory_bytes: 70 }
    expect(await stored("minute", columns)).toEqual([
      { at: "2026-02-28T23:00:00.000Z", ...first, latency: [1, 0, 1, ...zeros(3, 14), 1] },
      { at: "2026-02-28T23:01:00.000Z", ...second, latency: [0, 0, 1, ...zeros(3, 15)] }
    ])
    const both = { requests: 11, refused: 2, errors: 1, open_streams: 6, memory_bytes: 100 }
    const latency = [1, 0, 2, ...zeros(3, 14), 1]
    expect(await stored("hour", columns)).toEqual([{ at: "2026-02-28T23:00:00.000Z", ...both, latency }])
    expect(await stored("day", columns)).toEqual([{ at: "2026-02-28T00:00:00.000Z", ...both, latency }])
    await one.stop()
  })

  it("stores what it has counted in the minute in which it stops, and nothing if that is nothing", async () => {
    const one = await node()
    one.serve(3)
    one.opens(4)
    await one.stop()
    expect(await stored("minute", "requests, open_streams")).toEqual([
      { at: "2026-02-28T23:00:00.000Z", requests: 3, open_streams: null }
    ])
    await database.sql("DELETE FROM series_points")
    await (await node()).stop()
    expect(await requests()).toEqual({})
  })

  it("adds to earlier minutes when its clock is set back, and leaves a gap when it is set forward", async () => {
    const one = await node()
    for (const count of [1, 2, 4]) {
      one.serve(count)
      await one.pass()
    }
    expect(await requests()).toEqual({ "23:00": 1, "23:01": 2, "23:02": 4 })
    await one.pass(-2 * minute)
    one.serve(8)
    await one.pass(3 * minute)
    one.serve(16)
    await one.pass(70 * minute)
    const all = await requests()
    expect(Object.values(all).reduce((sum, count) => sum + count, 0)).toBe(31)
    expect(Object.values(await requests("hour")).reduce((sum, count) => sum + count, 0)).toBe(31)
    await one.stop()
  })

  it("keeps the points of the last hour while they cannot be stored, each with its minute", async () => {
    const one = await node()
    await database.sql("ALTER TABLE series_points RENAME TO series_points_away")
    for (let count = 1; count <= 62; count++) {
      one.serve(count)
      await one.pass()
    }
    await database.sql("ALTER TABLE series_points_away RENAME TO series_points")
    one.serve(63)
    await one.pass()
    const all = await requests()
    expect(Object.keys(all)).toHaveLength(60)
    expect([all["23:02"], all["23:03"], all["00:02"]]).toEqual([undefined, 4, 63])
    await one.stop()
  })

  const cases: ReadonlyArray<[string, Cut, number]> = [
    ["before the statement loses no counts", { at: "before", skip: 0 }, 3],
    ["after the statement neither loses nor doubles counts", { at: "after", skip: 0 }, 3],
    ["before the commit loses counts rather than doubling them", { at: "before", skip: 1 }, 0],
    ["after the commit doubles no counts", { at: "after", skip: 1 }, 3]
  ]
  it.each(cases)("that loses its connection %s", async (_, cut, kept) => {
    const one = await node()
    one.serve(3)
    const made = proxy.made
    proxy.cuts.push(cut)
    await one.pass()
    expect(proxy.made).toBe(made + 1)
    one.serve(2)
    await one.pass()
    await one.pass()
    expect(Object.values(await requests("hour"))).toEqual([kept + 2])
    await one.stop()
  })
})

const value = fc.option(fc.integer({ min: 0, max: 1e6 }), { nil: null })
const point: fc.Arbitrary<Point> = fc.record({
  values: fc.record(forEach(() => value)),
  latency: fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 15, maxLength: 15 })
})

describe("points", () => {
  it("merge in the database as in memory, in any order and by two nodes at the same time", async () => {
    const nodes = [await node(), await node()]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 180 }), point), { minLength: 2, maxLength: 12 }),
        async (all) => {
          await database.sql("DELETE FROM series_points")
          const addAll = (some: typeof all) =>
            Effect.flatMap(Database, ({ write }) =>
              Effect.forEach(some, ([minutes, each]) => add(write, start + minutes * minute, each), { discard: true })
            )
          const middle = all.length >> 1
          await Promise.all(
            [all.slice(0, middle), all.slice(middle)].map((some, index) => nodes[index]!.run(addAll(some)))
          )
          for (const resolution of ["minute", "hour", "day"] as const) {
            const { step } = resolutions[resolution]
            const expected = new Map<number, Point>()
            for (const [minutes, each] of all.toReversed()) {
              const at = Math.floor((start + minutes * minute) / step) * step
              const known = expected.get(at)
              expected.set(at, known === undefined ? each : merge(each, known))
            }
            const found = await nodes[0]!.run(
              Effect.flatMap(Database, ({ read }) => between(read, resolution, 0, start * 2))
            )
            expect(new Map(found.map(({ at, point }) => [at, point]))).toEqual(expected)
          }
        }
      ),
      { numRuns: rounds(15, 200), endOnFailure: true }
    )
    for (const each of nodes) await each.stop()
  })

  it("have a column for each measurement", async () => {
    const columns = await database.sql(
      "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'series_points' ORDER BY ordinal_position"
    )
    expect(columns.map(({ name }) => name)).toEqual(["resolution", "at", ...Object.keys(measurements), "latency"])
  })
})
