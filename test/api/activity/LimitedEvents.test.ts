import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { LimitedEventIds } from "../../../services/activity/LimitedEventIds.ts"
import type { WorkspaceId } from "../../../services/Ids.ts"
import { systemRandomness } from "../../../services/Randomness.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { eventId } from "../../../services/writer/LogEntry.ts"
import { limitedKey } from "../../support/reach/LimitedKey.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

type Found = Awaited<ReturnType<typeof limitedKey>>

/** All events in pages of two, from a cursor on, and the last cursor. */
const polled = async ({ ask }: Pick<Found, "ask">, cursor?: string) => {
  const events: Array<any> = []
  for (let next = cursor; ;) {
    const at: string = next === undefined ? "" : `&cursor=${encodeURIComponent(next)}`
    const { body, status } = await ask("GET", `/events?sort=occurred_at&limit=2${at}`)
    expect(status).toBe(200)
    expect(body.data).toHaveLength(body.has_more ? 2 : body.data.length)
    events.push(...body.data)
    next = body.next_cursor
    if (!body.has_more) return { events, cursor: body.next_cursor as string }
  }
}

const shown = (events: ReadonlyArray<any>) => events.map(({ resource_id, type }) => `${type} ${resource_id}`)

describe("the events of a credential that reaches some notebooks", () => {
  it("are those of the notes and notebooks that it reaches now, in the order of the log", async () => {
    const found = await limitedKey(app)
    const { around, ask, below, closed, given, home, note, secret } = found
    const [one, hidden] = [await note(home, "One", { tags: ["red"] }), await note(secret, "Two")]
    const comment = (await given("POST", `/notes/${one}/comments`, { body: "seen" })).id
    await given("POST", `/notes/${hidden}/comments`, { body: "hidden" })
    const share = (await given("POST", "/shares", { note_id: one })).id
    await given("PATCH", `/notebooks/${around}`, { name: "Far" })
    await given("PATCH", `/notes/${one}`, { title: "Three" })
    await given("DELETE", `/notes/${one}`)
    const all = [
      `notebook.created ${home}`,
      `notebook.created ${closed}`,
      `notebook.created ${below}`,
      `note.created ${one}`,
      `comment.created ${comment}`,
      `share.created ${share}`,
      `note.updated ${one}`,
      `comment.deleted ${comment}`,
      `note.deleted ${one}`
    ]
    const { cursor, events } = await polled(found)
    expect(shown(events).toSorted()).toEqual(all.toSorted())
    const seqs = await app.sql(
      "SELECT type || ' ' || resource_id AS shown FROM changes WHERE workspace_id = $1 ORDER BY seq",
      [found.team.id]
    )
    expect(shown(events)).toEqual(seqs.map((row) => row.shown).filter((each) => all.includes(each)))
    const newest = (await ask("GET", "/events?limit=100")).body
    expect([shown(newest.data).toReversed(), newest.has_more, newest.next_cursor]).toEqual([shown(events), false, null])
    const first = (await ask("GET", "/events?limit=4")).body
    const second = (await ask("GET", `/events?limit=4&cursor=${encodeURIComponent(first.next_cursor)}`)).body
    expect([...first.data, ...second.data]).toEqual(newest.data.slice(0, 8))
    expect((await ask("GET", "/events?limit=4&page=2")).body.data).toEqual(second.data)
    for (const event of events) expect((await ask("GET", `/events/${event.id}`)).body).toEqual(event)
    await given("PATCH", `/notes/${hidden}`, { title: "Four" })
    expect((await polled(found, cursor)).events).toEqual([])
    const made = (await ask("POST", "/notes", { notebook_id: home, title: "Own" })).body.id
    expect(shown((await polled(found, cursor)).events)).toEqual([`note.created ${made}`])
    await given("DELETE", `/notes/${one}?permanent=true`)
    expect(shown((await polled(found)).events).filter((each) => each.endsWith(one))).toEqual([])
  })

  it("come with a note that is moved in, and go with one that leaves", async () => {
    const found = await limitedKey(app)
    const { ask, below, given, home, note, secret } = found
    const id = await note(secret, "One")
    await given("PATCH", `/notes/${id}`, { title: "Two" })
    const other = await note(home, "Other")
    const { cursor, events } = await polled(found)
    expect(shown(events)).not.toContain(`note.created ${id}`)
    await given("PATCH", `/notes/${id}`, { notebook_id: below })
    const activity = async () => (await ask("GET", `/notes/${id}/activity`)).body
    expect((await activity()).data.map(({ type, version }: any) => [type, version])).toEqual([
      ["note.updated", 3],
      ["note.updated", 2],
      ["note.created", 1]
    ])
    // Earlier entries are before the cursor.
    const { data: entries } = (await ask("GET", `/events?filter=resource_id=${id}`)).body
    expect(shown(entries)).toEqual([`note.updated ${id}`, `note.updated ${id}`, `note.created ${id}`])
    expect((await polled(found, cursor)).events).toEqual(entries.slice(0, 1))
    await given("PATCH", `/notes/${id}`, { notebook_id: secret })
    expect((await ask("GET", `/events/${entries[0].id}`)).status).toBe(404)
    expect(shown((await ask("GET", "/events?filter=type=note.*")).body.data)).toEqual([`note.created ${other}`])
    expect((await ask("GET", `/notes/${id}/activity`)).status).toBe(404)
  })

  it("name nothing elsewhere", async () => {
    const found = await limitedKey(app)
    const { ask, around, below, given, home, note, secret, team } = found
    const [own, far] = [await note(home, "Own"), await note(secret, "Far")]
    await given("POST", `/notebooks/${home}/move`, { parent_id: secret })
    await given("POST", `/notebooks/${home}/move`, { parent_id: around })
    await given("POST", `/notebooks/${below}/move`, { parent_id: secret })
    await given("POST", `/notebooks/${below}/move`, { parent_id: home })
    const conflict = { type: "note", op: "upsert", id: own, revision: 7, data: { title: "x" } }
    await given("POST", "/sync/push", { changes: [conflict, { ...conflict, id: far }] })
    const pushed = (await given("POST", "/sync/push", {
      changes: [
        {
          type: "note",
          op: "upsert",
          id: "nt_copycopycopycopycopy",
          revision: 0,
          conflict_of: far,
          data: { notebook_id: home, title: "Copy" }
        },
        {
          type: "note",
          op: "upsert",
          id: "nt_awayawayawayawayaway",
          revision: 0,
          conflict_of: own,
          data: { notebook_id: secret, title: "Away" }
        }
      ]
    })) as any
    expect(pushed.results.map(({ status }: any) => status)).toEqual(["applied", "applied"])
    const key = await team.key("editor", ["notes:write"])
    const headers = { ...key.headers, "device-id": "sy_of-a-script-000002", "change-set": "cs_0123456789abcdefgh" }
    expect((await app.call("PATCH", `/notes/${own}`, { body: "more" }, headers)).status).toBe(200)
    const all = await polled(found)
    const places = all.events.filter(({ type }) => type.startsWith("notebook.")).map(({ data }) => data.parent_id)
    expect(places).toEqual([null, null, home, null, null, null, home])
    expect(shown(all.events).filter((each) => each.startsWith("sync."))).toEqual([`sync.conflict ${own}`])
    const activities = await Promise.all(
      [own, "nt_copycopycopycopycopy"].map(async (id) => (await ask("GET", `/notes/${id}/activity`)).body.data)
    )
    const texts = JSON.stringify([all, activities])
    for (const id of [around, secret, far, "Away", "cs_0123456789abcdefgh", key.key_id!]) {
      expect(texts).not.toContain(id)
    }
    expect(activities[1]![0].via).toMatchObject({ by: "sync", conflict_of: null })
    const [edit] = activities[0]!
    expect(edit).toMatchObject({
      actor: { kind: "api_key", user_id: key.user_id, name: null, api_key: null },
      device: { id: "sy_of-a-script-000002", name: null },
      via: { by: "api", change_set_id: null }
    })
    expect(activities[0]!.map(({ type }: any) => type)).toEqual(["note.updated", "sync.conflict", "note.created"])
    expect((await given("GET", `/notes/${own}/activity`)).data).toHaveLength(4)
    expect((await ask("GET", `/notes/${far}/activity`)).status).toBe(404)
    expect((await ask("GET", "/audit-log")).status).toBe(403)
    expect((await ask("GET", "/webhooks")).status).toBe(403)
  })

  it("have ids of their own, which say nothing of the log", async () => {
    const found = await limitedKey(app)
    const { ask, given, home, key, note, notebooks } = found
    const id = await note(home, "One")
    const whole = (await given("GET", `/events?filter=resource_id=${id}`)).data[0]
    const own = (await ask("GET", `/events?filter=resource_id=${id}`)).body.data[0]
    expect({ ...own, id: whole.id }).toEqual(whole)
    expect(own.id).toMatch(/^ev_[0-9A-Za-z]{22}$/)
    expect((await ask("GET", `/events/${whole.id}`)).status).toBe(404)
    expect((await app.call("GET", `/events/${own.id}`, undefined, found.team.owner.headers)).status).toBe(404)
    const changed = `${own.id.slice(0, -1)}${own.id.endsWith("a") ? "b" : "a"}`
    for (const wrong of [changed, `ev_${"z".repeat(22)}`, "ev_none", id, "ev_%00"]) {
      expect((await ask("GET", `/events/${wrong}`)).status).toBe(404)
    }
    // An ordinary id begins with the place in the log.
    const refused = await ask("GET", `/events?filter=id=${whole.id.slice(0, 8)}*`)
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_filter"])
    expect(refused.body.allowed_fields).toEqual(["type", "resource_type", "resource_id", "actor_id", "occurred_at"])
    const activity = (await ask("GET", `/notes/${id}/activity`)).body.data[0]
    expect(activity.id).toBe(own.id)
    const second = await given("POST", "/api-keys", { name: "second", notebooks: notebooks.slice(0, 1) })
    const headers = { authorization: `Bearer ${second.secret}` }
    expect((await app.call("GET", `/events/${own.id}`, undefined, headers)).body).toEqual(own)
    expect((await app.call("GET", `/events/${key.id}`, undefined, headers)).status).toBe(404)
    const ids = await app.sql("SELECT id FROM changes WHERE workspace_id = $1", [found.team.id])
    expect(ids.some((row) => row.id.startsWith(own.id.slice(0, 8)))).toBe(false)
  })

  it("have cursors of one length, in which nothing can be read", async () => {
    const found = await limitedKey(app)
    const { ask, given, home, note } = found
    const id = await note(home, "One")
    const cursors: Array<string> = []
    const take = async (path: string) => void cursors.push((await ask("GET", path)).body.next_cursor)
    await take("/events?sort=occurred_at&filter=type=reminder.fired")
    await app.sql("UPDATE heads SET seq = 123456789012 WHERE workspace_id = $1", [found.team.id])
    for (const title of ["Two", "Three"]) await given("PATCH", `/notes/${id}`, { title })
    await take("/events?limit=1")
    await take("/events?sort=occurred_at&limit=1")
    await take("/events?sort=occurred_at")
    expect(new Set(cursors.map(({ length }) => length)).size).toBe(1)
    const ofActivity = await Promise.all(
      [1, 2].map(async (limit) => (await ask("GET", `/notes/${id}/activity?limit=${limit}`)).body.next_cursor)
    )
    expect(new Set(ofActivity.map(({ length }) => length)).size).toBe(1)
    for (const cursor of [...cursors, ...ofActivity]) {
      const bytes = Buffer.from(cursor.slice(1).split(".")[0], "base64url").toString("latin1")
      for (const part of ["1234567890", "ev_"]) expect(bytes).not.toContain(part)
    }
    const next = (await ask("GET", `/notes/${id}/activity?limit=1&cursor=${encodeURIComponent(ofActivity[0])}`)).body
    expect(next.data.map(({ version }: any) => version)).toEqual([2])
    const ordinary = (await given("GET", "/events?sort=occurred_at")).next_cursor
    for (const [cursor, headers] of [
      [ordinary, found.headers],
      [cursors[3], found.team.owner.headers]
    ]) {
      const { body } = await app.call("GET", `/events?sort=occurred_at&cursor=${cursor}`, undefined, headers)
      expect(body.code).toBe("invalid_cursor")
    }
    await app.sql("UPDATE heads SET epoch = 'restored' WHERE workspace_id = $1", [found.team.id])
    await app.sql(
      `INSERT INTO restores (workspace_id, backup_at, restored_at, ends_credentials, announced)
      VALUES ($1, NULL, '2026-03-01T00:00:00.000Z', false, true)`,
      [found.team.id]
    )
    const lost = await ask("GET", `/events?sort=occurred_at&cursor=${cursors[3]}`)
    expect([lost.status, lost.body.code]).toEqual([410, "cursor_expired"])
  })

  it("are those of attachments without the scope to read notes", async () => {
    const { given, home, note, notebooks } = await limitedKey(app)
    const note_id = await note(home, "One")
    const file = (await given("POST", "/attachments/uploads", { note_id, filename: "a.txt" })).id
    const made = await given("POST", "/api-keys", { name: "files", notebooks, scopes: ["files:read"] })
    const headers = { authorization: `Bearer ${made.secret}` }
    const { body } = await app.call("GET", "/events", undefined, headers)
    expect(shown(body.data)).toEqual([`attachment.created ${file}`])
  })

  it("are the same however many others are between them", async () => {
    const found = await limitedKey(app)
    const { ask, home, note, secret, team } = found
    const ids = [await note(home, "One"), await note(home, "Two")]
    await note(secret, "Far")
    const before = await polled(found)
    const newest = (await ask("GET", "/events?limit=2")).body.data
    await app.sql(
      `INSERT INTO changes (workspace_id, seq, id, type, resource, resource_id, note_id, version, occurred_at)
      SELECT workspace_id, seq + n, 'ev_' || lpad(n::text, 22, '0'), 'note.updated', 'note', resource_id, note_id, n,
        occurred_at
      FROM (SELECT * FROM changes WHERE workspace_id = $1 ORDER BY seq DESC LIMIT 1) c, generate_series(1, 5000) n`,
      [team.id]
    )
    await app.sql("UPDATE heads SET seq = seq + 5000 WHERE workspace_id = $1", [team.id])
    // The page of a key that reaches many notes is looked for further in the log.
    for (const count of [1, 10_000]) {
      await app.sql("UPDATE notebooks SET note_count = $2::int WHERE id = $1", [home, String(count)])
      expect((await ask("GET", "/events?limit=2")).body.data).toEqual(newest)
      expect((await ask("GET", "/events?limit=2&page=2")).body.data).toEqual(before.events.toReversed().slice(2, 4))
      expect((await polled(found, before.cursor)).events).toEqual([])
      expect((await polled(found)).events).toEqual(before.events)
    }
    await app.sql("UPDATE notebooks SET note_count = 2 WHERE id = $1", [home])
    await found.given("PATCH", `/notes/${ids[0]}`, { title: "Later" })
    expect(shown((await polled(found, before.cursor)).events)).toEqual([`note.updated ${ids[0]}`])
    expect((await polled(found)).events.slice(0, -1)).toEqual(before.events)
  })
})

