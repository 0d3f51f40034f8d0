import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type McpWire, request } from "../support/mcp/McpWire.ts"
import { rounds } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp({ settings: { rateLimit: 0 } })

const most = 24 * 1024

const wire = (): McpWire => ({ url: app.url, headers: { authorization: `Bearer ${app.key}` } })

/** Calls a tool; the whole response must be within the limit. */
const call = async (name: string, args: Readonly<Record<string, unknown>>): Promise<any> => {
  const { body, text } = await request(wire(), "tools/call", { name, arguments: args })
  expect(Buffer.byteLength(text), name).toBeLessThanOrEqual(most)
  return body.result.structuredContent ?? JSON.parse(body.result.content[0].text)
}

/** Reads all pages of a list. */
const all = async (name: string, member: string, args: Readonly<Record<string, unknown>>): Promise<Array<any>> => {
  const items: Array<any> = []
  let cursor: string | null = null
  do {
    const page: any = await call(name, { ...args, ...(cursor === null ? {} : { cursor }) })
    expect(page[member].length).toBeGreaterThan(0)
    items.push(...page[member])
    cursor = page.next_cursor
  } while (cursor !== null)
  return items
}

/** Characters that take many bytes in JSON, and those that take one. */
const unit = fc.constantFrom("a", " ", '"', "\\", "\n", "\u0001", "é", "語", "😀", "#", "`")
const body = fc
  .array(fc.tuple(fc.string({ unit, maxLength: 60 }), fc.integer({ min: 1, max: 400 })), { maxLength: 8 })
  .map((parts) => parts.map(([text, times]) => text.repeat(times)).join("\n"))

describe("responses of at most 24 KB", () => {
  it("continue a text of any kind by lines and characters, until it is complete", async () => {
    const inbox = (await given("GET", "/notebooks")).data[0].id
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const { id } = await given("POST", "/notes", { notebook_id: inbox, title: "Long", body: text })
        await call("read_note", { note_id: id })
        let joined = ""
        let next: any = { line: 1, character: 0 }
        while (next !== null) {
          const part = await call("read_note", { note_id: id, from_line: next.line, from_character: next.character })
          joined += part.text
          next = part.next
        }
        expect(joined).toBe(text)
      }),
      { numRuns: rounds(8, 100) }
    )
  })

  it("continue a long outline, a long difference, and refuse a stale edit of a long note", async () => {
    const inbox = (await given("GET", "/notebooks")).data[0].id
    const lines = Array.from({ length: 1_500 }, (_, index) => `# "Heading" ${index} ${"語".repeat(index % 90)}`)
    const { id } = await given("POST", "/notes", { notebook_id: inbox, title: "T", body: lines.join("\n") })
    const headings: Array<any> = []
    let from: number | null = 1
    while (from !== null) {
      const part: any = await call("read_note", { note_id: id, outline_from_line: from })
      headings.push(...part.outline)
      from = part.outline_next_line
    }
    expect(headings.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1))

    const changed: Array<string> = []
    let next: number | null = 0
    while (next !== null) {
      const part: any = await call("note_history", { note_id: id, version: 1, diff_from: next })
      changed.push(...part.diff)
      next = part.diff_next
    }
    expect(changed).toHaveLength(lines.length)
    const stale = await call("edit_note", { note_id: id, version: 9, append: "x".repeat(30_000) })
    expect(stale).toMatchObject({ code: "precondition_failed", current_version: 1, section: { from_line: 1_500 } })
  })

  it("continue lists of large notes, notebooks, tags and hits by cursors, and lose nothing", async () => {
    const notebook = (await given("POST", "/notebooks", { name: "Lists" })).id
    const title = "😀\u0001".repeat(90)
    for (let number = 0; number < 30; number++) {
      const tags = Array.from({ length: 40 }, (_, index) => `${number}"${"語".repeat(30)}${index}`)
      await given("POST", "/notes", { notebook_id: notebook, title: `${title} ${number}`, tags, body: "hit" })
    }
    for (let number = 0; number < 60; number++)
      await given("POST", "/notebooks", { name: `"語${"語\u0001".repeat(40)}${number}` })
    await app.idle()
    const listed = await all("list_notes", "notes", { filter: `notebook_id=${notebook}`, limit: 50 })
    expect(new Set(listed.map(({ id }) => id)).size).toBe(30)
    expect(listed).toHaveLength(30)
    const hits = await all("search_notes", "notes", { query: "hit", notebook_id: notebook, limit: 25 })
    expect(new Set(hits.map(({ id }) => id)).size).toBe(30)
    expect(await all("list_notebooks", "notebooks", {})).toHaveLength(
      (await given("GET", "/notebooks?limit=100")).data.length
    )
    expect(await all("list_tags", "tags", {})).toHaveLength(1_200)
  })

  it("have whole titles of 200 code points", async () => {
    const inbox = (await given("GET", "/notebooks")).data[0].id
    const title = "😀".repeat(200)
    const { id } = await given("POST", "/notes", { notebook_id: inbox, title })
    expect((await call("read_note", { note_id: id })).title).toBe(title)
    expect((await call("list_notes", { filter: `id = ${id}` })).notes[0].title).toBe(title)
  })

  it("of problems and protocol errors do not repeat long texts of the request", async () => {
    const long = "x".repeat(300_000)
    await call("list_notes", { filter: long })
    await call("list_notes", { cursor: long })
    await call("read_note", { note_id: long })
    await call("edit_note", { [long]: 1 })
    await call("search_notes", { query: `"${"語".repeat(480)}"` })
    for (const [method, params] of [
      ["tools/call", { name: "n".repeat(20_000) }],
      ["resources/read", { uri: "n".repeat(20_000) }]
    ] as const) {
      const { text } = await request(wire(), method, params)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most)
    }
  })
})
