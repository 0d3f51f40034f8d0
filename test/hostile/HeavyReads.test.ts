import { Effect, Fiber } from "effect"
import { connect } from "node:net"
import { describe, expect, it, vi } from "vitest"
import { Database } from "../../services/database/Database.ts"
import { ExpensiveReads } from "../../services/database/ExpensiveReads.ts"
import { guest } from "../support/people/People.ts"
import { eventually } from "../support/flows/eventually.ts"
import { request } from "../support/RawHttp.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

const path = "/notes?filter=body%3Anothing"

/** Runs a test while the notes table is locked, so that reads of notes wait in the database. */
const whileNotesAreLocked = (test: () => Promise<void>) =>
  app.run(
    Effect.flatMap(Database, ({ write }) =>
      write.withTransaction(
        Effect.gen(function* () {
          yield* write.unsafe("SET LOCAL idle_in_transaction_session_timeout = '120s'")
          yield* write.unsafe("LOCK TABLE notes IN ACCESS EXCLUSIVE MODE")
          yield* Effect.promise(test)
        })
      )
    )
  )

/** The number of statements on notes that wait in the database. */
const waiting = async () =>
  (
    await app.sql(
      `SELECT count(*)::int AS count FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND l.relation = 'notes'::regclass AND NOT l.granted`
    )
  )[0].count

/** Sends a request that can be aborted. */
const ask = () => {
  const { host, hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  socket.write(request(`GET /v2${path}`, { host, authorization: `Bearer ${app.key}` }))
  return socket
}

describe("an expensive read", () => {
  it("is cancelled in the database when its client disconnects, and reads queued behind it never start", async () => {
    await whileNotesAreLocked(async () => {
      const sockets = [ask(), ask(), ask()]
      // One read per workspace at a time: the others wait in the process.
      await eventually("one read waits in the database", async () => (await waiting()) === 1)
      const heavy = await app.run(ExpensiveReads)
      await eventually("two reads are queued", () => heavy.waiting() === 2)
      for (const socket of sockets.reverse()) socket.destroy()
      await eventually("no read waits", async () => (await waiting()) === 0 && heavy.waiting() === 0)
    })
    expect((await app.call("GET", path)).status).toBe(200)
  })

  it("is 503 with Retry-After when it waits too long, and does not delay reads of single notes", async () => {
    const other = await guest(app, { elsewhere: true })
    await whileNotesAreLocked(async () => {
      const long = app.call("GET", path)
      await eventually("the read waits in the database", async () => (await waiting()) === 1)
      // It does not block reads on other connections.
      expect((await app.call("GET", "/notebooks", undefined, other.headers)).status).toBe(200)
      const { body, headers, status } = await long
      expect([status, body.code, headers.get("retry-after")]).toEqual([
        503,
        "overloaded",
        expect.stringMatching(/^[1-9]\d*$/)
      ])
    })
  })

  it("does not include any page of a list in its default order", async () => {
    const lists = ["/notes", "/notebooks", "/tags", "/templates", "/workspaces", "/api-keys", "/me/sessions"]
    const ofPeople = ["members", "invitations"].map((name) => `/workspaces/${app.workspace_id}/${name}`)
    for (const name of ["one", "two"]) await app.call("POST", "/notebooks", { name })
    const query = vi.spyOn(await app.run(ExpensiveReads), "query")
    for (const list of [...lists, ...ofPeople, "/sync/devices", "/audit-log", "/events"]) {
      for (let cursor: string | null | undefined, page = 0; cursor !== null && page < 2; page++) {
        const after = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`
        const { body, status } = await app.call("GET", `${list}?limit=1${after}`)
        expect([list, status, query.mock.calls.length]).toEqual([list, 200, 0])
        cursor = body.next_cursor
      }
    }
    expect((await app.call("GET", "/notebooks?sort=-note_count")).status).toBe(200)
    expect(query).toHaveBeenCalled()
    query.mockRestore()
  })

  it("is refused when too many reads of its workspace wait, but not in another workspace", async () => {
    const heavy = await app.run(ExpensiveReads)
    const read = (workspace_id: string) => heavy.query(workspace_id, "SELECT count(*) FROM notes", [])
    await whileNotesAreLocked(async () => {
      const fibers = Array.from({ length: 65 }, () => Effect.runFork(read("one")))
      await eventually("64 reads wait", () => heavy.waiting() === 64)
      expect(await Effect.runPromise(Effect.flip(read("one")))).toMatchObject({ code: "overloaded" })
      fibers.push(Effect.runFork(read("other")))
      await eventually("the read of the other workspace begins", async () => (await waiting()) === 2)
      await Effect.runPromise(Fiber.interruptAll(fibers))
      await eventually("no read waits", async () => (await waiting()) === 0 && heavy.waiting() === 0)
    })
  })
})
