import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { planDefaults, policyDefaults } from "../../../services/workspaces/Plans.ts"
import { invalid, notFound, stale, unresolved } from "../../support/Scenario.ts"
import { Team } from "../../support/people/Team.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const { act, app, given, refuse } = useApp()
let note: string
let at: string

const makeNote = async (): Promise<string> => {
  const [{ id: notebook_id }] = (await given("GET", "/notebooks")).data
  return (await given("POST", "/notes", { notebook_id, title: "Discussed" })).id
}
beforeEach(async () => {
  note = await makeNote()
  at = `/notes/${note}/comments`
})

/** Creates each comment at a different time, because lists are sorted by time. */
const say = async (body: string, parent_id?: string) => {
  await app.advance("1 second")
  return given("POST", at, { body, parent_id })
}
const thread = async (): Promise<ReadonlyArray<any>> => (await given("GET", `${at}?limit=100`)).data
const pull = async (cursor?: string) => given("POST", "/sync/pull", { cursor, types: ["comment"], limit: 500 })
const push = async (...changes: ReadonlyArray<object>) => (await given("POST", "/sync/push", { changes })).results

describe("comments", () => {
  it("are created, read, listed, updated and deleted, and each change is logged", async () => {
    const { body, changes, status } = await act("POST", at, { body: "Shall we?", author_id: "us_nobody" })
    expect(status).toBe(201)
    const { id: me } = await given("GET", "/me")
    expect(body).toEqual({
      id: expect.stringMatching(/^cm_[0-9A-Za-z]{22}$/),
      note_id: note,
      parent_id: null,
      author_id: me,
      body: "Shall we?",
      resolved: false,
      deleted: false,
      created_at: expect.any(String),
      updated_at: expect.any(String)
    })
    expect(changes).toEqual([["comment.created", body.id, 1]])
    expect(await given("GET", `${at}/${body.id}`)).toEqual(body)
    const reply = await say("Yes", body.id)
    expect(await thread()).toEqual([body, reply])
    expect((await given("GET", `${at}?filter=${encodeURIComponent(`parent_id=${body.id}`)}`)).data).toEqual([reply])
    const changed = await act("PATCH", `${at}/${body.id}`, { body: "Shall we not?" })
    expect(changed.body).toMatchObject({ body: "Shall we not?", author_id: me })
    expect(changed.changes).toEqual([["comment.updated", body.id, 2]])
    expect((await act("PATCH", `${at}/${body.id}`, { body: "Shall we not?" })).changes).toEqual([])
    expect((await act("DELETE", `${at}/${reply.id}`)).changes).toEqual([["comment.deleted", reply.id, 2]])
    expect((await act("DELETE", `${at}/${body.id}`)).changes).toEqual([["comment.deleted", body.id, 3]])
    await refuse(notFound, "GET", `${at}/${body.id}`)
    expect(await thread()).toEqual([])
    await expectTruth(app)
  })

  it("have 1 to 5000 characters", async () => {
    await refuse(invalid("body", "required"), "POST", at, {})
    await refuse(invalid("body", "blank"), "POST", at, { body: " \n" })
    await refuse(invalid("body", "too_long"), "POST", at, { body: "🙂".repeat(5_001) })
    await refuse(invalid("body", "invalid_characters"), "POST", at, { body: "a\0" })
    await refuse(invalid("body", "invalid_type"), "POST", at, { body: null })
    await refuse(invalid("resolved", "invalid_type"), "POST", at, { body: "x", resolved: "yes" })
    const { id } = await say("🙂".repeat(5_000))
    await refuse(invalid("body", "blank"), "PATCH", `${at}/${id}`, { body: "" })
  })

  it("belong to one note, and are not found when it is in the trash", async () => {
    const { id } = await say("here")
    const other = await makeNote()
    await refuse(notFound, "GET", `/notes/${other}/comments/${id}`)
    await refuse(notFound, "PATCH", `/notes/${other}/comments/${id}`, { body: "there" })
    await refuse(notFound, "DELETE", `/notes/${other}/comments/${id}`)
    for (const gone of ["nt_0000000000000000", "%00", "x"]) {
      await refuse(notFound, "GET", `/notes/${gone}/comments`)
      await refuse(notFound, "POST", `/notes/${gone}/comments`, { body: "x" })
      await refuse(notFound, "GET", `/notes/${gone}/comments/${id}`)
    }
    await given("DELETE", `/notes/${note}`)
    await refuse(notFound, "GET", at)
    await refuse(notFound, "POST", at, { body: "x" })
    await refuse(notFound, "PATCH", `${at}/${id}`, { body: "x" })
    await refuse(notFound, "DELETE", `${at}/${id}`)
  })

  it("honour If-Match and If-None-Match", async () => {
    const { id } = await say("x")
    const { headers } = await app.call("GET", `${at}/${id}`)
    const etag = headers.get("etag")!
    expect((await app.call("GET", `${at}/${id}`, undefined, { "if-none-match": etag })).status).toBe(304)
    await given("PATCH", `${at}/${id}`, { body: "y" })
    await refuse(stale, "PATCH", `${at}/${id}`, { body: "z" }, { "if-match": etag })
    await refuse(stale, "DELETE", `${at}/${id}`, undefined, { "if-match": etag })
  })

  it("are listed in pages, oldest first, with cursors bound to their note", async () => {
    for (const body of ["one", "two", "three"]) await say(body)
    const first = await given("GET", `${at}?limit=2`)
    expect(first.data.map(({ body }: any) => body)).toEqual(["one", "two"])
    const second = await given("GET", `${at}?limit=2&cursor=${first.next_cursor}`)
    expect(second.data.map(({ body }: any) => body)).toEqual(["three"])
    const other = await makeNote()
    await given("POST", `/notes/${other}/comments`, { body: "x" })
    const mismatch = { status: 400, code: "cursor_mismatch" }
    await refuse(mismatch, "GET", `/notes/${other}/comments?cursor=${first.next_cursor}`)
    await refuse(mismatch, "GET", `${at}?sort=-created_at&cursor=${first.next_cursor}`)
    await refuse({ status: 400, code: "invalid_cursor" }, "GET", `${at}?cursor=x`)
    await refuse({ status: 400, code: "invalid_limit" }, "GET", `${at}?limit=0`)
    await refuse({ status: 400, code: "invalid_sort" }, "GET", `${at}?sort=body`)
    await refuse({ status: 400, code: "invalid_filter" }, "GET", `${at}?filter=body=x`)
  })
})

