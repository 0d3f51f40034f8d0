import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { eventually } from "../../support/flows/eventually.ts"
import { guest } from "../../support/people/People.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given, refuse } = useApp()
let notebook: string
const ids: Record<string, string> = {}

const address = (path: string, filter: string, query = "") => `${path}?${query}filter=${encodeURIComponent(filter)}`
const show = (each: any): string => each.title ?? each.name
const found = async (path: string, filter: string, query = "") =>
  (await given("GET", address(path, filter, query))).data.map(show).join(" ")

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
  const garden = await given("POST", "/notebooks", { name: "Garden", color: "#0a0", icon: "leaf" })
  await given("POST", "/notebooks", { name: "Roses", parent_id: garden.id, color: "#ff0000" })
  Object.assign(ids, { garden: garden.id, inbox: notebook })
  const note = async (title: string, fields: object = {}) => {
    await app.advance("1 day")
    ids[title] = (await given("POST", "/notes", { notebook_id: notebook, title, ...fields })).id
  }
  await note("Tea", { body: "green and black", tags: ["Drinks", "home"], pinned: true })
  await note("tea-pots", { body: "100% of_clay", tags: ["home"] })
  await note("Coffee", { body: "", tags: ["drinks"], notebook_id: garden.id })
  await note("Secret", { body: "tea is here too", archived: true })
  await note("O'Neill", { body: 'say "hi" (or not), \\ * %' })
  await given("PATCH", `/notes/${ids.Coffee}`, { body: "Crème BRÛLÉE" })
})

describe("operators in lower case or from other languages", () => {
  it.each([
    ["(title:tea OR title:coffee)", "(title:tea or title:coffee)"],
    ["title:tea AND pinned=false", "title:tea and pinned=false"],
    ["NOT title:tea", "not title:tea"],
    ["title IN (Tea, Coffee)", "title In (Tea, Coffee)"]
  ])("%j means the same as %j", async (upper, lower) => {
    expect(await found("/notes", upper)).not.toBe("")
    expect(await found("/notes", lower)).toBe(await found("/notes", upper))
  })

  it.each([
    ["title:tea && pinned=false", 10, "&& is written AND"],
    ["title eq Tea", 6, "eq is written ="],
    ["title ~ Tea", 6, "~ is written :"]
  ])("%j is rejected with the correct spelling", async (filter, position, spelling) => {
    const { body } = await refuse({ status: 400, code: "invalid_filter" }, "GET", address("/notes", filter))
    expect(body.position).toBe(position)
    expect(body.detail).toContain(spelling)
  })
})

