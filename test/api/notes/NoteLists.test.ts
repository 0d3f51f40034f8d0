import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { syncedResources } from "../../support/Resources.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given, refuse } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

/** Each test starts with an empty list, and the clock moves with every note. */
beforeEach(async () => {
  for (const { id } of await app.sql("SELECT id FROM notes")) await given("DELETE", `/notes/${id}?permanent=true`)
})
const note = async (title: string, fields: object = {}) => {
  await app.advance("1 second")
  return given("POST", "/notes", { notebook_id: notebook, title, ...fields })
}
const titles = async (query = "") =>
  (await given("GET", `/notes${query}`)).data.map((each: any) => each.title).join(" ")

/** Returns all pages of a list, and runs `between` after each page. */
const pages = async (query: string, between: (page: number) => Promise<unknown> = async () => {}) => {
  const found: Array<string> = []
  let cursor: string | null = null
  for (let page = 0; page === 0 || cursor !== null; page++) {
    const { data, has_more, next_cursor }: any = await given(
      "GET",
      `/notes?${query}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
    )
    expect(has_more).toBe(next_cursor !== null)
    expect(data.length).toBeGreaterThan(0)
    found.push(...data.map((each: any) => each.title))
    cursor = next_cursor
    await between(page)
  }
  return found.join(" ")
}

describe("GET /notes", () => {
  it("returns pinned notes first, then the last changed, without archived and deleted ones", async () => {
    const a = await note("a")
    await note("b", { pinned: true })
    await note("c")
    await note("hidden", { archived: true })
    const trashed = await note("trashed")
    await given("DELETE", `/notes/${trashed.id}`)
    expect(await titles()).toBe("b c a")
    await app.advance("1 second")
    await given("PATCH", `/notes/${a.id}`, { body: "changed" })
    expect(await titles()).toBe("b a c")
    await app.advance("1 second")
    await given("PATCH", `/notes/${a.id}`, { pinned: true })
    expect(await titles()).toBe("a b c")
  })

  it("returns the list envelope with whole notes", async () => {
    const one = await note("one", { body: "text", tags: ["x"] })
    const { body, headers, status } = await app.call("GET", "/notes")
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"])
    expect(body).toEqual({ data: [one], has_more: false, next_cursor: null })
  })

  it("sorts by every offered field, pinned first unless sorted by pinned, with id as tie-breaker", async () => {
    await note("b", { body: "one" })
    await note("a", { body: "one two", pinned: true })
    const c = await note("c", { body: "one two three" })
    await given("PATCH", `/notes/${c.id}`, { body: "" })
    expect(await titles("?sort=title")).toBe("a b c")
    expect(await titles("?sort=-title")).toBe("a c b")
    expect(await titles("?sort=created_at")).toBe("a b c")
    expect(await titles("?sort=-word_count")).toBe("a b c")
    expect(await titles("?sort=-version,title")).toBe("a c b")
    expect(await titles("?sort=pinned,title")).toBe("b c a")
    expect(await titles("?sort=updated_at,-pinned")).toBe("b a c")
    for (const sort of [
      "title",
      "-title",
      "created_at",
      "-word_count",
      "-version,title",
      "pinned,-title",
      "updated_at"
    ]) {
      expect(await pages(`limit=1&sort=${sort}`)).toBe(await titles(`?sort=${sort}`))
    }
  })

  it("paginates by keys: neither skips nor repeats unchanged notes", async () => {
    const made: Array<any> = []
    for (const title of "abcdefghijkl") made.push(await note(title, { pinned: "cf".includes(title) }))
    expect(await titles()).toBe("f c l k j i h g e d b a")
    expect(await pages("limit=1")).toBe("f c l k j i h g e d b a")
    expect(await pages("limit=5")).toBe("f c l k j i h g e d b a")
    // Between pages, the row of the cursor is deleted, rows are added, and a row not yet listed is deleted.
    const seen = await pages("limit=3", async (page) => {
      if (page !== 0) return
      await given("DELETE", `/notes/${made[11].id}`)
      await note("new", { pinned: true })
      await note("newer")
      await given("DELETE", `/notes/${made[8].id}?permanent=true`)
    })
    expect(seen).toBe("f c l k j h g e d b a")
  })

  it("orders notes with equal times by id", async () => {
    await Promise.all(
      Array.from({ length: 9 }, (_, i) => given("POST", "/notes", { notebook_id: notebook, title: String(i) }))
    )
    const all = await pages("limit=2")
    expect(all.split(" ").toSorted().join("")).toBe("012345678")
    expect(await pages("limit=4")).toBe(all)
  })

  it("returns 25 notes per page by default, and 1 to 100 on request", async () => {
    await Promise.all(
      Array.from({ length: 101 }, (_, i) => given("POST", "/notes", { notebook_id: notebook, title: String(i) }))
    )
    expect((await given("GET", "/notes")).data).toHaveLength(25)
    const hundred = await given("GET", "/notes?limit=100")
    expect([hundred.data.length, hundred.has_more]).toEqual([100, true])
    const rest = await given("GET", `/notes?limit=1&cursor=${hundred.next_cursor}`)
    expect([rest.data.length, rest.has_more, rest.next_cursor]).toEqual([1, false, null])
  })

  it("ends a page early at 4 MB, and continues on the next", async () => {
    for (const title of "abcdef") await note(title, { body: title.repeat(1_048_576) })
    const first = await given("GET", "/notes")
    expect([first.data.map((each: any) => each.title).join(" "), first.has_more]).toEqual(["f e d c", true])
    const second = await given("GET", `/notes?cursor=${first.next_cursor}`)
    expect([second.data.map((each: any) => each.title).join(" "), second.has_more]).toEqual(["b a", false])
  })
})

/** Lists of comments are below notes, and have their own test. */
const lists = syncedResources.map(({ path }) => path).filter((path) => !path.includes("{"))

describe.each(lists)("GET %s", (path) => {
  it.each(["0", "101", "-1", "1.5", "ten", "", "1e1", "99999999999999999999"])(
    "rejects the limit %j",
    async (limit) => {
      await refuse({ status: 400, code: "invalid_limit" }, "GET", `${path}?limit=${limit}`)
    }
  )

  it.each(["colour", "-", "", "title;", "name,name", "created_at,-created_at", "__proto__", "id"])(
    "rejects the sort %j and returns the allowed fields",
    async (sort) => {
      const { body } = await refuse({ status: 400, code: "invalid_sort" }, "GET", `${path}?sort=${sort}`)
      expect(body.allowed_fields).toContain("created_at")
    }
  )

  it("rejects forged cursors, and cursors of another list or sort", async () => {
    const names = ["one", "two", "three"]
    for (const name of names) {
      if (path === "/notes") await note(name)
      else if (path === "/attachments") await app.call("POST", path, { note_id: (await note(name)).id, filename: name })
      else if (path === "/reminders") {
        const remind_at = `2031-01-0${names.indexOf(name) + 1}T00:00:00Z`
        await app.call("POST", path, { note_id: (await note(name)).id, remind_at })
      } else await app.call("POST", path, { name })
    }
    const { next_cursor: cursor } = await given("GET", `${path}?limit=1`)
    const bytes = Buffer.from(cursor, "base64url")
    bytes[bytes.length - 3]! ^= 1
    for (const forged of ["x", "%00", "", bytes.toString("base64url"), cursor.slice(0, -4), "A".repeat(2049)]) {
      await refuse({ status: 400, code: "invalid_cursor" }, "GET", `${path}?cursor=${forged}`)
    }
    await refuse({ status: 400, code: "cursor_mismatch" }, "GET", `${path}?cursor=${cursor}&sort=created_at`)
    for (const other of lists.filter((each) => each !== path)) {
      await refuse({ status: 400, code: "cursor_mismatch" }, "GET", `${other}?cursor=${cursor}`)
    }
    // A cursor is bound to the list, not to the page size.
    expect((await given("GET", `${path}?limit=2&cursor=${cursor}`)).data.length).toBeGreaterThan(0)
  })
})
