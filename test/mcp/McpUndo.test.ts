import { expect, it } from "vitest"
import { callTool, type McpWire } from "../support/mcp/McpWire.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()

const wire = (headers: Readonly<Record<string, string>> = {}): McpWire => ({
  url: app.url,
  headers: { authorization: `Bearer ${app.key}`, ...headers }
})
const call = async (name: string, args: Readonly<Record<string, unknown>>, headers = {}): Promise<any> =>
  (await callTool(wire(headers), name, args))?.value
const read = (id: string): Promise<any> => given("GET", `/notes/${id}`)

it("undo_my_changes takes back a run of calls, first as a preview, and keeps what a person wrote since", async () => {
  const notebook_id = (await given("GET", "/notebooks")).data[0].id
  const note = async (body: string) => (await given("POST", "/notes", { notebook_id, title: "A note", body })).id
  const [one, two] = [await note("one\n"), await note("a\n\nb\n")]
  expect(await call("undo_my_changes", {})).toMatchObject({ code: "not_found" })
  await call("edit_note", { note_id: one, version: 1, append: "machine" })
  await call("edit_note", { note_id: two, version: 1, prepend: "machine" })
  const made = await call("create_note", { notebook_id, title: "Made", text: "machine" })
  const body = (await read(two)).body
  await given("PATCH", `/notes/${two}`, { body: `${body}\nperson\n`, title: "Person's" })
  const counts = { status: "done", reverted: 2, merged: 1, kept: 0, stays: [`merged: note ${two} "Person's"`] }
  const preview = await call("undo_my_changes", { preview: true })
  expect(preview).toMatchObject({ ...counts, reverted_by: null })
  expect((await read(one)).body).toBe("one\n\nmachine")
  const undone = await call("undo_my_changes", {})
  expect(undone).toMatchObject({ ...counts, change_set: preview.change_set })
  expect(await read(one)).toMatchObject({ body: "one\n" })
  expect(await read(two)).toMatchObject({ body: "a\n\nb\n\nperson\n", title: "Person's" })
  expect((await app.call("GET", `/notes/${made.id}`)).status).toBe(404)
  // The next call begins another run, and the undo is a set too.
  await call("edit_note", { note_id: one, version: 3, append: "more" })
  expect((await call("undo_my_changes", { preview: true })).change_set).not.toBe(preview.change_set)
  expect(await call("undo_my_changes", { change_set: undone.reverted_by })).toMatchObject({ status: "done", kept: 0 })
  expect((await read(made.id)).body).toBe("machine")
})

it("the header Change-Set names the set of a call", async () => {
  const notebook_id = (await given("GET", "/notebooks")).data[0].id
  const change_set = "cs_0123456789abcdefghij"
  const made = await call("create_note", { notebook_id, title: "Made" }, { "change-set": change_set })
  expect(await call("undo_my_changes", { change_set })).toMatchObject({ reverted: 1, stays: [] })
  expect((await app.call("GET", `/notes/${made.id}`)).status).toBe(404)
})
