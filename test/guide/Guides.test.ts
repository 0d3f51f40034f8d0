import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { guideFiles } from "../../src/server/reference/GuideFiles.ts"
import { blocksOf, matching, runGuide, shells } from "../support/GuideBlocks.ts"
import { freePort } from "../support/servers/freePort.ts"
import { useApp } from "../support/useApp.ts"

const port = await freePort()
// The live clock runs the jobs; files are sent to the URLs in responses.
const { app } = useApp({ clock: "live", settings: { port, publicUrl: `http://127.0.0.1:${port}` } })

const docs = join(import.meta.dirname, "../../docs")
const files = guideFiles.map(({ file }) => file).filter((file) => file.startsWith("guides/"))
describe.each([...files, "api.md", "clients.md"])("%s", (file) => {
  it.for(shells)("has commands with the documented output in $name$missing", async ({ path }, { skip }) => {
    if (path === undefined) return skip()
    for (const { command, printed, stated } of await runGuide(path, file, app)) {
      if (stated !== undefined) expect(printed, command).toMatch(matching(stated))
    }
  })

  it("has only blocks of tested languages", () => {
    const tried = new Set(["sh", "ts", "python", "text", "json", "filter", "http"])
    expect(blocksOf(file).filter(({ language }) => !tried.has(language))).toEqual([])
  })
})

it("each guide is listed", () => {
  expect(
    readdirSync(join(docs, "guides"))
      .map((file) => `guides/${file}`)
      .sort()
  ).toEqual(files.toSorted())
})

it("each filter of the guide to lists is valid", async () => {
  const filters = blocksOf("guides/lists.md").filter(({ language }) => language === "filter")
  const lines = filters.flatMap(({ code }) => code.trim().split("\n"))
  expect(lines.length).toBeGreaterThan(8)
  for (const line of lines) {
    const { status, text } = await app.call("GET", `/notes?filter=${encodeURIComponent(line)}`)
    expect([status, text], line).toEqual([200, expect.anything()])
  }
})
