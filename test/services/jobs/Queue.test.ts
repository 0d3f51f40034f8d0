import { Clock, type Duration, Effect, Exit, Metric, Scope } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Column from "../../../services/tables/Column.ts"
import { Database } from "../../../services/database/Database.ts"
import { NodeBus, notifyEnded } from "../../../services/database/NodeBus.ts"
import * as Queue from "../../../services/jobs/Queue.ts"
import type { Claimed } from "../../../services/jobs/QueueStore.ts"
import * as Table from "../../../services/tables/Table.ts"
import { explain } from "../../support/Explained.ts"
import { LeapClock } from "../../../src/program/testing/LeapClock.ts"
import { statementsOf } from "../../support/Statements.ts"
import { epoch, startApp, type TestApp } from "../../support/TestApp.ts"

const errands = Table.make(
  "errands",
  {
    id: Column.text(),
    place: Column.text(),
    attempts: Column.int,
    next_at: Column.text(),
    created_at: Column.text()
  },
  { key: ["id"] }
)
type ErrandRow = Table.Row<typeof errands>
type Errand = Claimed<ErrandRow>

/** Groups places by the text before the slash. */
const shared = {
  concurrencyPerKey: { onAll: 2, turns: { groupOf: (key: string) => `split_part(${key}, '/', 1)`, firstTime: 60_000 } }
}

const at = (millis: number) => new Date(epoch + millis).toISOString()

/** A queue on an App, with the tries that it has made. */
interface Node {
  readonly app: TestApp
  readonly tried: Array<string>
  readonly failures: Array<{ readonly id: string } & Queue.Failure>
  /** Ids whose try was interrupted. */
  readonly interrupted: Array<string>
  /** Sets the effect of a try; `holds` makes tries run until `finish`. */
  readonly does: (id: string, effect: Effect.Effect<void, Queue.Retry | Queue.Drop>) => void
  readonly holds: (...ids: ReadonlyArray<string>) => void
  readonly finish: (id: string) => void
  readonly wake: () => Promise<void>
  readonly stop: () => Promise<void>
}

let stops: Array<() => Promise<void>> = []
let app: TestApp

const secondApp = async () => {
  const other = await startApp({ databaseOf: app })
  stops.push(other.stop)
  return other
}

const nodeOn = async (app: TestApp, options: Partial<Queue.Options<ErrandRow>> = {}): Promise<Node> => {
  const tried: Array<string> = []
  const failures: Array<{ readonly id: string } & Queue.Failure> = []
  const interrupted: Array<string> = []
  const effects = new Map<string, Effect.Effect<void, Queue.Retry | Queue.Drop>>()
  const ends = new Map<string, () => void>()
  const scope = Scope.makeUnsafe()
  const queue = await app.run(
    Queue.make<ErrandRow>({
      table: errands,
      key: "place",
      concurrency: 4,
      concurrencyPerKey: { onEach: 4 },
      run: ({ id }) =>
        Effect.onInterrupt(
          Effect.suspend(() => {
            tried.push(id)
            return effects.get(id) ?? Effect.void
          }),
          () => Effect.sync(() => void interrupted.push(id))
        ),
      backoff: (attempt) => [10_000, 60_000][attempt - 1],
      failed: ({ id }, failure) => Effect.sync(() => void failures.push({ id, ...failure })),
      outcomes: { done: "done", retried: "retried", dropped: "dropped", given_up: "given_up" },
      drain: "10 seconds",
      ...options
    }).pipe(Scope.provide(scope), Effect.provideService(Metric.MetricRegistry, metrics))
  )
  const does: Node["does"] = (id, effect) => void effects.set(id, effect)
  const stop = () => app.run(Scope.close(scope, Exit.void))
  stops.push(stop)
  return {
    app,
    tried,
    failures,
    interrupted,
    does,
    holds: (...ids) => {
      for (const id of ids) {
        const end = new Promise<void>((resolve) => void ends.set(id, resolve))
        does(
          id,
          Effect.promise(() => end)
        )
      }
    },
    finish: (id) => ends.get(id)!(),
    wake: () => app.run(queue.wake),
    stop
  }
}