describe("threads", () => {
  it("have one level: a reply to a reply becomes a reply to the first comment", async () => {
    const root = await say("root")
    const reply = await say("reply", root.id)
    expect((await say("reply to the reply", reply.id)).parent_id).toBe(root.id)
    // PATCH ignores parent_id.
    expect((await given("PATCH", `${at}/${reply.id}`, { parent_id: null })).parent_id).toBe(root.id)
  })

  it("reject a parent that does not exist or belongs to another note", async () => {
    const other = await makeNote()
    const { id } = await given("POST", `/notes/${other}/comments`, { body: "elsewhere" })
    await refuse(unresolved("parent_id"), "POST", at, { body: "x", parent_id: id })
    await refuse(unresolved("parent_id"), "POST", at, { body: "x", parent_id: "cm_0000000000000000" })
    await refuse(invalid("parent_id", "blank"), "POST", at, { body: "x", parent_id: "" })
  })

  it("are resolved on their first comment only, with an event for each change", async () => {
    const root = await say("root")
    const reply = await say("reply", root.id)
    const resolved = await act("PATCH", `${at}/${root.id}`, { resolved: true })
    expect(resolved.body.resolved).toBe(true)
    expect(resolved.changes).toEqual([["comment.resolved", root.id, 2]])
    expect((await act("PATCH", `${at}/${root.id}`, { resolved: true })).changes).toEqual([])
    expect((await act("PATCH", `${at}/${root.id}`, { resolved: false })).changes).toEqual([
      ["comment.updated", root.id, 3]
    ])
    await refuse(invalid("resolved", "invalid"), "PATCH", `${at}/${reply.id}`, { resolved: true })
    await refuse(invalid("resolved", "invalid"), "POST", at, { body: "x", parent_id: root.id, resolved: true })
    expect((await given("POST", at, { body: "settled", resolved: true })).resolved).toBe(true)
  })

  it("stay readable after their first comment is deleted, until the last reply is deleted", async () => {
    const root = await say("root")
    const [one, two] = [await say("one", root.id), await say("two", root.id)]
    const deleted = await act("DELETE", `${at}/${root.id}`)
    expect(deleted.body).toEqual({ deleted: true, id: root.id })
    expect(deleted.changes).toEqual([["comment.updated", root.id, 2]])
    const emptied = { ...root, body: "", author_id: null, deleted: true, updated_at: expect.any(String) }
    expect(await thread()).toEqual([emptied, one, two])
    expect((await pull()).changes.find(({ id }: any) => id === root.id)).toMatchObject({ op: "upsert", data: emptied })
    await refuse(notFound, "DELETE", `${at}/${root.id}`)
    await refuse({ status: 409, code: "invalid_state" }, "PATCH", `${at}/${root.id}`, { body: "again" })
    expect((await given("PATCH", `${at}/${root.id}`, { resolved: true })).resolved).toBe(true)
    await given("DELETE", `${at}/${one.id}`)
    // The thread accepts further replies.
    const three = await say("three", root.id)
    await given("DELETE", `${at}/${two.id}`)
    expect((await act("DELETE", `${at}/${three.id}`)).changes).toEqual([
      ["comment.deleted", three.id, 2],
      ["comment.deleted", root.id, 4]
    ])
    expect(await thread()).toEqual([])
    await expectTruth(app)
  })

  it("leave no reply without its thread when both are deleted at once", async () => {
    for (let round = 0; round < 5; round++) {
      const root = await say("root")
      const reply = await say("reply", root.id)
      await Promise.all([
        app.call("DELETE", `${at}/${root.id}`),
        app.call("DELETE", `${at}/${reply.id}`),
        app.call("POST", at, { body: "late", parent_id: root.id })
      ])
      await expectTruth(app)
    }
  })
})

