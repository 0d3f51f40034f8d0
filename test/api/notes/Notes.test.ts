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
const post = (fields: object) => act("POST", "/notes", { notebook_id: notebook, title: "A note", ...fields })

describe("POST /notes", () => {
  it("stores a note, returns 201 with all members, and appends note.created", async () => {
    const { body, changes, headers, status } = await act("POST", "/notes", {
      notebook_id: notebook,
      title: "First",
      body: "two words"
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^nt_[0-9A-Za-z]{22}$/),
      notebook_id: notebook,
      title: "First",
      body: "two words",
      tags: [],
      pinned: false,
      archived: false,
      version: 1,
      word_count: 2,
      created_at: "2026-03-01T12:00:00.000Z",
      updated_at: "2026-03-01T12:00:00.000Z"
    })
    expect(headers.get("etag")).toBe(`"${body.id}:1"`)
    expect((await app.call("GET", `/notes/${body.id}`)).body).toEqual(body)
    expect(changes).toEqual([["note.created", body.id, 1]])
    expect((await app.call("GET", `/notebooks/${notebook}`)).body.note_count).toBe(1)
  })

  it("ignores read-only and unknown members", async () => {
    const { body, status } = await post({ id: "nt_mine", version: "x", word_count: -1, created_at: 0, colour: "red" })
    expect(status).toBe(201)
    expect(body).toMatchObject({ version: 1, word_count: 0 })
    expect(body.id).not.toBe("nt_mine")
    expect(body).not.toHaveProperty("colour")
  })

  it("creates unknown tags, keeps the spelling of known ones, and removes duplicates", async () => {
    const first = await post({ tags: ["Café", "café", "Cafe\u0301", "new"] })
    expect(first.body.tags).toEqual(["Café", "new"])
    expect(first.changes.map(([type]) => type)).toEqual(["tag.created", "tag.created", "note.created"])
    const second = await post({ tags: ["NEW", "CAFE\u0301"] })
    expect(second.body.tags).toEqual(["new", "Café"])
    expect(second.changes).toEqual([["note.created", second.body.id, 1]])
    await expectTruth(app)
  })

  it.each([
    ["no title", { title: undefined }, "title", "required"],
    ["a null title", { title: null }, "title", "invalid_type"],
    ["a blank title", { title: " \t" }, "title", "blank"],
    ["201 characters of title", { title: "x".repeat(201) }, "title", "too_long"],
    ["201 astral characters of title", { title: "🙂".repeat(201) }, "title", "too_long"],
    ["NUL in the title", { title: "a\0b" }, "title", "invalid_characters"],
    ["a lone surrogate in the body", { body: "a\ud800" }, "body", "invalid_characters"],
    ["a number for a title", { title: 5 }, "title", "invalid_type"],
    ["a null notebook", { notebook_id: null }, "notebook_id", "invalid_type"],
    ["no notebook", { notebook_id: undefined }, "notebook_id", "required"],
    ["a string for pinned", { pinned: "yes" }, "pinned", "invalid_type"],
    ["tags that are not a list", { tags: "a" }, "tags", "invalid_type"],
    ["51 tags", { tags: Array.from({ length: 51 }, (_, i) => `t${i}`) }, "tags", "too_many"],
    ["a tag that is not a string", { tags: ["a", 1] }, "tags.1", "invalid_type"],
    ["an empty tag", { tags: [""] }, "tags.0", "blank"],
    ["a tag with a space", { tags: ["a b"] }, "tags.0", "invalid_tag"],
    ["a tag with a Unicode space", { tags: ["a\u0085b"] }, "tags.0", "invalid_tag"],
    ["a tag with a comma", { tags: ["a,b"] }, "tags.0", "invalid_tag"],
    ["a tag with #", { tags: ["#a"] }, "tags.0", "invalid_tag"],
    ["a tag of 51 characters", { tags: ["🙂".repeat(51)] }, "tags.0", "too_long"],
    ["a tag too long in NFC", { tags: ["\u0958".repeat(50)] }, "tags.0", "too_long"]
  ])("refuses %s", async (_, fields, field, code) => {
    await refuse(invalid(field, code), "POST", "/notes", { notebook_id: notebook, title: "A note", ...fields })
  })

  it("accepts exactly 200 astral characters of title and 50 tags of 50 characters", async () => {
    const tags = Array.from({ length: 50 }, (_, i) => `${"🙂".repeat(48)}${String(i).padStart(2, "0")}`)
    const { body, status } = await post({ title: "🙂".repeat(200), tags })
    expect(status).toBe(201)
    expect([...body.title]).toHaveLength(200)
    expect(body.tags).toEqual(tags)
  })

  it.each([
    ["ASCII", "x"],
    ["CJK", "文"],
    ["emoji", "🙂"],
    ["control characters", "\u0001"]
  ])("accepts 1 048 576 bytes of %s but no more", async (_, sign) => {
    const size = Buffer.byteLength(sign)
    const full = sign.repeat(Math.floor(1_048_576 / size)) + "x".repeat(1_048_576 % size)
    const { body } = await post({ body: full })
    expect(body.body === full).toBe(true)
    await refuse(invalid("body", "too_long"), "POST", "/notes", { notebook_id: notebook, title: "t", body: `${full}x` })
    await refuse(invalid("body", "too_long"), "PATCH", `/notes/${body.id}`, { body: `${full}x` })
    await app.call("DELETE", `/notes/${body.id}?permanent=true`)
  })

  it("rejects a notebook that does not exist", async () => {
    await refuse(unresolved("notebook_id"), "POST", "/notes", { notebook_id: "nb_none", title: "t", tags: ["unmade"] })
    expect(await app.sql("SELECT 1 FROM tags WHERE name = 'unmade'")).toEqual([])
  })

  it("rejects malformed JSON and other media types", async () => {
    await refuse({ status: 400, code: "malformed_json" }, "POST", "/notes", '{"title":')
    await refuse({ status: 415, code: "unsupported_media_type" }, "POST", "/notes", "title=x", {
      "content-type": "application/x-www-form-urlencoded"
    })
  })

  it("counts words of any script", async () => {
    const { body } = await post({ body: "one, two — three's\n日本語 über 1.5 🙂" })
    expect(body.word_count).toBe(8)
  })
})

