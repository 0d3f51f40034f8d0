import fc from "fast-check"
import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { guest } from "../../support/people/People.ts"
import { rounds } from "../../support/Slow.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given, refuse } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})
beforeEach(() => app.sql("DELETE FROM notes"))

const push = async (changes: ReadonlyArray<object>): Promise<ReadonlyArray<string>> =>
  (
    await given("POST", "/sync/push", { changes: changes.map((change) => ({ type: "note", op: "upsert", ...change })) })
  ).results.map((result: any) => result.id)

describe("pages", () => {
  const queries = [
    "",
    "sort=created_at",
    "sort=-title",
    "sort=title,-created_at",
    "sort=word_count",
    "sort=-version,title",
    "sort=pinned",
    "sort=-pinned,-updated_at",
    "filter=tags:x",
    "filter=NOT%20tags:x&sort=title",
    "filter=pinned=false",
    "filter=title:a%20OR%20word_count>1&sort=-word_count",
    "filter=archived:*"
  ]

  const written = fc.record({
    title: fc.constantFrom("a", "b", "ab", "é", "z"),
    body: fc.constantFrom("", "one", "two words", "and three words"),
    pinned: fc.boolean(),
    tags: fc.constantFrom<ReadonlyArray<string>>([], ["x"], ["x", "y"])
  })

  const writing = fc.record({
    what: fc.constantFrom("insert", "edit", "delete", "archive"),
    at: fc.nat(),
    fields: written
  })

  it("neither skip nor repeat unchanged notes, whatever is written meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...queries),
        fc.integer({ min: 1, max: 7 }),
        fc.array(written, { minLength: 15, maxLength: 30 }),
        fc.array(writing, { maxLength: 12 }),
        async (query, limit, first, writes) => {
          await app.sql("DELETE FROM notes")
          const ids: Array<string> = []
          for (const data of [first.slice(0, 7), first.slice(7)]) {
            await app.advance("1 second")
            ids.push(...(await push(data.map((each) => ({ data: { notebook_id: notebook, ...each } })))))
          }
          // The first half of the notes may change; the others are returned exactly once.
          const changing = ids.slice(0, Math.floor(ids.length / 2))
          const before = (await given("GET", `/notes?limit=100&${query}`)).data.map((note: any) => note.id)
          const still = before.filter((id: string) => !changing.includes(id))
          const seen: Array<string> = []
          const left = [...writes]
          let next: string | undefined = `/notes?limit=${limit}&${query}`
          while (next !== undefined) {
            const answering = app.call("GET", next)
            await app.advance("1 second")
            const doing = left.splice(0, 2).map(({ at, fields, what }) => {
              const path = `/notes/${changing[at % changing.length]}`
              if (what === "insert") return app.call("POST", "/notes", { notebook_id: notebook, ...fields })
              if (what === "edit") return app.call("PATCH", path, fields)
              return what === "archive" ? app.call("POST", `${path}/archive`) : app.call("DELETE", path)
            })
            const { body } = await answering
            await Promise.all(doing)
            seen.push(...body.data.map((note: any) => note.id))
            expect(body.data.length).toBeGreaterThan(body.has_more ? 0 : -1)
            next = body.has_more ? `/notes?limit=${limit}&${query}&cursor=${body.next_cursor}` : undefined
          }
          expect(seen.filter((id) => still.includes(id))).toEqual(still)
        }
      ),
      { numRuns: rounds(12, 40) }
    )
  })
})

describe("cursor", () => {
  const cursorOf = async (path: string) => (await given("GET", path)).next_cursor as string

  beforeEach(async () => {
    await push(["a", "b", "c"].map((title) => ({ data: { notebook_id: notebook, title } })))
  })

  it("is rejected when any of its bytes is changed or missing", async () => {
    const cursor = await cursorOf("/notes?limit=1")
    const bytes = Buffer.from(cursor, "base64url")
    for (let at = 0; at < bytes.length; at += 3) {
      const forged = Buffer.from(bytes)
      forged[at]! ^= 0x10
      const path = `/notes?limit=1&cursor=${forged.toString("base64url")}`
      await refuse({ status: 400, code: "invalid_cursor" }, "GET", path)
    }
    for (let length = 0; length < cursor.length - 1; length += 9) {
      await refuse({ status: 400, code: "invalid_cursor" }, "GET", `/notes?limit=1&cursor=${cursor.slice(0, length)}`)
    }
    expect((await given("GET", `/notes?limit=1&cursor=${cursor}`)).data).toHaveLength(1)
  })

  it("is rejected with another sort, filter or path; the explicit default sort is the same sort", async () => {
    const cursor = await cursorOf("/notes?limit=1")
    for (const query of ["sort=title", "sort=updated_at", "sort=-updated_at,title", "filter=a", "filter=title:*"]) {
      await refuse({ status: 400, code: "cursor_mismatch" }, "GET", `/notes?${query}&cursor=${cursor}`)
    }
    for (const path of ["/notebooks", "/tags", "/sync/devices", "/events"]) {
      await refuse({ status: 400, code: "cursor_mismatch" }, "GET", `${path}?cursor=${cursor}`)
    }
    expect((await given("GET", `/notes?sort=-updated_at&filter=&cursor=${cursor}`)).data).toHaveLength(2)
  })

  it("is rejected in another workspace", async () => {
    const cursor = await cursorOf("/notes?limit=1")
    const { headers } = await guest(app, { elsewhere: true })
    const { body, status } = await app.call("GET", `/notes?limit=1&cursor=${cursor}`, undefined, headers)
    expect([status, body.code]).toEqual([400, "cursor_mismatch"])
  })
})

