import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { mcpConfigurations } from "../../src/clients/console/start/McpConfigurations.ts"

const guide = readFileSync(join(import.meta.dirname, "../../docs/mcp.md"), "utf8")

/** The blocks of the guide: the bold name and the name of the file before each, and the content. */
const blocks = [
  ...guide
    .slice(guide.indexOf("## Configure the assistant"), guide.indexOf("## Tools"))
    .matchAll(/^\*\*(.+?)\*\*[^`]*`([^`]+)`[^]*?```\w+\n([^]*?)\n```$/gm)
].map(([, name, file, content]) => ({ name, file, content: content! }))

it("the start page configures the same programs in the same way as the guide", () => {
  const made = mcpConfigurations.map(({ content, file, name }) => ({
    name,
    file,
    content: content("https://notes.example.com/mcp")
  }))
  // JSON has other lines here than in the guide.
  const compared = (content: string) => (content.startsWith("{") ? JSON.parse(content) : content)
  expect(made.map((each) => ({ ...each, content: compared(each.content) }))).toEqual(
    blocks.map((each) => ({ ...each, content: compared(each.content) }))
  )
})

it("a configuration that contains the key has the key that was made", () => {
  const withKey = mcpConfigurations.filter(({ content }) =>
    content("https://notes.example.com/mcp", "sfk_1").includes("sfk_1")
  )
  expect(withKey).toEqual(mcpConfigurations.filter(({ keyPlace }) => keyPlace === "content"))
})
