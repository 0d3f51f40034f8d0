import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { sha256Of } from "../../support/Files.ts"
import { Importing } from "../../support/Importing.ts"
import { sampled } from "../../support/Slow.ts"
import { Team } from "../../support/people/Team.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { type Unzipped, unzip } from "../../support/Unzip.ts"
import { useApp } from "../../support/useApp.ts"
import { linksIn, Vault } from "../../support/VaultLinks.ts"
import { hasSamples, samples, withSamples } from "../../services/transfers/Reading.ts"
import { zipOf } from "../../services/transfers/Zip.ts"

const { app } = useApp()

const start = async () => new Importing(await Team.start(app))

const matter = /^---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/
const idOf = (text: string) => /^id: (\S+)$/m.exec(text)?.[1]
/** Removes the front matter of the export and that of the source. */
const bodyOf = (text: string) => text.replace(matter, "").replace(matter, "")

/** Returns the hashes of the files of a vault that are neither notes nor files of applications. */
const hashesOf = (files: ReadonlyMap<string, Buffer>): ReadonlyArray<string> => {
  const others = [...files].filter(
    ([name]) =>
      !/\.(md|markdown)$|\/$|(^|\/)\.[^/]*\/|\.textbundle\/info\.json$|(^|\/)logseq\/(config\.edn|custom\.css|bak\/)/.test(
        name
      )
  )
  return [...new Set(others.map(([, bytes]) => sha256Of(bytes)))].toSorted()
}

/** Settings of applications, which are not part of the notes. */
const applicationFiles = /(^|\/)(\.[^/]*|logseq)\//

const lostLinksOf = (done: any): ReadonlyArray<string> =>
  done.errors.flatMap(({ code, file, message }: any) =>
    code === "link_not_found" || code === "missing_file" ? [`${file}: ${message}`] : []
  )

/** Returns the bodies of an export by path. */
const bodiesOf = async (own: Importing): Promise<Readonly<Record<string, string>>> => {
  const { files } = await own.exported("markdown")
  const notes = [...files].filter(([path]) => path.endsWith(".md"))
  return Object.fromEntries(notes.map(([path, bytes]) => [path, bodyOf(bytes.toString())]))
}

const vault: Readonly<Record<string, string>> = {
  "Root.md": [
    "[[Plan]], ![[Plan]], [[plan|the plan]], [[Plan#Goals]], [[Plan#Goals|goals]], [to it](Work/Plan.md#Goals), [[#Here]]",
    "![[pixel.png]], ![[pixel.png|a dot|100x50]], [[Old]], [old](Work/Old.md), [[Gone]], [[Moved]], [[Nowhere]]",
    "| [[Plan\\|in a table]] |",
    "|---|",
    "",
    "`[[Plan]]`, [again](Work/Plan.md), [ref][]",
    "",
    "[ref]: Work/Plan.md",
    "",
    "# Here"
  ].join("\n"),
  "Work/Plan.md": "## Goals\n\n[up](../Root.md), ![[pixel.png]], [[Root|Old]], [[Root]]",
  "Work/Old.md": "[itself](Old.md)",
  "Work/Gone.md": "[[Plan]]",
  "Work/Moved.md": "[plan](Plan.md), [[Plan]], [up](../Root.md)"
}

