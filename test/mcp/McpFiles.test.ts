import { beforeAll, describe, expect, it } from "vitest"
import { Files, someBytes } from "../support/Files.ts"
import { clientKinds, connect } from "../support/mcp/McpClients.ts"
import { callTool, type McpWire, request } from "../support/mcp/McpWire.ts"
import { guest } from "../support/people/People.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp({ settings: { rateLimit: 0 } })

const wire = (): McpWire => ({ url: app.url, headers: { authorization: `Bearer ${app.key}` } })

const call = async (tool: string, args: Readonly<Record<string, unknown>>, by = wire()): Promise<any> =>
  await callTool(by, tool, args)

/** The whole result of a call, with its blocks. */
const resultOf = async (file_id: string): Promise<any> =>
  (await request(wire(), "tools/call", { name: "read_file", arguments: { file_id } })).body.result

const note = async (): Promise<string> => {
  const inbox = (await given("GET", "/notebooks")).data[0].id
  return (await given("POST", "/notes", { notebook_id: inbox, title: "Files", body: "text" })).id
}

const png = (length: number): Buffer => Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), someBytes(length)])

let note_id = ""
const make = (bytes: Uint8Array, more: object): Promise<any> => new Files(app).make(note_id, bytes, more)

beforeAll(async () => {
  note_id = await note()
})

describe("the files of a note", () => {
  it("are listed, newest first, without those whose bytes have not arrived", async () => {
    const id = await note()
    const files = new Files(app)
    const one = await files.make(id, someBytes(10), { filename: "one.bin" })
    await app.advance("1 second")
    const two = await files.make(id, someBytes(20), { filename: "two.bin" })
    await given("POST", "/attachments/uploads", { note_id: id, filename: "pending.bin" })
    expect((await call("list_files", { note_id: id })).value).toMatchObject({
      files: [
        { id: two.id, filename: "two.bin", size: 20 },
        { id: one.id, filename: "one.bin", size: 10 }
      ],
      next_cursor: null
    })
  })

  it("of a note that does not exist, or is in the trash, are not found", async () => {
    for (const id of ["nt_none", "x OR size > 0", `nt_${"x".repeat(22)}`]) {
      expect((await call("list_files", { note_id: id })).value, id).toMatchObject({ code: "not_found" })
    }
    const id = await note()
    const { id: file_id } = await new Files(app).make(id, someBytes())
    expect((await call("list_files", { note_id: id })).value.files).toHaveLength(1)
    await given("DELETE", `/notes/${id}`)
    expect((await call("list_files", { note_id: id })).value.detail).toContain("in the trash")
    expect((await call("read_file", { file_id })).value.code).toBe("not_found")
  })

  it("do not exist in another workspace", async () => {
    const { id: file_id } = await make(Buffer.from("secret"), {})
    const stranger = { url: app.url, headers: (await guest(app, { elsewhere: true })).headers }
    expect((await call("read_file", { file_id }, stranger)).value.code).toBe("not_found")
    expect((await call("list_files", { note_id }, stranger)).value.code).toBe("not_found")
  })
})

describe("a text file", () => {
  it.each([
    ["table.csv", "text/csv", Buffer.from("a;b\n1;é\n"), "a;b\n1;é\n"],
    ["marked.txt", "text/plain", Buffer.from("\ufeffmarked"), "marked"],
    ["data.json", "application/json", Buffer.from('{"a": "\u8a9e"}'), '{"a": "\u8a9e"}'],
    ["unnamed", "application/octet-stream", Buffer.from("plain text"), "plain text"],
    ["wide.txt", "text/plain", Buffer.from("\ufeffwide", "utf16le"), "wide"]
  ])("%s of the type %s is read as text", async (filename, content_type, bytes, text) => {
    const { id: file_id } = await make(bytes, { filename, content_type })
    const { value } = await call("read_file", { file_id })
    expect(value).toMatchObject({ id: file_id, note_id, kind: "text", from_line: 1, text, next: null })
  })

  it("that is longer than a response is read by parts, until it is complete", async () => {
    const text = Array.from({ length: 2_000 }, (_, index) => `line ${index} "語"`).join("\n")
    const { id: file_id } = await make(Buffer.from(text), { filename: "long.txt" })
    let joined = ""
    for (let next: any = { line: 1, character: 0 }; next !== null;) {
      const { value } = await call("read_file", { file_id, from_line: next.line, from_character: next.character })
      joined += value.text
      next = value.next
    }
    expect(joined).toBe(text)
    expect((await call("read_file", { file_id, from_line: 2_001 })).value.errors).toMatchObject([
      { field: "from_line", code: "out_of_range" }
    ])
  })
})

