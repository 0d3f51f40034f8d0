import { beforeAll, describe, expect, it } from "vitest"
import { planDefaults, policyDefaults } from "../../../services/workspaces/Plans.ts"
import { invalid, notFound, stale, unresolved } from "../../support/Scenario.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const policies = {
  ...policyDefaults,
  limits: { ...planDefaults, team: { ...planDefaults.team, shares: 60 } }
}
const { act, app, given, refuse } = useApp({ settings: { policies } })

let inbox: string
beforeAll(async () => {
  inbox = (await given("GET", "/notebooks")).data[0].id
})

const newNote = async (title = "Shared"): Promise<string> =>
  (await given("POST", "/notes", { notebook_id: inbox, title, body: "text" })).id
const share = (note_id: string, more: object = {}) => given("POST", "/shares", { note_id, ...more })

const inAYear = "2027-03-01T12:00:00.000Z"

describe("shares", () => {
  it("are created, read, listed, updated and deleted; the logs contain neither link nor password", async () => {
    const note_id = await newNote()
    const { body, changes, status } = await act("POST", "/shares", { note_id, url: "http://elsewhere.test" })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^sh_[0-9A-Za-z]{22}$/),
      note_id,
      url: expect.stringMatching(/^http:\/\/sheaf\.test\/s\/[\w-]{22}$/),
      password_protected: false,
      breaks: true,
      expires_at: null,
      created_by: (await given("GET", "/me")).id,
      created_at: "2026-03-01T12:00:00.000Z",
      view_count: 0
    })
    expect(changes).toEqual([["share.created", body.id, null]])
    expect((await app.call("GET", `/shares/${body.id}`)).body).toEqual(body)
    const secured = await act("PATCH", `/shares/${body.id}`, { password: "open sesame", expires_at: inAYear })
    expect(secured.body).toEqual({ ...body, password_protected: true, expires_at: inAYear })
    expect(secured.changes).toEqual([["share.updated", body.id, null]])
    expect((await given("GET", "/shares?filter=password_protected%3Dtrue")).data).toEqual([secured.body])
    expect((await given("GET", "/shares?sort=expires_at")).data).toContainEqual(secured.body)
    expect((await act("DELETE", `/shares/${body.id}`)).changes).toEqual([["share.deleted", body.id, null]])
    await refuse(notFound, "GET", `/shares/${body.id}`)
    await refuse(notFound, "DELETE", `/shares/${body.id}`)
    const details = { note_id, password_protected: true, breaks: true, expires_at: inAYear }
    const events = await given("GET", "/events?filter=resource_type%3Dshare&limit=3")
    expect(events.data.map((event: any) => [event.type, event.data])).toEqual([
      ["share.deleted", details],
      ["share.updated", details],
      ["share.created", { note_id, password_protected: false, breaks: true, expires_at: null }]
    ])
    const entries = await given("GET", `/audit-log?filter=resource_id%3D${body.id}`)
    expect(entries.data.map((entry: any) => [entry.action, entry.metadata])).toEqual(
      events.data.map((event: any) => [event.type, event.data])
    )
    await expectTruth(app)
  })

  it("keep their link, which a copy of the database does not reveal", async () => {
    const { id, url } = await share(await newNote(), { password: "open sesame" })
    const token = url.slice(-22)
    const text = JSON.stringify(await app.sql("SELECT * FROM shares WHERE id = $1", [id]))
    expect(text).not.toContain(token)
    expect(text).not.toContain("open sesame")
    expect((await given("PATCH", `/shares/${id}`, { password: null })).url).toBe(url)
  })

  it("have an ETag that changes with every shown value, and honour If-Match", async () => {
    const { id } = await share(await newNote())
    const etagOf = async () => (await app.call("GET", `/shares/${id}`)).headers.get("etag")!
    const first = await etagOf()
    expect((await app.call("GET", `/shares/${id}`, undefined, { "if-none-match": first })).status).toBe(304)
    await given("PATCH", `/shares/${id}`, { expires_at: inAYear })
    expect(await etagOf()).not.toBe(first)
    await refuse(stale, "PATCH", `/shares/${id}`, { expires_at: null }, { "if-match": first })
    await refuse(stale, "DELETE", `/shares/${id}`, undefined, { "if-match": first })
    expect((await act("PATCH", `/shares/${id}`, { expires_at: null }, { "if-match": await etagOf() })).status).toBe(200)
  })

  it("append no change if nothing changes, and keep their note", async () => {
    const [note_id, other] = [await newNote(), await newNote()]
    const made = await share(note_id, { expires_at: inAYear })
    for (const body of [{}, { note_id: other }, { url: "x" }, { expires_at: "2027-03-01T13:00:00+01:00" }]) {
      const answer = await act("PATCH", `/shares/${made.id}`, body)
      expect([answer.status, answer.body, answer.changes]).toEqual([200, made, []])
    }
  })

  it("are created once per Idempotency-Key, with the same link", async () => {
    const note_id = await newNote()
    const headers = { "idempotency-key": "one-share" }
    const body = { note_id, password: "open sesame" }
    const [first, again] = [await act("POST", "/shares", body, headers), await act("POST", "/shares", body, headers)]
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect([again.body, again.changes]).toEqual([first.body, []])
  })

  it("require an existing note", async () => {
    const note_id = await newNote()
    await given("DELETE", `/notes/${note_id}`)
    await refuse(unresolved("note_id"), "POST", "/shares", { note_id })
    await refuse(unresolved("note_id"), "POST", "/shares", { note_id: "nt_nowhere0000000000" })
    await refuse(invalid("note_id", "required"), "POST", "/shares", {})
    await refuse(invalid("note_id", "invalid_type"), "POST", "/shares", { note_id: null })
  })

  it("move to the trash with their note, are restored with it, and are deleted with it", async () => {
    const note_id = await newNote()
    const { id } = await share(note_id)
    await given("DELETE", `/notes/${note_id}`)
    await refuse(notFound, "GET", `/shares/${id}`)
    await refuse(notFound, "PATCH", `/shares/${id}`, { expires_at: inAYear })
    await refuse(notFound, "DELETE", `/shares/${id}`)
    expect((await given("GET", `/shares?filter=note_id%3D${note_id}`)).data).toEqual([])
    await given("POST", `/notes/${note_id}/restore`)
    expect((await given("GET", `/shares?filter=note_id%3D${note_id}`)).data).toHaveLength(1)
    expect((await given("GET", `/shares/${id}`)).id).toBe(id)
    const seq = await app.seq()
    await given("DELETE", `/notes/${note_id}?permanent=true`)
    expect((await app.changesAfter(seq)).map(({ type }) => type)).toEqual(["share.deleted", "note.purged"])
    await refuse(notFound, "GET", `/shares/${id}`)
    expect(await app.sql("SELECT id FROM shares WHERE note_id = $1", [note_id])).toEqual([])
    await expectTruth(app)
  })

  it("are not copied with their note", async () => {
    const note_id = await newNote()
    await share(note_id)
    const copy = await given("POST", `/notes/${note_id}/duplicate`)
    expect((await given("GET", `/shares?filter=note_id%3D${copy.id}`)).data).toEqual([])
  })
})

