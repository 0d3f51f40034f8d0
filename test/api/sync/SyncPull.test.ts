import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { ExpensiveReads } from "../../../services/database/ExpensiveReads.ts"
import { changedAfter } from "../../../services/sync/SyncEntries.ts"
import { guest } from "../../support/people/People.ts"
import { aged, shortened } from "../../support/devices/SyncCursors.ts"
import { epoch } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let notebook: string

const hour = 3600_000

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const pull = async (body: object, status = 201) => {
  const answer = await app.call("POST", "/sync/pull", body)
  expect(answer.status, answer.text).toBe(status)
  return answer.body
}

const write = async (title: string, more: object = {}) =>
  (await app.call("POST", "/notes", { notebook_id: notebook, title, ...more })).body

const newest = async (): Promise<string> => (await app.call("GET", "/sync/cursor")).body.cursor

/** Pulls until there are no more changes. */
const pullAll = async (cursor: string | undefined, limit: number, between: () => Promise<void> = async () => {}) => {
  const entries: Array<any> = []
  for (let next = cursor; ;) {
    const page = await pull({ limit, ...(next === undefined ? {} : { cursor: next }) })
    entries.push(...page.changes)
    next = page.cursor
    if (!page.has_more) return { entries, cursor: page.cursor as string }
    await between()
  }
}

/** Returns the records that a client has after applying these entries. */
const replicaOf = (entries: ReadonlyArray<any>) => {
  const replica = new Map<string, any>()
  for (const { data, id, op } of entries) op === "delete" ? replica.delete(id) : replica.set(id, data)
  return replica
}

const live = async () => {
  const notes = await app.call("GET", "/notes?limit=100")
  return new Set(notes.body.data.map((note: any) => note.id))
}

describe("POST /sync/pull without a cursor", () => {
  it("returns 201 with all members of a Sync object", async () => {
    const note = await write("Only")
    const body = await pull({})
    expect(body).toMatchObject({
      has_more: false,
      conflicts: [],
      device_id: null,
      cursor_expires_at: new Date(epoch + 24 * hour).toISOString()
    })
    const entry = body.changes.at(-1)
    expect(Object.keys(entry).sort()).toEqual([
      "actor_id",
      "changed_at",
      "data",
      "device_id",
      "id",
      "op",
      "revision",
      "type"
    ])
    expect(entry).toMatchObject({ type: "note", id: note.id, op: "upsert", revision: 1, data: note })
    expect(entry.actor_id).toMatch(/^us_/)
  })

  it("accepts an absent body, and limit from the query", async () => {
    await write("Another")
    const absent = await app.call("POST", "/sync/pull")
    expect(absent.status).toBe(201)
    const limited = await app.call("POST", "/sync/pull?limit=1")
    expect(limited.body).toMatchObject({ has_more: true, changes: [{ type: "notebook" }] })
  })

  it("returns everything in pages during writes, without gaps and without tombstones of earlier deletions", async () => {
    const before = await write("Gone before")
    await app.call("DELETE", `/notes/${before.id}`)
    const kept: Array<any> = []
    for (let index = 0; index < 8; index++) kept.push(await write(`Kept ${index}`))
    let round = 0
    const { entries } = await pullAll(undefined, 3, async () => {
      round++
      await write(`Between ${round}`)
      if (round === 1) await app.call("PATCH", `/notes/${kept[0].id}`, { title: "Renamed between" })
      if (round === 2) await app.call("DELETE", `/notes/${kept[7].id}`)
      if (round === 3) await app.call("PATCH", `/notes/${kept[1].id}`, { body: "late words" })
    })
    expect(entries.some(({ id }) => id === before.id)).toBe(false)
    const replica = replicaOf(entries)
    const notes = new Set([...replica.keys()].filter((id) => id.startsWith("nt_")))
    expect(notes).toEqual(await live())
    expect(replica.get(kept[0].id).title).toBe("Renamed between")
    expect(replica.get(kept[1].id).body).toBe("late words")
    for (const [id, data] of replica) {
      if (id.startsWith("nt_")) expect((await app.call("GET", `/notes/${id}`)).body).toEqual(data)
    }
  })
})

