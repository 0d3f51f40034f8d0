import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
import { planDefaults } from "../../../services/workspaces/Plans.ts"
import { hasSamples, samples, withSamples } from "../../services/transfers/Reading.ts"
import { enex, type File, json, markdown, notion } from "../../services/transfers/SmallExports.ts"
import { type ZipEntry, zipOf } from "../../services/transfers/Zip.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { ofOperator } from "../../support/OperatorJob.ts"
import { limitedTransfers } from "../../support/reach/LimitedTransfers.ts"
import { Importing } from "../../support/Importing.ts"
import { rounds, sampled } from "../../support/Slow.ts"
import { tableHashes } from "../../support/storage/tableHashes.ts"
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
const others = async (of: TestApp): Promise<Readonly<Record<string, unknown>>> => {
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
  const formats = [
    ["markdown", markdown],
    ["json", json],
    ["enex", enex],
    ["notion", notion]
  ] as const
  it.each(sampled(formats, 2))(
    "of %s has the outcome of the import, in each way to treat existing notes",
    async (_, file) => {
      const own = await start()
      expect(await both(own, file())).toMatchObject({ status: "done" })
      expect(await both(own, file())).toMatchObject({ imported: 0 })
      const changed = file({ first: "changed", further: true, picture: "B picture" })
      expect(await both(own, changed, { on_existing: "update" })).toMatchObject({ imported: 1, updated: 1 })
      const [first] = (await own.notes()).filter(({ title }) => title === "First")
      await own.team.patch(`/notes/${first.id}`, { body: "mine" })
      expect(await both(own, file({ first: "again" }), { on_existing: "update" })).toMatchObject({ imported: 1 })
      expect((await both(own, file(), { on_existing: "duplicate" })).imported).toBeGreaterThan(1)
    }
  )

  it("sees in each batch what the earlier ones would have made", async () => {
    const own = await start()
    const count = rounds(250, 650)
    const made = await both(own, many(count))
    expect(made).toMatchObject({ imported: count, notebooks: 7 + 21, tags: 11, attachments: count / 5 })
    expect(await both(own, many(count + 50, "changed"), { on_existing: "update" })).toMatchObject({
      imported: 50,
      updated: count
    })
    const { id: notebook_id } = await own.team.post("/notebooks", { name: "Here" })
    await both(own, many(rounds(110, 300)), { on_existing: "duplicate", notebook_id })
  })
})

describe("a preview of an import, and the import,", () => {
  it("stop at the same limits of the plan", async () => {
    const team = {
      ...planDefaults.team,
      notes: 40,
      tags: 3,
      notebooks: 5,
      attachments: 12,
      attachment_bytes: 450_000,
      storage_bytes: 2_000_000
    }
    const policies = { signUp: "open", planChanges: "owner", ownedWorkspaces: 0 } as const
    const small = await startApp({ settings: { policies: { ...policies, limits: { ...planDefaults, team } } } })
    try {
      const own = await start(small)
      const large = Array.from({ length: 14 }, (_, number): ZipEntry => ({
        name: `large ${number}.bin`,
        content: String(number % 10).repeat(number === 3 ? 460_000 : 400_000 + number)
      }))
      const shown = { name: "a.md", content: large.map(({ name }) => `![[${name}]]`).join(" ") }
      const full = await both(own, { source: "markdown", filename: "large.zip", bytes: zipOf([shown, ...large]) })
      // The plan's storage is full before twice as much is kept.
      expect(full.errors.map(({ code, message }: any) => [code, /allows|keep/.exec(message)?.[0]])).toEqual(
        expect.arrayContaining([
          ["too_large", "allows"],
          ["quota_exceeded", "allows"],
          ["quota_exceeded", "keep"]
        ])
      )
      const done = await both(own, many(60))
      expect(done).toMatchObject({ imported: 39, tags: 3, status: "done" })
      expect(await both(own, many(60, "changed"), { on_existing: "update" })).toMatchObject({ updated: 39 })
      expect(await both(own, { ...markdown(), filename: "other.zip" })).toMatchObject({ status: "failed" })
    } finally {
      await small.stop()
    }
  })

  it("give a note at most 1000 files", async () => {
    const own = await start()
    const files = Array.from({ length: 1_100 }, (_, number) => ({ name: `f${number}.bin`, content: `file ${number}` }))
    const vault = (count: number) => {
      const links = files.slice(0, count).map(({ name }) => `![[${name}]]`)
      return zipOf([{ name: "All.md", content: links.join(" ") }, ...files.slice(0, count)])
    }
    expect(await both(own, { source: "markdown", filename: "some.zip", bytes: vault(900) })).toMatchObject({
      attachments: 900,
      errors: []
    })
    const more = { on_existing: "update" }
    const done = await both(own, { source: "markdown", filename: "all.zip", bytes: vault(1_100) }, more)
    expect(done).toMatchObject({ updated: 1, attachments: 100 })
    expect(done.errors.map(({ message }: any) => message)).toEqual([
      "A note has at most 1000 attachments: 100 items were not imported, starting with this one"
    ])
  })

  it("bring the comments, histories and templates of a JSON export", async () => {
    const own = await start()
    const { team } = own
    const { id: notebook_id } = await team.post("/notebooks", { name: "Work" })
    await team.post("/templates", { name: "Letter", body: "Dear" })
    const note = await team.post("/notes", { notebook_id, title: "Long", body: "0", tags: ["red"] })
    for (const number of [1, 2, 3, 4, 5]) await team.patch(`/notes/${note.id}`, { body: `${number} `.repeat(120_000) })
    const { id: parent_id } = await team.post(`/notes/${note.id}/comments`, { body: "first" })
    for (let count = 0; count < 120; count++)
      await team.post(`/notes/${note.id}/comments`, { body: "reply", parent_id })
    await team.post("/reminders", { note_id: note.id, remind_at: "2030-01-01T00:00:00Z" })
    const { bytes } = await own.exported("json")
    const file = { source: "json", filename: "export.zip", bytes }
    const empty = await start()
    expect(await both(empty, file)).toMatchObject({ imported: 1, notebooks: 2, tags: 1, errors: [] })
    expect((await empty.team.get(`/notes/${note.id}/comments?limit=100`)).has_more).toBe(true)
    await both(empty, file, { on_existing: "update" })
    await both(own, file)
    await both(own, file, { on_existing: "duplicate" })
  })

  it("by a limited key stay in its notebook", async () => {
    const { ask, closed, home, imported, note, owner, secret } = await limitedTransfers(app)
    await note(secret, "Hidden")
    await note(closed, "Closed")
    const bytes = zipOf([
      { name: "Below/Deeper/A.md", content: "#seen [[B]] ![[p.png]]" },
      { name: "B.md", content: "b" },
      { name: "p.png", content: "a picture" }
    ])
    const body = { notebook_id: home }
    await app.idle()
    const before = await others(app)
    const preview = await imported(bytes, { ...body, preview: true })
    await app.idle()
    expect(await others(app)).toEqual(before)
    const real = await imported(bytes, body)
    expect(outcomeOf(preview)).toEqual(outcomeOf(real))
    expect(real).toMatchObject({ imported: 2, notebooks: 1, attachments: 1 })
    const again = { ...body, on_existing: "update" }
    expect(outcomeOf(await imported(bytes, { ...again, preview: true }))).toEqual(
      outcomeOf(await imported(bytes, again))
    )
    expect((await ask("GET", `/imports/${preview.id}`)).status).toBe(200)
    expect((await ask("POST", "/imports", { source: "auto", preview: true })).body.code).toBe("validation_failed")
    expect((await ask("POST", "/imports", { source: "auto", notebook_id: closed, preview: true })).status).toBe(404)
    // The owner has notes and tags that the key does not reach.
    const whole = await owner.imported(bytes, { preview: true })
    expect(whole).toMatchObject({ status: "done", skipped: 2 })
  })
})

