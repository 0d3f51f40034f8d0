import { describe, expect, it as test } from "vitest"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const notebook = async (name: string): Promise<string> => (await app.call("POST", "/notebooks", { name })).body.id
/** Adds a note in a notebook, with lines of front matter. */
const note = async (notebook_id: string, title: string, ...lines: ReadonlyArray<string>): Promise<string> =>
  (await app.call("POST", "/notes", { notebook_id, title, body: ["---", ...lines, "---", "text"].join("\n") })).body.id
const listed = (filter: string, sort = "title", path = "/notes", more = "") =>
  app.call("GET", `${path}?filter=${encodeURIComponent(filter)}&sort=${encodeURIComponent(sort)}${more}`)
const titles = async (filter: string, sort?: string) => {
  const { body, status } = await listed(filter, sort)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.map((each: any) => each.title).join(" ")
}
const search = async (request: object) => {
  const { body, status } = await app.call("POST", "/search", { query: "", ...request })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.hits.map((each: any) => each.title).join(" ")
}

describe("properties in filters and sorts", () => {
  let home = ""
  const inHome = (filter: string) => `notebook_id = ${home} AND (${filter})`
  const withNotes = async () => {
    if (home !== "") return
    home = await notebook("Properties")
    await note(home, "A", "status: open", "rating: 4", "due: 2026-12-01", "Due Date: 2026-12-05", "done: true")
    await note(home, "B", "status: [Open, urgent]", "rating: 10", "due: 2026-12-01T23:30:00Z", "done: no")
    await note(home, "C", "status: closed", "rating: -2.5", "due: soon", 'done: "true"')
    await note(home, "D", "status:", "rating: four", "author: { name: Ada }")
    await app.call("POST", "/notes", { notebook_id: home, title: "E", body: "status: open" })
  }

  test("compare values by the type that the filter writes", async () => {
    await withNotes()
    const found = async (filter: string) => await titles(inHome(filter))
    expect(await found('properties.status = "open"')).toBe("A B")
    expect(await found("properties.status = OPEN")).toBe("A B")
    expect(await found("properties.STATUS != open")).toBe("C D E")
    expect(await found("properties.status IN (closed, urgent)")).toBe("B C")
    expect(await found("properties.status = *sed")).toBe("C")
    expect(await found("properties.status = O*")).toBe("A B")
    expect(await found('properties.status = "\\*sed"')).toBe("")
    expect(await found("properties.status:pe")).toBe("A B")
    expect(await found("properties.status:*")).toBe("A B C")
    expect(await found("properties.status = null")).toBe("D E")
    expect(await found("properties.status != null")).toBe("A B C")
    expect(await found("properties.status > open")).toBe("B")
    expect(await found("properties.rating >= 4")).toBe("A B")
    expect(await found("properties.rating < 4")).toBe("C")
    expect(await found("properties.rating IN (10, -2.50, four)")).toBe("B C D")
    expect(await found('properties.rating = "4"')).toBe("")
    expect(await found("properties.rating:4")).toBe("A")
    expect(await found("properties.due = 2026-12-01")).toBe("A B")
    expect(await found("properties.due <= 2026-12-01")).toBe("A B")
    expect(await found("properties.due > 2026-12-01")).toBe("")
    expect(await found("properties.due < 2026-12-02T00:30:00+01:00")).toBe("A")
    expect(await found("properties.due = 2026-12-02T00:30:00+01:00")).toBe("B")
    expect(await found("properties.done = true")).toBe("A")
    expect(await found('properties.done = "true"')).toBe("C")
    expect(await found('properties."due date" = 2026-12-05')).toBe("A")
    expect(await found("properties.author.name = ada")).toBe("D")
    expect(await found('properties.status = "open" AND properties.rating >= 4 AND NOT properties.done = true')).toBe(
      "B"
    )
    expect(await found("properties.rating:* AND (properties.status = closed OR properties.author.name:*)")).toBe("C D")
    expect(await found('properties."no such" = "\'; DROP TABLE notes; --"')).toBe("")
  })

  test("sort notes without the property last in both directions, page by page", async () => {
    await withNotes()
    expect(await titles(inHome("id:*"), "properties.due,-title")).toBe("A B C E D")
    expect(await titles(inHome("id:*"), "-properties.due,title")).toBe("C B A D E")
    expect(await titles(inHome("id:*"), "properties.rating,title")).toBe("C A B D E")
    expect(await titles(inHome("id:*"), '-properties."Due Date",title')).toBe("A B C D E")
    expect(await titles(inHome("properties.status:*"), "-properties.status,title")).toBe("A B C")
    for (const path of ["/notes", "/notes/summaries"]) {
      const seen: Array<string> = []
      for (let cursor = ""; ;) {
        const { body } = await listed(inHome("id:*"), "-properties.rating,title", path, `&limit=1${cursor}`)
        seen.push(...body.data.map((each: any) => each.title))
        if (!body.has_more) break
        cursor = `&cursor=${body.next_cursor}`
      }
      expect(seen.join(" ")).toBe("D B A C E")
    }
  })

  test("follow each change of a text, the archive and the trash", async () => {
    const place = await notebook("Changing")
    const id = await note(place, "F", "stage: one")
    const found = async (filter = "") => await titles(`notebook_id = ${place} AND properties.stage = one${filter}`)
    expect(await found()).toBe("F")
    await app.call("PATCH", `/notes/${id}`, { body: "---\nstage: two\n---\n" })
    expect(await found()).toBe("")
    await app.call("PATCH", `/notes/${id}`, { body: "---\nstage: one\n---\n", archived: true })
    expect(await found()).toBe("")
    expect(await found(" AND archived = true")).toBe("F")
    expect(await search({ filter: "properties.stage = one", archived: true })).toBe("F")
    await app.call("DELETE", `/notes/${id}`)
    expect(await found(" AND deleted_at:*")).toBe("")
    expect(await search({ filter: "properties.stage = one", archived: null })).toBe("")
    await app.call("POST", `/notes/${id}/restore`)
    expect(await found()).toBe("F")
  })

  test("refuse filters and sorts that mean nothing, with the fields of the list", async () => {
    await withNotes()
    const bad = await listed("properties.done < true")
    expect(bad.body).toMatchObject({ status: 400, code: "invalid_filter", position: 16 })
    expect(bad.body.allowed_fields).toContain("properties.NAME")
    expect((await listed("properties. = 1")).body).toMatchObject({ code: "invalid_filter", position: 0 })
    expect((await listed('properties."due = 1')).body).toMatchObject({ code: "invalid_filter", position: 11 })
    expect((await listed("properties.rating gte 4")).body.detail).toContain("gte is written >= here")
    const sort = await app.call("GET", "/notes?sort=propertys.due")
    expect(sort.body).toMatchObject({ status: 400, code: "invalid_sort" })
    expect(sort.body.allowed_fields).toContain("properties.NAME")
    expect((await app.call("GET", "/notes?sort=properties.")).body.code).toBe("invalid_sort")
    expect((await app.call("GET", "/notes?sort=properties.a,properties.b,properties.c")).body.code).toBe("invalid_sort")
    expect((await app.call("GET", "/notebooks?filter=properties.a=1")).body.code).toBe("invalid_filter")
    const page = await listed("properties.status:*", "title", "/notes", "&limit=1")
    const other = await listed("properties.rating:*", "title", "/notes", `&limit=1&cursor=${page.body.next_cursor}`)
    expect(other.body.code).toBe("cursor_mismatch")
  })

  test("are looked up row by row, and refused in a search, beyond a number of values", async () => {
    const place = await notebook("Many")
    const id = await note(place, "Long", "big: x")
    await note(place, "Short", "big: y")
    expect(await titles("properties.big = x")).toBe("Long")
    await app.sql(
      `INSERT INTO note_properties (workspace_id, name_key, note_id, ordinal, name, type, value, text, is_list)
        SELECT workspace_id, name_key, note_id, place, name, type, value, text, is_list
        FROM note_properties, generate_series(1, 100000) AS place WHERE note_id = $1 RETURNING 1`,
      [id]
    )
    expect(await titles("properties.big = x")).toBe("Long")
    expect(await titles("properties.big:*", "-properties.big")).toBe("Short Long")
    const refused = await app.call("POST", "/search", { query: "", filter: "properties.big = x" })
    expect(refused.body).toMatchObject({ status: 422, errors: [{ field: "filter", code: "too_many" }] })
    expect(await search({ filter: "properties.big = y", sort: "properties.big" })).toBe("Short")
  })

  test("narrow and sort a search", async () => {
    await withNotes()
    const inNotebook = { notebook_id: home }
    expect(await search({ filter: "properties.status = open", sort: "title", ...inNotebook })).toBe("A B")
    expect(await search({ filter: "properties.rating >= 4", sort: "-properties.rating", ...inNotebook })).toBe("B A")
    expect(await search({ sort: "properties.rating", ...inNotebook })).toMatch(/^C A B D E$/)
    expect(await search({ filter: "properties.status = null", sort: "title", ...inNotebook })).toBe("D E")
    expect(await search({ query: "text", filter: 'properties."due date":*', ...inNotebook })).toBe("A")
    expect(await search({ query: "A", filter: "properties.status = nothing" })).toBe("")
    const first = await app.call("POST", "/search", { query: "", sort: "-properties.rating", limit: 1, ...inNotebook })
    const next = { query: "", sort: "-properties.rating", limit: 1, ...inNotebook, cursor: first.body.next_cursor }
    expect(first.body.hits[0].title).toBe("D")
    expect((await app.call("POST", "/search", next)).body.hits[0].title).toBe("B")
    const refused = await app.call("POST", "/search", { query: "", filter: "title = A" })
    expect(refused.body).toMatchObject({
      status: 400,
      code: "invalid_filter",
      position: 0,
      allowed_fields: ["properties.NAME"]
    })
    const sort = await app.call("POST", "/search", { query: "", sort: "properties." })
    expect(sort.body).toMatchObject({ status: 400, code: "invalid_sort" })
    expect(sort.body.allowed_fields).toContain("properties.NAME")
  })

  test("are listed by name with their types and numbers of notes", async () => {
    await withNotes()
    const { body } = await app.call("GET", "/properties?limit=100")
    const of = (name: string) => body.data.find((each: any) => each.name.toLowerCase() === name)
    expect(of("rating")).toEqual({ name: "rating", types: ["number", "text"], notes: 4 })
    expect(of("due date")).toEqual({ name: "Due Date", types: ["date"], notes: 1 })
    expect(of("status")).toEqual({ name: "status", types: ["text"], notes: 4 })
    expect(of("done")).toEqual({ name: "done", types: ["boolean", "text"], notes: 3 })
    const names: Array<string> = []
    for (let cursor = ""; ;) {
      const page = (await app.call("GET", `/properties?limit=2${cursor}`)).body
      names.push(...page.data.map((each: any) => each.name.toLowerCase()))
      if (!page.has_more) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(names).toEqual(body.data.map((each: any) => each.name.toLowerCase()))
    expect(names).toEqual(names.toSorted())
  })
})
