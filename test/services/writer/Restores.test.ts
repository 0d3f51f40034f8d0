import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Restores from "../../../services/writer/Restores.ts"
import type { StreamEvent } from "../../support/EventStream.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { openStream } from "../../support/flows/Wire.ts"
import { type RestorableApp, startRestorable } from "../../support/storage/RestoredApp.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"

/**
 * One history for all tests: records are at their first revision in the backup, reach the third in the part that is lost,
 * and are brought to the third again by other people after the restore.
 */
describe("after a restore", () => {
  let server: RestorableApp
  let after: TestApp
  const id = (prefix: string, name: string) => `${prefix}_${name.padEnd(20, "0")}`
  const [note, untouched, late] = ["touched", "untouched", "late"].map((name) => id("nt", name))
  const [template, notebook] = [id("tp", "template"), id("nb", "notebook")]
  let lost: { etag: string; cursor: string; position: string; attachment?: string }
  let kept: { etag: string }
  let backup_at = ""

  const push = async (app: TestApp, ...changes: ReadonlyArray<object>) =>
    (await app.call("POST", "/sync/push", { changes })).body
  const edit = (type: string, id: string, revision: number, data: object) => ({
    type,
    id,
    op: "upsert",
    revision,
    data
  })
  /** Brings records to the third revision, with words of their own. */
  const edits = async (app: TestApp, words: string) => {
    for (const round of [1, 2]) {
      const text = `${words} ${round}`
      const [read, shown] = [await app.call("GET", `/notes/${note}`), await app.call("GET", `/templates/${template}`)]
      await push(
        app,
        edit("note", note!, read.body.version, { body: `first\n\n${text}` }),
        edit("template", template, (await revisionOf(app, template)) ?? 0, { body: text }),
        edit("notebook", notebook, (await revisionOf(app, notebook)) ?? 0, { name: text })
      )
      expect(shown.status).toBe(200)
    }
  }
  const revisionOf = async (app: TestApp, id: string): Promise<number | undefined> =>
    (await app.sql("SELECT revision FROM records WHERE workspace_id = $1 AND id = $2", [app.workspace_id, id]))[0]
      ?.revision

  beforeAll(async () => {
    server = await startRestorable()
    const before = server.app
    const made = await push(
      before,
      edit("notebook", notebook, 0, { name: "Here" }),
      edit("note", note!, 0, { notebook_id: notebook, title: "Touched", body: "first" }),
      edit("note", untouched!, 0, { notebook_id: notebook, title: "Untouched", body: "first" }),
      edit("template", template, 0, { name: "Letter", body: "first" })
    )
    if (made.results.some(({ status }: any) => status !== "applied")) throw new Error("a record was not created")
    await before.call("POST", "/webhooks", { url: "https://example.org/hook", events: ["note.created"] })
    kept = { etag: (await before.call("GET", `/notes/${untouched}`)).headers.get("etag")! }
    const saved = await server.save()
    backup_at = saved.backup_at

    await before.advance("1 hour")
    await edits(before, "lost")
    await push(before, edit("note", untouched!, 1, { body: "lost" }))
    await push(before, edit("note", late!, 0, { notebook_id: notebook, title: "Late", body: "lost" }))
    lost = {
      etag: (await before.call("GET", `/notes/${note}`)).headers.get("etag")!,
      cursor: (await before.call("GET", "/sync/cursor")).body.cursor,
      position: (await before.call("GET", "/events?sort=occurred_at&limit=100")).body.next_cursor
    }
    after = await server.restore(saved)
    await edits(after, "present")
  })
  afterAll(() => server.stop())

  it("changes get numbers that were never given before, and unchanged records keep theirs", async () => {
    const { body } = await after.call("GET", `/notes/${note}`)
    expect(body).toMatchObject({ body: "first\n\npresent 2" })
    expect(body.version).toBeGreaterThan(1_000_000)
    expect((await after.call("GET", `/notes/${untouched}`)).body).toMatchObject({ version: 1, body: "first" })
    const versions = (await after.call("GET", `/notes/${note}/versions`)).body.data.map(({ version }: any) => version)
    expect(versions).toEqual([body.version, body.version - 1, 1])
  })

  it("an entity tag of the lost part neither permits a change nor confirms a text", async () => {
    const stale = await after.call("PATCH", `/notes/${note}`, { body: "over it" }, { "if-match": lost.etag })
    expect(stale).toMatchObject({ status: 412, body: { code: "precondition_failed" } })
    const read = await after.call("GET", `/notes/${note}`, undefined, { "if-none-match": lost.etag })
    expect([read.status, read.body.body]).toEqual([200, "first\n\npresent 2"])
    expect((await after.call("PATCH", `/notes/${note}`, { body: "over it", version: 3 })).status).toBe(412)
    // It names the same text in both histories.
    expect((await after.call("GET", `/notes/${untouched}`, undefined, { "if-none-match": kept.etag })).status).toBe(304)
  })

  it("a push of the lost part is a conflict, with the state that was restored as its base", async () => {
    const mine = "first\n\nlost 2\n\nmine"
    const { conflicts, results } = await push(
      after,
      edit("note", note!, 3, { body: mine }),
      edit("template", template, 3, { body: "mine" }),
      edit("notebook", notebook, 3, { name: "mine" }),
      edit("note", untouched!, 2, { body: "lost and mine" }),
      edit("note", late!, 1, { body: "mine" }),
      { type: "note", id: note, op: "delete", revision: 3 }
    )
    expect(results.map(({ status }: any) => status)).toEqual(Array.from({ length: 6 }, () => "conflict"))
    const [ofNote, ofTemplate, , ofUntouched, ofLate] = conflicts
    expect(ofNote).toMatchObject({ reason: "stale_revision", base: { revision: 1, data: { body: "first" } } })
    expect(ofNote.server.data.body).toBe("first\n\npresent 2")
    expect(ofTemplate).toMatchObject({ reason: "stale_revision", base: null })
    expect(ofUntouched).toMatchObject({ reason: "unknown_revision", base: { revision: 1, data: { body: "first" } } })
    expect(ofLate).toMatchObject({ reason: "unknown_revision", server: null })
  })

  it("a record that the restore has taken away begins above its lost revisions when a client sends it again", async () => {
    const again = edit("note", late!, 0, { notebook_id: notebook, title: "Late", body: "lost" })
    const [made] = (await push(after, again)).results
    expect(made).toMatchObject({ status: "applied" })
    expect(made.revision).toBeGreaterThan(1_000_000)
    expect((await push(after, { ...again, mutation_id: "other" })).results[0]).toMatchObject({ status: "duplicate" })
    expect((await push(after, edit("note", late!, 1, { body: "stale" }))).results[0].status).toBe("conflict")
  })

  it("changes of many records and deletions get such numbers too", async () => {
    const place = id("nb", "place")
    const many = ["one", "two"].map((name) => id("nt", name))
    await push(after, edit("notebook", place, 0, { name: "Place" }))
    for (const each of many) await push(after, edit("note", each, 0, { notebook_id: place, title: each, tags: ["x"] }))
    expect((await after.call("DELETE", `/notebooks/${place}`)).status).toBe(200)
    for (const each of [...many, place]) expect(await revisionOf(after, each)).toBeGreaterThan(1_000_000)
  })

  it("positions of the lost part are refused, and the refusal says what was restored", async () => {
    const restored = { backup_at, restored_at: expect.any(String), least_revision: expect.any(Number) }
    const expired = { status: 410, body: { code: "cursor_expired", resync_cursor: null, restored } }
    expect(await after.call("POST", "/sync/pull", { cursor: lost.cursor })).toMatchObject(expired)
    expect(await after.call("GET", `/sync/stream?cursor=${lost.cursor}`)).toMatchObject(expired)
    const poll = (position: string) => after.call("GET", `/events?sort=occurred_at&cursor=${position}`)
    expect(await poll(lost.position)).toMatchObject(expired)
    const { next_cursor } = (await after.call("GET", "/events?sort=occurred_at&limit=1")).body
    expect((await poll(next_cursor)).status).toBe(200)
  })

  it("log, audit log and all webhooks have the restore, before everything that follows it", async () => {
    const data = { backup_at, restored_at: expect.any(String) }
    const { data: events } = (await after.call("GET", "/events?sort=occurred_at&limit=100")).body
    const types = events.map(({ type }: any) => type)
    const place = types.indexOf("workspace.restored")
    expect(events[place]).toMatchObject({ resource_id: after.workspace_id, data })
    expect(types.slice(place + 1)).toContain("note.updated")
    expect(types.slice(0, place)).not.toContain("note.updated")
    const filter = encodeURIComponent("action=workspace.restored")
    const { data: entries } = (await after.call("GET", `/audit-log?filter=${filter}`)).body
    expect(entries).toMatchObject([{ metadata: { ...data, by: "operator" } }])
    await after.advance("1 minute")
    const [delivery] = await after.sql(
      "SELECT body::json AS body FROM webhook_deliveries WHERE event_type = 'workspace.restored' ORDER BY id LIMIT 1"
    )
    expect(delivery.body.data).toMatchObject({ resource: { id: after.workspace_id, ...data } })
  })
})