it("an id of an event is read with the previous secret key, and with no other", async () => {
  const key = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))
  const idsWith = async (current: number, previous?: number) => {
    const layer = Secrets.layer({ current: key(current), previous: previous === undefined ? undefined : key(previous) })
    return new LimitedEventIds(await Effect.runPromise(Effect.provide(Secrets, layer)))
  }
  const [one, both, other] = [await idsWith(1), await idsWith(2, 1), await idsWith(3, 2)]
  const [workspace, elsewhere] = ["ws_one", "ws_two"] as unknown as ReadonlyArray<WorkspaceId>
  const event = eventId(systemRandomness, 123_456_789)
  const limited = one.of(workspace!, event)
  expect(one.seqsOf(workspace!, limited)).toEqual([123_456_789])
  expect(both.seqsOf(workspace!, limited)[1]).toBe(123_456_789)
  expect(both.of(workspace!, event)).not.toBe(limited)
  const isOf = [one, both, other].map((ids) => ids.isOf(workspace!, limited, event))
  expect(isOf).toEqual([true, true, false])
  expect(one.isOf(elsewhere!, limited, event)).toBe(false)
  // The event of another history with the same place.
  expect(one.isOf(workspace!, limited, eventId(systemRandomness, 123_456_789))).toBe(false)
})
