import { beforeAll, describe, expect, it } from "vitest"
import { guest } from "../../support/people/People.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const search = async (body: object, at = app, headers: Record<string, string> = {}) => {
  const answer = await at.call("POST", "/search", body, headers)
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

const titles = async (body: object, at = app) => (await search(body, at)).hits.map(({ title }: any) => title)

const write = async (title: string, more: object = {}, at = app, headers: Record<string, string> = {}) =>
  (await at.call("POST", "/notes", { notebook_id: notebook, title, ...more }, headers)).body

describe("POST /search", () => {
  it("returns 201 with hits: the note without body, a score, a snippet and highlights", async () => {
    const { body: _, ...note } = await write("Gardening", {
      body: "How to grow <wild> rhubarb at home",
      tags: ["soil"]
    })
    const result = await search({ query: "rhubarb" })
    expect(result).toMatchObject({
      query: "rhubarb",
      total: 1,
      took_ms: expect.any(Number),
      has_more: false,
      next_cursor: null
    })
    const [hit] = result.hits
    expect(hit).toMatchObject(note)
    expect(hit).not.toHaveProperty("body")
    expect(hit.score).toBeGreaterThan(0)
    expect(hit.score).toBeLessThanOrEqual(1)
    expect(hit.snippet).toContain("&lt;wild&gt; <mark>rhubarb</mark>")
    expect(hit.highlights).toMatchObject([{ field: "body", matches: [{ start: 19, length: 7 }] }])
  })

  it("finds notes written just before, on this node and on another", async () => {
    const other = await startApp({ databaseOf: app })
    for (let times = 0; times < 5; times++) {
      await write(`Here zanzibar${times}`)
      expect(await titles({ query: `zanzibar${times}` }, other)).toEqual([`Here zanzibar${times}`])
      await write(`There zanzibar${times}`, {}, other)
      expect((await titles({ query: `zanzibar${times}` })).sort()).toEqual([
        `Here zanzibar${times}`,
        `There zanzibar${times}`
      ])
    }
    await other.stop()
  })

  it("finishes during continuous writes, and finds what was written before it began", async () => {
    let isOver = false
    const writing = Promise.all(
      [1, 2].map(async (writer) => {
        for (let times = 0; !isOver; times++) await write(`Restless ${writer} ${times}`)
      })
    )
    for (let times = 0; times < 8; times++) {
      await write(`Okapi okapi${times}`, { tags: ["seen"] })
      const [hit] = (await search({ query: `okapi${times}` })).hits
      expect(hit).toMatchObject({ title: `Okapi okapi${times}`, tags: ["seen"], version: 1 })
      await app.call("PATCH", `/notes/${hit.id}`, { title: `Giraffe okapi${times}` })
      expect(await titles({ query: `okapi${times}`, limit: 1 })).toEqual([`Giraffe okapi${times}`])
    }
    isOver = true
    await writing
  })

  it("returns the same result without writes, and includes a write at once, on any node", async () => {
    const other = await startApp({ databaseOf: app })
    const { took_ms: _, ...first } = await (await write("Same quokka"), search({ query: "quokka" }))
    expect(await search({ query: "quokka" })).toMatchObject(first)
    for (const at of [app, other]) {
      const { id } = await write("Another quokka", {}, at)
      for (const asked of [app, other]) expect(await titles({ query: "quokka" }, asked)).toContain("Another quokka")
      expect((await at.call("DELETE", `/notes/${id}`)).status).toBe(200)
      for (const asked of [app, other]) expect(await titles({ query: "quokka" }, asked)).toEqual(["Same quokka"])
    }
    await other.stop()
  })

  it("highlights a match far from the beginning of a long note", async () => {
    const body = `${"lorem ".repeat(20_000)}ipsum aardwolf ${"lorem ".repeat(100)}`
    await write("Far behind", { body })
    const [hit] = (await search({ query: "aardwolf" })).hits
    expect(hit.snippet).toContain("<mark>aardwolf</mark>")
    const [{ length, start }] = hit.highlights[0].matches
    expect(body.slice(start, start + length)).toBe("aardwolf")
  })

  it("highlights the same positions of a long note, whatever the page size", async () => {
    // PostgreSQL counts characters; each emoji is one character but two UTF-16 code units. The last word is beyond the
    // part that is read first.
    const body = `my caracal ${"😀".repeat(9_000)} caracal ${"lorem ".repeat(3_000)} pangolin`
    await write("Shown again", { body })
    const shown = async (request: object) => (await search(request)).hits[0].highlights
    const first = await shown({ query: "caracal" })
    expect(first[0].matches).toEqual([
      { start: 3, length: 7 },
      { start: 18_012, length: 7 }
    ])
    expect((await shown({ query: "pangolin" }))[0].snippet).toContain("<mark>pangolin</mark>")
    expect(await shown({ query: "caracal", limit: 5 })).toEqual(first)
    expect((await shown({ query: "pangolin", limit: 5 }))[0].snippet).toContain("<mark>pangolin</mark>")
  })

  it("reflects edits, archive, trash, restore, purge and tag renames", async () => {
    const note = await write("Quicksilver", { tags: ["mercurial"] })
    await app.call("PATCH", `/notes/${note.id}`, { title: "Hydrargyrum" })
    expect(await titles({ query: "quicksilver" })).toEqual([])
    expect(await titles({ query: "hydrargyrum" })).toEqual(["Hydrargyrum"])
    await app.call("POST", `/notes/${note.id}/archive`)
    expect(await titles({ query: "hydrargyrum" })).toEqual([])
    expect(await titles({ query: "hydrargyrum", archived: true })).toEqual(["Hydrargyrum"])
    expect(await titles({ query: "hydrargyrum", archived: null })).toEqual(["Hydrargyrum"])
    await app.call("POST", `/notes/${note.id}/restore`)
    const tag = (await app.call("GET", "/tags?limit=100")).body.data.find(({ name }: any) => name === "mercurial")
    await app.call("PATCH", `/tags/${tag.id}`, { name: "saturnine" })
    expect(await titles({ query: "tag:mercurial" })).toEqual([])
    expect(await titles({ query: "tag:saturnine" })).toEqual(["Hydrargyrum"])
    expect(await titles({ query: "saturnine" })).toEqual(["Hydrargyrum"])
    await app.call("DELETE", `/tags/${tag.id}`)
    expect(await titles({ query: "", tags: ["saturnine"] })).toEqual([])
    await app.call("DELETE", `/notes/${note.id}`)
    expect(await search({ query: "hydrargyrum", archived: null })).toMatchObject({ hits: [], total: 0 })
    await app.call("POST", `/notes/${note.id}/restore`)
    expect(await titles({ query: "hydrargyrum" })).toEqual(["Hydrargyrum"])
    await app.call("DELETE", `/notes/${note.id}?permanent=true`)
    expect(await titles({ query: "hydrargyrum" })).toEqual([])
  })

  it("reflects the deletion of a notebook and a restored backup", async () => {
    const other = await guest(app, { elsewhere: true })
    const call = (method: string, path: string, body?: object) => app.call(method, path, body, other.headers)
    const folder = (await call("POST", "/notebooks", { name: "Folder" })).body
    await call("POST", "/notes", { notebook_id: folder.id, title: "Palimpsest" })
    expect((await search({ query: "palimpsest" }, app, other.headers)).total).toBe(1)
    await app.sql("UPDATE heads SET epoch = 'restored' WHERE workspace_id = $1", [other.workspace_id])
    expect((await search({ query: "palimpsest" }, app, other.headers)).total).toBe(1)
    await call("DELETE", `/notebooks/${folder.id}`)
    expect((await search({ query: "palimpsest" }, app, other.headers)).total).toBe(0)
  })

  it("returns notes of the workspace only", async () => {
    const other = await guest(app, { elsewhere: true })
    const theirs = (await app.call("POST", "/notebooks", { name: "Theirs" }, other.headers)).body
    await write("Their heirloom", { notebook_id: theirs.id }, app, other.headers)
    await write("Our heirloom")
    expect(await titles({ query: "heirloom" })).toEqual(["Our heirloom"])
    expect((await search({ query: "heirloom" }, app, other.headers)).hits.map(({ title }: any) => title)).toEqual([
      "Their heirloom"
    ])
    expect((await search({ query: "", notebook_id: theirs.id })).total).toBe(0)
    const suggested = await app.call("GET", "/search/suggest?q=heirl", undefined)
    expect(suggested.body.data.map(({ text }: any) => text)).toEqual(["Our heirloom"])
  })

  it("tolerates typing errors, completes the last word, and supports phrases, exclusions and tags", async () => {
    await write("Philosophy of language", { body: "the limits of my language", tags: ["ludwig"] })
    await write("Philosophy of mind", { body: "my limits" })
    const language = ["Philosophy of language"]
    expect(await titles({ query: "philosophi languege" })).toEqual(language)
    expect(await titles({ query: "philosophy lang" })).toEqual(language)
    expect(await titles({ query: `philosophy "limits of my"` })).toEqual(language)
    expect(await titles({ query: "philosophy -mind" })).toEqual(language)
    expect(await titles({ query: "philosophy tag:Ludwig" })).toEqual(language)
  })
})

