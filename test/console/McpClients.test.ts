import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { mcpClients } from "../../src/console/start/McpClients.ts"

const guide = readFileSync(join(import.meta.dirname, "../../docs/mcp.md"), "utf8")

/** The blocks of the guide: the bold name and the name of the file before each, the language and the content. */
const blocks = [
  ...guide
    .slice(guide.indexOf("## Configure the assistant"), guide.indexOf("## Tools"))
    .matchAll(/^\*\*(.+?)\*\*[^`]*`([^`]+)`[^]*?```(\w+)\n([^]*?)\n```$/gm)
].map(([, name, file, language, content]) => ({ name, file, language, content: content! }))

it("the start page configures the same programs in the same way as the guide", () => {
  const url = "https://notes.example.com/mcp"
  expect(mcpClients.map(({ file, name }) => ({ file, name }))).toEqual(blocks.map(({ file, name }) => ({ file, name })))
  for (const [index, { configuration }] of mcpClients.entries()) {
    const { content, language } = blocks[index]!
    if (language === "json") expect(JSON.parse(configuration(url))).toEqual(JSON.parse(content))
    else expect(configuration(url)).toBe(content)
  }
})

it("a configuration that contains the key has the key that was made", () => {
  for (const { configuration, keyPlace, name } of mcpClients) {
    expect([name, configuration("https://notes.example.com/mcp", "sfk_1").includes("sfk_1")]).toEqual([
      name,
      keyPlace === "content"
    ])
  }
})