describe("POST /sync/pull with a cursor", () => {
  it("returns each changed record once, in its newest state, in the order of the last change", async () => {
    const first = await write("First")
    const second = await write("Second")
    const start = await newest()
    await app.call("PATCH", `/notes/${first.id}`, { title: "First, again" })
    await app.call("PATCH", `/notes/${second.id}`, { title: "Second, again" })
    await app.call("PATCH", `/notes/${first.id}`, { body: "third time" })
    const page = await pull({ cursor: start })
    expect(page.changes).toMatchObject([
      { id: second.id, revision: 2, data: { title: "Second, again" } },
      { id: first.id, revision: 3, data: { title: "First, again", body: "third time" } }
    ])
    expect(page.has_more).toBe(false)
    expect((await pull({ cursor: page.cursor })).changes).toEqual([])
    // A cursor can be used repeatedly.
    expect((await pull({ cursor: start })).changes).toEqual(page.changes)
  })

  it("returns deletions as tombstones, and a restored note as an upsert", async () => {
    const note = await write("Trash me")
    const purged = await write("Purge me")
    const tag = (await app.call("POST", "/tags", { name: "short-lived" })).body
    const start = await newest()
    await app.call("DELETE", `/notes/${note.id}`)
    await app.call("DELETE", `/notes/${purged.id}?permanent=true`)
    await app.call("DELETE", `/tags/${tag.id}`)
    const { changes, cursor } = await pull({ cursor: start })
    expect(changes).toMatchObject([
      { type: "note", id: note.id, op: "delete", revision: 2, data: null },
      { type: "note", id: purged.id, op: "delete", revision: 2, data: null },
      { type: "tag", id: tag.id, op: "delete", revision: 2, data: null }
    ])
    await app.call("POST", `/notes/${note.id}/restore`)
    expect((await pull({ cursor })).changes).toMatchObject([
      { id: note.id, op: "upsert", revision: 3, data: { title: "Trash me" } }
    ])
  })

  it("omits derived counts, and returns no change for them", async () => {
    const start = await newest()
    await write("Counted", { tags: ["counted"] })
    const { changes } = await pull({ cursor: start })
    expect(changes.map(({ type }: any) => type)).toEqual(["tag", "note"])
    expect(Object.keys(changes[0].data).sort()).toEqual(["color", "created_at", "id", "name"])
  })

  it("returns the rename of a tag with a change of each of its notes", async () => {
    const note = await write("Tagged", { tags: ["before"] })
    const tag = (await app.call("GET", "/tags?limit=100")).body.data.find(({ name }: any) => name === "before")
    const start = await newest()
    await app.call("PATCH", `/tags/${tag.id}`, { name: "after" })
    expect((await pull({ cursor: start })).changes).toMatchObject([
      { type: "tag", id: tag.id, revision: 2, data: { name: "after" } },
      { type: "note", id: note.id, revision: 2, data: { tags: ["after"], version: 2 } }
    ])
  })

  it("filters by types, and binds the cursor to them", async () => {
    const start = await pull({ types: ["tag", "notebook"] })
    expect(start.changes.every(({ type }: any) => type === "tag" || type === "notebook")).toBe(true)
    await write("Not asked for", { tags: ["asked-for"] })
    const next = await pull({ types: ["notebook", "tag"], cursor: start.cursor })
    expect(next.changes).toMatchObject([{ type: "tag", data: { name: "asked-for" } }])
    expect(next.has_more).toBe(false)
    expect(await pull({ types: ["note"], cursor: start.cursor }, 400)).toMatchObject({ code: "cursor_mismatch" })
    expect(await pull({ cursor: start.cursor }, 400)).toMatchObject({ code: "cursor_mismatch" })
    expect(await pull({ types: ["poem"] }, 422)).toMatchObject({ errors: [{ pointer: "/types/0" }] })
  })

  it("accepts a limit from 1 to 500", async () => {
    for (const limit of [0, 501, -1]) {
      expect(await pull({ limit }, 400)).toMatchObject({ code: "invalid_limit" })
      expect((await app.call("POST", `/sync/pull?limit=${limit}`)).body).toMatchObject({ code: "invalid_limit" })
    }
    expect((await pull({ limit: 1 })).changes).toHaveLength(1)
    expect((await pull({ limit: 500 })).has_more).toBe(false)
  })

  it("ends a page of large records early, but never empty", async () => {
    const start = await newest()
    const body = "x".repeat(1_000_000)
    for (let index = 0; index < 6; index++) await write(`Large ${index}`, { body })
    const sizes = []
    for (let cursor = start; ;) {
      const page = await pull({ cursor, limit: 500 })
      sizes.push(page.changes.length)
      cursor = page.cursor
      if (!page.has_more) break
    }
    expect(sizes).toEqual([2, 2, 2])
  })
})

