import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
import { planDefaults } from "../../../services/workspaces/Plans.ts"
import { hasSamples, samples, withSamples } from "../../services/transfers/Reading.ts"
import { enex, type File, json, markdown, notion } from "../../services/transfers/SmallExports.ts"
import { type ZipEntry, zipOf } from "../../services/transfers/Zip.ts"
import { Importing } from "../../support/Importing.ts"
import { sampled } from "../../support/Slow.ts"
import { tableHashes } from "../../support/tableHashes.ts"
import { Team } from "../../support/people/Team.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const start = async (of: TestApp = app) => new Importing(await Team.start(of))

const outcomeOf = ({
  attachments,
  errors,
  imported,
  notebooks,
  progress,
  skipped,
  status,
  tags,
  total,
  updated
}: any) => ({ status, imported, skipped, updated, notebooks, tags, attachments, total, progress, errors })

/** The tables that a preview changes: its own record, and the blob of its file. */
const own = ["imports", "blobs"]

/** The hashes of all tables but those, and the blobs that records use. */
const others = async (of: TestApp) => {
  const hashes = await tableHashes(of)
  const used = await of.sql("SELECT workspace_id, sha256, size, refs FROM blobs WHERE refs > 0 ORDER BY 1, 2")
  return { used, ...Object.fromEntries(Object.entries(hashes).filter(([name]) => !own.includes(name))) }
}

/** Previews a file, then imports it: both have the same outcome, and the preview changes nothing. Returns the import. */
const both = async (importing: Importing, { bytes, filename, source }: File, more: object = {}) => {
  const of = importing.team.app
  await of.idle()
  const before = await others(of)
  const preview = await importing.all(source, filename, bytes, { ...more, preview: true })
  await of.idle()
  expect(await others(of), filename).toEqual(before)
  const real = await importing.all(source, filename, bytes, more)
  await of.idle()
  expect([preview.preview, real.preview]).toEqual([true, false])
  expect(outcomeOf(preview), filename).toEqual(outcomeOf(real))
  return real
}

/** Many notes in several batches, with folders, tags, links, and files that they share. */
const many = (count: number, text = "text"): File => {
  const notes = Array.from({ length: count }, (_, number): ZipEntry => ({
    name: `Folder ${number % 7}/Inside ${number % 3}/Note ${number}.md`,
    content: `${text} #tag${number % 11} [[Note ${number + 1}]] ${number % 5 === 0 ? `![[p${number % 50}.png]]` : ""}`
  }))
  const files = Array.from({ length: 10 }, (_, number): ZipEntry => ({
    name: `files/p${number * 5}.png`,
    content: `picture ${number}`
  }))
  return { source: "markdown", filename: "vault.zip", bytes: zipOf([...notes, ...files]) }
}

describe("a preview of an import", () => {
  it.each([
    ["markdown", markdown],
    ["json", json],
    ["enex", enex],
    ["notion", notion]
  ] as const)("of %s has the outcome of the import, in each way to treat existing notes", async (_, file) => {
    const own = await start()
    expect(await both(own, file())).toMatchObject({ status: "done" })
    expect(await both(own, file())).toMatchObject({ imported: 0 })
    const changed = file({ first: "changed", further: true, picture: "B picture" })
    expect(await both(own, changed, { on_existing: "update" })).toMatchObject({ imported: 1, updated: 1 })
    const [first] = (await own.notes()).filter(({ title }) => title === "First")
    await own.team.patch(`/notes/${first.id}`, { body: "mine" })
    expect(await both(own, file({ first: "again" }), { on_existing: "update" })).toMatchObject({ imported: 1 })
    expect((await both(own, file(), { on_existing: "duplicate" })).imported).toBeGreaterThan(1)
  })

  it("sees in each batch what the earlier ones would have made", async () => {
    const own = await start()
    const made = await both(own, many(650))
    expect(made).toMatchObject({ imported: 650, notebooks: 7 + 21, tags: 11, attachments: 130 })
    expect(await both(own, many(700, "changed"), { on_existing: "update" })).toMatchObject({
      imported: 50,
      updated: 650
    })
    const { id: notebook_id } = await own.team.post("/notebooks", { name: "Here" })
    await both(own, many(300), { on_existing: "duplicate", notebook_id })
  })
})

describe.skipIf(!hasSamples)(`previews of sample files${withSamples}`, () => {
  const paths = [
    ["markdown", "markdown/obsidian-help-en.zip"],
    ["markdown", "markdown/obsidian-sandbox.zip"],
    ["markdown", "markdown/logseq-docs.zip"],
    ["markdown", "markdown/obsdconv-testdata.zip"],
    ["markdown", "markdown/obsidian-importer-markdown.zip"],
    ["notion", "notion/obsimp-notion-testspace.zip"],
    ["notion", "notion/cobertos-zip_simple.zip"],
    ["notion", "notion/cobertos-zip_complex.zip"],
    ["notion", "notion/pureleap-auto-relation-demo-workspace.zip"],
    ["auto", "notion/appflowy-import_test.zip"],
    ["markdown", "markdown/hostile-zips/not-a-zip.zip"],
    ["enex", "enex/made/missing-media.enex"],
    ["enex", "enex/made/truncated.enex"],
    ["auto", "badinput/enex-xml-attacks/xxe-file.enex"]
  ] as const
  it.each(sampled(paths, 5))("%s of %s has the outcome of the import", async (source, path) => {
    const own = await start()
    const file = { source, filename: basename(path), bytes: readFileSync(join(samples, path)) }
    await both(own, file)
    await both(own, file, { on_existing: "update" })
    // An export of it, into a workspace that keeps the ids, and back into its own.
    if (source !== "markdown") return
    const { bytes } = await own.exported("json")
    const back = { source: "json", filename: "export.zip", bytes }
    await both(await start(), back)
    await both(own, back, { on_existing: "duplicate" })
  })
})
