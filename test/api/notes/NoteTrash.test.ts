import { beforeAll, describe, expect, it } from "vitest"
import { invalid, notFound, stale, unresolved } from "../../support/Scenario.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const { act, app, given, refuse } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const note = (fields: object = {}) => given("POST", "/notes", { notebook_id: notebook, title: "A note", ...fields })
const countOf = async (id: string) => (await app.call("GET", `/notebooks/${id}`)).body.note_count
const expired = { status: 410, code: "restore_window_expired" }

describe("DELETE /notes/{id}", () => {
  it("moves the note to the trash, removes it from all lists, and increases its version", async () => {
    const before = await countOf(notebook)
    const { id } = await note({ tags: ["trashed"] })
    const { body, changes, status } = await act("DELETE", `/notes/${id}`)
    expect([status, body]).toEqual([200, { deleted: true, id }])
    expect(changes).toEqual([["note.deleted", id, 2]])
    expect(await countOf(notebook)).toBe(before)
    await refuse(notFound, "GET", `/notes/${id}`)
    await refuse(notFound, "GET", `/notes/${id}/versions`)
    await refuse(notFound, "GET", `/notes/${id}/versions/1`)
    await refuse(notFound, "PATCH", `/notes/${id}`, { title: "t" })
    await refuse(notFound, "DELETE", `/notes/${id}`)
    await refuse(notFound, "POST", `/notes/${id}/archive`)
    await refuse(notFound, "POST", `/notes/${id}/duplicate`)
    await refuse(notFound, "POST", `/notes/${id}/versions/1/restore`)
    expect((await app.call("GET", "/notes?limit=100")).text).not.toContain(id)
    await expectTruth(app)
  })

  it("honours If-Match", async () => {
    const { id } = await note()
    await given("PATCH", `/notes/${id}`, { title: "Two" })
    for (const query of ["", "?permanent=true"]) {
      const { body } = await refuse(stale, "DELETE", `/notes/${id}${query}`, undefined, { "if-match": `"${id}:1"` })
      expect(body.current_version).toBe(2)
    }
    expect((await act("DELETE", `/notes/${id}`, undefined, { "if-match": `"${id}:2"` })).status).toBe(200)
  })

  it("purges at once with permanent=true, and erases the history", async () => {
    const { id } = await note({ body: "a secret", tags: ["purged"] })
    await given("PATCH", `/notes/${id}`, { body: "no secret any more" })
    const { body, changes, status } = await act("DELETE", `/notes/${id}?permanent=true`)
    expect([status, body]).toEqual([200, { deleted: true, id }])
    expect(changes).toEqual([["note.purged", id, 3]])
    await refuse(notFound, "POST", `/notes/${id}/restore`)
    await refuse(notFound, "DELETE", `/notes/${id}?permanent=true`)
    expect(await app.sql("SELECT 1 FROM note_versions WHERE note_id = $1", [id])).toEqual([])
    expect(await app.sql("SELECT 1 FROM changes WHERE data::text LIKE '%secret%'")).toEqual([])
    await expectTruth(app)
  })

  it("purges notes in the trash", async () => {
    const { id } = await note({ tags: ["purged"] })
    await given("DELETE", `/notes/${id}`)
    expect((await act("DELETE", `/notes/${id}?permanent=true`)).changes).toEqual([["note.purged", id, 3]])
    await refuse(notFound, "POST", `/notes/${id}/restore`)
    await expectTruth(app)
  })

  it("accepts only true or false for permanent", async () => {
    const { id } = await note()
    await refuse({ status: 400, code: "invalid_parameter" }, "DELETE", `/notes/${id}?permanent=perhaps`)
    expect((await act("DELETE", `/notes/${id}?permanent=false`)).changes).toEqual([["note.deleted", id, 2]])
  })
})