const add = (...rows: ReadonlyArray<Partial<Errand> & { readonly id: string; readonly next_at?: string }>) =>
  app.sql(
    `INSERT INTO errands (workspace_id, id, place, attempts, next_at, created_at) SELECT 'ws', id, place, attempts, next_at, $2
    FROM json_to_recordset($1::text::json) AS x (id text, place text, attempts int, next_at text)`,
    [JSON.stringify(rows.map((row) => ({ place: "here", attempts: 0, next_at: at(0), ...row }))), at(0)]
  )
const rows = () => app.sql("SELECT id, attempts, next_at FROM errands ORDER BY id")
const allGone = () => expect.poll(rows).toEqual([])
const asleep = (node: Node, duration: Duration.Input) =>
  node.app.run(Effect.flatMap(LeapClock, (clock) => clock.asleep(duration)))
const now = () => app.run(Clock.currentTimeMillis)
/** Moves the clock on until these ids were tried. */
const triedLater = (node: Node, ids: ReadonlyArray<string>, step: Duration.Input = "1 second") =>
  expect
    .poll(async () => {
      await node.app.move(step)
      return node.tried
    })
    .toEqual(ids)
/** The metrics of all queues of a test. */
let metrics: Metric.MetricRegistry
const metric = async (name: string) => {
  const text = await app.run(Effect.provideService(PrometheusMetrics.format(), Metric.MetricRegistry, metrics))
  const line = text.split("\n").find((line) => line.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length))
}

beforeEach(async () => {
  metrics = new Map()
  app = await startApp()
  stops = [app.stop]
  const text = `text COLLATE "C" NOT NULL`
  await app.sql(`CREATE TABLE errands (workspace_id ${text}, id ${text}, place ${text}, attempts int NOT NULL,
    next_at ${text}, created_at ${text}, claimed_by int, PRIMARY KEY (workspace_id, id))`)
  await app.sql("CREATE INDEX errands_due ON errands (next_at)")
  await app.sql("CREATE INDEX errands_turns ON errands (place, next_at)")
})
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop()
})

it("reports how long the oldest due row has waited, without rows that are being tried or not due", async () => {
  const node = await nodeOn(app, { concurrency: 1 })
  const overdue = () => metric(`sheaf_queue_overdue_seconds{queue="errands"}`)
  node.holds("first", "second")
  await add({ id: "first" }, { id: "later", next_at: at(3600_000) })
  await node.wake()
  await expect.poll(() => node.tried).toEqual(["first"])
  await node.app.move("5 seconds")
  await expect.poll(overdue).toBe(0)
  await add({ id: "second", next_at: at(5_000) })
  await node.app.move("15 seconds")
  await expect.poll(overdue).toBe(15)
  node.finish("first")
  await expect.poll(() => node.tried).toEqual(["first", "second"])
  await node.app.move("15 seconds")
  await expect.poll(overdue).toBe(0)
  node.finish("second")
})