describe("permissions for comments", () => {
  let team: Team
  let place: string

  beforeAll(async () => {
    team = await Team.start(app)
    place = await team.at("/notes/{note_id}/comments")
  })
  const as =
    (member: { readonly headers: Record<string, string> }) => async (method: string, path: string, body?: object) =>
      app.call(method, path, body, member.headers)

  it("depend on the author and on the caller's role", async () => {
    const [viewer, editor, admin, other] = [
      as(await team.member("viewer")),
      as(await team.member("editor")),
      as(await team.member("admin")),
      as(await team.member("viewer"))
    ]
    const { body: root } = await viewer("POST", place, { body: "by a viewer" })
    const one = `${place}/${root.id}`
    const { status: read } = await other("GET", one)
    expect(read).toBe(200)
    const forbidden = async (answer: Promise<any>, required_role?: string) => {
      const { body, status } = await answer
      expect({ status, code: body.code, required_role: body.required_role }).toEqual({
        status: 403,
        code: "insufficient_role",
        required_role
      })
    }
    // Only the author may change the text.
    for (const each of [other, editor, admin, as(team.owner)]) await forbidden(each("PATCH", one, { body: "mine" }))
    await forbidden(other("PATCH", one, { resolved: true }), "editor")
    for (const each of [other, editor]) await forbidden(each("DELETE", one), "admin")
    expect((await viewer("PATCH", one, { body: "still mine", resolved: true })).body.resolved).toBe(true)
    expect((await editor("PATCH", one, { resolved: false })).body).toMatchObject({
      resolved: false,
      author_id: root.author_id
    })
    // A request is allowed as a whole or not at all.
    await forbidden(editor("PATCH", one, { resolved: true, body: "mine" }))
    expect((await viewer("GET", one)).body.resolved).toBe(false)
    expect((await admin("DELETE", one)).status).toBe(200)
  })

  it("require the team plan; an unknown note returns 404 before the plan is checked", async () => {
    const { id } = await team.post(place, { body: "while it lasts" })
    const one = `${place}/${id}`
    await team.patch(`/workspaces/${team.id}`, { plan: "plus" })
    const owner = as(team.owner)
    const refused = { status: 403, code: "plan_required", required_plan: "team" }
    const calls = [
      ["GET", ""],
      ["POST", "", { body: "x" }],
      ["GET", `/${id}`],
      ["PATCH", `/${id}`, { body: "x" }],
      ["DELETE", `/${id}`],
      ["PATCH", "/cm_0000000000000000", { body: "x" }]
    ] as const
    for (const [method, rest, body] of calls) {
      const { body: problem, status } = await owner(method, `${place}${rest}`, body)
      expect({ status, code: problem.code, required_plan: problem.required_plan }).toEqual(refused)
      const elsewhere = await owner(method, `/notes/nt_0000000000000000/comments${rest}`, body)
      expect([elsewhere.status, elsewhere.body.code]).toEqual([404, "not_found"])
    }
    // Existing comments stay readable.
    const { body: pulled } = await owner("POST", "/sync/pull", { types: ["comment"] })
    expect(pulled.changes.map((change: any) => change.id)).toContain(id)
    const { body: pushed } = await owner("POST", "/sync/push", {
      changes: [{ type: "comment", op: "upsert", data: { note_id: await team.note(), body: "pushed" } }]
    })
    expect(pushed.results[0]).toMatchObject({ status: "rejected", error: { status: 403, code: "plan_required" } })
    await team.patch(`/workspaces/${team.id}`, { plan: "team" })
    expect((await owner("GET", one)).status).toBe(200)
  })
})