describe("sync cursor", () => {
  it("is returned by GET /sync/cursor for the newest state, with empty lists", async () => {
    const { body, status } = await app.call("GET", "/sync/cursor")
    expect(status).toBe(200)
    expect(body).toMatchObject({ changes: [], conflicts: [], has_more: false, cursor: expect.any(String) })
    const { data: workspaces } = (await app.call("GET", "/workspaces")).body
    expect(workspaces.map(({ id }: { id: string }) => id)).toContain(body.workspace_id)
    expect((await pull({ cursor: body.cursor })).changes).toEqual([])
  })

  it("is rejected with 400 when forged, truncated, of a list, or of another workspace", async () => {
    const cursor = await newest()
    const other = await guest(app, { elsewhere: true })
    const foreign = (await app.call("GET", "/sync/cursor", undefined, other.headers)).body.cursor
    const flipped = (cursor[0] === "A" ? "B" : "A") + cursor.slice(1)
    const ofList = (await app.call("GET", "/notes?limit=1")).body.next_cursor
    for (const bad of [flipped, cursor.slice(0, -4), `${cursor}AAAA`, "", "nonsense", foreign, ofList]) {
      expect(await pull({ cursor: bad }, 400), bad).toMatchObject({ code: "invalid_cursor" })
    }
  })

  it("expires after 24 hours with 410 and a valid resync_cursor, and after 90 days without one", async () => {
    const start = await newest()
    const note = await write("While away")
    expect((await pull({ cursor: await aged(app, start, 24 * hour - 1) })).changes).toHaveLength(1)
    const expired = await pull({ cursor: await aged(app, start, 24 * hour) }, 410)
    expect(expired).toMatchObject({ code: "cursor_expired", resync_cursor: expect.any(String) })
    const again = await pull({ cursor: expired.resync_cursor })
    expect(again.changes).toMatchObject([{ id: note.id }])
    expect((await pull({ cursor: again.cursor })).changes).toEqual([])
    const late = await pull({ cursor: await aged(app, start, 90 * 24 * hour) }, 410)
    expect(late).toMatchObject({ code: "cursor_expired", resync_cursor: null })
    const lateResync = await pull({ cursor: await aged(app, expired.resync_cursor, 90 * 24 * hour) }, 410)
    expect(lateResync.resync_cursor).toBe(null)
  })

  it("of an unfinished pull expires by the time of the last complete one", async () => {
    const start = await newest()
    for (const title of ["four", "five", "six"]) await write(title)
    const day = 24 * hour
    const { resync_cursor } = await pull({ cursor: await aged(app, start, 80 * day) }, 410)
    const page = await pull({ cursor: resync_cursor, limit: 1 })
    expect(page.has_more).toBe(true)
    // The page is one day old, and the last complete pull was 89 or 91 days ago.
    const soon = await pull({ cursor: await aged(app, page.cursor, 9 * day) }, 410)
    const rest = (await pull({ cursor: soon.resync_cursor })).changes
    expect([...page.changes, ...rest].flatMap(({ data }) => data.title ?? [])).toEqual(["four", "five", "six"])
    expect((await pull({ cursor: await aged(app, page.cursor, 11 * day) }, 410)).resync_cursor).toBe(null)
    // A complete pull starts the period again.
    const whole = await pull({ cursor: page.cursor })
    expect(whole.has_more).toBe(false)
    expect((await pull({ cursor: await aged(app, whole.cursor, 80 * day) }, 410)).resync_cursor).toEqual(
      expect.any(String)
    )
  })

  it("of an earlier format is valid until it expires", async () => {
    const start = await shortened(app, await newest())
    const note = await write("Upgraded")
    expect((await pull({ cursor: start })).changes).toMatchObject([{ id: note.id }])
  })

  it("of a state before a restored backup returns 410 without resync_cursor", async () => {
    const other = await guest(app, { elsewhere: true })
    const { cursor } = (await app.call("GET", "/sync/cursor", undefined, other.headers)).body
    await app.sql("UPDATE heads SET epoch = 'restored' WHERE workspace_id = $1", [other.workspace_id])
    const answer = await app.call("POST", "/sync/pull", { cursor }, other.headers)
    expect(answer.body).toMatchObject({ status: 410, code: "cursor_expired", resync_cursor: null })
  })
})

