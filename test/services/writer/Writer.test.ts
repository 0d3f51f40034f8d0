import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { WorkspaceId } from "../../../services/Ids.ts"
import { ChangeLog, type Growth } from "../../../services/writer/ChangeLog.ts"
import { Database } from "../../../services/database/Database.ts"
import type { Draft } from "../../../services/writer/Draft.ts"
import { items } from "../../support/storage/PlannedWrite.ts"
import {
  createDatabase,
  holdHead,
  startProcess,
  type StorageProcess,
  type TestDatabase,
  untilHeld
} from "../../support/storage/StorageProcess.ts"

const actor = { user_id: null, device_id: null, ip: null, user_agent: null }

let database: TestDatabase
let one: StorageProcess
let other: StorageProcess
beforeAll(async () => {
  database = await createDatabase()
  one = await startProcess(database)
  other = await startProcess(database)
})
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await database.drop()
})

const put =
  (id: string, body = "", value = 1) =>
  (draft: Draft) =>
    Effect.sync(() => {
      draft.put(items, { id, value, revision: 1, body }, body.length + 100)
      draft.append({ type: "note.updated", resource: "item", resource_id: id })
      return id
    })
const write = (workspace: WorkspaceId, id: string, at = one, body = "", value = 1) =>
  at.writer.write(workspace, { actor }, put(id, body, value))
const idsIn = async (workspace: string) =>
  (await database.sql("SELECT id FROM items WHERE workspace_id = $1 ORDER BY id", [workspace])).map((row) => row.id)
const headOf = async (workspace: string) =>
  (await database.sql("SELECT seq::int AS seq FROM heads WHERE workspace_id = $1", [workspace]))[0].seq
const all = { concurrency: "unbounded" } as const
const valueOf = async <A>(exit: Promise<Exit.Exit<A, unknown>>): Promise<A> => {
  const ended = await exit
  if (Exit.isFailure(ended)) throw Cause.squash(ended.cause)
  return ended.value
}
/** Waits until this number of writes wait. */
const untilWaiting = (count: number) =>
  Effect.repeat(
    Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => one.writer.held().waiting)
    ),
    {
      until: (waiting) => waiting === count
    }
  )
const failureOf = (exit: Exit.Exit<unknown, unknown>) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined)

describe("a failed write", () => {
  it("affects no other write of its batch, whether it fails itself, throws, or PostgreSQL refuses it", async () => {
    const workspace = await database.workspace()
    const exits = await one.run(
      Effect.forEach(
        [
          write(workspace, "a"),
          one.writer.write(workspace, { actor }, (draft) => Effect.andThen(put("typed")(draft), Effect.fail("typed"))),
          write(workspace, "b"),
          one.writer.write(workspace, { actor }, (): Effect.Effect<string> => {
            throw new Error("thrown")
          }),
          write(workspace, "c", one, "", -1),
          write(workspace, "d", one, "no\0text"),
          one.writer.write(workspace, { actor, needs: [[items, "\0"]] }, put("e")),
          one.writer.write(workspace, { actor }, (draft) =>
            Effect.sync(() => draft.append({ type: "note.updated", resource: "x", resource_id: "x", data: 1n }))
          ),
          write(workspace, "f")
        ],
        Effect.exit,
        all
      )
    )
    expect((exits as Exit.Success<Array<Exit.Exit<unknown>>>).value.map((exit) => Exit.isSuccess(exit))).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
      false,
      false,
      true
    ])
    expect(await idsIn(workspace)).toEqual(["a", "b", "f"])
    expect(await headOf(workspace)).toBe(3)
  })

  it("affects no write of another workspace in the same statement", async () => {
    const workspaces = await Promise.all(Array.from({ length: 20 }, () => database.workspace()))
    const exits = await one.run(
      Effect.forEach(
        workspaces,
        (workspace, index) => Effect.exit(write(workspace, "x", one, "", index === 7 ? -1 : 1)),
        all
      )
    )
    expect((exits as Exit.Success<Array<Exit.Exit<unknown>>>).value.map((exit) => Exit.isSuccess(exit))).toEqual(
      workspaces.map((_, index) => index !== 7)
    )
  })

  it("fails with NotFound for a workspace that does not exist", async () => {
    expect(failureOf(await one.run(write("ws_none", "a")))).toMatchObject({ _tag: "NotFound" })
  })
})