describe("a try", () => {
  it("deletes its row when it succeeds; when it fails, it is repeated after each delay and then given up", async () => {
    const node = await nodeOn(app)
    node.does("bad", new Queue.Retry({ reason: "busy" }))
    await add({ id: "good" }, { id: "bad" })
    await node.wake()
    await expect.poll(rows).toEqual([{ id: "bad", attempts: 1, next_at: at(10_000) }])
    await app.move("10 seconds")
    await node.wake()
    await expect.poll(rows).toEqual([{ id: "bad", attempts: 2, next_at: at(70_000) }])
    await app.move("1 minute")
    await node.wake()
    await allGone()
    expect(node.tried.toSorted()).toEqual(["bad", "bad", "bad", "good"])
    expect(node.failures).toEqual([
      { id: "bad", outcome: "retried", reason: "busy", next_at: at(10_000) },
      { id: "bad", outcome: "retried", reason: "busy", next_at: at(70_000) },
      { id: "bad", outcome: "given_up", reason: "busy" }
    ])
    const outcome = (name: string) => metric(`sheaf_errands_total{outcome="${name}"}`)
    await expect.poll(() => outcome("given_up")).toBe(1)
    expect([await outcome("done"), await outcome("retried"), await outcome("dropped")]).toEqual([1, 2, undefined])
  })

  it("is interrupted at once when its row is deleted, and does not end a row that is added again", async () => {
    const node = await nodeOn(app)
    node.holds("cancelled")
    await add({ id: "cancelled" })
    await node.wake()
    await expect.poll(() => node.tried).toEqual(["cancelled"])
    await app.run(
      Effect.gen(function* () {
        const { write: sql } = yield* Database
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql.unsafe("DELETE FROM errands")
            yield* sql.unsafe(
              `INSERT INTO errands (workspace_id, id, place, attempts, next_at, created_at, claimed_by)
              VALUES ('ws', 'cancelled', 'here', 1, $1, $1, 7)`,
              [at(90_000)]
            )
            yield* notifyEnded(sql, "errands", "cancelled")
          })
        )
      })
    )
    await expect.poll(() => node.interrupted).toEqual(["cancelled"])
    await node.stop()
    expect(await rows()).toEqual([{ id: "cancelled", attempts: 1, next_at: at(90_000) }])
  })

  it("that fails with Drop is not repeated", async () => {
    const node = await nodeOn(app)
    node.does("gone", new Queue.Drop({ reason: "410" }))
    await add({ id: "gone" })
    await node.wake()
    await allGone()
    expect(node.failures).toEqual([{ id: "gone", outcome: "dropped", reason: "410" }])
    await expect.poll(() => metric(`sheaf_errands_total{outcome="dropped"}`)).toBe(1)
  })

  it("that ends with a defect is repeated like a failed one", async () => {
    const node = await nodeOn(app)
    node.does("odd", Effect.die(new Error("odd")))
    await add({ id: "odd" })
    await node.wake()
    await expect.poll(rows).toEqual([{ id: "odd", attempts: 1, next_at: at(10_000) }])
  })

  it("is not repeated if it was the last and has no result: it may have crashed the process", async () => {
    const node = await nodeOn(app)
    await add({ id: "deadly", attempts: 3 }, { id: "unlucky", attempts: 2 })
    await node.wake()
    await allGone()
    expect(node.tried).toEqual(["unlucky"])
    expect(node.failures).toEqual([
      { id: "deadly", outcome: "given_up", reason: "the last try ended without a result" }
    ])
  })
})

describe("a row", () => {
  it("is tried when it is due, to the millisecond", async () => {
    const node = await nodeOn(app)
    await add({ id: "soon", next_at: at(2_000) })
    await node.wake()
    await asleep(node, "2 seconds")
    await app.move("1999 millis")
    expect(node.tried).toEqual([])
    await app.move("1 millis")
    await expect.poll(() => node.tried).toEqual(["soon"])
  })

  it("is tried within five seconds without a call of wake", async () => {
    const node = await nodeOn(app)
    await add({ id: "silent" })
    await app.move("5 seconds")
    await expect.poll(() => node.tried).toEqual(["silent"])
  })

  it("is tried at once by another node when the node that got the call of wake has no free slot", async () => {
    const [here, there] = [
      await nodeOn(app, { concurrency: 1 }),
      await nodeOn(await secondApp(), { concurrency: 1 })
    ] as const
    const { isCutOff } = await there.app.run(Effect.service(NodeBus))
    await expect.poll(isCutOff).toBe(false)
    here.holds("first")
    await add({ id: "first" })
    await here.wake()
    await expect.poll(() => here.tried).toEqual(["first"])
    // The clock does not move: nothing else makes the other node look.
    await add({ id: "second" })
    await here.wake()
    await expect.poll(() => there.tried).toEqual(["second"])
    here.finish("first")
    await allGone()
  })
})