describe("cost of a pull", () => {
  it("depends on the page alone: the pull reads an index, not the history", async () => {
    const other = await guest(app, { elsewhere: true })
    await app.sql(
      `INSERT INTO records (workspace_id, type, id, seq, revision, deleted, bytes, changed_at)
      SELECT $1, 'tag', 'tg_' || n, n, 2, n % 50 <> 0, 50, '2026-01-01T00:00:00.000Z' FROM generate_series(1, 20000) n`,
      [other.workspace_id]
    )
    await app.sql("UPDATE heads SET seq = 20000 WHERE workspace_id = $1", [other.workspace_id])
    await app.sql("ANALYZE records")
    /** Returns the number of rows of `records` that the statement reads. */
    const looked = async (options: { seq: number; floor: number }) => {
      const sent: Array<[string, ReadonlyArray<unknown>]> = []
      const sql: any = {
        unsafe: (...statement: [string, ReadonlyArray<unknown>]) => (sent.push(statement), Effect.interrupt)
      }
      const heavy = await app.run(Effect.service(ExpensiveReads))
      const range = { workspace_id: other.workspace_id, limit: 10, types: undefined, ...options }
      await Effect.runPromiseExit(changedAfter(sql, heavy, range))
      const [text, params] = sent[0]!
      // Plans the statement as the server does, without parameter values.
      const values = params.map((value) => `'${String(value)}'`).join(", ")
      const rows = await app.run(
        Effect.flatMap(Effect.service(Database), ({ whole }) =>
          whole.withTransaction(
            Effect.gen(function* () {
              yield* whole.unsafe(`PREPARE looked AS ${text}`)
              const plan = yield* whole.unsafe<any>(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE looked(${values})`)
              yield* whole.unsafe("DEALLOCATE looked")
              return plan
            })
          )
        )
      )
      const sum = (node: any): number =>
        (node["Relation Name"] === "records" ? node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) : 0) +
        (node.Plans ?? []).reduce((total: number, each: any) => total + sum(each), 0)
      return sum(rows[0]["QUERY PLAN"][0].Plan)
    }
    // Without a cursor, the 19 600 tombstones are not read. The page needs one row more to set has_more; the merge of
    // live and deleted records reads one live row ahead.
    expect(await looked({ seq: 0, floor: 20_000 })).toBe(11)
    expect(await looked({ seq: 19_000, floor: 0 })).toBe(12)
    expect(await looked({ seq: 19_998, floor: 0 })).toBe(2)
  })
})
