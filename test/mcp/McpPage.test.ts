import { readFileSync } from "node:fs"
import { parse } from "smol-toml"
import { expect, it } from "vitest"
import { blocksOf } from "../support/GuideBlocks.ts"
import { toolNames } from "../support/mcp/McpWire.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8")
const blocks = (language: string) => blocksOf("mcp.md").filter((block) => block.language === language)

/** The members of a configuration that name a server, whatever the assistant. */
const serverOf = (configuration: any) =>
  (configuration.mcpServers ?? configuration.servers ?? configuration.mcp_servers).sheaf

it("docs/mcp.md has valid configurations, each with the address of the server", () => {
  expect(blocksOf("mcp.md").map(({ language }) => language)).toEqual([
    "text",
    "sh",
    "sh",
    "sh",
    "json",
    "json",
    "json",
    "json",
    "toml"
  ])
  const servers = [
    ...blocks("json").map(({ code }) => serverOf(JSON.parse(code))),
    ...blocks("toml").map(({ code }) => serverOf(parse(code)))
  ]
  // Requests for keys.
  for (const { code } of blocks("sh").filter((block) => block.heading !== "Give it the skill"))
    JSON.parse(/-d '([^']+)'/.exec(code)![1]!)
  for (const server of servers) expect(server.url ?? server.args[2]).toBe("https://notes.example.com/mcp")
})

it("docs/mcp.md lists the tools of the server, and those of connected apps", async () => {
  const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(page).toContain("| `search`, `fetch` |")
  const tools = await toolNames({ url: app.url, headers: { authorization: `Bearer ${app.key}` } })
  expect(listed.filter((name) => name !== "profile")).toEqual(tools)
})
