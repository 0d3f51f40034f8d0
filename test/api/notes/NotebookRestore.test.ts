import { describe, expect, it } from "vitest"
import { invalid, notFound, scenarioOf, stale, unresolved } from "../../support/Scenario.ts"
import { startApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { planDefaults } from "../../../services/workspaces/Plans.ts"
import { useApp } from "../../support/useApp.ts"

const { act, app, given, refuse } = useApp()

const notebook = (fields: object = {}) => given("POST", "/notebooks", { name: "A notebook", ...fields })
/** Creates each note at a different time, so that their ids are in order. */
const noteIn = async (notebook_id: string, fields: object = {}) => {
  await app.advance("1 millis")
  return given("POST", "/notes", { notebook_id, title: "A note", ...fields })
}
const chain = async (length: number) => {
  const ids: Array<string> = []
  for (let level = 0; level < length; level++) {
    ids.push((await notebook({ name: `Level ${level + 1}`, parent_id: ids.at(-1) ?? null })).id)
  }
  return ids
}
const restore = (id: string, body?: object, headers?: Record<string, string>) =>
  act("POST", `/notebooks/${id}/restore`, body, headers)
const tooDeep = { status: 422, code: "notebook_depth_exceeded", field: ["parent_id", "too_deep"] } as const

describe("POST /notebooks/{id}/restore", () => {
  it("restores the notebook, its sub-notebooks and their notes unchanged", async () => {
    const parent = (await notebook()).id
    const [outer, inner] = (await chain(2)) as [string, string]
    await given("POST", `/notebooks/${outer}/move`, { parent_id: parent })
    const before = await given("PATCH", `/notebooks/${outer}`, { color: "#123456", icon: "book" })
    const one = await noteIn(outer, { tags: ["kept"], pinned: true })
    const two = await noteIn(inner, { body: "words" })
    const archived = await noteIn(inner, { archived: true })
    const comment = await given("POST", `/notes/${two.id}/comments`, { body: "Remark" })
    const reminder = await given("POST", "/reminders", { note_id: one.id, remind_at: "2027-01-01T00:00:00Z" })
    await given("DELETE", `/notebooks/${outer}`)
    await app.advance("29 days")

    const { body, changes, status } = await restore(outer)
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, note_count: 1, updated_at: expect.any(String) })
    expect(changes).toEqual([
      ["notebook.created", outer, 5],
      ["notebook.created", inner, 3],
      ["note.restored", one.id, 3],
      ["note.restored", two.id, 3],
      ["note.restored", archived.id, 3],
      ["comment.updated", comment.id, 3],
      ["reminder.updated", reminder.id, 3]
    ])
    expect(await given("GET", `/notebooks/${inner}`)).toMatchObject({ parent_id: outer, note_count: 2 })
    expect(await given("GET", `/notes/${one.id}`)).toEqual({ ...one, version: 3, updated_at: expect.any(String) })
    expect(await given("GET", `/notes/${two.id}`)).toMatchObject({ notebook_id: inner, body: "words" })
    expect((await given("GET", `/notes/${archived.id}`)).archived).toBe(true)
    expect((await given("GET", `/notes/${two.id}/comments`)).data).toMatchObject([{ id: comment.id, body: "Remark" }])
    expect((await given("GET", `/reminders/${reminder.id}`)).note_id).toBe(one.id)
    await expectTruth(app)
  })

  it("leaves notes in the trash that were there before, and notes restored or erased since", async () => {
    const [outer, inner] = (await chain(2)) as [string, string]
    const early = await noteIn(inner)
    await given("DELETE", `/notes/${early.id}`)
    await app.advance("1 second")
    const [saved, erased, again, back] = [
      await noteIn(inner),
      await noteIn(inner),
      await noteIn(inner),
      await noteIn(inner)
    ]
    await given("DELETE", `/notebooks/${outer}`)
    const other = (await notebook()).id
    await given("POST", `/notes/${saved.id}/restore`, { notebook_id: other })
    await given("POST", `/notes/${again.id}/restore`, { notebook_id: other })
    await given("DELETE", `/notes/${again.id}`)
    await given("DELETE", `/notes/${erased.id}?permanent=true`)

    const { changes } = await restore(outer)
    expect(changes.filter(([type]) => type === "note.restored")).toEqual([["note.restored", back.id, 3]])
    expect(await given("GET", `/notes/${saved.id}`)).toMatchObject({ notebook_id: other, version: 3 })
    for (const { id } of [early, again, erased]) await refuse(notFound, "GET", `/notes/${id}`)
    expect((await given("GET", `/notebooks/${inner}`)).note_count).toBe(1)
    await expectTruth(app)
  })

  it("leaves a sub-notebook that was deleted before, which can be restored separately", async () => {
    const [outer, inner] = (await chain(2)) as [string, string]
    const note = await noteIn(inner)
    await given("DELETE", `/notebooks/${inner}`)
    await app.advance("1 second")
    await given("DELETE", `/notebooks/${outer}`)
    await restore(outer)
    await refuse(notFound, "GET", `/notebooks/${inner}`)
    await refuse(notFound, "GET", `/notes/${note.id}`)
    expect((await restore(inner)).body).toMatchObject({ parent_id: outer, note_count: 1 })
    expect((await given("GET", `/notes/${note.id}`)).notebook_id).toBe(inner)
  })

  it("restores a sub-notebook without its deleted parent, at the top level", async () => {
    const [outer, inner] = (await chain(2)) as [string, string]
    const [above, below] = [await noteIn(outer), await noteIn(inner)]
    await given("DELETE", `/notebooks/${outer}`)
    expect((await restore(inner)).body).toMatchObject({ parent_id: null, note_count: 1 })
    expect((await given("GET", `/notes/${below.id}`)).notebook_id).toBe(inner)
    await refuse(notFound, "GET", `/notes/${above.id}`)
    const { body, changes } = await restore(outer)
    expect(body.note_count).toBe(1)
    expect(changes.map(([type, id]) => [type, id])).toEqual([
      ["notebook.created", outer],
      ["note.restored", above.id]
    ])
    expect((await given("GET", `/notebooks/${inner}`)).parent_id).toBe(null)
  })

  it("restores the empty tree if the notes were moved on deletion", async () => {
    const [outer, inner] = (await chain(2)) as [string, string]
    const [live, trashed] = [await noteIn(inner), await noteIn(inner)]
    await given("DELETE", `/notes/${trashed.id}`)
    const other = (await notebook()).id
    await given("DELETE", `/notebooks/${outer}?move_notes_to=${other}`)
    expect((await restore(outer)).body.note_count).toBe(0)
    expect((await given("GET", `/notebooks/${inner}`)).note_count).toBe(0)
    expect((await given("GET", `/notes/${live.id}`)).notebook_id).toBe(other)
    // A note in the trash was moved too.
    expect((await given("POST", `/notes/${trashed.id}/restore`)).notebook_id).toBe(other)
    await expectTruth(app)
  })

  it("uses the current names of tags, and omits deleted tags", async () => {
    const { id } = await notebook()
    const note = await noteIn(id, { tags: ["stays", "old", "from", "gone"] })
    await given("POST", "/tags", { name: "into" })
    const tags = (await given("GET", "/tags?limit=100")).data
    const idOf = (name: string) => tags.find((each: any) => each.name === name).id
    await given("DELETE", `/notebooks/${id}`)
    await given("PATCH", `/tags/${idOf("old")}`, { name: "new" })
    await given("POST", "/tags/merge", { sources: ["from"], target: "into" })
    await given("DELETE", `/tags/${idOf("gone")}`)
    await restore(id)
    expect((await given("GET", `/notes/${note.id}`)).tags).toEqual(["stays", "new", "into"])
    await expectTruth(app)
  })

  it("returns 410 after 30 days until the notebook is erased, then 404", async () => {
    const { id } = await notebook()
    const note = await noteIn(id)
    await given("DELETE", `/notebooks/${id}`)
    await app.advance("30 days")
    await app.idle()
    await app.advance("1 second")
    const { body } = await refuse({ status: 410, code: "restore_window_expired" }, "POST", `/notebooks/${id}/restore`)
    expect(body.detail).toContain("notebook")
    await refuse({ status: 410, code: "restore_window_expired" }, "POST", `/notes/${note.id}/restore`)
    await app.advance("7 days")
    await app.idle()
    await app.advance("2 hours")
    await app.idle()
    await refuse(notFound, "POST", `/notebooks/${id}/restore`)
    expect(await app.sql("SELECT id FROM deleted_notebooks WHERE id = $1", [id])).toEqual([])
  })

  it("returns an existing notebook unchanged, also for repeated and concurrent requests", async () => {
    const { id } = await notebook()
    await noteIn(id)
    expect((await restore(id)).changes).toEqual([])
    await given("DELETE", `/notebooks/${id}`)
    const both = await Promise.all([1, 2].map(() => app.call("POST", `/notebooks/${id}/restore`)))
    expect(both.map(({ body, status }) => [status, body.note_count])).toEqual([
      [200, 1],
      [200, 1]
    ])
    expect((await restore(id)).changes).toEqual([])
    await expectTruth(app)
  })

  it("returns the stored response for a repeated Idempotency-Key", async () => {
    const { id } = await notebook()
    await given("DELETE", `/notebooks/${id}`)
    const headers = { "idempotency-key": "restore-once" }
    const first = await restore(id, undefined, headers)
    await given("DELETE", `/notebooks/${id}`)
    const second = await restore(id, undefined, headers)
    expect([second.status, second.body, second.headers.get("idempotent-replayed")]).toEqual([200, first.body, "true"])
    expect(second.changes).toEqual([])
  })

  it("restores below the given parent, and rejects a missing or too deep one", async () => {
    const [a, b] = (await chain(2)) as [string, string]
    const deep = await chain(4)
    await given("DELETE", `/notebooks/${a}`)
    await refuse(tooDeep, "POST", `/notebooks/${a}/restore`, { parent_id: deep[3] })
    await refuse(unresolved("parent_id"), "POST", `/notebooks/${a}/restore`, { parent_id: b })
    await refuse(invalid("parent_id", "invalid_type"), "POST", `/notebooks/${a}/restore`, { parent_id: 7 })
    expect((await restore(a, { parent_id: deep[2] })).body.parent_id).toBe(deep[2])
  })

  it("rejects its former parent if that is now too deep", async () => {
    const parent = (await notebook()).id
    const [outer] = await chain(3)
    await given("POST", `/notebooks/${outer}/move`, { parent_id: parent })
    await given("DELETE", `/notebooks/${outer}`)
    const deep = await chain(2)
    await given("POST", `/notebooks/${parent}/move`, { parent_id: deep[1] })
    await refuse(tooDeep, "POST", `/notebooks/${outer}/restore`)
    expect((await restore(outer!, { parent_id: null })).status).toBe(200)
  })

  it("honours If-Match with the ETag before the deletion", async () => {
    const { id } = await notebook()
    const etag = (await app.call("GET", `/notebooks/${id}`)).headers.get("etag")!
    await given("DELETE", `/notebooks/${id}`)
    await refuse(stale, "POST", `/notebooks/${id}/restore`, undefined, { "if-match": '"other"' })
    expect((await restore(id, undefined, { "if-match": etag })).status).toBe(200)
  })

  it("returns 404 for a notebook that never existed", async () => {
    await refuse(notFound, "POST", "/notebooks/nb_none/restore")
  })

  it("reaches sync clients as upserts, with parents before children and notebooks before notes", async () => {
    const [outer, inner] = (await chain(2)) as [string, string]
    const note = await noteIn(inner)
    await given("DELETE", `/notebooks/${outer}`)
    const { cursor } = await given("GET", "/sync/cursor")
    await restore(outer)
    const { changes } = await given("POST", "/sync/pull", { cursor })
    expect(changes.map(({ id, op, revision }: any) => [id, op, revision])).toEqual([
      [outer, "upsert", 3],
      [inner, "upsert", 3],
      [note.id, "upsert", 3]
    ])
  })
})

it("leaves a notebook above the quota deleted, with its notes", async () => {
  const policies = {
    signUp: "open",
    planChanges: "owner",
    ownedWorkspaces: 0,
    limits: { ...planDefaults, team: { ...planDefaults.team, notebooks: 2 } }
  } as const
  const small = await startApp({ settings: { policies } })
  try {
    const { given, refuse } = scenarioOf(small)
    const { id } = await given("POST", "/notebooks", { name: "One" })
    const note = await given("POST", "/notes", { notebook_id: id, title: "T" })
    await given("DELETE", `/notebooks/${id}`)
    await given("POST", "/notebooks", { name: "Two" })
    await refuse({ status: 403, code: "quota_exceeded" }, "POST", `/notebooks/${id}/restore`)
    await refuse(notFound, "GET", `/notes/${note.id}`)
    await expectTruth(small)
  } finally {
    await small.stop()
  }
})
