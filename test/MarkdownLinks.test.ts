import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..")

const documents = [
  "",
  "docs",
  "docs/guides",
  "docs/skills/sheaf",
  "patches",
  "services/search/engine",
  "services/transfers/formats"
].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(folder, file))
)

/** Links to pages that the service creates, which work only where it serves the document. */
const pages = ["/docs/problems", "/docs/webhook-events"]

/** The text of a document without code blocks, and without inline code unless `withCode` is set. */
const textOf = (file: string, withCode = false): string => {
  const prose = readFileSync(join(root, file), "utf8").replaceAll(/^( *)```[\s\S]*?^\1```/gm, "")
  return withCode ? prose : prose.replaceAll(/`[^`\n]*`/g, "")
}

/** The anchors of a document's headings, in the format of GitHub and of the pages of /docs. */
const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set(
    [...textOf(file, true).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-")
    )
  )

const isBroken = (file: string, target: string): boolean => {
  const [path, anchor] = target.split("#") as [string, string?]
  if (path.startsWith("/")) return !pages.includes(path)
  const found = path === "" ? file : relative(root, join(root, dirname(file), path))
  if (!existsSync(join(root, found))) return true
  return anchor !== undefined && !anchorsOf(found).has(anchor)
}

describe.each(documents)("%s", (file) => {
  it("links only to existing files and headings", () => {
    const links = [...textOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
    expect(links.filter((target) => !/^[a-z]+:/.test(target) && isBroken(file, target))).toEqual([])
  })

  it("names only existing files of the repository", () => {
    const named = [...textOf(file, true).matchAll(/`((?:src|services|test|scripts|docs|patches)\/[\w./-]*)`/g)]
    expect(named.map(([, path]) => path!).filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

it("comments of the source cite pages that exist", () => {
  const files = ["src", "services", "scripts", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(ts|mts|mjs)$/.test(file) && !file.includes("node_modules"))
      .map((file) => join(folder, file))
  )
  const cited = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/(?<![\w./])(?:docs|patches)\/[\w/-]+\.md/g)].map(([page]) => [
      file,
      page
    ])
  )
  expect(cited.length).toBeGreaterThan(5)
  expect(cited.filter(([, page]) => !existsSync(join(root, page!)))).toEqual([])
})