describe("next page", () => {
  beforeEach(async () => {
    await push(["a", "b", "c", "d", "e"].map((title) => ({ data: { notebook_id: notebook, title: `${title}&x` } })))
  })

  it("is given in Link with all query parameters, until the last page", async () => {
    const seen: Array<string> = []
    let path: string | undefined = "/notes?limit=2&sort=-title&filter=title:%26x&unknown=1"
    while (path !== undefined) {
      const { body, headers }: any = await app.call("GET", path)
      seen.push(...body.data.map((note: any) => note.title[0]))
      const link: string | null = headers.get("link")
      expect(link === null).toBe(!body.has_more)
      if (link === null) break
      const [, url] = /^<(.*)>; rel="next"$/.exec(link)!
      const next = new URL(url!)
      expect([next.origin, next.pathname]).toEqual(["http://sheaf.test", "/v2/notes"])
      expect(Object.fromEntries(next.searchParams)).toEqual({
        limit: "2",
        sort: "-title",
        filter: "title:&x",
        unknown: "1",
        cursor: body.next_cursor
      })
      path = `/notes${next.search}`
    }
    expect(seen.join("")).toBe("edcba")
  })

  it("supports per_page and page of version 1, which are deprecated", async () => {
    const page = async (query: string) => {
      const { body, headers, status } = await app.call("GET", `/notes?sort=title&${query}`)
      expect([status, headers.get("deprecation")]).toEqual([200, "@1767225600"])
      return [body.data.map((note: any) => note.title[0]).join(""), body.has_more]
    }
    expect(await page("per_page=2")).toEqual(["ab", true])
    expect(await page("per_page=2&page=1")).toEqual(["ab", true])
    expect(await page("per_page=2&page=2")).toEqual(["cd", true])
    expect(await page("per_page=2&page=3")).toEqual(["e", false])
    expect(await page("per_page=2&page=4")).toEqual(["", false])
    expect(await page("per_page=5&page=2")).toEqual(["", false])
    expect(await page("per_page=4&limit=3")).toEqual(["abc", true])
    expect(await page("page=2&limit=3")).toEqual(["de", false])
    expect(await page("page=2&limit=1&filter=a%20OR%20c%20OR%20e")).toEqual(["c", true])
    expect((await app.call("GET", "/notes?limit=2&sort=title")).headers.has("deprecation")).toBe(false)
  })

  it("continues from a numbered page by cursor, also in Link", async () => {
    const { body, headers } = await app.call("GET", "/notes?sort=title&per_page=2&page=2")
    const link = new URL(/^<(.*)>/.exec(headers.get("link")!)![1]!)
    expect(Object.fromEntries(link.searchParams)).toEqual({ sort: "title", per_page: "2", cursor: body.next_cursor })
    const rest = await given("GET", `/notes${link.search}`)
    expect([rest.data.map((note: any) => note.title[0]).join(""), rest.has_more]).toEqual(["e", false])
  })

  it("rejects page numbers that are invalid, out of range, or combined with a cursor", async () => {
    for (const number of ["0", "-1", "1.5", "x", "", "10001", "99999999999"]) {
      await refuse({ status: 400, code: "invalid_parameter" }, "GET", `/notes?limit=1&page=${number}`)
    }
    await refuse({ status: 400, code: "invalid_parameter" }, "GET", "/notes?limit=100&page=101")
    expect((await given("GET", "/notes?limit=100&page=100")).data).toEqual([])
    for (const size of ["0", "101", "x", ""]) {
      await refuse({ status: 400, code: "invalid_limit" }, "GET", `/notes?per_page=${size}`)
    }
    const { next_cursor } = await given("GET", "/notes?limit=1")
    await refuse({ status: 400, code: "invalid_parameter" }, "GET", `/notes?limit=1&page=2&cursor=${next_cursor}`)
  })
})

describe("query string", () => {
  it.each([
    "limit=1&limit=2",
    "sort=title&sort=title",
    "cursor=a&cursor=b",
    "filter=a&limit=5&filter=b",
    "page=1&page=2"
  ])("rejects a repeated parameter: %s", async (query) => {
    const { body } = await refuse({ status: 400, code: "invalid_parameter" }, "GET", `/notes?${query}`)
    expect(body.detail).toBe(`${query.split("=")[0]} is repeated: send it once`)
  })

  it.each([
    ["filter=%ZZ", "filter"],
    ["filter=a%2", "filter"],
    ["limit=5&filter=100%", "filter"],
    ["filter=%C3%28", "filter"],
    ["filter=%ED%A0%80", "filter"],
    ["sort=%FF", "sort"],
    ["cursor=%", "cursor"],
    ["unknown=%ZZ", "unknown"],
    ["%ZZ=1", "%ZZ"],
    ["limit=1&%", "%"]
  ])("rejects percent-encoding that is malformed or not UTF-8: %s", async (query, name) => {
    for (const path of ["/notes", "/events", "/me"]) {
      const { body } = await refuse({ status: 400, code: "invalid_parameter" }, "GET", `${path}?${query}`)
      expect(body.detail.startsWith(`${name} has a percent sign`)).toBe(true)
    }
  })

  it("accepts correctly encoded values, and ignores a repeated unknown parameter", async () => {
    await given("GET", `/notes?filter=${encodeURIComponent('"100% ☕ + &="')}&x=1&x=2`)
    await given("GET", "/notes?filter=a+b&limit=1&=&")
  })
})