describe("exports of imported notes", () => {
  it("restore paths and link forms where the links still have the same target", async () => {
    const own = await start()
    const entries = Object.entries(vault).map(([name, content]) => ({ name, content }))
    await own.all("markdown", "vault.zip", zipOf([...entries, { name: "Work/pixel.png", content: "a picture" }]))
    const first = await own.exported("markdown")
    expect([...first.files.keys()].toSorted()).toEqual([...Object.keys(vault), "_attachments/pixel.png"].toSorted())
    expect(await bodiesOf(own)).toEqual(vault)
    expect((await own.exported("markdown")).bytes.equals(first.bytes)).toBe(true)

    const notes = new Map((await own.notes()).map((note) => [note.title, note]))
    const { team } = own
    const elsewhere = await team.post("/notebooks", { name: "Elsewhere" })
    await team.patch(`/notes/${notes.get("Old").id}`, { title: "New" })
    await team.patch(`/notes/${notes.get("Moved").id}`, { notebook_id: elsewhere.id })
    await app.call("DELETE", `/notes/${notes.get("Gone").id}`, undefined, team.owner.headers)
    const root = notes.get("Root")
    await team.patch(`/notes/${root.id}`, { body: `Before: [mine](note:${notes.get("Plan").id})\n\n${root.body}` })
    expect(await bodiesOf(own)).toEqual({
      "Root.md": `Before: [mine](Work/Plan.md)\n\n${vault["Root.md"]!.replace(
        "[[Old]], [old](Work/Old.md)",
        "[Old](Work/New.md), [old](Work/New.md)"
      ).replace("[[Gone]]", `[Gone](note:${notes.get("Gone").id})`)}`,
      "Work/Plan.md": vault["Work/Plan.md"],
      "Work/New.md": "[itself](New.md)",
      "Elsewhere/Moved.md": "[plan](../Work/Plan.md), [[Plan]], [up](../Root.md)"
    })
  })

  it("give a name to the earlier note, and use paths where a name would lead to another target", async () => {
    const own = await start()
    const notebook = await own.team.post("/notebooks", { name: "Work" })
    const first = await own.team.post("/notes", { notebook_id: notebook.id, title: "Plan" })
    await app.advance("1 second")
    const later = new Date(Date.parse(first.created_at) + 1_000).toISOString()
    const entries = [
      { name: "Work/Plan.md", content: `---\ncreated: ${later}\n---\nimported` },
      { name: "Work/Start.md", content: "[[Plan]] ![[same.bin]]" },
      { name: "Work/same.bin", content: "one" }
    ]
    await own.all("markdown", "vault.zip", zipOf(entries))
    const bodies = await bodiesOf(own)
    expect(bodies["Work/Plan.md"]).toBe("")
    expect(bodies["Work/Plan (2).md"]).toBe("imported")
    expect(bodies["Work/Start.md"]).toBe("[Plan](Plan%20%282%29.md) ![[same.bin]]")
  })

  it("contain unknown properties in a single front matter, which an import restores", async () => {
    const own = await start()
    const properties = "# mine\naliases: [Boat]\n\nup: '[[Other]] [x](Other.md)'\n"
    const entries = [
      { name: "Note.md", content: `---\ntags: [a]\n${properties}---\n\n[[Other]]\n` },
      { name: "Other.md", content: "other" }
    ]
    await own.all("markdown", "vault.zip", zipOf(entries))
    const { bytes, files } = await own.exported("markdown")
    const file = files.get("Note.md")!.toString()
    expect(file.split("\npinned: false\n")[1]).toBe(`${properties}---\n\n[[Other]]\n`)

    const again = await start()
    expect((await again.all("markdown", "export.zip", bytes)).errors).toEqual([])
    const bodyWithout = (notes: ReadonlyArray<any>) => notes[0].body.replace(/note:nt_\w+/g, "note:")
    const [before, after] = [await own.notes(), await again.notes()]
    expect(bodyWithout(after)).toBe(`---\n${properties}---\n\n[Other](note:)\n`)
    expect(before[0].body.split("---\n")[1]).toBe(properties)
    expect(after[0].tags).toEqual(before[0].tags)
  })
})

/** Compares the notes of an export with the vault: equal, different, moved, and dangling links. */
const compareWithVault = (
  exported: ReadonlyMap<string, Buffer>,
  vault: ReadonlyMap<string, Buffer>,
  pathOf: ReadonlyMap<string, string>
) => {
  const differ: Array<string> = []
  const moved: Array<string> = []
  const dangling: Array<string> = []
  const after = new Vault(exported.keys())
  const before = new Vault([...vault.keys()].filter((path) => !applicationFiles.test(path)))
  let [same, links] = [0, 0]
  for (const [path, content] of exported) {
    if (!path.endsWith(".md")) continue
    const text = content.toString()
    const body = bodyOf(text)
    const now = linksIn(body)
    links += now.length
    const was = pathOf.get(idOf(text) ?? "")
    const old = was === undefined ? undefined : vault.get(was)
    // Not a note of the vault: the import created it to list the unused files.
    if (was === undefined || old === undefined) {
      dangling.push(...now.filter((link) => after.dangles(link, path)).map(({ target }) => `${path}: ${target}`))
      continue
    }
    if (path !== was) moved.push(was)
    const source = bodyOf(old.toString().replace(/^\uFEFF/, ""))
    if (source === body) same++
    else differ.push(was)
    const were = source === body ? now : linksIn(source)
    const known = were.map((link) => before.dangles(link, was))
    for (const [index, link] of now.entries()) {
      // A link that was added or removed shifts the following ones; then a target may dangle if it dangles in the
      // vault.
      const did =
        were.length === now.length ? known[index] : old.toString().includes(link.target) && before.dangles(link, was)
      if (after.dangles(link, path) && did !== true) dangling.push(`${path}: ${link.target}`)
    }
  }
  return { same, differ, moved, links, dangling }
}

