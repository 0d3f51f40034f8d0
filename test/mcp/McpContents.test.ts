import { expect, it } from "vitest"
import { callTool } from "../support/mcp/McpWire.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()

const call = async (name: string, args: Readonly<Record<string, unknown>>): Promise<any> =>
  (await callTool({ url: app.url, headers: { authorization: `Bearer ${app.key}` } }, name, args))?.value

it("note_links, list_tasks and set_task show and change what the texts contain", async () => {
  const notebook_id = (await given("GET", "/notebooks")).data[0].id
  const note = async (title: string, body: string) => (await given("POST", "/notes", { notebook_id, title, body })).id
  const plan = await note("The plan", "- [ ] tickets 📅 2026-12-01\n- [x] hotel\n")
  const diary = await note("Diary", "See [[The plan]], and the plan of [[Nobody]].")
  const mentioning = await note("Letter", "This is the plan.")
  expect((await call("note_links", { note_id: plan, direction: "in" })).links).toMatchObject([
    {
      note_id: diary,
      title: "Diary",
      target: "The plan",
      context: "See The plan, and the plan of Nobody.",
      status: "resolved",
      target_id: plan
    }
  ])
  expect((await call("note_links", { note_id: diary, direction: "broken" })).links).toMatchObject([
    { target: "Nobody", status: "missing" }
  ])
  expect((await call("note_links", { note_id: plan, direction: "unlinked" })).links).toMatchObject([
    { note_id: mentioning, status: "unlinked", context: "This is the plan." }
  ])
  const open = { note_id: plan, title: "The plan", version: 1, done: false, text: "tickets", due: "2026-12-01" }
  const { tasks } = await call("list_tasks", { filter: "done = false AND due < 2026-12-02" })
  expect(tasks).toMatchObject([open])
  expect((await call("list_tasks", {})).tasks).toHaveLength(1)
  const [{ id }] = tasks
  expect(await call("set_task", { id, version: 1, done: true })).toMatchObject({ id, version: 2 })
  expect((await given("GET", `/notes/${plan}`)).body).toBe("- [x] tickets 📅 2026-12-01\n- [x] hotel\n")
  expect(await call("set_task", { id, version: 1, done: false })).toMatchObject({ code: "precondition_failed" })
})