describe("filter of notes", () => {
  it.each([
    ["tea", "Tea tea-pots"],
    ["TEA", "Tea tea-pots"],
    ['"and black"', "Tea"],
    ["brûlée", "Coffee"],
    ["tea black", "Tea"],
    ["tea -pots", "Tea"],
    ["clay OR crème", "Coffee tea-pots"],
    ["title = Tea", "Tea"],
    ["title = tea", ""],
    ["title = t*", "tea-pots"],
    ['title = "*e*" AND NOT pinned = true', "Coffee O'Neill tea-pots"],
    ["title:tea", "Tea tea-pots"],
    ["title != Tea", "Coffee O'Neill tea-pots"],
    ["title IN (Tea, Coffee)", "Tea Coffee"],
    ["title < T", "Coffee O'Neill"],
    ["body:*", "Tea Coffee O'Neill tea-pots"],
    ['body:"%"', "O'Neill tea-pots"],
    ["body:_", "tea-pots"],
    ['body:"\\\\"', "O'Neill"],
    ['body:"\\"hi\\""', "O'Neill"],
    ['body:"(or not),"', "O'Neill"],
    ['"O\'Neill"', "O'Neill"],
    ["tags:drinks", "Tea Coffee"],
    ["tags:DRINKS tags:home", "Tea"],
    ["tags = dr*", "Tea Coffee"],
    ["tags != home", "Coffee O'Neill"],
    ["NOT tags:*", "O'Neill"],
    ["tags IN (home, nothing)", "Tea tea-pots"],
    ["pinned = true", "Tea"],
    ["pinned != true tags:home", "tea-pots"],
    ["archived = true", "Secret"],
    ["archived = false", "Tea Coffee O'Neill tea-pots"],
    ["archived:*", "Tea Coffee O'Neill Secret tea-pots"],
    ["tea OR archived = true", "Tea Secret tea-pots"],
    ["version > 1", "Coffee"],
    ["word_count = 0", ""],
    ["word_count >= 3 AND word_count < 4", "Tea"],
    ["created_at = 2026-03-03", "tea-pots"],
    ["created_at < 2026-03-03", "Tea"],
    ["created_at <= 2026-03-03", "Tea tea-pots"],
    ["created_at > 2026-03-03 AND created_at <= 2026-03-04T12:00:00Z", "Coffee"],
    ["created_at >= 2026-03-04T14:00:00+02:00", "Coffee O'Neill"],
    ["updated_at > 2026-03-05", "Coffee O'Neill"],
    ["  ", "Tea Coffee O'Neill tea-pots"]
  ])("%s finds %s", async (filter, titles) => {
    const order = await found("/notes", filter, "sort=-pinned,title&")
    expect(order.split(" ").toSorted()).toEqual(titles.split(" ").toSorted())
  })

  it("matches notes and notebooks by id", async () => {
    expect(await found("/notes", `id = ${ids.Tea}`)).toBe("Tea")
    expect(await found("/notes", `id IN (${ids.Tea}, "${ids.Coffee}", nt_none)`)).toBe("Tea Coffee")
    expect(await found("/notes", `notebook_id = ${ids.garden}`)).toBe("Coffee")
    expect(await found("/notes", `notebook_id = ${ids.inbox} AND pinned = false`, "sort=title&")).toBe(
      "O'Neill tea-pots"
    )
    expect(await found("/notes", `notebook_id != ${ids.inbox}`)).toBe("Coffee")
    // An unknown notebook, or one of another workspace, matches no note.
    expect(await found("/notes", "notebook_id = nb_0123456789012345678901")).toBe("")
  })

  it("never returns notes in the trash", async () => {
    const { id } = await given("POST", "/notes", { notebook_id: notebook, title: "Thrown" })
    await given("DELETE", `/notes/${id}`)
    for (const filter of ["title = Thrown", `id = ${id}`, "title:* OR archived:*", "NOT title = none"]) {
      expect(await found("/notes", filter)).not.toContain("Thrown")
    }
  })

  it("continues only with the cursor of the same filter", async () => {
    const filter = encodeURIComponent("tags:* OR tea OR archived = true")
    const all = (await given("GET", `/notes?filter=${filter}`)).data.map(show)
    const pages: Array<string> = []
    let next = `/notes?limit=1&filter=${filter}`
    while (true) {
      const { data, has_more, next_cursor } = await given("GET", next)
      pages.push(...data.map(show))
      expect(data).toHaveLength(1)
      if (!has_more) break
      await refuse({ status: 400, code: "cursor_mismatch" }, "GET", `/notes?cursor=${next_cursor}`)
      await refuse({ status: 400, code: "cursor_mismatch" }, "GET", `/notes?filter=tea&cursor=${next_cursor}`)
      next = `/notes?limit=1&filter=${filter}&cursor=${next_cursor}`
    }
    expect(pages).toEqual(all)
    expect(all).toHaveLength(4)
  })
})

