import { Cause, Effect, Exit } from "effect"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import type { WorkspaceId } from "../../../services/Ids.ts"
import type { Draft } from "../../../services/writer/Draft.ts"
import { sampled } from "../../support/Slow.ts"
import { items } from "../../support/storage/PlannedWrite.ts"
import { PostgresProxy } from "../../support/storage/PostgresProxy.ts"
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
let proxy: PostgresProxy
let one: StorageProcess
beforeAll(async () => {
  database = await createDatabase()
  proxy = new PostgresProxy(inject("postgres"))
  one = await startProcess(database, { socketDirectory: proxy.socketDirectory })
})
afterAll(async () => {
  await one.stop()
  proxy.stop()
  await database.drop()
})

const put = (id: string) => (draft: Draft) =>
  Effect.sync(() => {
    draft.put(items, { id, value: 1, revision: 1, body: "" })
    draft.append({ type: "note.updated", resource: "item", resource_id: id })
    return id
  })
const write = (workspace: WorkspaceId, id: string, locked = false, at = one) =>
  (locked ? at.writer.writeLocked : at.writer.write)(workspace, { actor }, put(id))
const logOf = async (workspace: string) =>
  (await database.sql("SELECT resource_id FROM changes WHERE workspace_id = $1 ORDER BY seq", [workspace])).map(
    (row) => row.resource_id
  )
const failureOf = (exit: Exit.Exit<unknown, unknown>) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined)

describe("a connection that is cut", () => {
  for (const at of ["before", "during", "after"] as const) {
    it(`${at} the server executes a batch is not noticed by the callers: each write is stored once`, async () => {
      const workspaces = await Promise.all(Array.from({ length: 5 }, () => database.workspace()))
      for (const workspace of workspaces) await one.run(write(workspace, "first"))
      const made = proxy.made
      proxy.cuts.push({ at, skip: 0 })
      const exit = await one.run(
        Effect.forEach(workspaces, (workspace) => write(workspace, "second"), { concurrency: "unbounded" })
      )
      expect(proxy.made).toBe(made + 1)
      expect(exit).toEqual(Exit.succeed(workspaces.map(() => "second")))
      for (const workspace of workspaces) expect(await logOf(workspace)).toEqual(["first", "second"])
    })
  }

  it("after the commit of a locked write does not fail the write: the log shows that it was committed", async () => {
    const workspace = await database.workspace()
    await one.run(write(workspace, "first"))
    proxy.cuts.push({ at: "after", skip: 1 })
    expect(await one.run(write(workspace, "second", true))).toEqual(Exit.succeed("second"))
    expect(proxy.cuts).toEqual([])
    expect(await logOf(workspace)).toEqual(["first", "second"])
  })

  it("after the commit of a new workspace does not fail it, and before the commit leaves no workspace", async () => {
    const [kept, undone] = [systemRandomness.id("ws", Date.now()), systemRandomness.id("ws", Date.now())]
    for (const id of [kept, undone]) {
      await database.sql("INSERT INTO workspaces VALUES ($1, $1, $1, 'team', 1, '2026-01-01', NULL)", [id])
    }
    const begin = (id: WorkspaceId) => one.run(one.writer.begin(id, actor, put("first")))
    proxy.cuts.push({ at: "after", skip: 1 })
    expect(await begin(kept)).toEqual(Exit.succeed("first"))
    expect(proxy.cuts).toEqual([])
    expect(await logOf(kept)).toEqual(["first"])
    proxy.cuts.push({ at: "before", skip: 1 })
    expect(failureOf(await begin(undone))).toMatchObject({ _tag: "Unavailable" })
    expect(await logOf(undone)).toEqual([])
    expect(await begin(undone)).toEqual(Exit.succeed("first"))
  })

  it("before the commit of a locked write undoes the write, and fails with Unavailable", async () => {
    const workspace = await database.workspace()
    await one.run(write(workspace, "first"))
    proxy.cuts.push({ at: "before", skip: 1 })
    expect(failureOf(await one.run(write(workspace, "second", true)))).toMatchObject({ _tag: "Unavailable" })
    expect(await logOf(workspace)).toEqual(["first"])
    expect(await one.run(write(workspace, "third", true))).toEqual(Exit.succeed("third"))
  })

  it("in the middle of a locked write is no defect at any step", async () => {
    const workspace = await database.workspace()
    const cutOff = Effect.promise(() => proxy.end(database.terminate))
    const terminated = (draft: Draft) =>
      cutOff.pipe(Effect.andThen(draft.get(items, "a")), Effect.andThen(put("b")(draft)))
    const exit = await one.run(one.writer.writeLocked(workspace, { actor }, terminated))
    expect(failureOf(exit)).toMatchObject({ _tag: "Unavailable" })
    const failing = await one.run(
      one.writer.writeLocked(workspace, { actor }, (draft) =>
        Effect.andThen(
          draft.settle(),
          Effect.andThen(
            Effect.promise(() => database.terminate()),
            Effect.fail("typed")
          )
        )
      )
    )
    expect(failureOf(failing)).toSatisfy((error) => error === "typed" || error._tag === "Unavailable")
    expect(await logOf(workspace)).toEqual([])
  })
})

describe("a head that another node holds", () => {
  it("makes a write wait and then fail with Unavailable, and delays no write of another workspace", async () => {
    const [held, free] = [await database.workspace(), await database.workspace()]
    const other = await startProcess(database)
    const release = await holdHead(other, held)
    let isDone = false
    const waits = one.run(write(held, "a")).finally(() => (isDone = true))
    await untilHeld(database)
    expect(await one.run(Effect.forEach(["a", "b", "c"], (id) => write(free, id)))).toEqual(
      Exit.succeed(["a", "b", "c"])
    )
    expect(isDone).toBe(false)
    expect(failureOf(await waits)).toMatchObject({ _tag: "Unavailable" })
    await release()
    await other.stop()
    expect(await one.run(write(held, "b"))).toEqual(Exit.succeed("b"))
    expect(await logOf(held)).toEqual(["b"])
  })
})

describe("fibers that yield at any step", () => {
  for (const steps of sampled([4, 5, 6, 7, 9, 11, 13, 17], 2)) {
    it(`such as every ${steps} steps leave no write waiting for ever`, async () => {
      const process = await startProcess(database, { steps })
      const workspace = await database.workspace()
      const exit = await process.run(
        Effect.forEach(
          [0, 1, 2],
          (client) =>
            Effect.forEach(
              Array.from({ length: 40 }, (_, index) => `${client}-${index}`),
              // Callers also go away at any step.
              (id, index) =>
                index % 3 === 0
                  ? Effect.race(Effect.asVoid(write(workspace, id, false, process)), yields(index % 16))
                  : Effect.asVoid(write(workspace, id, false, process)),
              { discard: true }
            ),
          { concurrency: "unbounded", discard: true }
        ).pipe(Effect.timeoutOrElse({ duration: "2 minutes", orElse: () => Effect.die("a write has no result") }))
      )
      expect(exit).toEqual(Exit.void)
      await process.stop()
    })
  }
})

const yields = (times: number): Effect.Effect<void> =>
  times === 0 ? Effect.void : Effect.andThen(Effect.yieldNow, yields(times - 1))
