import { expect, it } from "vitest"
import { address, callTool, type McpWire, request } from "../support/McpWire.ts"
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