describe("scheduling", () => {
  it("is round-robin over the keys, however many rows one has and however long they have waited", async () => {
    const many = Array.from({ length: 200 }, (_, n) => ({ id: `many${n}`, place: "many", next_at: at(-60_000 + n) }))
    await add(...many, { id: "a", place: "a" }, { id: "z1", place: "z" }, { id: "z2", place: "z" })
    const node = await nodeOn(app, { concurrency: 1 })
    await node.wake()
    await allGone()
    expect(node.tried).toHaveLength(203)
    expect(node.tried.slice(0, 6)).toEqual(["a", "many0", "z1", "many1", "z2", "many2"])
  })

  it("limits the concurrent tries of a key, so that slow work delays no other key", async () => {
    const node = await nodeOn(app, { concurrencyPerKey: { onEach: 2 } })
    const slow = Array.from({ length: 6 }, (_, n) => `slow${n}`)
    node.holds(...slow)
    await add(...slow.map((id) => ({ id, place: "slow", next_at: at(-1) })))
    await add(...Array.from({ length: 20 }, (_, n) => ({ id: `quick${n}`, place: `${n % 3}` })))
    await node.wake()
    await expect.poll(async () => (await rows()).length).toBe(6)
    expect(node.tried.filter((id) => id.startsWith("slow"))).toHaveLength(2)
    await expect.poll(() => metric("sheaf_errands_running")).toBe(2)
    for (const id of slow) node.finish(id)
    await allGone()
  })

  it("limits the concurrent tries of a key over all nodes", async () => {
    const other = await secondApp()
    const options = { concurrencyPerKey: { onAll: 2, turns: { groupOf: (key: string) => key, firstTime: 60_000 } } }
    const nodes = [await nodeOn(app, options), await nodeOn(other, options)] as const
    const ids = Array.from({ length: 12 }, (_, n) => `errand${n}`)
    for (const node of nodes) node.holds(...ids)
    await add(...ids.map((id) => ({ id, place: "shared" })))
    const left = new Set(ids)
    while (left.size > 0) {
      await Promise.all(nodes.map((node) => node.wake()))
      const running = () => nodes.flatMap((node) => node.tried.flatMap((id) => (left.has(id) ? [{ id, node }] : [])))
      await expect.poll(() => running().length).toBe(Math.min(2, left.size))
      expect((await rows()).filter(({ attempts }) => attempts > 0)).toHaveLength(running().length)
      const [{ id, node }] = running() as [{ id: string; node: Node }]
      left.delete(id)
      node.finish(id)
      await expect.poll(async () => (await rows()).length).toBe(left.size)
    }
    expect(nodes.flatMap((node) => node.tried).toSorted()).toEqual(ids.toSorted())
  })

  it("is round-robin over groups, and over the keys within a group", async () => {
    const node = await nodeOn(app, { ...shared, concurrency: 1 })
    const many = ["a/1", "a/2", "a/3"].flatMap((place) =>
      Array.from({ length: 20 }, (_, n) => ({ id: `${place} ${n}`, place, next_at: at(-60_000 + n) }))
    )
    await add(...many, ...["b/1", "c/1"].flatMap((place) => [1, 2, 3].map((n) => ({ id: `${place} ${n}`, place }))))
    await node.wake()
    await allGone()
    expect(node.tried.map((id) => id[0]).join("")).toMatch(/^abcabcabca+$/)
    const ofA = new Set(node.tried.flatMap((id, n) => (id.startsWith("a") && n < 50 ? [id.slice(0, 3)] : [])))
    expect([...ofA].toSorted()).toEqual(["a/1", "a/2", "a/3"])
  })

  it("gives a group a second slot of a node only while no other group waits", async () => {
    const node = await nodeOn(app, { ...shared, concurrency: 2 })
    node.holds("a1", "a2", "a3", "b1")
    await add({ id: "a1", place: "a/1" }, { id: "a2", place: "a/2" }, { id: "a3", place: "a/3" })
    await node.wake()
    await expect.poll(() => node.tried).toHaveLength(2)
    const [first, second] = node.tried as [string, string]
    await app.move("1 second")
    await add({ id: "b1", place: "b/1", next_at: at(1_000) })
    await triedLater(node, [first, second, "b1"])
    // The cancelled try does not count, and the row is tried again when a slot is free.
    expect(node.interrupted).toEqual([second])
    expect((await rows()).map(({ attempts, id }) => [id, attempts])).toEqual(
      ["a1", "a2", "a3", "b1"].map((id) => [id, id === first || id === "b1" ? 1 : 0])
    )
    node.finish("b1")
    await expect.poll(() => node.tried).toHaveLength(4)
    for (const id of ["a1", "a2", "a3"]) node.finish(id)
    await allGone()
  })

  it("cancels a try when its time is over and another group waits, and then allows four times as long", async () => {
    const node = await nodeOn(app, { ...shared, concurrency: 1 })
    node.holds("long", "b1", "b2")
    await add({ id: "long", place: "a/1" })
    await node.wake()
    await expect.poll(() => node.tried).toEqual(["long"])
    // While no other group waits, it continues.
    await app.move("90 seconds")
    expect(node.interrupted).toEqual([])
    await add({ id: "b1", place: "b/1", next_at: at(90_000) })
    await triedLater(node, ["long", "b1"])
    expect(node.interrupted).toEqual(["long"])
    node.finish("b1")
    await expect.poll(() => node.tried).toEqual(["long", "b1", "long"])
    expect(await rows()).toMatchObject([{ id: "long", attempts: 2 }])
    const begun = await now()
    await add({ id: "b2", place: "b/1", next_at: at(90_000) })
    await triedLater(node, ["long", "b1", "long", "b2"], "20 seconds")
    expect((await now()) - begun).toBeGreaterThanOrEqual(239_000)
    for (const id of ["b2", "long"]) node.finish(id)
    await allGone()
    expect(node.failures).toEqual([])
  })

  it("cancels the last try like others, and allows it a further one", async () => {
    const node = await nodeOn(app, { ...shared, concurrency: 1 })
    node.holds("long")
    await add({ id: "long", place: "a/1", attempts: 2 })
    await node.wake()
    await expect.poll(() => node.tried).toEqual(["long"])
    await app.move("1 hour")
    await add({ id: "b", place: "b/1" })
    await triedLater(node, ["long", "b", "long"])
    node.finish("long")
    await allGone()
    expect(node.failures).toEqual([])
  })

  it("keeps a slot for first tries while further tries run", async () => {
    const node = await nodeOn(app, { ...shared, concurrency: 2 })
    node.holds("a", "b", "c")
    await add({ id: "a", place: "a/1", attempts: 1 }, { id: "b", place: "b/1", attempts: 1 })
    await node.wake()
    await expect.poll(() => node.tried).toHaveLength(2)
    await app.move("1 second")
    await add({ id: "c", place: "c/1" })
    await triedLater(node, [...node.tried, "c"])
    // The try that was cancelled to free a slot is not counted.
    expect(node.interrupted).toHaveLength(1)
    expect((await rows()).map(({ attempts }) => attempts).toSorted()).toEqual([1, 1, 2])
    for (const id of ["c", "a", "b"]) node.finish(id)
    await allGone()
  })

  it("finds the keys by index, without reading all their rows", async () => {
    await app.sql(
      `INSERT INTO errands (workspace_id, id, place, attempts, next_at, created_at) SELECT 'ws', 'r' || n, CASE WHEN n > 5000 THEN 'last' ELSE 'first' END, 0, $1, $1
      FROM generate_series(1, 5001) n`,
      [at(0)]
    )
    await app.sql("ANALYZE errands")
    const node = await nodeOn(app)
    node.holds(...Array.from({ length: 5001 }, (_, n) => `r${n + 1}`))
    const { statements } = await statementsOf(app, /WITH RECURSIVE keys/, async () => {
      await node.wake()
      await expect.poll(() => node.tried).toHaveLength(4)
    })
    const { rows } = await explain(app, statements[0]!, ["", at(0), ["none"], ["none"], 4, at(120_000), 1])
    expect(rows).toBeLessThan(40)
    for (const id of node.tried) node.finish(id)
    await app.sql("DELETE FROM errands WHERE attempts = 0")
  })
})