describe("search suggestions and explanations", () => {
  it("searches for the likeliest correction if nothing is found, and returns it as suggestion", async () => {
    await write("Bibliography")
    const result = await search({ query: "biblyografee" })
    expect(result).toMatchObject({ suggestion: "bibliography", total: 1 })
    expect(result.hits[0].highlights).toMatchObject([{ field: "title", matches: [{ start: 0, length: 12 }] }])
    expect(await search({ query: "bibliography" })).not.toHaveProperty("suggestion")
  })

  it("searches for the words of phrases if nothing is found, and returns that query as suggestion", async () => {
    await write("Almanac of tides", { body: "tide and moon" })
    const result = await search({ query: 'almanac "moon and tide" -sun' })
    expect(result).toMatchObject({ suggestion: "almanac moon and tide -sun", total: 1 })
    expect(result.hits[0].highlights.map(({ field }: any) => field)).toEqual(["title", "body"])
    for (const query of [
      "almanac moon and tide tag:absent",
      "almanac moon and tide -tides",
      '"moon tide" tag:absent'
    ]) {
      expect(await search({ query })).toMatchObject({ query, hits: [], total: 0 })
    }
    await write("Sounding lines", { body: "plumb -tides" })
    expect(await titles({ query: "plumb -tides" })).toEqual(["Sounding lines"])
  })

  it("explains with explain=true which terms found each hit", async () => {
    await write("Orchards", { body: "an orchard of pears", tags: ["fruit"] })
    const [hit] = (await search({ query: "orchard fruit", explain: true })).hits
    expect(hit.explanation).toMatchObject([
      { term: "orchard", kind: "exact", field: "body", weight: expect.any(Number) },
      { term: "fruit", kind: "exact", field: "tags" }
    ])
    expect((await search({ query: "orchard" })).hits[0]).not.toHaveProperty("explanation")
  })

  it("returns the snippet as plain text", async () => {
    await write("Markdown", { body: "## See [the *pomegranate*](https://example.org/x)\n\n| a | b |\n|---|---|\n" })
    expect((await search({ query: "pomegranate" })).hits[0].snippet).toBe("See the <mark>pomegranate</mark> a b")
  })
})