describe("GET /notes/{id}", () => {
  it("returns 304 to a client that has the current version", async () => {
    const { id } = await note()
    const etag = `"${id}:1"`
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const { headers, status, text } = await app.call("GET", `/notes/${id}`, undefined, { "if-none-match": header })
      expect([header, status, text, headers.get("etag")]).toEqual([header, 304, "", etag])
    }
    await given("PATCH", `/notes/${id}`, { title: "Changed" })
    const changed = await app.call("GET", `/notes/${id}`, undefined, { "if-none-match": etag })
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, `"${id}:2"`])
  })

  it.each(["nt_none", "%00", "nt_%00", "🙂", "x".repeat(90)])("returns 404 for the note id %j", async (id) => {
    await refuse(notFound, "GET", `/notes/${id}`)
    await refuse(notFound, "PATCH", `/notes/${id}`, { title: "t" })
    await refuse(notFound, "DELETE", `/notes/${id}`)
    for (const action of ["duplicate", "archive", "restore", "versions/1/restore"]) {
      await refuse(notFound, "POST", `/notes/${id}/${action}`)
    }
    await refuse(notFound, "GET", `/notes/${id}/versions`)
    await refuse(notFound, "GET", `/notes/${id}/versions/1`)
  })
})

describe("PATCH /notes/{id}", () => {
  it("changes only supplied fields, creates one new version, and appends note.updated", async () => {
    const before = await note({ body: "old", tags: ["keep"], pinned: true })
    await app.advance("1 second")
    const { body, changes, headers, status } = await act("PATCH", `/notes/${before.id}`, { body: "three new words" })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...before,
      body: "three new words",
      word_count: 3,
      version: 2,
      updated_at: new Date(Date.parse(before.updated_at) + 1000).toISOString()
    })
    expect(headers.get("etag")).toBe(`"${before.id}:2"`)
    expect(changes).toEqual([["note.updated", before.id, 2]])
  })

  it("requires no field, and creates no version if nothing changes", async () => {
    const before = await note({ body: "b", tags: ["One", "Two"] })
    for (const input of [
      {},
      { ...before, version: undefined },
      { tags: ["ONE", "two", "One"] },
      { version: 1, title: "A note" }
    ]) {
      const { body, changes, status } = await act("PATCH", `/notes/${before.id}`, input)
      expect([status, body, changes]).toEqual([200, before, []])
    }
  })

  it.each([
    [{ title: null }, "title", "invalid_type"],
    [{ title: "  " }, "title", "blank"],
    [{ title: "x".repeat(201) }, "title", "too_long"],
    [{ notebook_id: null }, "notebook_id", "invalid_type"],
    [{ notebook_id: "" }, "notebook_id", "blank"],
    [{ tags: null }, "tags", "invalid_type"],
    [{ version: "1" }, "version", "invalid_type"],
    [{ version: 1.5 }, "version", expect.any(String)]
  ])("refuses %j", async (fields, field, code) => {
    const { id } = await note()
    await refuse(invalid(field as string, code as string), "PATCH", `/notes/${id}`, fields)
  })

  it("moves the note, and updates both counts", async () => {
    const other = await given("POST", "/notebooks", { name: "Other" })
    const { id } = await note()
    const here = (await app.call("GET", `/notebooks/${notebook}`)).body.note_count
    const { body, changes } = await act("PATCH", `/notes/${id}`, { notebook_id: other.id })
    expect(body).toMatchObject({ notebook_id: other.id, version: 2 })
    expect(changes).toEqual([["note.updated", id, 2]])
    expect((await app.call("GET", `/notebooks/${notebook}`)).body.note_count).toBe(here - 1)
    expect((await app.call("GET", `/notebooks/${other.id}`)).body.note_count).toBe(1)
    await refuse(unresolved("notebook_id"), "PATCH", `/notes/${id}`, { notebook_id: "nb_none", tags: ["never"] })
    await expectTruth(app)
  })

  it("updates tags and counts, and appends the created tags", async () => {
    const { id } = await note({ tags: ["stays", "goes"] })
    const { body, changes } = await act("PATCH", `/notes/${id}`, { tags: ["comes", "STAYS"] })
    expect(body.tags).toEqual(["comes", "stays"])
    expect(changes.map(([type]) => type)).toEqual(["tag.created", "note.updated"])
    expect((await app.call("GET", "/tags?limit=100")).body.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "comes", note_count: 1 }),
        expect.objectContaining({ name: "goes", note_count: 0 })
      ])
    )
    await expectTruth(app)
  })

  it("rejects a stale version or If-Match and returns the current one, and accepts the current one", async () => {
    const { id } = await note()
    await given("PATCH", `/notes/${id}`, { title: "Two" })
    const old = await refuse(stale, "PATCH", `/notes/${id}`, { title: "Three", version: 1 })
    expect(old.body.current_version).toBe(2)
    for (const header of [`"${id}:1"`, '"other"', `W/"${id}:2"`, `"${id}:3"`]) {
      const { body } = await refuse(stale, "PATCH", `/notes/${id}`, { title: "Three" }, { "if-match": header })
      expect(body.current_version).toBe(2)
    }
    // Both conditions must hold.
    await refuse(stale, "PATCH", `/notes/${id}`, { title: "Three", version: 2 }, { "if-match": `"${id}:1"` })
    await refuse(stale, "PATCH", `/notes/${id}`, { title: "Three", version: 1 }, { "if-match": `"${id}:2"` })
    expect((await act("PATCH", `/notes/${id}`, { title: "Three", version: 2 })).body.version).toBe(3)
    expect((await act("PATCH", `/notes/${id}`, { title: "Four" }, { "if-match": `"${id}:3"` })).body.version).toBe(4)
    expect((await act("PATCH", `/notes/${id}`, { title: "Five" }, { "if-match": "*" })).body.version).toBe(5)
    expect(
      (await act("PATCH", `/notes/${id}`, { title: "Six" }, { "if-match": `"${id}:1", "${id}:5"` })).body.version
    ).toBe(6)
  })

  it("appends note.archived and note.restored for changes of archived", async () => {
    const { id } = await note()
    expect((await act("PATCH", `/notes/${id}`, { archived: true })).changes).toEqual([["note.archived", id, 2]])
    expect((await act("PATCH", `/notes/${id}`, { archived: false })).changes).toEqual([["note.restored", id, 3]])
  })
})

it("keeps all counts consistent", () => expectTruth(app))