describe("comments and their note", () => {
  it("move to the trash and are restored together, except comments deleted before", async () => {
    const root = await say("root")
    const reply = await say("reply", root.id)
    const gone = await say("deleted before")
    await given("DELETE", `${at}/${gone.id}`)
    const { cursor } = await pull()
    const trashed = await act("DELETE", `/notes/${note}`)
    expect(trashed.changes.map(([type]) => type)).toEqual(["comment.deleted", "comment.deleted", "note.deleted"])
    const left = await pull(cursor)
    expect(left.changes.map(({ id, op }: any) => [id, op]).toSorted()).toEqual(
      [
        [root.id, "delete"],
        [reply.id, "delete"]
      ].toSorted()
    )
    // A comment cannot be restored while its note is in the trash.
    const [revived] = await push({
      type: "comment",
      op: "upsert",
      id: root.id,
      revision: left.changes.find(({ id }: any) => id === root.id).revision,
      data: { note_id: note, body: "back" }
    })
    expect(revived).toMatchObject({ status: "rejected", error: { code: "unresolved_reference" } })
    await given("POST", `/notes/${note}/restore`)
    expect(await thread()).toEqual([root, reply])
    const back = await pull(left.cursor)
    expect(back.changes.map(({ data, op, revision }: any) => [op, data.body, revision]).toSorted()).toEqual([
      ["upsert", "reply", 3],
      ["upsert", "root", 3]
    ])
    await expectTruth(app)
    await given("DELETE", `/notes/${note}?permanent=true`)
    expect(await app.sql("SELECT id FROM comments WHERE note_id = $1", [note])).toEqual([])
    await expectTruth(app)
  })

  it("move to the trash with the notebook of their note, and are not copied with the note", async () => {
    const { id: notebook_id } = await given("POST", "/notebooks", { name: "Project" })
    await given("PATCH", `/notes/${note}`, { notebook_id })
    await say("one")
    const copy = await given("POST", `/notes/${note}/duplicate`)
    expect((await given("GET", `/notes/${copy.id}/comments`)).data).toEqual([])
    await given("DELETE", `/notebooks/${notebook_id}`)
    expect(await app.sql("SELECT trashed FROM comments WHERE note_id = $1", [note])).toEqual([{ trashed: true }])
    await given("POST", `/notes/${note}/restore`)
    expect((await thread()).map(({ body }) => body)).toEqual(["one"])
    await expectTruth(app)
  })
})