describe("search filters", () => {
  let inner: string
  beforeAll(async () => {
    const outer = (await app.call("POST", "/notebooks", { name: "Outer" })).body.id
    inner = (await app.call("POST", "/notebooks", { name: "Inner", parent_id: outer })).body.id
    await write("Sieve one", { tags: ["red", "blue"], notebook_id: outer })
    await app.advance("24 hours")
    await write("Sieve two", { tags: ["red"], notebook_id: inner })
    const three = await write("Sieve three")
    await app.advance("24 hours")
    await app.call("PATCH", `/notes/${three.id}`, { body: "later" })
  })

  const sieve = async (filters: object) => {
    const found = (await titles({ query: "sieve", ...filters })).sort()
    expect((await titles({ query: "sieve", filters })).sort()).toEqual(found)
    return found.map((title: string) => title.replace("Sieve ", ""))
  }

  it("select by notebook, with or without sub-notebooks", async () => {
    const outer = (await app.call("GET", `/notebooks/${inner}`)).body.parent_id
    expect(await sieve({ notebook_id: outer })).toEqual(["one", "two"])
    expect(await sieve({ notebook_id: outer, include_subnotebooks: false })).toEqual(["one"])
    expect(await sieve({ notebook_id: inner })).toEqual(["two"])
    expect(await sieve({ notebook_id: "nb_no-such-notebook-00" })).toEqual([])
  })

  it("select by all or any of the tags", async () => {
    expect(await sieve({ tags: ["RED"] })).toEqual(["one", "two"])
    expect(await sieve({ tags: ["red", "blue"] })).toEqual(["one"])
    expect(await sieve({ tags: ["red", "blue"], tags_match: "any" })).toEqual(["one", "two"])
  })

  it("select by dates, under both parameter names", async () => {
    expect(await sieve({ created_after: "2026-03-02" })).toEqual(["three", "two"])
    expect(await sieve({ created_before: "2026-03-01" })).toEqual([])
    expect(await sieve({ created_before: "2026-03-02" })).toEqual(["one"])
    expect(await sieve({ updated_before: "2026-03-03" })).toEqual(["one", "two"])
    expect(await sieve({ created_after: "2026-03-02", created_before: "2026-03-03" })).toEqual(["three", "two"])
    expect(await sieve({ updated_after: "2026-03-03T00:00:00Z" })).toEqual(["three"])
    expect(await sieve({ date_from: "2026-03-02", date_to: "2026-03-02" })).toEqual(["two"])
    expect(await sieve({ updated_before: "2026-03-02T13:00:00+01:00" })).toEqual(["one", "two"])
    expect(await sieve({ updated_after: "1970-01-01", updated_before: "1970-01-01T00:00:00Z" })).toEqual([])
    expect(await sieve({ updated_after: "0001-01-01", date_to: "9999-12-31" })).toEqual(["one", "three", "two"])
  })
})

