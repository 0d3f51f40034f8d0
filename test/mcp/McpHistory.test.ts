import { expect, it } from "vitest"
import { callTool } from "../support/mcp/McpWire.ts"
import { statementsOf } from "../support/Statements.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()

const call = async (args: Readonly<Record<string, unknown>>): Promise<any> =>
  (await callTool({ url: app.url, headers: { authorization: `Bearer ${app.key}` } }, "note_history", args))?.value

const note = async (body: string): Promise<string> => {
  const inbox = (await given("GET", "/notebooks")).data[0].id
  return (await given("POST", "/notes", { notebook_id: inbox, title: "Before", body, tags: ["kept", "old"] })).id
}

it("a difference has the changed properties", async () => {
  const note_id = await note("text")
  const notebook = (await given("POST", "/notebooks", { name: "Other" })).id
  const { notebook_id } = await given("GET", `/notes/${note_id}`)
  const change = { title: "After", notebook_id: notebook, tags: ["new", "kept"], pinned: true, archived: true }
  await given("PATCH", `/notes/${note_id}`, change)
  expect((await call({ note_id, version: 2 })).diff).toEqual([
    "- title: Before",
    "+ title: After",
    `- notebook_id: ${notebook_id}`,
    `+ notebook_id: ${notebook}`,
    "- tag: old",
    "+ tag: new",
    "- pinned: false",
    "+ pinned: true",
    "- archived: false",
    "+ archived: true"
  ])
  expect((await call({ note_id, version: 1 })).diff).toEqual(["+ 1: text"])
})

it("a difference has the last line break", async () => {
  const note_id = await note("one\ntwo")
  await given("PATCH", `/notes/${note_id}`, { body: "one\ntwo\n" })
  expect((await call({ note_id, version: 2 })).diff).toEqual(["- last line break: no", "+ last line break: yes"])
})

it("long lines of a difference are shown where they differ", async () => {
  const start = "a".repeat(5_000)
  const note_id = await note(`${start} first ${"b".repeat(5_000)}`)
  await given("PATCH", `/notes/${note_id}`, { body: `${start} second ${"b".repeat(5_000)}` })
  const { diff } = await call({ note_id, version: 2 })
  expect(diff).toHaveLength(2)
  expect(diff[0]).toMatch(/^- 1: …a{99} first b+…$/)
  expect(diff[1]).toMatch(/^\+ 1: …a{99} second b+…$/)
})

it("a difference with a deleted version names the argument for another one", async () => {
  const note_id = await note("one")
  await given("PATCH", `/notes/${note_id}`, { body: "two" })
  await given("PATCH", `/notes/${note_id}`, { body: "three" })
  await given("DELETE", `/notes/${note_id}/versions/2`)
  expect((await call({ note_id, version: 3 })).errors).toMatchObject([{ field: "compare_with", code: "unknown" }])
  expect((await call({ note_id, version: 3, compare_with: 1 })).diff).toEqual(["- 1: one", "+ 1: three"])
})

it("the list of versions reads no bodies", async () => {
  const note_id = await note("one")
  await given("PATCH", `/notes/${note_id}`, { body: "two" })
  const { answer, statements } = await statementsOf(app, /note_versions/, () => call({ note_id }))
  expect(answer.versions).toHaveLength(2)
  expect(statements).toHaveLength(1)
  expect(statements[0]).not.toContain("body")
})