describe("a caller", () => {
  it("that disconnects cancels its write if it has not begun", async () => {
    const workspace = await database.workspace()
    await one.run(
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const gate = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          one.writer.write(workspace, { actor }, (draft) =>
            Deferred.succeed(begun, undefined).pipe(
              Effect.andThen(Deferred.await(gate)),
              Effect.andThen(put("first")(draft))
            )
          )
        )
        yield* Deferred.await(begun)
        const second = yield* Effect.forkChild(write(workspace, "second"))
        const third = yield* Effect.forkChild(write(workspace, "third"))
        yield* untilWaiting(2)
        yield* Fiber.interrupt(second)
        // It has begun, so it is completed, although no caller waits.
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(third)
      })
    )
    expect(await idsIn(workspace)).toEqual(["first", "third"])
  })

  it("inside a transaction does not make the writer use that transaction", async () => {
    const workspace = await database.workspace()
    const exit = await one.run(
      Effect.gen(function* () {
        const { write: sql } = yield* Database
        const outside = Effect.gen(function* () {
          yield* write(workspace, "a")
          yield* one.writer.writeLocked(workspace, { actor }, put("b"))
          return yield* Effect.fail("rolled back")
        })
        yield* Effect.exit(sql.withTransaction(outside))
        // The fiber of the mailbox was started inside the transaction, and continues without it.
        yield* write(workspace, "c")
      })
    )
    expect(Exit.isSuccess(exit)).toBe(true)
    expect(await idsIn(workspace)).toEqual(["a", "b", "c"])
  })

  it("gets an error when too many writes are waiting, and the waiting writes are stored", async () => {
    const workspace = await database.workspace()
    const exit = await one.run(
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const gate = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          one.writer.write(workspace, { actor }, () =>
            Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate))
          )
        )
        yield* Deferred.await(begun)
        const fibers = yield* Effect.forEach(
          Array.from({ length: 2_010 }, (_, index) => `i${index}`),
          (id) => Effect.forkChild(Effect.exit(write(workspace, id)))
        )
        yield* untilWaiting(2_000)
        // They fail at once, while the others wait.
        yield* Effect.forEach(fibers.slice(2_000), Fiber.join)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(first)
        return yield* Effect.forEach(fibers, Fiber.join)
      })
    )
    const exits = (exit as Exit.Success<Array<Exit.Exit<unknown>>>).value
    const failures = exits.filter(Exit.isFailure).map(failureOf)
    expect(failures).toHaveLength(10)
    for (const failure of failures) expect(failure).toMatchObject({ _tag: "Unavailable", code: "overloaded" })
    expect(await headOf(workspace)).toBe(2_000)
  })
})

describe("a result", () => {
  it("of a write without changes is consistent: read at one point in time", async () => {
    const workspace = await database.workspace()
    for (const id of ["a", "b"]) await one.run(write(workspace, id))
    const fresh = await startProcess(database)
    const seen = await fresh.run(
      Effect.gen(function* () {
        let runs = 0
        return yield* fresh.writer.write(
          workspace,
          { actor },
          Effect.fnUntraced(function* (draft: Draft) {
            const a = yield* draft.get(items, "a")
            // Another process writes both between the two reads.
            if (runs++ === 0) {
              yield* Effect.promise(() =>
                other.run(
                  other.writer.write(workspace, { actor }, (draft) =>
                    Effect.andThen(put("a", "new")(draft), put("b", "new")(draft))
                  )
                )
              )
            }
            return [a!.body, (yield* draft.get(items, "b"))!.body]
          })
        )
      })
    )
    await fresh.stop()
    expect(seen).toEqual(Exit.succeed(["new", "new"]))
  })

  it("after a set-based statement has the rows as changed by it", async () => {
    const workspace = await database.workspace()
    await one.run(write(workspace, "a"))
    const seen = await one.run(
      one.writer.writeLocked(
        workspace,
        { actor },
        Effect.fnUntraced(function* (draft) {
          yield* draft.get(items, "a")
          yield* draft.appendMany({
            type: "note.updated",
            resource: "item",
            ids: ["a"],
            change: `changed AS (
              UPDATE items i SET value = 9 FROM given WHERE i.workspace_id = $2 AND i.id = given.id
              RETURNING i.id, NULL::text AS note_id, i.revision, false AS deleted, 10 AS bytes
            )`,
            params: []
          })
          return (yield* draft.get(items, "a"))!.value
        })
      )
    )
    expect(seen).toEqual(Exit.succeed(9))
  })

  it("comes with a notification of the entries in the log", async () => {
    const workspace = await database.workspace()
    const received: Array<Growth> = []
    await one.run(
      Effect.flatMap(Effect.service(ChangeLog), (log) =>
        Effect.sync(() => log.listen(workspace, (growth) => received.push(growth)))
      )
    )
    await one.run(write(workspace, "a"))
    await one.run(one.writer.writeLocked(workspace, { actor }, put("b")))
    expect(received.map(({ entries, first, last }) => [first, last, entries.length])).toEqual([
      [1, 1, 1],
      [2, 2, 1]
    ])
  })
})