describe("search pages", () => {
  it("continue by cursor in any order, and are bound to the query", async () => {
    for (const name of ["d", "b", "e", "a", "c"]) {
      await write(`Pagination ${name}`)
      await app.advance("1 second")
    }
    const all = async (body: object) => {
      const found: Array<string> = []
      for (let cursor: string | undefined; ;) {
        const page = await search({
          query: "pagination",
          limit: 2,
          ...body,
          ...(cursor === undefined ? {} : { cursor })
        })
        expect(page.total).toBe(5)
        found.push(...page.hits.map(({ title }: any) => title.slice(-1)))
        if (!page.has_more) return found.join("")
        cursor = page.next_cursor
      }
    }
    expect(await all({ sort: "title" })).toBe("abcde")
    expect(await all({ sort: "-title" })).toBe("edcba")
    expect(await all({ sort: "-updated_at" })).toBe("caebd")
    expect([...(await all({ sort: "relevance" }))].sort().join("")).toBe("abcde")
    const { next_cursor } = await search({ query: "pagination", limit: 2 })
    const refused = async (body: object) => (await app.call("POST", "/search", body)).body
    expect(await refused({ query: "other", cursor: next_cursor })).toMatchObject({
      status: 400,
      code: "cursor_mismatch"
    })
    expect(await refused({ query: "pagination", cursor: `${next_cursor}x`.slice(2) })).toMatchObject({
      status: 400,
      code: "invalid_cursor"
    })
  })

  it("reject invalid requests", async () => {
    const refused = async (body: unknown) => (await app.call("POST", "/search", body)).body
    expect(await refused({})).toMatchObject({ status: 422, errors: [{ pointer: "/query", code: "required" }] })
    for (const bad of [
      { query: "\0" },
      { query: "x", notebook_id: "nb_\0" },
      { query: "x", filters: { tags: ["\ud800"] } }
    ]) {
      expect(await refused(bad)).toMatchObject({ status: 422, errors: [{ code: "invalid_characters" }] })
    }
    expect(await refused({ query: 7 })).toMatchObject({
      status: 422,
      errors: [{ pointer: "/query", code: "invalid_type" }]
    })
    expect(await refused({ query: "x", filters: { tags_match: "most" } })).toMatchObject({
      status: 422,
      errors: [{ pointer: "/filters/tags_match", code: "invalid", message: "must be one of: all, any" }]
    })
    for (const limit of [0, 101])
      expect(await refused({ query: "x", limit })).toMatchObject({ status: 400, code: "invalid_limit" })
    expect(await refused({ query: "x", sort: "colour" })).toMatchObject({
      status: 400,
      code: "invalid_sort",
      allowed_fields: expect.any(Array)
    })
    for (const created_after of ["yesterday", "2026-02-30", "2026-02-30T00:00:00Z", "2026-03-01T24:00:00Z"]) {
      const errors = [{ pointer: "/created_after", code: "invalid_timestamp" }]
      expect([created_after, await refused({ query: "x", created_after })]).toMatchObject([
        created_after,
        { status: 422, errors }
      ])
    }
    expect(await refused({ query: "x", tags_match: "some" })).toMatchObject({ status: 422 })
    expect((await app.call("POST", "/search", { query: "x", hits: [], total: 3, took_ms: 1 })).status).toBe(201)
  })
})

