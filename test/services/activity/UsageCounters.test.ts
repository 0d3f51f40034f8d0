import { Effect, Exit, Layer, ManagedRuntime, Option } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest"
import { UsageCounters } from "../../../services/activity/UsageCounters.ts"
import { Unavailable } from "../../../services/Errors.ts"
import { Database } from "../../../services/database/Database.ts"
import { BackgroundWork } from "../../../services/concurrency/BackgroundWork.ts"
import { LeapClock } from "../../../src/program/testing/LeapClock.ts"
import { rounds } from "../../support/Slow.ts"
import { type Cut, PostgresProxy } from "../../support/storage/PostgresProxy.ts"
import { createDatabase, type TestDatabase } from "../../support/storage/StorageProcess.ts"

const start = Date.parse("2026-02-27T18:00:00.000Z")
const sign = "ws_counted"

let database: TestDatabase
let proxy: PostgresProxy

beforeAll(async () => {
  database = await createDatabase()
  proxy = new PostgresProxy(inject("postgres"), sign)
  await database.sql(
    `INSERT INTO workspaces SELECT '${sign}' || n, '${sign}' || n, '${sign}' || n, 'free', 1, '2026-01-01', NULL
    FROM generate_series(1, 2500) n`
  )
})
afterAll(async () => {
  proxy.stop()
  await database.drop()
})
beforeEach(async () => {
  proxy.cuts.length = 0
  await database.sql("DELETE FROM request_days")
})

/** The counters of one node. `isAlone`: without the proxy. */
const node = async (isAlone = false) => {
  const socketDirectory = isAlone ? inject("postgres").socketDirectory : proxy.socketDirectory
  const runtime = ManagedRuntime.make(
    UsageCounters.layer.pipe(
      Layer.provide(BackgroundWork.layer),
      Layer.provideMerge(Database.layer({ ...inject("postgres"), socketDirectory, database: database.name })),
      Layer.provideMerge(LeapClock.layer(start))
    )
  )
  const counters = await runtime.runPromise(Effect.service(UsageCounters))
  const { write: sql } = await runtime.runPromise(Effect.service(Database))
  const asked = vi.spyOn(sql, "unsafe")
  return {
    /** The number of statements so far. */
    statements: () => asked.mock.calls.length,
    count: (workspace: number, times = 1) => {
      for (let time = 0; time < times; time++) counters.count(`${sign}${workspace}`)
    },
    flush: () => runtime.runPromiseExit(counters.flush),
    /** Retries until it succeeds: a lost connection is replaced. */
    settle: async () => {
      for (let time = 0; time < 5; time++) if (Exit.isSuccess(await runtime.runPromiseExit(counters.flush))) return
      throw new Error("nothing can be written")
    },
    /** Waits for the writes of the clock in that time, so that they do not use up the next cut. */
    advance: (hours: number) =>
      runtime.runPromise(
        Effect.flatMap(Effect.service(LeapClock), (clock) =>
          Effect.andThen(clock.advance(`${hours} hours`), clock.asleep("3 seconds"))
        )
      ),
    stop: () => runtime.dispose()
  }
}

const written = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await database.sql("SELECT workspace_id, date, api_requests::int AS requests FROM request_days")).map((row) => [
      `${row.workspace_id.slice(sign.length)} ${row.date}`,
      row.requests
    ])
  )

describe("a connection that is lost while counts are stored", () => {
  const cases: ReadonlyArray<[string, Cut, number]> = [
    ["before the statement arrives loses no counts", { at: "before", skip: 0 }, 3],
    ["during the statement neither loses nor doubles counts", { at: "during", skip: 0 }, 3],
    ["before the response to the statement neither loses nor doubles counts", { at: "after", skip: 0 }, 3],
    ["before the commit arrives loses counts rather than doubling them", { at: "before", skip: 1 }, 0],
    ["during the commit doubles no counts", { at: "during", skip: 1 }, 3],
    ["before the response to the commit doubles no counts", { at: "after", skip: 1 }, 3]
  ]
  it.each(cases)("%s", async (_, cut, kept) => {
    const one = await node()
    one.count(1, 3)
    const made = proxy.made
    proxy.cuts.push(cut)
    expect(Exit.findErrorOption(await one.flush())).toEqual(Option.some(Unavailable.database))
    expect(proxy.made).toBe(made + 1)
    one.count(1, 2)
    await one.settle()
    expect(await written()).toEqual({ "1 2026-02-27": kept + 2 })
    await one.stop()
  })
})