describe("filter of other lists", () => {
  it.each([
    ["/notebooks", "name = GARDEN", "Garden"],
    ["/notebooks", "name = g*", "Garden"],
    ["/notebooks", "ros", "Roses"],
    ["/notebooks", "name > h", "Inbox Roses"],
    ["/notebooks", "parent_id:*", "Roses"],
    ["/notebooks", "parent_id = null", "Garden Inbox"],
    ["/notebooks", "NOT parent_id:* AND icon = leaf", "Garden"],
    ["/notebooks", "color = #0A0", "Garden"],
    ["/notebooks", 'color = "#00aa00"', "Garden"],
    ["/notebooks", "color != #0A0", "Inbox Roses"],
    ["/notebooks", "NOT color = #0A0", "Inbox Roses"],
    ["/notebooks", "icon IN (inbox, leaf)", "Garden Inbox"],
    ["/notebooks", "note_count > 1", "Inbox"],
    ["/notebooks", "created_at <= 2026-03-01", "Garden Inbox Roses"],
    ["/notebooks", "updated_at > 2026-03-01", ""],
    ["/tags", "name = DRINKS", "Drinks"],
    ["/tags", "o", "home"],
    ["/tags", "note_count >= 2", "Drinks home"],
    ["/tags", "NOT color:*", "Drinks home"],
    ["/tags", "created_at = 2026-03-02", "Drinks home"]
  ])("%s?filter=%s finds %s", async (path, filter, names) => {
    expect(await found(path, filter)).toBe(names)
  })

  it("applies to devices", async () => {
    await given("POST", "/sync/pull", { device: { name: "Old Phone", platform: "android" } })
    await app.advance("1 day")
    await given("POST", "/sync/pull", { device: { name: "Laptop", platform: "linux" } })
    const [laptop] = (await given("GET", "/sync/devices")).data
    expect(await found("/sync/devices", 'name = "old phone"')).toBe("Old Phone")
    expect(await found("/sync/devices", "lap")).toBe("Laptop")
    expect(await found("/sync/devices", "platform != Linux")).toBe("Old Phone")
    expect(await found("/sync/devices", `id = ${laptop.id}`)).toBe("Laptop")
    expect(await found("/sync/devices", `last_used_at >= ${laptop.created_at}`)).toBe("Laptop")
    expect(await found("/sync/devices", "current = false", "sort=last_used_at&")).toBe("Old Phone Laptop")
    const mine = address("/sync/devices", "current = true")
    const { body } = await app.call("GET", mine, undefined, { "device-id": laptop.id })
    expect(body.data.map(show)).toEqual(["Laptop"])
  })

  it("does not apply to versions", async () => {
    const versions = await given("GET", `/notes/${ids.Coffee}/versions`)
    expect(versions.data).toHaveLength(2)
  })
})

describe("filter in another workspace", () => {
  it("finds nothing of this workspace", async () => {
    const { headers, workspace_id } = await guest(app, { elsewhere: true })
    for (const filter of [
      "title:*",
      "archived:*",
      `id = ${ids.Tea}`,
      `notebook_id = ${ids.inbox}`,
      "tags:home",
      "tags = *",
      "NOT tags:home",
      "title = none OR archived = true",
      `"${workspace_id}" OR tea`
    ]) {
      const { body, status } = await app.call("GET", address("/notes", filter), undefined, headers)
      expect([status, body.data, body.has_more], filter).toEqual([200, [], false])
    }
  })
})

describe("invalid filter", () => {
  it.each([
    ["/notes", "colour = red", 0],
    ["/notes", "tea AND pots OR cups", 13],
    ["/notes", 'title = "tea', 8],
    ["/notes", "pinned > true", 7],
    ["/notes", "restored_from:*", 0],
    ["/notes", "workspace_id = x", 0],
    ["/notes", "tea\0", 3],
    ["/notebooks", "(a", 0],
    ["/tags", "name_key = x", 0],
    ["/sync/devices", "credential_id:*", 0]
  ])("%s?filter=%s is rejected at position %d, with the allowed fields", async (path, filter, position) => {
    const { body } = await refuse({ status: 400, code: "invalid_filter" }, "GET", address(path, filter))
    expect(body.position).toBe(position)
    expect(body.allowed_fields).toEqual(expect.arrayContaining(["id", "created_at"]))
    expect(body.allowed_fields).not.toContain("workspace_id")
  })

  it.each([
    'title = "\'; DROP TABLE notes; --"',
    "' OR 1=1 --",
    "'; DELETE FROM notes; --'",
    '"\') OR true --"',
    "title:\"%' OR '1'='1\"",
    'tags:"\') OR true) --"',
    'id IN ("x\') OR (true", y)',
    "notebook_id = \"x' OR workspace_id <> 'x\"",
    'title = "$1"',
    'title = "\\\\\' OR true --"'
  ])("is never executed as SQL: %s", async (filter) => {
    const { body, status } = await app.call("GET", address("/notes", filter))
    // The filter is either invalid, or a search text that no note contains.
    expect(status === 400 ? body.code : body.data).toEqual(status === 400 ? "invalid_filter" : [])
    expect(await found("/notes", "archived:*")).toContain("Tea")
  })

  it("is not executed as SQL in a sort", async () => {
    for (const sort of ["title; DROP TABLE notes", "(SELECT 1)", "title--", "-title DESC, id", "name_key", "seq"]) {
      await refuse({ status: 400, code: "invalid_sort" }, "GET", `/notes?sort=${encodeURIComponent(sort)}`)
    }
  })
})