/** Returns the files of a vault, including those in its packed bundles, which are notes too. */
const unpacked = async ({ files }: Unzipped): Promise<ReadonlyMap<string, Buffer>> => {
  const all = new Map<string, Buffer>()
  for (const [path, content] of files) {
    if (!path.endsWith(".textpack")) all.set(path, content)
    else for (const [inner, bytes] of (await unzip(content)).files) all.set(join(dirname(path), inner), bytes)
  }
  return all
}

describe.skipIf(!hasSamples)(`imported vaults${withSamples}`, () => {
  // Differences are links to files next to a note (exported to one folder), names set by notes, and syntax of Logseq
  // only.
  const vaults: ReadonlyArray<readonly [name: string, alike: number, others: number, links: number]> = [
    ["obsidian-importer-markdown.zip", 16, 4, 21],
    ["obsidian-sandbox.zip", 31, 0, 69],
    ["obsidian-help-en.zip", 173, 0, 2280],
    ["logseq-docs.zip", 13, 300, 4131],
    ["obsdconv-testdata.zip", 86, 6, 443]
  ]
  it.each(sampled(vaults, 1))(
    "of %s contain all files, %i notes exported unchanged, %i with different links, and keep all %i links",
    async (...row) => {
      const [name, alike, others] = row
      const own = await start()
      const bytes = readFileSync(join(samples, "markdown", name))
      const files = await unpacked(await unzip(bytes))
      const done = await own.all("markdown", name, bytes)
      const lists = done.errors.filter(({ code }: any) => code === "unused_files").length
      expect({ status: done.status, notes: done.imported - lists }).toEqual({ status: "done", notes: alike + others })
      const hashes = (await own.attached()).map(({ sha256 }) => sha256)
      expect([...new Set(hashes)].toSorted()).toEqual(hashesOf(files))
      await expectTruth(app, own.team.id)

      const found = await own.exported("markdown")
      const rows = await app.sql("SELECT note_id, path FROM note_originals WHERE workspace_id = $1", [own.team.id])
      const pathOf = new Map(rows.map(({ note_id, path }) => [note_id, path]))
      const { dangling, differ, links, moved, same } = compareWithVault(found.files, files, pathOf)
      expect(dangling).toEqual([])
      expect([name, same, differ.length, links], differ.join("\n")).toEqual(row)
      expect(moved.filter((path) => !path.includes(".textbundle/"))).toEqual([])

      // Exporting and importing again, in each format, changes nothing.
      const json = await own.exported("json")
      const other = new Importing(await Team.of(app, own.team.owner))
      await app.call("PATCH", `/workspaces/${other.team.id}`, { plan: "team" }, other.team.owner.headers)
      expect(await other.all("json", "export.zip", json.bytes)).toMatchObject({ status: "done", errors: [] })
      const again = await other.exported("json")
      expect([...again.files.keys()]).toEqual([...json.files.keys()])
      for (const [path, bytes] of json.files) {
        if (path !== "manifest.json") expect(again.files.get(path)!.equals(bytes), path).toBe(true)
      }
      await expectTruth(app, other.team.id)

      const third = await start()
      const brought = await third.all("markdown", "export.zip", found.bytes)
      expect(brought).toMatchObject({ status: "done", imported: done.imported })
      expect(lostLinksOf(brought).toSorted()).toEqual(lostLinksOf(done).toSorted())
      const last = await third.exported("markdown")
      const body = (bytes: Buffer | undefined) => bytes?.toString().replace(/^---\n[\s\S]*?\n---\n/, "")
      expect([...last.files.keys()].toSorted()).toEqual([...found.files.keys()].toSorted())
      for (const [path, bytes] of found.files) {
        if (path.endsWith(".md")) expect(body(last.files.get(path)), path).toBe(body(bytes))
      }
      await expectTruth(app, third.team.id)
      await own.leftNothing()
    }
  )
})