describe("pushed comments", () => {
  it("are created, replied to, updated and deleted like others", async () => {
    const [root, reply] = await push(
      { type: "comment", op: "upsert", client_ref: "root", data: { note_id: note, body: "root" } },
      { type: "comment", op: "upsert", data: { note_id: note, body: "reply", parent_id: "$root" } }
    )
    expect([root.status, reply.status]).toEqual(["applied", "applied"])
    // Created at the same time, they are listed in the order of their ids.
    expect((await thread()).map(({ body, parent_id }) => [body, parent_id]).toSorted()).toEqual([
      ["reply", root.id],
      ["root", null]
    ])
    const [changed, stale] = await push(
      { type: "comment", op: "upsert", id: root.id, revision: 1, data: { body: "changed", resolved: true } },
      { type: "comment", op: "upsert", id: root.id, revision: 1, data: { body: "changed otherwise" } }
    )
    expect([changed.status, stale.status]).toEqual(["applied", "conflict"])
    const [deleted] = await push({ type: "comment", op: "delete", id: reply.id, revision: 1 })
    expect(deleted.status).toBe("applied")
    // The first comment of a thread stays while it has replies; the result shows that.
    const [again] = await push({
      type: "comment",
      op: "upsert",
      data: { note_id: note, body: "reply", parent_id: root.id }
    })
    expect(again.status).toBe("applied")
    const emptied = await given("POST", "/sync/push", {
      changes: [{ type: "comment", op: "delete", id: root.id, revision: 2 }]
    })
    expect(emptied.results[0]).toMatchObject({ status: "applied", revision: 3 })
    expect(emptied.changes[0]).toMatchObject({ op: "upsert", revision: 3, data: { body: "", deleted: true } })
    const [orphan] = await push({ type: "comment", op: "upsert", data: { note_id: "nt_0000000000000000", body: "x" } })
    expect(orphan).toMatchObject({ status: "rejected", error: { code: "unresolved_reference" } })
    await expectTruth(app)
  })

  it("are limited to 1000 per note, also when concurrent, and including those in the trash", async () => {
    const many = (count: number) =>
      Array.from({ length: count }, () => ({ type: "comment", op: "upsert", data: { note_id: note, body: "x" } }))
    await push(...many(500))
    const results = await push(...many(495))
    expect(results.every(({ status }: any) => status === "applied")).toBe(true)
    const last = await push(...many(7))
    expect(last.map(({ error, status }: any) => error?.quota ?? status)).toEqual([
      ...Array.from({ length: 5 }, () => "applied"),
      "comments_of_note",
      "comments_of_note"
    ])
    const full = { status: 403, code: "quota_exceeded" }
    await refuse(full, "POST", at, { body: "one more" })
    const [{ id }] = (await given("GET", `${at}?limit=1`)).data
    await given("DELETE", `${at}/${id}`)
    await given("POST", at, { body: "one more" })
    await refuse(full, "POST", at, { body: "one more" })
    // Another note has its own limit.
    await given("POST", `/notes/${await makeNote()}/comments`, { body: "x" })
    await given("DELETE", `/notes/${note}`)
    await given("POST", `/notes/${note}/restore`)
    expect((await given("GET", `${at}?limit=100`)).data).toHaveLength(100)
    await expectTruth(app)
    await given("DELETE", `/notes/${note}?permanent=true`)
  })

  it("by other users are rejected", async () => {
    const team = await Team.start(app)
    const place = await team.at("/notes/{note_id}/comments")
    const { id } = await team.post(place, { body: "by the owner" })
    const { headers } = await team.member("editor")
    const changes = [{ type: "comment", op: "upsert", id, revision: 1, data: { body: "by the editor" } }]
    const { body } = await app.call("POST", "/sync/push", { changes }, headers)
    expect(body.results[0]).toMatchObject({ status: "rejected", error: { code: "insufficient_role" } })
  })
})

describe("quota of comments", () => {
  const limits = { ...planDefaults, team: { ...planDefaults.team, comments: 3 } }
  const small = useApp({ settings: { policies: { ...policyDefaults, limits } } })

  it("includes comments in the trash", async () => {
    const [{ id: notebook_id }] = (await small.given("GET", "/notebooks")).data
    const { id } = await small.given("POST", "/notes", { notebook_id, title: "x" })
    const place = `/notes/${id}/comments`
    for (const body of ["one", "two", "three"]) await small.given("POST", place, { body })
    const full = { status: 403, code: "quota_exceeded" }
    await small.refuse(full, "POST", place, { body: "four" })
    const [{ id: first }] = (await small.given("GET", place)).data
    await small.given("DELETE", `${place}/${first}`)
    await small.given("POST", place, { body: "four" })
    const { limits } = await small.given("GET", "/usage")
    expect(limits.comments).toBe(3)
    await small.given("DELETE", `/notes/${id}`)
    const other = await small.given("POST", "/notes", { notebook_id, title: "y" })
    await small.refuse(full, "POST", `/notes/${other.id}/comments`, { body: "five" })
  })
})

it("erases the text of comments with their note: in the log, in deliveries and in stored responses", async () => {
  const secret = "a secret in a comment"
  const hook = await given("POST", "/webhooks", { url: "https://hooks.example/x", events: ["comment.*"] })
  const headers = { "idempotency-key": "erased-comment" }
  const { body } = await act("POST", at, { body: secret }, headers)
  const gone = await say(secret)
  await given("DELETE", `${at}/${gone.id}`)
  const other = await makeNote()
  await given("POST", `/notes/${other}/comments`, { body: secret.toUpperCase() })
  await given("DELETE", `/notes/${note}?permanent=true`)

  const { text } = await app.call("GET", `/events?limit=100&filter=${encodeURIComponent("resource_id = " + body.id)}`)
  expect(text).not.toContain(secret)
  const log = await app.sql("SELECT data FROM changes")
  expect(JSON.stringify(log)).not.toContain(secret)
  expect(JSON.stringify(log)).toContain(secret.toUpperCase())
  const rows = await app.sql("SELECT body FROM webhook_deliveries WHERE webhook_id = $1", [hook.id])
  expect(JSON.stringify(rows)).not.toContain(secret)
  await refuse({ status: 409, code: "invalid_state" }, "POST", at, { body: secret }, headers)
  await given("DELETE", `/webhooks/${hook.id}`)
  await expectTruth(app)
})