describe("POST /notes/{id}/restore", () => {
  it("restores a deleted note unchanged, with a new version", async () => {
    const before = await note({ body: "text", tags: ["Back", "Again"], pinned: true })
    await given("DELETE", `/notes/${before.id}`)
    await app.advance("1 minute")
    const { body, changes, headers, status } = await act("POST", `/notes/${before.id}/restore`)
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, version: 3, updated_at: expect.any(String) })
    expect(body.updated_at > before.updated_at).toBe(true)
    expect(headers.get("etag")).toBe(`"${before.id}:3"`)
    expect(changes).toEqual([["note.restored", before.id, 3]])
    expect((await app.call("GET", `/notes/${before.id}`)).body).toEqual(body)
    await expectTruth(app)
  })

  it("works for 30 days, then returns an error", async () => {
    const { id } = await note()
    const other = await note()
    await given("DELETE", `/notes/${id}`)
    await given("DELETE", `/notes/${other.id}`)
    await app.advance("30 days")
    expect((await act("POST", `/notes/${id}/restore`)).status).toBe(200)
    await app.advance("1 millis")
    await refuse(expired, "POST", `/notes/${other.id}/restore`)
    await refuse(expired, "POST", `/notes/${other.id}/restore`, { notebook_id: notebook })
    // The period starts at the last deletion.
    await given("DELETE", `/notes/${id}`)
    expect((await act("POST", `/notes/${id}/restore`)).status).toBe(200)
  })

  it("restores a note without a tag that was deleted meanwhile", async () => {
    const { id } = await note({ tags: ["Fleeting"] })
    await given("DELETE", `/notes/${id}`)
    const [tag] = await app.sql("SELECT id FROM tags WHERE name = 'Fleeting'")
    await given("DELETE", `/tags/${tag.id}`)
    const { body, changes } = await act("POST", `/notes/${id}/restore`)
    expect(body.tags).toEqual([])
    expect(changes.map(([type]) => type)).toEqual(["note.restored"])
    await expectTruth(app)
  })

  it("moves a note whose notebook was deleted to the given notebook, or else to the Inbox", async () => {
    const gone = await given("POST", "/notebooks", { name: "Gone" })
    const one = await note({ notebook_id: gone.id })
    const two = await note({ notebook_id: gone.id })
    await given("DELETE", `/notebooks/${gone.id}`)
    await refuse(unresolved("notebook_id"), "POST", `/notes/${one.id}/restore`, { notebook_id: gone.id })
    await refuse(invalid("notebook_id", "invalid_type"), "POST", `/notes/${one.id}/restore`, { notebook_id: null })
    const aim = await given("POST", "/notebooks", { name: "Aim" })
    const placed = await act("POST", `/notes/${one.id}/restore`, { notebook_id: aim.id })
    expect(placed.body).toMatchObject({ notebook_id: aim.id, version: 3 })
    expect((await act("POST", `/notes/${two.id}/restore`)).body.notebook_id).toBe(notebook)
    await expectTruth(app)
  })

  it("finds a moved Inbox, and the oldest of several", async () => {
    const gone = await given("POST", "/notebooks", { name: "Gone" })
    const one = await note({ notebook_id: gone.id })
    const two = await note({ notebook_id: gone.id })
    await given("DELETE", `/notebooks/${gone.id}`)
    const above = await given("POST", "/notebooks", { name: "Above" })
    await given("POST", `/notebooks/${notebook}/move`, { parent_id: above.id })
    const moved = await act("POST", `/notes/${one.id}/restore`)
    expect(moved.body.notebook_id).toBe(notebook)
    expect(moved.changes.map(([type]) => type)).toEqual(["note.restored"])
    await app.advance("1 millis")
    const younger = await given("POST", "/notebooks", { name: "Inbox" })
    expect((await act("POST", `/notes/${two.id}/restore`)).body.notebook_id).toBe(notebook)
    await given("POST", `/notebooks/${notebook}/move`, { parent_id: null })
    await given("DELETE", `/notebooks/${younger.id}`)
  })

  it("creates an Inbox if there is none", async () => {
    const gone = await given("POST", "/notebooks", { name: "Gone" })
    const three = await note({ notebook_id: gone.id })
    await given("DELETE", `/notebooks/${gone.id}`)
    await given("PATCH", `/notebooks/${notebook}`, { name: "No longer the inbox" })
    const { body, changes } = await act("POST", `/notes/${three.id}/restore`)
    expect(changes).toEqual([
      ["notebook.created", body.notebook_id, 1],
      ["note.restored", three.id, 3]
    ])
    expect((await app.call("GET", `/notebooks/${body.notebook_id}`)).body).toMatchObject({
      name: "Inbox",
      icon: "inbox",
      parent_id: null,
      note_count: 1
    })
    await given("DELETE", `/notebooks/${body.notebook_id}`)
    await given("PATCH", `/notebooks/${notebook}`, { name: "Inbox" })
    await expectTruth(app)
  })

  it("honours If-Match for a note in the trash", async () => {
    const { id } = await note()
    await given("DELETE", `/notes/${id}`)
    const { body } = await refuse(stale, "POST", `/notes/${id}/restore`, undefined, { "if-match": `"${id}:1"` })
    expect(body.current_version).toBe(2)
    expect((await act("POST", `/notes/${id}/restore`, undefined, { "if-match": `"${id}:2"` })).body.version).toBe(3)
  })

  it("leaves an active note unchanged", async () => {
    const before = await note()
    const { body, changes, status } = await act("POST", `/notes/${before.id}/restore`, {})
    expect([status, body, changes]).toEqual([200, before, []])
  })

  it("restores a note that was archived before its deletion as active", async () => {
    const { id } = await note({ archived: true })
    await given("DELETE", `/notes/${id}`)
    expect((await act("POST", `/notes/${id}/restore`)).body.archived).toBe(false)
  })
})

