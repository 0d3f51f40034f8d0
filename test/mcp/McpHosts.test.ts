import { expect, it } from "vitest"
import { address, callTool, type McpWire, request } from "../support/mcp/McpWire.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()

const wire = (): McpWire => ({ url: app.url, headers: { authorization: `Bearer ${app.key}` } })

const call = async (tool: string, args: Readonly<Record<string, unknown>>): Promise<any> =>
  await callTool(wire(), tool, args)

const note = async (body = "one\ntwo\nthree\n"): Promise<string> => {
  const inbox = (await given("GET", "/notebooks")).data[0].id
  return (await given("POST", "/notes", { notebook_id: inbox, title: "Note", body })).id
}

it("takes null for an optional argument as absent, also within others, but not for a required or unknown one", async () => {
  const note_id = await note()
  expect((await call("search_notes", { query: "x", cursor: null, tags: null, limit: null })).isError).toBe(false)
  const properties = { title: null, pinned: true, archived: null }
  expect((await call("edit_note", { note_id, version: 1, append: null, properties })).value.version).toBe(2)
  expect(await given("GET", `/notes/${note_id}`)).toMatchObject({ title: "Note", pinned: true, archived: false })
  expect((await call("read_note", { note_id: null })).value.errors).toMatchObject([{ field: "note_id" }])
  expect((await call("list_tags", { limit: null })).value.errors).toMatchObject([{ code: "unknown_field" }])
  expect((await call("list_tags", { constructor: null })).value.errors).toMatchObject([{ code: "unknown_field" }])
})

it("takes null for all arguments as none, in each revision", async () => {
  const { body } = await request(wire(), "tools/call", { name: "list_tags", arguments: null })
  expect(body.result.isError).toBe(false)
  const earlier = await fetch(address(app.url), {
    method: "POST",
    headers: { ...wire().headers, "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tags","arguments":null}}'
  })
  expect(await earlier.json()).toMatchObject({ result: { isError: false } })
})

it("takes numbers, booleans, lists and objects as their JSON text", async () => {
  const note_id = await note()
  expect((await call("read_note", { note_id, from_line: "2", to_line: "2" })).value).toMatchObject({ text: "two\n" })
  const edit = {
    note_id,
    version: "1",
    replacements: JSON.stringify([{ old_text: "two", new_text: "2" }]),
    properties: '{"pinned": "true"}'
  }
  expect((await call("edit_note", edit)).value.version).toBe(2)
  expect(await given("GET", `/notes/${note_id}`)).toMatchObject({ body: "one\n2\nthree\n", pinned: true })
  expect((await call("search_notes", { query: "5", tags: '["none"]' })).value.notes).toEqual([])
  // A text stays a text.
  const json = await call("edit_note", { note_id, version: 2, append: '["5"]', mutation_id: "7" })
  expect(json.isError).toBe(false)
  expect((await given("GET", `/notes/${note_id}`)).body).toContain('["5"]')
})

it("refuses other texts for a number, a boolean or a list, and names them", async () => {
  const note_id = await note()
  for (const line of ["two", "", "1.5", "0", "0x1", "[1]", "-1", "99999999999"]) {
    const { value } = await call("read_note", { note_id, from_line: line })
    expect(value.errors, line).toMatchObject([{ field: "from_line" }])
  }
  const deep = await call("search_notes", { query: "x", tags: `${"[".repeat(50_000)}${"]".repeat(50_000)}` })
  expect(deep.value.errors).toMatchObject([{ field: "tags", code: "invalid_type" }])
  const pinned = await call("edit_note", { note_id, version: 1, properties: { pinned: "yes" } })
  expect(pinned.value.errors).toMatchObject([{ field: "properties.pinned", code: "invalid_type" }])
})

it("takes a call with null and one without the argument for the same call", async () => {
  const note_id = await note()
  const edit = { note_id, version: 1, append: "x", mutation_id: "same" }
  const first = await call("edit_note", edit)
  expect((await call("edit_note", { ...edit, prepend: null, version: "1" })).value).toEqual(first.value)
})

it("drops a byte order mark before each text of a call", async () => {
  const inbox = (await given("GET", "/notebooks")).data[0].id
  const made = await call("create_note", { notebook_id: inbox, title: "Marked", text: "\ufeff# One\n\ntwo" })
  const edit = {
    note_id: made.value.id,
    version: 1,
    replacements: [{ old_text: "\ufefftwo", new_text: "\ufeff2" }],
    under_heading: { heading: "One", text: "\ufeffthree" },
    prepend: "\ufefffirst",
    append: "\ufefflast"
  }
  expect((await call("edit_note", edit)).isError).toBe(false)
  expect((await given("GET", `/notes/${made.value.id}`)).body).toBe("first\n\n# One\n\n2\n\nthree\n\nlast")
  const empty = await call("edit_note", { note_id: made.value.id, version: 2, append: "\ufeff" })
  expect(empty.value.errors).toMatchObject([{ field: "append", code: "blank" }])
})

it("names the place and the characters of a text that only looks like the one to be replaced", async () => {
  const note_id = await note("one\n10\u00a0km \u201cfar\u201d\n")
  const replace = (old_text: string, version = 1) =>
    call("edit_note", { note_id, version, replacements: [{ old_text, new_text: "near" }] })
  const { value } = await replace('10 km "far"')
  expect(value).toMatchObject({ code: "validation_failed", found_in_lines: [2], text: "10\u00a0km \u201cfar\u201d" })
  expect(value.detail).toContain("The note has U+00A0 at character 2 of line 2, U+201C at character 6 of line 2")
  expect((await replace(value.text)).value.version).toBe(2)
})