describe("a claim", () => {
  it("belongs to one node: two nodes try each row once", async () => {
    const other = await secondApp()
    const nodes = [await nodeOn(app), await nodeOn(other)] as const
    const ids = Array.from({ length: 300 }, (_, n) => `errand${n}`)
    await add(...ids.map((id, n) => ({ id, place: `${n % 7}` })))
    await Promise.all(nodes.map((node) => node.wake()))
    await allGone()
    expect(nodes.flatMap((node) => node.tried).toSorted()).toEqual(ids.toSorted())
  })

  it("is renewed while the try runs, however long that takes", async () => {
    const other = await secondApp()
    const [holder, rival] = [await nodeOn(app), await nodeOn(other)] as const
    holder.holds("long")
    await add({ id: "long" })
    await holder.wake()
    await expect.poll(rows).toEqual([{ id: "long", attempts: 1, next_at: at(120_000) }])
    for (let seconds = 15; seconds <= 300; seconds += 15) {
      await app.move("15 seconds")
      // Never near its end, even if a renewal is still running at the next move of the clock.
      await expect.poll(async () => (await rows())[0].next_at > at(45_000 + seconds * 1_000)).toBe(true)
      await other.move("15 seconds")
    }
    // Due only by the clock of the other node.
    await other.move("1 second")
    await add({ id: "short", next_at: at(301_000) })
    await rival.wake()
    await expect.poll(() => rival.tried).toEqual(["short"])
    holder.finish("long")
    await allGone()
    expect(holder.tried).toEqual(["long"])
    expect(holder.interrupted).toEqual([])
  })

  it("that lapsed moves to another node, and the first holder cancels its try when it runs again", async () => {
    const other = await secondApp()
    const [holder, heir] = [await nodeOn(app), await nodeOn(other)] as const
    holder.holds("errand")
    heir.holds("errand")
    await add({ id: "errand" })
    await holder.wake()
    await expect.poll(() => holder.tried).toEqual(["errand"])
    // The holder's clock does not move: it is frozen.
    await other.move("118500 millis")
    await heir.wake()
    await asleep(heir, "1500 millis")
    expect(heir.tried).toEqual([])
    await other.move("1500 millis")
    await expect.poll(() => heir.tried).toEqual(["errand"])
    await app.move("30 seconds")
    await expect.poll(() => holder.interrupted).toEqual(["errand"])
    expect(await rows()).toEqual([{ id: "errand", attempts: 2, next_at: at(240_000) }])
    heir.finish("errand")
    await allGone()
    expect(heir.interrupted).toEqual([])
  })

  it("of a dead process goes to another node at once", async () => {
    const heir = await nodeOn(app)
    // A number that no process holds any more.
    await add({ id: "errand", attempts: 1, next_at: at(120_000) })
    await app.sql("UPDATE errands SET claimed_by = 1")
    await app.move("5 seconds")
    await expect.poll(() => heir.tried).toEqual(["errand"])
    await allGone()
  })

  it("that lapsed while its process was suspended is not taken again by that process", async () => {
    const node = await nodeOn(app)
    node.holds("errand")
    await add({ id: "errand" })
    await node.wake()
    await expect.poll(() => node.tried).toEqual(["errand"])
    await app.move("1 day")
    await add({ id: "later" })
    await node.wake()
    await expect.poll(() => node.tried).toEqual(["errand", "later"])
    node.finish("errand")
    await allGone()
    expect(node.interrupted).toEqual([])
  })
})

describe("shutdown", () => {
  it("waits for running tries, and begins no others", async () => {
    const node = await nodeOn(app, { concurrency: 1 })
    node.holds("begun")
    await add({ id: "begun" })
    await node.wake()
    await expect.poll(() => node.tried).toEqual(["begun"])
    await add({ id: "new" })
    const stopped = node.stop()
    setImmediate(() => node.finish("begun"))
    await stopped
    expect(node.interrupted).toEqual([])
    expect(await rows()).toEqual([{ id: "new", attempts: 0, next_at: at(0) }])
  })

  it("cancels a try that takes too long, which does not count, and its row is due at once", async () => {
    const node = await nodeOn(app, { drain: "1 millis" })
    node.does("endless", Effect.never)
    await add({ id: "endless" })
    await node.wake()
    await expect.poll(() => node.tried).toEqual(["endless"])
    await app.move("10 seconds")
    await node.stop()
    expect(node.interrupted).toEqual(["endless"])
    expect(await rows()).toEqual([{ id: "endless", attempts: 0, next_at: at(10_000) }])
    const next = await nodeOn(app)
    await next.wake()
    await expect.poll(() => next.tried).toEqual(["endless"])
    await allGone()
  })
})