describe("a preview", () => {
  it("is a field of the form, is listed, and is named where a dry run is refused", async () => {
    const own = await start()
    const { bytes, filename } = markdown()
    const made = await own.form({ source: "auto", preview: "true" }, filename, bytes)
    expect([made.status, made.body.preview]).toEqual([201, true])
    expect(await own.ended(made.body.id)).toMatchObject({ status: "done", imported: 3, preview: true })
    expect(await own.notes()).toEqual([])
    expect((await own.form({ source: "auto", preview: "perhaps" }, filename, bytes)).body).toMatchObject({
      code: "validation_failed",
      errors: [{ field: "preview" }]
    })
    await own.all("auto", filename, bytes)
    const listed = async (filter: string) => (await own.team.get(`/imports?filter=${filter}`)).data
    expect(await listed("preview = true")).toMatchObject([{ id: made.body.id }])
    expect(await listed("preview = false")).toHaveLength(1)
    expect(await own.team.get("/change-sets")).toMatchObject({ data: [{ origin: "import" }] })
    const dry = await own.form({ source: "auto" }, filename, bytes, own.team.owner, { prefer: "dry-run" })
    expect([dry.status, dry.body.code]).toEqual([400, "invalid_header"])
    expect(dry.body.detail).toContain("preview")
  })

  it("ends when it is cancelled, and begins again from the first note", async () => {
    const own = await start()
    const { cancel, retry } = ofOperator(app, own.team.id)
    const count = rounds(1_500, 3_000)
    const { bytes, filename, source } = many(count)
    await app.idle()
    const before = await others(app)
    const id = await own.begin(source, filename, bytes, { preview: true })
    await eventually("some notes are counted", async () => (await own.team.get(`/imports/${id}`)).imported >= 100)
    await cancel(id)
    const failed = await own.ended(id)
    expect(failed).toMatchObject({ status: "failed", total: null, errors: [{ code: "not_ended" }] })
    await app.idle()
    await retry(id)
    const done = await own.ended(id)
    await app.idle()
    const { audit_entries: _, ...same } = await others(app)
    expect(before).toMatchObject(same)
    expect(done).toMatchObject({ status: "done", total: count })
    expect(outcomeOf(done)).toEqual(outcomeOf(await own.all(source, filename, bytes)))
  })
})

describe.skipIf(!hasSamples)(`previews of sample files${withSamples}`, () => {
  const paths = [
    ["markdown", "markdown/obsidian-sandbox.zip"],
    ["markdown", "markdown/obsidian-help-en.zip"],
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
  it.each(sampled(paths, 2))("%s of %s has the outcome of the import", async (source, path) => {
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
