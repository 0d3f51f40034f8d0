import { expect, it } from "vitest"
import { callTool, type McpWire } from "../support/mcp/McpWire.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()

const wire = (): McpWire => ({ url: app.url, headers: { authorization: `Bearer ${app.key}` } })
const call = async (name: string, args: Readonly<Record<string, unknown>>): Promise<any> =>
  (await callTool(wire(), name, args))?.value
const note = async (body: string): Promise<string> => {
  const inbox = (await given("GET", "/notebooks")).data[0].id
  return (await given("POST", "/notes", { notebook_id: inbox, title: "Edited", body })).id
}

it("edit_note ticks tasks, and sets properties of the front matter next to those of the note", async () => {
  const note_id = await note("---\na: 1 # one\n---\n- [ ] tickets\n")
  const made = await call("edit_note", {
    note_id,
    version: 1,
    tasks: '[{"line": 4, "text": "tickets", "done": true}]',
    properties: { title: "New", set: { a: 2, tags: ["x"] }, remove: ["none"] }
  })
  expect(made).toMatchObject({ id: note_id, version: 2, lines: 6 })
  expect(await given("GET", `/notes/${note_id}`)).toMatchObject({
    title: "New",
    body: "---\na: 2 # one\ntags:\n  - x\n---\n- [x] tickets\n"
  })
})

it("edit_note and read_note find a heading by its path", async () => {
  const note_id = await note("# Trips\n\n## Vienna\n\n# Food\n\n## Vienna\n")
  const edit = { note_id, version: 1, under_heading: { heading: "Vienna", text: "x" } }
  const refused = await call("edit_note", edit)
  expect(refused).toMatchObject({ code: "validation_failed", current_version: 1, found_in_lines: [3, 7] })
  await call("edit_note", { ...edit, under_heading: { heading: "Food / Vienna", text: "x" } })
  expect(await call("read_note", { note_id, section: "Food / Vienna" })).toMatchObject({
    from_line: 7,
    text: "## Vienna\nx"
  })
})

it("edit_note refuses a line that is no task, another text, and a stale version, and shows what is there", async () => {
  const note_id = await note("# A\n- [ ] one\n- [ ] two\n")
  const tick = (task: object, version = 1) => call("edit_note", { note_id, version, tasks: [{ ...task, done: true }] })
  expect(await tick({ line: 1 })).toMatchObject({ errors: [{ field: "tasks.0.line" }], text: "# A" })
  expect(await tick({ line: 2, text: "two" })).toMatchObject({
    errors: [{ field: "tasks.0.text" }],
    found_in_lines: [3],
    text: "- [ ] one"
  })
  await given("PATCH", `/notes/${note_id}`, { body: "# B\n\n# A\n- [ ] two\n- [ ] one\n" })
  expect(await tick({ line: 2, text: "one" })).toMatchObject({
    code: "precondition_failed",
    current_version: 2,
    section: { from_line: 3, text: "# A\n- [ ] two\n- [ ] one\n" }
  })
  expect(await tick({ line: 5, text: "one" }, 2)).toMatchObject({ version: 3 })
})