describe("line breaks of a share", () => {
  it("are set per share, keep their value when omitted, and are included in its events", async () => {
    const note_id = await newNote()
    const made = await share(note_id, { breaks: false })
    expect([made.breaks, (await share(note_id)).breaks]).toEqual([false, true])
    expect((await given("PATCH", `/shares/${made.id}`, { expires_at: inAYear })).breaks).toBe(false)
    expect((await act("PATCH", `/shares/${made.id}`, { breaks: false })).changes).toEqual([])
    const { body, changes } = await act("PATCH", `/shares/${made.id}`, { breaks: true })
    expect([body.breaks, changes]).toEqual([true, [["share.updated", made.id, null]]])
    const [event] = (await given("GET", "/events?filter=resource_type%3Dshare&limit=1")).data
    expect(event.data).toEqual({ note_id, password_protected: false, breaks: true, expires_at: inAYear })
    expect((await given("GET", "/shares")).data.find(({ id }: any) => id === made.id).breaks).toBe(true)
  })

  it.each([
    ["a string", "true"],
    ["null", null],
    ["a number", 1]
  ])("reject %s", async (_, breaks) => {
    const note_id = await newNote()
    await refuse(invalid("breaks", "invalid_type"), "POST", "/shares", { note_id, breaks })
    const { id } = await share(note_id)
    await refuse(invalid("breaks", "invalid_type"), "PATCH", `/shares/${id}`, { breaks })
  })
})

