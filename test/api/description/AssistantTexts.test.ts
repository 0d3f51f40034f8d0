import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { guideFiles } from "../../../src/server/reference/GuideFiles.ts"
import { runCommands, shells } from "../../support/GuideBlocks.ts"
import { toolNames } from "../../support/mcp/McpWire.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
/** The address in texts, and the one where the test reaches the server. */
const publicUrl = "http://sheaf.test"
let origin: string
let list: string

beforeAll(async () => {
  origin = new URL(app.url).origin
  list = await text("/llms.txt")
})

const get = (path: string, headers: Record<string, string> = {}) => fetch(origin + path, { headers })
const text = async (path: string): Promise<string> => {
  const response = await get(path)
  expect([response.status, response.headers.get("content-type")], path).toEqual([200, "text/markdown; charset=utf-8"])
  return response.text()
}
const linksOf = (markdown: string): ReadonlyArray<string> =>
  [...markdown.matchAll(/\]\((https?:[^()\s]+)\)/g)].map(([, url]) => url!)
const ownLinks = (markdown: string) => linksOf(markdown).filter((url) => url.startsWith(publicUrl))
const pathOf = (url: string) => url.slice(publicUrl.length).split("#", 1)[0]!

describe("/llms.txt", () => {
  it("has the form of llmstxt.org", () => {
    const [title, empty, summary] = list.split("\n")
    expect([title, empty]).toEqual(["# Sheaf", ""])
    expect(summary).toMatch(/^> Sheaf is /)
    const sections = list.split(/^## /m).slice(1)
    expect(sections.map((section) => section.split("\n", 1)[0])).toEqual(["Guides", "For assistants", "API reference"])
    for (const section of sections)
      for (const line of section.split("\n").slice(1))
        if (line !== "") expect(line).toMatch(/^- \[[^[\]]+\]\(http:\/\/sheaf\.test\/[^()\s]+\): \S.+$/)
  })

  it("lists the guides, the OpenAPI description and each resource, and each link leads to a page", async () => {
    const { tags } = (await (await get("/v2/openapi.json")).json()) as any
    const links = linksOf(list)
    expect(links).toEqual(ownLinks(list))
    for (const { slug } of guideFiles) expect(links).toContain(`${publicUrl}/docs/${slug}.md`)
    expect(links).toContain(`${publicUrl}/v2/openapi.json`)
    for (const { name } of tags) expect(list).toContain(`- [${name}](`)
    for (const link of links) expect([link, (await get(pathOf(link))).status]).toEqual([link, 200])
  })

  it("leads to texts in Markdown, whose links lead to pages", async () => {
    const seen = new Set<string>()
    for (const link of ownLinks(list).filter((each) => each.endsWith(".md"))) {
      const markdown = await text(pathOf(link))
      expect(markdown, link).toMatch(/^(---|# )/)
      expect(markdown, link).not.toContain("127.0.0.1:4000")
      expect(markdown, link).not.toContain("path-of-the-server")
      for (const each of ownLinks(markdown)) seen.add(pathOf(each))
      expect([...markdown.matchAll(/\]\((?!https?:|#|note:|attachment:)[^()\s]*\.md[^()\s]*\)/g)], link).toEqual([])
    }
    expect(seen.size).toBeGreaterThan(8)
    for (const path of seen) expect([path, (await get(path)).status]).toEqual([path, 200])
  })

  it("has texts of resources with each operation and a call", async () => {
    const notes = await text("/docs/notes.md")
    expect(notes).toContain("## Create a note\n\n`POST /notes`, operation `createNote`")
    expect(notes).toContain(`curl -X POST \\\n  ${publicUrl}/v2/notes \\\n`)
    expect((await get("/docs/nothing.md")).status).toBe(404)
    expect((await get("/docs/_llms.md")).status).toBe(404)
  })

  it("returns 304 for a known text, and no cache keeps it without a question", async () => {
    for (const path of ["/llms.txt", "/docs/guides/webhooks.md", "/.well-known/agent-skills/sheaf/SKILL.md"]) {
      const { headers } = await get(path)
      expect([headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual(["no-cache", "nosniff"])
      expect((await get(path, { "if-none-match": headers.get("etag")! })).status).toBe(304)
    }
  })

  it("has the path of PUBLIC_URL in all addresses", async () => {
    const below = await startApp({ databaseOf: app, settings: { publicUrl: "https://sheaf.test/notes" } })
    const there = new URL(below.url).origin
    for (const path of [
      "/llms.txt",
      "/docs/guides/errors.md",
      "/docs/notes.md",
      "/.well-known/agent-skills/sheaf/SKILL.md"
    ]) {
      const markdown = await (await fetch(there + path)).text()
      const own = [...markdown.matchAll(/https?:\/\/sheaf\.test[^\s)`]*/g)].map(([url]) => url)
      expect(own.length, path).toBeGreaterThan(3)
      expect(own.filter((url) => !url.startsWith("https://sheaf.test/notes"))).toEqual([])
    }
    await below.stop()
  })
})

it("has the pages that the metadata of OAuth names", async () => {
  for (const path of ["oauth-authorization-server", "oauth-protected-resource", "oauth-protected-resource/mcp"]) {
    const metadata = (await (await get(`/.well-known/${path}`)).json()) as any
    const page: string = metadata.service_documentation ?? metadata.resource_documentation
    expect([page, (await get(pathOf(page))).status]).toEqual([page, 200])
  }
})

describe("the skill for assistants", () => {
  const folder = "/.well-known/agent-skills"
  let skill: string
  beforeAll(async () => {
    skill = await text(`${folder}/sheaf/SKILL.md`)
  })

  it("is in the index with the digest of its bytes", async () => {
    const response = await get(`${folder}/index.json`)
    expect(response.headers.get("content-type")).toBe("application/json")
    const { $schema, skills } = (await response.json()) as any
    const { description, name } = parse(/^---\n([\s\S]*?)\n---\n/.exec(skill)![1]!)
    expect($schema).toBe("https://schemas.agentskills.io/discovery/0.2.0/schema.json")
    const digest = `sha256:${createHash("sha256").update(skill).digest("hex")}`
    expect(skills).toEqual([
      { name, type: "skill-md", description, url: `${publicUrl}${folder}/sheaf/SKILL.md`, digest }
    ])
    expect(name).toBe("sheaf")
    expect(description.length).toBeLessThanOrEqual(1024)
  })

  it("has at most 100 lines, names tools that exist, and links that lead to pages", async () => {
    expect(skill.split("\n").length).toBeLessThanOrEqual(101)
    const tools = await toolNames({ url: app.url, headers: { authorization: `Bearer ${app.key}` } })
    const mcp = /## With MCP\n([\s\S]*?)\n## /.exec(skill)![1]!
    const named = [...mcp.matchAll(/`([a-z]+_[a-z_]+|whoami)`/g)].map(([, tool]) => tool!)
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => !tools.includes(name))).toEqual(["mutation_id"])
    const urls = [...skill.matchAll(/http:\/\/sheaf\.test(\/[\w./-]*\w)/g)].map(([, path]) => path!)
    for (const path of new Set(urls)) {
      if (/^\/(mcp|v2|v2\/errors\/CODE)$/.test(path)) continue
      expect([path, (await get(path)).status]).toEqual([path, 200])
    }
  })

  const shell = shells[0]!
  it.skipIf(shell.path === undefined)(`has commands that work${shell.missing}`, async () => {
    const code = /```sh\n([\s\S]*?)```/.exec(skill)![1]!.replaceAll(publicUrl, origin)
    const place = mkdtempSync(join(tmpdir(), "sheaf-skill-"))
    const [output] = await runCommands(shell.path!, place, [`export SHEAF_KEY=${app.key}\n${code}`])
    expect(output).toMatch(/"title": "Groceries",\s+"snippet": "[^\n]+"\s+\}\n2\n"Groceries"/)
    rmSync(place, { recursive: true })
  })
})