describe("filter with few matches", () => {
  beforeEach(() => app.sql("DELETE FROM notes WHERE title = 'filler'"))

  const fill = (count: number, body: string) =>
    app.sql(
      `INSERT INTO notes (
        workspace_id, id, notebook_id, title, body, tags, pinned, archived, version, word_count, created_at, updated_at
      )
      SELECT $1, 'nt_' || lpad(n::text, 20, '0'), $2, 'filler', ${body}, '{}', false, false, 1, 1,
        '2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z' FROM generate_series(1, $3::int) n`,
      [app.workspace_id, notebook, count]
    )

  /** Repeats a request that times out, as clients do on a slow machine. */
  const asked = (path: string): Promise<any> =>
    eventually("a page is returned", async () => {
      const answer = await app.call("GET", path)
      if (answer.status !== 503) expect(answer.status, answer.text).toBe(200)
      return answer.status === 200 && answer.body
    })

  /** Returns the titles on each page. */
  const walk = async (filter: string, query = "") => {
    const pages: Array<string> = []
    let cursor: string | null = null
    do {
      const from: string = cursor === null ? "" : `cursor=${cursor}&`
      const page: any = await asked(address("/notes", filter, query + from))
      pages.push(page.data.map(show).join(" "))
      expect(page.has_more).toBe(page.next_cursor !== null)
      cursor = page.next_cursor
    } while (cursor !== null)
    return pages
  }

  it("examines 10 000 rows per page, and continues at the first row not examined", async () => {
    await fill(20_050, "'x'")
    // The pinned note "Tea" is first in the order, so it is among the first 10 000 rows.
    expect(await walk("tea")).toEqual(["Tea", "", "tea-pots"])
    expect(await walk('"no such thing"')).toEqual(["", "", ""])
    expect(await walk("body:x", "limit=100&")).toHaveLength(201)
    // With an index, only the rows that the index returns are examined.
    expect(await walk(`notebook_id = ${ids.garden}`)).toEqual(["Coffee"])
    expect(await walk(`notebook_id = ${ids.garden} AND crème`)).toEqual(["Coffee"])
    expect(await walk("tea AND updated_at < 2026-12-31")).toEqual(["Tea tea-pots"])
  })

  it("reports no further page when the 10 000th row is the last", async () => {
    const [row] = await app.sql("SELECT count(*)::int AS count FROM notes WHERE deleted_at IS NULL AND NOT archived")
    await fill(10_000 - row.count, "'x'")
    expect(await walk('"no such thing"')).toEqual([""])
    await given("POST", "/notes", { notebook_id: notebook, title: "one more" })
    expect(await walk('"no such thing"')).toEqual(["", ""])
  })

  it("examines at most 24 MB per page, and less for a filter with more terms", async () => {
    await fill(24, "repeat('x', 1048576)")
    expect(await walk("tea")).toEqual(["Tea", "tea-pots"])
    const many = Array.from({ length: 11 }, (_, index) => `body:none${index}`).join(" OR ")
    expect(await walk(`body:pots OR ${many}`)).toHaveLength(Math.ceil(24 / (48 / 13)))
  })

  it("finds a long text at any position in a longer text, and no text that is absent", async () => {
    const long = `ä${"b_%".repeat(400)}ö`
    const border = 262_144
    // Before, across and after the boundary of the first chunk, and at the end.
    for (const [before, after] of [
      [100, border],
      [border - 700, border],
      [border - 1, 10],
      [border, 10],
      [2 * border - 600, 0]
    ] as const) {
      await app.sql("DELETE FROM notes WHERE title = 'filler'")
      await fill(1, `repeat('a', ${before}) || '${long}' || repeat('a', ${after})`)
      expect(await walk(`body:"${long.toUpperCase()}"`)).toEqual(["filler"])
      expect(await walk(`body:"${long.slice(0, -1)}b"`)).toEqual([""])
      expect(await walk(`body = "*${long}*"`)).toEqual(["filler"])
      expect(await walk(`body = "*${long}"`)).toEqual([after === 0 ? "filler" : ""])
    }
  })

  it("returns at most 4 MB per page, and the rest on the next", async () => {
    await fill(5, "repeat('y', 1048576)")
    expect(await walk("body:yyy")).toEqual(["filler filler filler filler", "filler"])
  })
})