describe("an image", () => {
  it.each(clientKinds)("is image content for the official client %s", async (kind) => {
    const bytes = png(500_000)
    const { id: file_id } = await make(bytes, { filename: "a.png", content_type: "image/png" })
    const client = await connect(kind, app)
    expect(await client.done("read_file", { file_id })).toMatchObject({ kind: "image", filename: "a.png" })
    await client.close()
    const { content } = await resultOf(file_id)
    expect(content[1]).toMatchObject({ type: "image", mimeType: "image/png" })
    expect(Buffer.from(content[1].data, "base64").equals(bytes)).toBe(true)
    expect((await call("read_file", { file_id, from_line: 1 })).value.errors).toMatchObject([{ field: "from_line" }])
  })

  it("has the type of its bytes, whatever its name says; other bytes are no image", async () => {
    const named = await make(png(100), { filename: "a.jpg", content_type: "image/jpeg" })
    expect((await resultOf(named.id)).content[1]).toMatchObject({ type: "image", mimeType: "image/png" })
    const fake = await make(someBytes(100), { filename: "b.png", content_type: "image/png" })
    expect((await resultOf(fake.id)).content[1]).toMatchObject({ type: "resource_link" })
  })

  it("of more than 700 000 bytes is a link", async () => {
    const { id } = await make(png(700_000), { filename: "large.png", content_type: "image/png" })
    expect((await resultOf(id)).content[1]).toMatchObject({ type: "resource_link" })
  })
})

describe("any other file", () => {
  it.each([
    ["of bytes", someBytes(1_000)],
    ["of a text that is too large", Buffer.from("x".repeat(1_048_577))]
  ])("%s is an address, with its end", async (_, bytes) => {
    const { id: file_id } = await make(bytes, { filename: "any.bin" })
    const { content, structuredContent: value } = await resultOf(file_id)
    expect(content[1]).toEqual({ type: "resource_link", uri: value.url, name: file_id })
    expect(value).toMatchObject({ kind: "other", size: bytes.length, filename: "any.bin" })
    expect(value.url_expires_at).toBe(
      new Date(Date.parse((await call("whoami", {})).value.now) + 15 * 60_000).toISOString()
    )
    expect((await new Files(app).call("GET", value.url)).bytes.equals(bytes)).toBe(true)
    await app.advance("16 minutes")
    expect((await new Files(app).call("GET", value.url)).status).toBe(403)
  })
})

describe("comments", () => {
  it("need the plan, are listed by pages, and have the thread that they belong to", async () => {
    const free = await guest(app, { elsewhere: true })
    const [{ id: inbox }] = (await app.call("GET", "/notebooks", undefined, free.headers)).body.data
    const other = await app.call("POST", "/notes", { notebook_id: inbox, title: "Other" }, free.headers)
    const refused = await call("list_comments", { note_id: other.body.id }, { url: app.url, headers: free.headers })
    expect(refused.value).toMatchObject({ code: "plan_required" })
    const id = await note()
    const first = await given("POST", `/notes/${id}/comments`, { body: "Shall we?" })
    await app.advance("1 second")
    await given("POST", `/notes/${id}/comments`, { body: "語".repeat(5_000), parent_id: first.id })
    const page = (await call("list_comments", { note_id: id, limit: 1 })).value
    expect(page.comments).toMatchObject([{ id: first.id, text: "Shall we?" }])
    const rest = (await call("list_comments", { note_id: id, limit: 1, cursor: page.next_cursor })).value
    expect(rest).toMatchObject({ comments: [{ parent_id: first.id }], next_cursor: null })
    expect(rest.comments[0].text).toMatch(/^語{3000,}…$/)
  })
})

describe("a notebook", () => {
  it("is created once, also if the call is repeated, with an entry in the audit log", async () => {
    const outer = await call("create_notebook", { name: "Outer", mutation_id: "n1" })
    expect(await call("create_notebook", { name: "Outer", mutation_id: "n1" })).toEqual(outer)
    const inner = await call("create_notebook", { name: "Inner", parent_id: outer.value.id })
    expect(await given("GET", `/notebooks/${inner.value.id}`)).toMatchObject({
      name: "Inner",
      parent_id: outer.value.id
    })
    const [entry] = (await given("GET", "/audit-log?filter=action=tool.called&limit=1")).data
    expect(entry.metadata).toMatchObject({ tool: "create_notebook", records: [inner.value.id] })
    const unknown = await call("create_notebook", { name: "X", parent_id: "nb_none" })
    expect(unknown.value).toMatchObject({ code: "unresolved_reference", errors: [{ field: "parent_id" }] })
  })
})