it("a reset of a running server ends its streams, and later changes have valid positions and numbers", async () => {
  const app = await startApp()
  const cursor = async () => (await app.call("GET", "/sync/cursor")).body.cursor
  const events: Array<StreamEvent> = []
  const before = await cursor()
  const { body: made } = await app.call("POST", "/tags", { name: "one" })
  const stream = await openStream(app, before, (event) => events.push(event))
  await app.run(Restores.reset)
  await app.advance("2 seconds")
  await eventually("the stream has ended", () => !stream.isOpen())
  expect(events.at(-1)).toMatchObject({ event: "bye", data: { reason: "restored" } })
  expect((await app.call("POST", "/sync/pull", { cursor: before })).status).toBe(410)
  const next = await openStream(app, undefined, (event) => events.push(event))
  await app.call("PATCH", `/tags/${made.id}`, { color: "#123456" })
  await eventually("the change has arrived", () => events.at(-1)?.event === "change")
  expect((await app.call("POST", "/sync/pull", { cursor: events.at(-1)!.id })).status).toBe(201)
  expect((events.at(-1) as any).data.revision).toBeGreaterThan(1_000_000)
  await next.close()
  await app.stop()
})

it("a restore can end all credentials, at the start that follows it", async () => {
  const server = await startRestorable()
  const { body: session } = await server.app.call("POST", "/auth/register", {
    email: "anna@sheaf.test",
    password: "correct horse battery",
    name: "Anna"
  })
  const saved = await server.save()
  const after = await server.restore(saved, true)
  const statusBy = async (token: string) =>
    (await after.call("GET", "/me", undefined, { authorization: `Bearer ${token}` })).status
  expect([await statusBy(after.key), await statusBy(session.access_token)]).toEqual([401, 401])
  const [entry] = await after.sql("SELECT metadata FROM audit_entries WHERE action = 'workspace.restored'")
  expect(entry.metadata).toMatchObject({ backup_at: saved.backup_at, credentials_ended: true })
  await server.stop()
})

it("a refresh token of the lost part ends its session, and is not taken for one that was used twice", async () => {
  const server = await startRestorable()
  const { body: session } = await server.app.call("POST", "/auth/register", {
    email: "ben@sheaf.test",
    password: "correct horse battery",
    name: "Ben"
  })
  const refresh = (app: TestApp, refresh_token: string) => app.call("POST", "/auth/refresh", { refresh_token })
  const saved = await server.save()
  const once = await refresh(server.app, session.refresh_token)
  const twice = await refresh(server.app, once.body.refresh_token)
  const after = await server.restore(saved)
  expect(await refresh(after, twice.body.refresh_token)).toMatchObject({ status: 401, body: { code: "invalid_token" } })
  expect(await after.sql("SELECT data->>'reason' AS reason FROM changes WHERE type = 'session.revoked'")).toEqual([
    { reason: "restored" }
  ])
  expect(await after.sql("SELECT 1 FROM audit_entries WHERE action = 'auth.token_reused'")).toEqual([])
  await server.stop()
})