describe("request counts", () => {
  it("stay in memory while the database is unreachable, and are stored at the latest when the node stops", async () => {
    const one = await node()
    one.count(1)
    await one.settle()
    proxy.cuts.push(...Array.from({ length: 10_000 }, () => ({ at: "before", skip: 0 }) as const))
    for (let day = 0; day < 3; day++) {
      one.count(1)
      one.count(2)
      expect(Exit.findErrorOption(await one.flush())).toEqual(Option.some(Unavailable.database))
      await one.advance(24)
    }
    expect(await written()).toEqual({ "1 2026-02-27": 1 })
    proxy.cuts.length = 0
    await one.stop()
    const days = ["2026-02-27", "2026-02-28", "2026-03-01"]
    expect(await written()).toEqual(
      Object.fromEntries(
        days.flatMap((day, index) => [
          [`1 ${day}`, index === 0 ? 2 : 1],
          [`2 ${day}`, 1]
        ])
      )
    )
  })

  it("are all stored for more workspaces than one statement takes", async () => {
    const one = await node(true)
    for (let workspace = 1; workspace <= 2500; workspace++) one.count(workspace, 1 + (workspace % 3))
    await one.settle()
    const all = await written()
    expect(Object.keys(all)).toHaveLength(2500)
    for (let workspace = 1; workspace <= 2500; workspace++) {
      expect(all[`${workspace} 2026-02-27`]).toBe(1 + (workspace % 3))
    }
    await one.stop()
  })

  it("of two nodes that store at the same time add up without a deadlock", async () => {
    const nodes = [await node(true), await node(true)]
    for (let round = 0; round < 20; round++) {
      for (let index = 0; index < 200; index++) {
        nodes[0]!.count(1 + index)
        // The opposite order.
        nodes[1]!.count(200 - index)
      }
      const exits = await Promise.all(nodes.map((each) => each.flush()))
      expect(exits).toEqual([Exit.succeed(undefined), Exit.succeed(undefined)])
    }
    for (const each of nodes) await each.stop()
    const all = await written()
    expect(Object.keys(all)).toHaveLength(200)
    expect(new Set(Object.values(all))).toEqual(new Set([40]))
  })

  it("are neither lost nor doubled by any order of calls, days, writes and lost connections", async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          op: fc.constant("count" as const),
          workspace: fc.integer({ min: 1, max: 4 }),
          times: fc.integer({ min: 1, max: 9 })
        })
      },
      { weight: 2, arbitrary: fc.record({ op: fc.constant("write" as const) }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 60 }) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          op: fc.constant("cut" as const),
          // Counts are lost only if a commit does not arrive, so that cut is not included.
          cut: fc.constantFrom<Cut>(
            { at: "before", skip: 0 },
            { at: "during", skip: 0 },
            { at: "after", skip: 0 },
            { at: "during", skip: 1 },
            { at: "after", skip: 1 }
          )
        })
      }
    )
    let cuts = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        await database.sql("DELETE FROM request_days")
        proxy.cuts.length = 0
        const before = proxy.made
        const one = await node()
        const counted: Record<string, number> = {}
        let now = start
        for (const each of steps) {
          if (each.op === "count") {
            one.count(each.workspace, each.times)
            const key = `${each.workspace} ${new Date(now).toISOString().slice(0, 10)}`
            counted[key] = (counted[key] ?? 0) + each.times
          } else if (each.op === "write") await one.flush()
          else if (each.op === "cut") proxy.cuts.splice(0, 1, each.cut)
          else {
            await one.advance(each.hours)
            now += each.hours * 3600_000
          }
        }
        proxy.cuts.length = 0
        await one.settle()
        await one.stop()
        // PostgreSQL may finish a commit shortly after its connection was cut.
        await proxy.ended()
        expect(await written()).toEqual(counted)
        cuts += proxy.made - before
      }),
      { numRuns: rounds(8, 25), endOnFailure: true }
    )
    expect(cuts).toBeGreaterThan(0)
  })
})

describe("counting a request", () => {
  it("needs no statement, and one statement stores 100 000 requests", async () => {
    const one = await node(true)
    const before = one.statements()
    for (let time = 0; time < 100_000; time++) one.count(1 + (time % 16))
    expect(one.statements()).toBe(before)
    await one.settle()
    expect(one.statements()).toBe(before + 1)
    expect(Object.values(await written())).toEqual(Array.from({ length: 16 }, () => 6_250))
    await one.stop()
  })
})