describe("GET /search/suggest", () => {
  it("completes tags and titles, at most ten, in a list envelope with query and took_ms", async () => {
    for (let index = 0; index < 12; index++) await write(`Wunderkammer ${index}`, { tags: [`wunder-${index}`] })
    const { body, status } = await app.call("GET", "/search/suggest?q=Wund")
    expect(status).toBe(200)
    expect(body).toMatchObject({ has_more: false, next_cursor: null, query: "Wund", took_ms: expect.any(Number) })
    expect(body.data).toHaveLength(10)
    for (const { id, text, type } of body.data) {
      expect(id).toMatch(type === "tag" ? /^tg_/ : /^nt_/)
      expect(text.toLowerCase()).toContain("wund")
    }
    expect((await app.call("GET", "/search/suggest?prefix=wund&limit=3")).body.data).toHaveLength(3)
    const only = await write("Xylophone")
    expect((await app.call("GET", "/search/suggest?q=xyl")).body.data).toEqual([
      { type: "title", text: "Xylophone", id: only.id }
    ])
  })

  it("completes aliases as they are written, with the titles of their notes", async () => {
    const zebra = await write("Animal 1", { body: "---\naliases: [Zwölfender, Zwölf Uhr, animal 1]\n---\n" })
    const archived = await write("Animal 2", { body: "---\nalias: Zwölfender\n---\n" })
    await app.call("POST", `/notes/${archived.id}/archive`)
    const suggest = async (query: string) => (await app.call("GET", `/search/suggest?q=${query}`)).body.data
    expect(await suggest("zwölfe")).toEqual([{ type: "alias", text: "Zwölfender", id: zebra.id, title: "Animal 1" }])
    expect((await suggest("ZWÖLF")).map(({ text }: any) => text)).toEqual(["Zwölf Uhr", "Zwölfender"])
    expect((await suggest("animal")).map(({ type }: any) => type)).toEqual(["title"])
    for (let index = 0; index < 12; index++) await write(`Zwölf ${index}`)
    const types = (await suggest("zwölf")).map(({ type }: any) => type)
    expect(types).toEqual([...Array(8).fill("title"), "alias", "alias"])
    expect(await suggest("tag:zwölf")).toEqual([])
  })

  it("requires a prefix", async () => {
    for (const query of ["", "?q=", "?q=%20"]) {
      expect((await app.call("GET", `/search/suggest${query}`)).body).toMatchObject({
        status: 400,
        code: "invalid_parameter"
      })
    }
    expect((await app.call("GET", "/search/suggest?q=%00")).status).toBe(200)
    expect((await app.call("GET", "/search/suggest?q=x&limit=0")).body).toMatchObject({ code: "invalid_limit" })
  })
})