describe("password and expiry of a share", () => {
  it.each<[string, unknown, string]>([
    ["too short", "1234567", "too_short"],
    ["too long", "x".repeat(129), "too_long"],
    ["too short but long in bytes", "😀".repeat(7), "too_short"],
    ["with NUL", "nul\0inside", "invalid_characters"],
    ["with a lone surrogate", "surrogate\ud800", "invalid_characters"],
    ["empty", "", "too_short"],
    ["a number", 12345678, "invalid_type"],
    ["a list", ["password"], "invalid_type"]
  ])("reject a password that is %s", async (_, password, code) => {
    const note_id = await newNote()
    await refuse(invalid("password", code), "POST", "/shares", { note_id, password })
    const { id } = await share(note_id)
    await refuse(invalid("password", code), "PATCH", `/shares/${id}`, { password })
  })

  it("accept a password of 8 to 128 characters of any script", async () => {
    const note_id = await newNote()
    for (const password of ["12345678", "x".repeat(128), "😀".repeat(128), "päßwörter", "        "]) {
      expect((await share(note_id, { password })).password_protected).toBe(true)
    }
  })

  it("require a password, new or existing, for password_protected", async () => {
    const note_id = await newNote()
    const needed = invalid("password", "required")
    await refuse(needed, "POST", "/shares", { note_id, password_protected: true })
    await refuse(needed, "POST", "/shares", { note_id, password_protected: true, password: null })
    const contradiction = { note_id, password_protected: false, password: "open sesame" }
    await refuse(invalid("password_protected", "invalid"), "POST", "/shares", contradiction)
    const { id } = await share(note_id)
    await refuse(needed, "PATCH", `/shares/${id}`, { password_protected: true })
    await given("PATCH", `/shares/${id}`, { password: "open sesame", password_protected: true })
    expect((await act("PATCH", `/shares/${id}`, { password_protected: true })).changes).toEqual([])
    expect((await given("PATCH", `/shares/${id}`, { password_protected: false })).password_protected).toBe(false)
    await given("PATCH", `/shares/${id}`, { password: "open sesame" })
    expect((await given("PATCH", `/shares/${id}`, { password: null })).password_protected).toBe(false)
  })

  it.each<[string, unknown, string]>([
    ["in the past", "2026-03-01T11:59:59.999Z", "out_of_range"],
    ["now", "2026-03-01T12:00:00.000Z", "out_of_range"],
    ["in the past by its offset", "2026-03-01T12:30:00+01:00", "out_of_range"],
    ["after the year 9999", "9999-12-31T23:59:59-12:00", "invalid_timestamp"],
    ["without a zone", "2027-03-01T12:00:00", "invalid_timestamp"],
    ["a date", "2027-03-01", "invalid_timestamp"],
    ["an impossible date", "2027-13-41T12:00:00Z", "invalid_timestamp"],
    ["a number", 1_900_000_000, "invalid_type"]
  ])("reject an expiry that is %s", async (_, expires_at, code) => {
    await refuse(invalid("expires_at", code), "POST", "/shares", { note_id: await newNote(), expires_at })
  })

  it("accept an expiry in the year 9999", async () => {
    const made = await share(await newNote(), { expires_at: "9999-12-31T23:59:59.999Z" })
    expect(made.expires_at).toBe("9999-12-31T23:59:59.999Z")
  })

  it("are limited per workspace by its plan, and purging a note frees its shares", async () => {
    const note_id = await newNote()
    const [{ used }] = await app.sql("SELECT shares::int AS used FROM heads WHERE workspace_id = $1", [
      app.workspace_id
    ])
    for (let made = used; made < 60; made++) await share(note_id)
    const { body } = await refuse({ status: 403, code: "quota_exceeded" }, "POST", "/shares", { note_id })
    expect(body).toMatchObject({ quota: "shares", limit: 60, used: 60 })
    await given("DELETE", `/notes/${note_id}?permanent=true`)
    await share(await newNote())
    await expectTruth(app)
  })
})