describe("load", () => {
  it("of 2 000 writes to a workspace by 32 clients needs few commits, since waiting writes are batched", async () => {
    const workspace = await database.workspace()
    const { write: sql } = await valueOf(one.run(Effect.service(Database)))
    const statements = vi.spyOn(sql, "unsafe")
    await one.run(
      Effect.forEach(
        Array.from({ length: 2_000 }, (_, index) => `i${index}`),
        (id) => write(workspace, id),
        { concurrency: 32, discard: true }
      )
    )
    const flushes = statements.mock.calls.filter(([text]) => text.includes("changes")).length
    statements.mockRestore()
    expect(await headOf(workspace)).toBe(2_000)
    expect(flushes).toBeGreaterThan(0)
    expect(flushes).toBeLessThan(250)
  })

  it("from two processes on many workspaces causes no deadlock and loses no write", async () => {
    const workspaces = await Promise.all(Array.from({ length: 24 }, () => database.workspace()))
    const exits = await Promise.all(
      [one, other].map((at, process) =>
        at.run(
          Effect.forEach(
            Array.from({ length: 600 }, (_, index) => index),
            (index) => write(workspaces[(index * (process === 0 ? 7 : 11)) % 24]!, `${process}-${index}`, at),
            { concurrency: 48, discard: true }
          )
        )
      )
    )
    for (const exit of exits) expect(exit).toEqual(Exit.void)
    const [{ stored }] = (await database.sql(
      "SELECT sum(seq)::int AS stored FROM heads WHERE workspace_id = ANY($1::text[])",
      [workspaces]
    )) as [{ stored: number }]
    expect(stored).toBe(1_200)
    const [{ deadlocks }] = (await database.sql(
      "SELECT deadlocks::int AS deadlocks FROM pg_stat_database WHERE datname = current_database()"
    )) as [{ deadlocks: number }]
    expect(deadlocks).toBe(0)
  })

  it("of large drafts is stored and delays no other workspace", async () => {
    const [large, small] = [await database.workspace(), await database.workspace()]
    const free = await holdHead(other, large)
    let isStored = false
    const storing = one
      .run(
        one.writer.write(large, { actor }, (draft) =>
          Effect.forEach(
            Array.from({ length: 12 }, (_, index) => `big${index}`),
            (id) => put(id, "x".repeat(2_000_000))(draft)
          )
        )
      )
      .finally(() => (isStored = true))
    await untilHeld(database)
    await one.run(Effect.forEach(["a", "b", "c"], (id) => write(small, id)))
    expect([await headOf(small), isStored]).toEqual([3, false])
    await free()
    await storing
    expect(await headOf(large)).toBe(12)
  })
})

describe("an idle writer", () => {
  it("evicts a workspace after five minutes", async () => {
    const quiet = await startProcess(database, { clock: "test" })
    const workspaces = await Promise.all(Array.from({ length: 5 }, () => database.workspace()))
    for (const workspace of workspaces) await quiet.run(write(workspace, "a", quiet))
    expect(quiet.writer.held()).toMatchObject({ workspaces: 5, active: 0 })
    await quiet.run(TestClock.adjust("4 minutes"))
    await quiet.run(write(workspaces[0]!, "b", quiet))
    await quiet.run(TestClock.adjust("70 seconds"))
    expect(quiet.writer.held().workspaces).toBe(1)
    await quiet.run(TestClock.adjust("5 minutes"))
    expect(quiet.writer.held()).toEqual({ workspaces: 0, active: 0, rows: 0, waiting: 0 })
    await quiet.stop()
  })
})
