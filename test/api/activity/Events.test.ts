import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { Events } from "../../../services/activity/Events.ts"
import { guest } from "../../support/people/People.ts"
import { notFound } from "../../support/Scenario.ts"
import { epoch, startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { act, app, given, refuse } = useApp()
let inbox: string

beforeAll(async () => {
  inbox = (await given("GET", "/notebooks")).data[0].id
})

/** Polls from a cursor until a page is empty. Returns the events and the cursor to resume from. */
const poll = async (cursor?: string, limit = 100, more = "") => {
  const events: Array<any> = []
  for (let next = cursor; ;) {
    const page = await given(
      "GET",
      `/events?sort=occurred_at&limit=${limit}${more}${next === undefined ? "" : `&cursor=${encodeURIComponent(next)}`}`
    )
    expect(page.next_cursor).toBeTypeOf("string")
    expect(page.data.length === limit || !page.has_more).toBe(true)
    events.push(...page.data)
    next = page.next_cursor as string
    if (page.data.length === 0) return { events, cursor: next }
  }
}

/** Returns the types of the events that a request appends. */
const typesOf = async (method: string, path: string, body?: unknown) => {
  const outcome = await act(method, path, body)
  expect(outcome.status, outcome.text).toBeLessThan(300)
  return { ...outcome.body, types: outcome.changes.map(([type]) => type) }
}

describe("event log", () => {
  it("records the type of each change to a note", async () => {
    const note = await typesOf("POST", "/notes", { notebook_id: inbox, title: "Logged", tags: ["logged"] })
    expect(note.types.toSorted()).toEqual(["note.created", "tag.created"])
    const path = `/notes/${note.id}`
    expect((await typesOf("PATCH", path, { title: "Logged twice" })).types).toEqual(["note.updated"])
    expect((await typesOf("PATCH", path, { title: "Logged twice" })).types).toEqual([])
    expect((await typesOf("POST", `${path}/archive`)).types).toEqual(["note.archived"])
    expect((await typesOf("POST", `${path}/restore`)).types).toEqual(["note.restored"])
    expect((await typesOf("POST", `${path}/duplicate`)).types).toEqual(["note.created"])
    expect((await typesOf("POST", `${path}/versions/1/restore`)).types).toEqual(["note.updated"])
    expect((await typesOf("DELETE", `${path}/versions/1`)).types).toEqual(["note.version_deleted"])
    expect((await typesOf("DELETE", path)).types).toEqual(["note.deleted"])
    expect((await typesOf("POST", `${path}/restore`)).types).toEqual(["note.restored"])
    expect((await typesOf("DELETE", `${path}?permanent=true`)).types).toEqual(["note.purged"])
  })

  it("records the type of each change to a notebook or a tag", async () => {
    const outer = await typesOf("POST", "/notebooks", { name: "Outer" })
    const inner = await typesOf("POST", "/notebooks", { name: "Inner" })
    expect([...outer.types, ...inner.types]).toEqual(["notebook.created", "notebook.created"])
    expect((await typesOf("PATCH", `/notebooks/${inner.id}`, { name: "Inmost" })).types).toEqual(["notebook.updated"])
    expect((await typesOf("POST", `/notebooks/${inner.id}/move`, { parent_id: outer.id })).types).toEqual([
      "notebook.moved"
    ])
    await given("POST", "/notes", { notebook_id: inner.id, title: "Inside" })
    expect((await typesOf("DELETE", `/notebooks/${outer.id}`)).types.toSorted()).toEqual([
      "note.deleted",
      "notebook.deleted",
      "notebook.deleted"
    ])

    const one = await typesOf("POST", "/tags", { name: "one" })
    const two = await typesOf("POST", "/tags", { name: "two" })
    expect([...one.types, ...two.types]).toEqual(["tag.created", "tag.created"])
    await given("POST", "/notes", { notebook_id: inbox, title: "Tagged", tags: ["one"] })
    expect((await typesOf("PATCH", `/tags/${one.id}`, { name: "uno" })).types.toSorted()).toEqual([
      "note.updated",
      "tag.updated"
    ])
    expect(
      (await typesOf("POST", "/tags/merge", { source_ids: [one.id], target_id: two.id })).types.toSorted()
    ).toEqual(["note.updated", "tag.merged"])
    expect((await typesOf("DELETE", `/tags/${two.id}`)).types.toSorted()).toEqual(["note.updated", "tag.deleted"])
  })

  it("shows an event with all its fields, in the list and by id, and never changes it", async () => {
    const tag = await given("POST", "/tags", { name: "shown", color: "#123456" })
    const {
      data: [event]
    } = await given("GET", "/events?limit=1")
    const [owner] = await app.sql("SELECT user_id FROM members WHERE role = 'owner' AND workspace_id = $1", [
      app.workspace_id
    ])
    expect(event).toEqual({
      id: expect.stringMatching(/^ev_[0-9A-Za-z]{22}$/),
      type: "tag.created",
      resource_type: "tag",
      resource_id: tag.id,
      workspace_id: app.workspace_id,
      actor_id: owner.user_id,
      occurred_at: new Date(epoch).toISOString(),
      data: { id: tag.id, name: "shown", color: "#123456", created_at: tag.created_at }
    })
    const one = await app.call("GET", `/events/${event.id}`)
    expect(one.body).toEqual(event)
    const known = { "if-none-match": one.headers.get("etag")! }
    expect((await app.call("GET", `/events/${event.id}`, undefined, known)).status).toBe(304)
    for (const method of ["PATCH", "DELETE", "PUT"]) {
      await refuse({ status: 405, code: "method_not_allowed" }, method, `/events/${event.id}`)
    }
  })

  it("lists events in pages, newest first", async () => {
    const stored = await app.sql("SELECT id FROM changes WHERE workspace_id = $1 ORDER BY seq DESC", [app.workspace_id])
    const listed: Array<string> = []
    for (let query = "?limit=7"; query !== "";) {
      const page = await given("GET", `/events${query}`)
      listed.push(...page.data.map((event: any) => event.id))
      query = page.has_more ? `?limit=7&cursor=${page.next_cursor}` : ""
      expect(page.next_cursor === null).toBe(!page.has_more)
    }
    expect(listed).toEqual(stored.map((row) => row.id))
    await refuse({ status: 400, code: "invalid_sort" }, "GET", "/events?sort=type")
    await refuse({ status: 400, code: "invalid_cursor" }, "GET", "/events?cursor=forged")
  })
})

describe("filter of events", () => {
  it("finds events by type, resource, actor and time", async () => {
    const tag = await given("POST", "/tags", { name: "filtered" })
    await given("PATCH", `/tags/${tag.id}`, { color: "#ffffff" })
    const found = async (filter: string) =>
      (await given("GET", `/events?filter=${encodeURIComponent(filter)}`)).data.map((event: any) => event.type)
    expect(await found(`resource_id=${tag.id}`)).toEqual(["tag.updated", "tag.created"])
    expect(await found(`resource_id=${tag.id} AND type=tag.created`)).toEqual(["tag.created"])
    expect(await found(`resource_id=${tag.id} AND type=*.updated`)).toEqual(["tag.updated"])
    expect(await found(`resource_id=${tag.id} AND occurred_at<2026-03-01`)).toEqual([])
    expect(await found(`resource_id=${tag.id} AND occurred_at=2026-03-01 AND actor_id:*`)).toHaveLength(2)
    expect(new Set(await found("resource_type=notebook"))).toEqual(
      new Set(["notebook.created", "notebook.updated", "notebook.moved", "notebook.deleted"])
    )
    const refused = await refuse({ status: 400, code: "invalid_filter" }, "GET", "/events?filter=ip%3D127.0.0.1")
    expect(refused.body.allowed_fields).toEqual([
      "id",
      "type",
      "resource_type",
      "resource_id",
      "actor_id",
      "occurred_at"
    ])
  })

  it("applies to polling, which returns new matching events and always a cursor", async () => {
    const only = `&filter=${encodeURIComponent("type=tag.updated")}`
    const { cursor } = await poll(undefined, 100, only)
    const tag = await given("POST", "/tags", { name: "polled" })
    expect((await poll(cursor, 100, only)).events).toEqual([])
    await given("PATCH", `/tags/${tag.id}`, { color: "#000000" })
    expect((await poll(cursor, 100, only)).events).toMatchObject([{ type: "tag.updated", resource_id: tag.id }])
  })
})

describe("polling", () => {
  it("resumes at its cursor, also at the end, and returns each event once in the order of the log", async () => {
    const first = await poll(undefined, 9)
    const stored = await app.sql("SELECT id FROM changes WHERE workspace_id = $1 ORDER BY seq", [app.workspace_id])
    expect(first.events.map((event) => event.id)).toEqual(stored.map((row) => row.id))
    expect((await poll(first.cursor)).events).toEqual([])
    await given("POST", "/tags", { name: "later" })
    const second = await poll(first.cursor)
    expect(second.events.map((event) => event.type)).toEqual(["tag.created"])
    expect((await poll(second.cursor)).events).toEqual([])
  })

  it("keeps the order of the log when the clock of a process was wrong", async () => {
    const { cursor } = await poll()
    const made: Array<string> = []
    for (const name of ["clock-right", "clock-behind", "clock-ahead"]) {
      made.push((await given("POST", "/tags", { name })).id)
    }
    const times = ["2026-03-01T12:00:00.000Z", "2026-02-01T12:00:00.000Z", "2026-04-01T12:00:00.000Z"]
    for (const [index, id] of made.entries()) {
      await app.sql("UPDATE changes SET occurred_at = $1 WHERE resource_id = $2", [times[index], id])
    }
    expect((await poll(cursor, 1)).events.map((event) => event.resource_id)).toEqual(made)
  })

  it("returns a cursor even without readable events", async () => {
    const elsewhere = await guest(app, { elsewhere: true, scopes: ["notes:write"] })
    const ask = async (cursor = "") =>
      (await app.call("GET", `/events?sort=occurred_at${cursor}`, undefined, elsewhere.headers)).body
    // The only event so far is the Inbox.
    const begin = await ask()
    expect(begin.data).toMatchObject([{ type: "notebook.created" }])
    const empty = await ask(`&cursor=${begin.next_cursor}`)
    expect(empty).toEqual({ data: [], has_more: false, next_cursor: expect.any(String) })
    expect((await ask(`&cursor=${empty.next_cursor}`)).data).toEqual([])
    await app.call("POST", "/tags", { name: "first" }, elsewhere.headers)
    expect((await ask(`&cursor=${empty.next_cursor}`)).data).toMatchObject([{ type: "tag.created" }])
  })

  it("skips no event committed during polling, whichever node writes it", async () => {
    const other = await startApp({ databaseOf: app })
    try {
      let { cursor } = await poll()
      const events: Array<string> = []
      let writing = true
      const writers = [app, other].flatMap((each, node) =>
        Array.from({ length: 4 }, async (_, lane) => {
          for (let n = 0; n < 10; n++) {
            const made = await each.call("POST", "/tags", { name: `p-${node}-${lane}-${n}` })
            expect(made.status, made.text).toBe(201)
          }
        })
      )
      const written = Promise.all(writers).finally(() => (writing = false))
      do {
        const next = await poll(cursor, 3)
        events.push(...next.events.map((event) => event.id))
        cursor = next.cursor
      } while (writing)
      await written
      events.push(...(await poll(cursor)).events.map((event) => event.id))
      expect(events.length).toBe(80)
      const stored = await app.sql(
        `SELECT id FROM changes WHERE workspace_id = $1 AND type = 'tag.created' AND data->>'name' LIKE 'p-%'
        ORDER BY seq`,
        [app.workspace_id]
      )
      expect(events).toEqual(stored.map((row) => row.id))
    } finally {
      await other.stop()
    }
  })
})

describe("access to events", () => {
  it("shows each credential the events of readable resources in its own workspace", async () => {
    const {
      data: [event]
    } = await given("GET", "/events?filter=type=note.*&limit=1")
    const reader = await guest(app, { role: "viewer", scopes: ["notes:read"] })
    const hooks = await guest(app, { role: "admin", scopes: ["webhooks:read"] })
    const elsewhere = await guest(app, { elsewhere: true })
    const as = async (headers: { readonly authorization: string }) => ({
      list: (await app.call("GET", "/events?filter=resource_type=note&limit=1", undefined, headers)).body.data,
      one: (await app.call("GET", `/events/${event.id}`, undefined, headers)).status
    })
    expect(await as(reader.headers)).toEqual({ list: [event], one: 200 })
    expect(await as(hooks.headers)).toEqual({ list: [], one: 404 })
    expect(await as(elsewhere.headers)).toEqual({ list: [], one: 404 })
  })

  it("shows events of keys and invitations to admins only", async () => {
    const seq = await app.seq()
    // Access depends on the resource alone.
    for (const [index, resource] of ["api_key", "invitation", "member"].entries()) {
      await app.sql(
        `INSERT INTO changes (workspace_id, seq, id, type, resource, resource_id, occurred_at)
        VALUES ($1, $2::bigint, $3, $4, $5, 'x', '2026-03-01T12:00:00.000Z')`,
        [app.workspace_id, String(seq + 1 + index), `ev_madeForThisTest0000${index}`, "api_key.created", resource]
      )
    }
    const typesFor = async (role: string) => {
      const who = await guest(app, { role, scopes: ["keys:read", "members:read"] })
      const { body } = await app.call("GET", "/events?filter=resource_id=x", undefined, who.headers)
      return body.data.map((event: any) => event.resource_type)
    }
    expect(await typesFor("admin")).toEqual(["member", "invitation", "api_key"])
    expect(await typesFor("editor")).toEqual(["member"])
    await app.sql("DELETE FROM changes WHERE id LIKE 'ev_madeFor%'")
  })

  it("returns 404 for an id that names no event, whatever its form", async () => {
    const {
      data: [event]
    } = await given("GET", "/events?limit=1")
    const other = `${event.id.slice(0, -1)}${event.id.endsWith("a") ? "b" : "a"}`
    for (const id of [other, "ev_none", `ev_${"z".repeat(22)}`, "nt_00000000000000000000", "ev_%00"]) {
      await refuse(notFound, "GET", `/events/${id}`)
    }
  })
})

describe("retention", () => {
  it("deletes events after 90 days, and resumes older cursors at the oldest remaining event", async () => {
    const own = await startApp()
    try {
      const notebook = (await own.call("GET", "/notebooks")).body.data[0].id
      const { next_cursor } = (await own.call("GET", "/events?sort=occurred_at&limit=1")).body
      await own.call("POST", "/notes", { notebook_id: notebook, title: "old", body: "kept" })
      await own.advance("60 days")
      await own.call("POST", "/tags", { name: "newer" })
      await own.idle()
      await own.advance("29 days")
      await own.idle()
      const types = async () =>
        (await own.call("GET", "/events?filter=NOT resource_type IN (workspace, member)")).body.data.map(
          (event: any) => event.type
        )
      expect(await types()).toEqual(["tag.created", "note.created", "notebook.created"])
      await own.advance("2 days")
      await own.idle()
      expect(await types()).toEqual(["tag.created"])
      expect((await own.call("GET", `/events?sort=occurred_at&cursor=${next_cursor}`)).body.data).toMatchObject([
        { type: "tag.created" }
      ])
      // Sync does not depend on the event log.
      const pulled = (await own.call("POST", "/sync/pull")).body
      expect(pulled.changes.map((change: any) => change.type).toSorted()).toEqual(["note", "notebook", "tag"])
      await own.call("POST", "/tags", { name: "newest" })
      expect(await types()).toEqual(["tag.created", "tag.created"])
    } finally {
      await own.stop()
    }
  })

  it("deletes a long log in batches, and stops at the first event to keep", async () => {
    const elsewhere = await guest(app, { elsewhere: true })
    await app.sql("DELETE FROM changes WHERE workspace_id = $1", [elsewhere.workspace_id])
    await app.sql(
      `INSERT INTO changes (workspace_id, seq, id, type, resource, resource_id, occurred_at)
      SELECT $1, n, 'ev_' || n, 'note.updated', 'note', 'nt_x',
        CASE WHEN n <= 2510 THEN '2025-01-01' ELSE '2026-03-01' END
      FROM generate_series(11, 2610) n`,
      [elsewhere.workspace_id]
    )
    await app.run(Effect.flatMap(Effect.service(Events), (events) => events.prune))
    const [left] = await app.sql(
      "SELECT count(*)::int AS n, min(seq)::int AS first FROM changes WHERE workspace_id = $1",
      [elsewhere.workspace_id]
    )
    expect(left).toEqual({ n: 100, first: 2511 })
  })
})
