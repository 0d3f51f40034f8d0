import { beforeAll, expect, it } from "vitest"
import { callTool } from "../support/mcp/McpWire.ts"
import { useApp } from "../support/useApp.ts"
import { questions, vault } from "./DemoVault.ts"

const { app, given } = useApp()

beforeAll(async () => {
  for (const [name, notes] of Object.entries(vault)) {
    const { id } = await given("POST", "/notebooks", { name })
    for (const note of notes) await given("POST", "/notes", { notebook_id: id, ...note })
  }
  await app.idle()
})

it("there are twelve questions", () => expect(questions).toHaveLength(12))

it.each(questions)("$question is found in at most four calls", async ({ fact, find }) => {
  let calls = 0
  const found = await find(async (tool, args) => {
    calls++
    const made = await callTool(
      { url: app.url, headers: { authorization: `Bearer ${app.key}` }, query: "?mode=read" },
      tool,
      args
    )
    expect(made?.isError, JSON.stringify(made)).toBe(false)
    return made?.value
  })
  expect(found).toContain(fact)
  expect(calls).toBeLessThanOrEqual(4)
})