describe("POST /notes/{id}/archive", () => {
  it("hides the note from the default list without deleting it; restore reverses it; both are idempotent", async () => {
    const { id } = await note({ tags: ["kept"] })
    const archived = await act("POST", `/notes/${id}/archive`)
    expect(archived.body).toMatchObject({ archived: true, version: 2 })
    expect([archived.status, archived.changes]).toEqual([200, [["note.archived", id, 2]]])
    expect(archived.headers.get("etag")).toBe(`"${id}:2"`)
    expect((await app.call("GET", "/notes?limit=100")).text).not.toContain(id)
    expect((await app.call("GET", `/notes/${id}`)).body).toEqual(archived.body)
    const again = await act("POST", `/notes/${id}/archive`, {})
    expect([again.status, again.body, again.changes]).toEqual([200, archived.body, []])
    const restored = await act("POST", `/notes/${id}/restore`)
    expect([restored.status, restored.changes]).toEqual([200, [["note.restored", id, 3]]])
    expect((await app.call("GET", "/notes?limit=100")).text).toContain(id)
    await expectTruth(app)
  })

  it("accepts a body, an empty one or none, with or without Content-Type", async () => {
    const { id } = await note()
    for (const body of [undefined, "", "{}", "null", JSON.stringify({ title: "ignored", notebook_id: notebook })]) {
      expect((await act("POST", `/notes/${id}/archive`, body)).body).toMatchObject({ archived: true, title: "A note" })
    }
    const bare = await fetch(`${app.url}/notes/${id}/archive`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.key}` },
      body: Buffer.from("{}")
    })
    expect(bare.status).toBe(200)
    await refuse({ status: 400, code: "malformed_json" }, "POST", `/notes/${id}/archive`, "{")
    await refuse(invalid("title", "invalid_type"), "POST", `/notes/${id}/archive`, { title: null })
  })

  it("honours If-Match", async () => {
    const { id } = await note()
    await given("PATCH", `/notes/${id}`, { title: "Two" })
    await refuse(stale, "POST", `/notes/${id}/archive`, undefined, { "if-match": `"${id}:1"` })
    expect((await act("POST", `/notes/${id}/archive`, undefined, { "if-match": `"${id}:2"` })).status).toBe(200)
  })
})

describe("trash", () => {
  const list = async (query: Record<string, string>) =>
    (await app.call("GET", `/notes?${new URLSearchParams(query)}`)).body
  const titles = async (filter: string, more: Record<string, string> = {}) =>
    (await list({ filter: `title = "Bin*" AND (${filter})`, ...more })).data.map(({ title }: any) => title)
  const gone: Array<any> = []

  beforeAll(async () => {
    await note({ title: "Bin live" })
    await note({ title: "Bin archived", archived: true })
    for (const [index, fields] of [{}, { archived: true }, { tags: ["binned"] }].entries()) {
      gone.push(await note({ title: `Bin gone ${index}`, body: "words to find", ...fields }))
      await app.advance("1 minute")
      await given("DELETE", `/notes/${gone[index]!.id}`)
    }
  })

  it("is listed by a filter on deleted_at, includes archived notes, and shows when each note was deleted", async () => {
    const { data } = await list({ filter: 'title = "Bin*" AND deleted_at:*', sort: "-deleted_at" })
    expect(data.map(({ id }: any) => id)).toEqual(gone.map(({ id }) => id).reverse())
    for (const each of data) expect(each.deleted_at).toMatch(/^2026-03-\d\dT.*Z$/)
    expect(data[0].body).toBe("words to find")
    expect(await titles("deleted_at:*", { sort: "deleted_at" })).toEqual(["Bin gone 0", "Bin gone 1", "Bin gone 2"])
  })

  it("is separated from live and archived notes by the filter alone", async () => {
    const all = ["Bin archived", "Bin gone 0", "Bin gone 1", "Bin gone 2", "Bin live"]
    expect(await titles("NOT deleted_at:*", { sort: "title" })).toEqual(["Bin archived", "Bin live"])
    expect(await titles("deleted_at:* OR NOT deleted_at:*", { sort: "title" })).toEqual(all)
    const moment = (await list({ filter: `id = ${gone[1].id} AND deleted_at:*` })).data[0].deleted_at
    expect(await titles(`deleted_at < "${moment}"`)).toEqual(["Bin gone 0"])
    expect(await titles(`deleted_at >= "${moment}"`, { sort: "deleted_at" })).toEqual(["Bin gone 1", "Bin gone 2"])
    expect(await titles("deleted_at:* AND tags:binned")).toEqual(["Bin gone 2"])
    expect(await titles("pinned = false")).toEqual(["Bin live"])
    expect((await list({ filter: 'title = "Bin*"', sort: "-deleted_at" })).data.map(({ title }: any) => title)).toEqual(
      ["Bin live"]
    )
    expect((await list({ filter: 'title = "Bin*"' })).data[0]).not.toHaveProperty("deleted_at")
  })

  it("is listed in pages that neither skip nor repeat", async () => {
    const seen: Array<string> = []
    let cursor: string | null = null
    do {
      const page: any = await list({
        filter: 'title = "Bin*" AND deleted_at:*',
        sort: "-deleted_at",
        limit: "1",
        ...(cursor === null ? {} : { cursor })
      })
      seen.push(...page.data.map(({ id }: any) => id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(gone.map(({ id }) => id).reverse())
  })

  it("no longer lists restored notes", async () => {
    await given("POST", `/notes/${gone[0].id}/restore`)
    expect(await titles("deleted_at:*", { sort: "deleted_at" })).toEqual(["Bin gone 1", "Bin gone 2"])
  })
})
