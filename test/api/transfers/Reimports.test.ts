import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { planDefaults } from "../../../services/workspaces/Plans.ts"
import { sha256Of } from "../../support/Files.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { Importing } from "../../support/Importing.ts"
import { rounds, sampled } from "../../support/Slow.ts"
import { Team } from "../../support/people/Team.ts"
import { epoch, startApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"
import { hasSamples, samples, withSamples } from "../../services/transfers/Reading.ts"
import { enex, type File, id, json, markdown, notion } from "../../services/transfers/SmallExports.ts"
import { type ZipEntry, zipOf } from "../../services/transfers/Zip.ts"

const { app } = useApp()

const start = async () => new Importing(await Team.start(app))

const sources = (
  [
    ["markdown", markdown, 3],
    ["json", json, 2],
    ["enex", enex, 2],
    ["notion", notion, 2]
  ] as const
).slice(0, rounds(2, 4))

const importFile = (own: Importing, { bytes, filename, source }: File, on_existing?: string, more: object = {}) =>
  own.all(source, filename, bytes, { ...(on_existing === undefined ? {} : { on_existing }), ...more })

/** Returns the counts of a workspace that another import must not increase. */
const held = async (own: Importing) => {
  const [counts] = await app.sql(
    `SELECT notes::int, attachments::int, file_bytes::int, text_bytes::int, templates::int,
      (SELECT count(*)::int FROM notebooks b WHERE b.workspace_id = h.workspace_id) AS notebooks
    FROM heads h WHERE workspace_id = $1`,
    [own.team.id]
  )
  return counts
}

const countsOf = ({ errors, imported, skipped, status, total, updated }: any) => ({
  status,
  imported,
  skipped,
  updated,
  total,
  errors
})
const counts = (imported: number, skipped: number, updated: number, errors: ReadonlyArray<unknown> = []) => ({
  status: "done",
  imported,
  skipped,
  updated,
  total: imported + skipped + updated,
  errors
})

const called = async (own: Importing, title: string) => (await own.notes()).filter((note) => note.title === title)
const remove = (own: Importing, note_id: string, query = "") =>
  app.call("DELETE", `/notes/${note_id}${query}`, undefined, own.team.owner.headers)

/** The error for the first note of a file, which was edited after the earlier import. */
const editedSince = ({ source }: File) => ({
  file: {
    markdown: "Work/First.md",
    notion: `First ${id("a")}.md`,
    enex: "First",
    json: `notes/nt_${"a".repeat(20)}.json`
  }[source],
  code: "edited_since",
  message: "The note was changed after the earlier import or export; this version was added as a new note"
})

/** Returns the attachments that the text of a note links, in order. */
const linked = async (own: Importing, body: string) => {
  const ids = [...body.matchAll(/attachment:(at_[\w-]+)/g)].map(([, id]) => id)
  return Promise.all(ids.map((id) => own.team.get(`/attachments/${id}`)))
}

describe.each(sampled(sources, 1))("second import of the same %s file", (_, file, notes) => {
  it("imports nothing twice", async () => {
    const own = await start()
    const first = await importFile(own, file())
    expect(first).toMatchObject({ imported: notes, skipped: 0, updated: 0, total: notes })
    const before = await held(own)
    for (const mode of sampled(["update", undefined, "skip"], 2)) {
      expect(countsOf(await importFile(own, file(), mode))).toEqual(counts(0, notes, 0))
    }
    expect(await held(own)).toEqual(before)
    await expectTruth(app, own.team.id)
  })

  it.each(sampled(["update", "skip"], 1))("links new notes to the skipped ones (%s)", async (mode) => {
    const own = await start()
    await importFile(own, file())
    const [first] = await called(own, "First")
    expect(countsOf(await importFile(own, file({ further: true }), mode))).toEqual(counts(1, notes, 0))
    const [further] = await called(own, "Further")
    expect(further.body).toContain(`(note:${first.id})`)
  })

  it("creates a new note for a changed one, and links to it", async () => {
    const own = await start()
    await importFile(own, file())
    const [old] = await called(own, "First")
    const changed = file({ first: "changed", further: true })
    expect(countsOf(await importFile(own, changed))).toEqual(counts(2, notes - 1, 0))
    const both = await called(own, "First")
    expect(both).toHaveLength(2)
    const made = both.find((note) => note.id !== old.id)
    expect(made.body).toContain("changed")
    expect(made.body).toContain(`(note:${(await called(own, "Second"))[0].id})`)
    expect((await called(own, "Further"))[0].body).toContain(`(note:${made.id})`)
    expect(await linked(own, made.body)).toMatchObject([{ note_id: made.id, filename: "p.png" }])
    // Both versions are recognised now.
    for (const again of [file(), changed])
      expect(await importFile(own, again)).toMatchObject({ imported: 0, updated: 0 })
    await expectTruth(app, own.team.id)
  })

  it("updates the existing note, and keeps its unchanged files", async () => {
    const own = await start()
    await importFile(own, file())
    const [old] = await called(own, "First")
    const before = await held(own)
    const changed = file({ first: "changed", further: true })
    expect(countsOf(await importFile(own, changed, "update"))).toEqual(counts(1, notes - 1, 1))
    const [first, ...others] = await called(own, "First")
    expect(others).toEqual([])
    expect(first).toMatchObject({ id: old.id, version: old.version + 1, created_at: old.created_at })
    expect(first.body).toBe(old.body.replace("one", "changed"))
    expect((await called(own, "Further"))[0].body).toContain(`(note:${old.id})`)
    expect(await held(own)).toMatchObject({ attachments: before.attachments, file_bytes: before.file_bytes })
    expect(countsOf(await importFile(own, changed, "update"))).toEqual(counts(0, notes + 1, 0))
    await expectTruth(app, own.team.id)
  })
})

describe.each(sampled(sources, 1))("later import of the same %s file", (_, file, notes) => {
  it("imports everything again with on_existing=duplicate", async () => {
    const own = await start()
    await importFile(own, file())
    expect(await importFile(own, file(), "duplicate")).toMatchObject({ imported: notes, skipped: 0, updated: 0 })
    expect((await held(own)).notes).toBe(2 * notes)
    // Each of the equal sources has its own note.
    expect(countsOf(await importFile(own, file()))).toEqual(counts(0, notes, 0))
    await expectTruth(app, own.team.id)
  })

  it("treats a changed picture as a changed note", async () => {
    const changed = file({ picture: "B picture" })
    const own = await start()
    await importFile(own, file())
    expect(countsOf(await importFile(own, changed))).toEqual(counts(1, notes - 1, 0))
    const hashes = (await own.attached()).map(({ sha256 }) => sha256)
    expect(hashes).toContain(sha256Of(Buffer.from("B picture")))

    const other = await start()
    await importFile(other, file())
    expect(countsOf(await importFile(other, changed, "update"))).toEqual(counts(0, notes - 1, 1))
    const [first] = await called(other, "First")
    expect(await linked(other, first.body)).toMatchObject([
      { note_id: first.id, filename: "p.png", sha256: sha256Of(Buffer.from("B picture")) }
    ])
    await expectTruth(app, other.team.id)
  })

  it("imports notes again that are in the trash or erased", async () => {
    const own = await start()
    await importFile(own, file())
    const [first] = await called(own, "First")
    const [second] = await called(own, "Second")
    await remove(own, first.id)
    await remove(own, second.id)
    await remove(own, second.id, "?permanent=true")
    expect(countsOf(await importFile(own, file(), "update"))).toEqual(counts(2, notes - 2, 0))
    const [made] = await called(own, "First")
    expect(made.body).toContain(`(note:${(await called(own, "Second"))[0].id})`)
    expect((await app.call("POST", `/notes/${first.id}/restore`, undefined, own.team.owner.headers)).status).toBe(200)
    expect(countsOf(await importFile(own, file()))).toEqual(counts(0, notes, 0))
    await expectTruth(app, own.team.id)
  })

  it("does not overwrite a note that was edited since", async () => {
    const own = await start()
    await importFile(own, file())
    const [old] = await called(own, "First")
    await own.team.patch(`/notes/${old.id}`, { body: "mine" })
    expect(countsOf(await importFile(own, file(), "update"))).toEqual(counts(0, notes, 0))
    const changed = await importFile(own, file({ first: "changed" }), "update")
    expect(countsOf(changed)).toEqual(counts(1, notes - 1, 0, [editedSince(file())]))
    const both = await called(own, "First")
    expect(both.find(({ id }) => id === old.id)).toMatchObject({ body: "mine" })
    expect(both.find(({ id }) => id !== old.id).body).toContain("changed")
    await expectTruth(app, own.team.id)
  })

  it("imports once when three imports run at the same time", async () => {
    const own = await start()
    const { bytes, filename, source } = file()
    const ids = await Promise.all([1, 2, 3].map(() => own.begin(source, filename, bytes)))
    const done = await Promise.all(ids.map((id) => own.ended(id)))
    expect(done.map(({ imported }) => imported).toSorted((one, other) => one - other)).toEqual([0, 0, notes])
    expect(done.map(({ skipped }) => skipped).toSorted((one, other) => one - other)).toEqual([0, notes, notes])
    expect((await held(own)).notes).toBe(notes)
    await expectTruth(app, own.team.id)
  })

  it("recognises notes in another notebook, also when uploaded by a form", async () => {
    const own = await start()
    const { bytes, filename, source } = file()
    await importFile(own, file())
    const { id } = await own.team.post("/notebooks", { name: "Elsewhere" })
    const again = await own.form({ source, notebook_id: id, on_existing: "update" }, filename, bytes)
    expect(again.body).toMatchObject({ on_existing: "update" })
    expect(countsOf(await own.ended(again.body.id))).toEqual(counts(0, notes, 0))
    expect((await own.form({ source, on_existing: "all" }, filename, bytes)).body.code).toBe("validation_failed")
  })
})

describe("notes of an earlier import", () => {
  it("are recognised in an Evernote export by id, else by title and time, and equal ones by number", async () => {
    const own = await start()
    const note = (title: string, guid: string, text: string) =>
      `<note>${guid === "" ? "" : `<guid>${guid}</guid>`}<title>${title}</title><content><![CDATA[<en-note>${text}</en-note>]]></content></note>`
    const file = (...notes: ReadonlyArray<string>): File => ({
      source: "enex",
      filename: "Notes.enex",
      bytes: Buffer.from(`<?xml version="1.0"?><en-export>${notes.join("")}</en-export>`)
    })
    const same = note("Same", "", "same")
    const all = file(same, same, note("Named", "g-1", "text"))
    expect(countsOf(await importFile(own, all))).toEqual(counts(3, 0, 0))
    expect(countsOf(await importFile(own, all))).toEqual(counts(0, 3, 0))
    expect(countsOf(await importFile(own, file(same, same, same, note("Called", "g-1", "text")), "update"))).toEqual(
      counts(1, 2, 1)
    )
    expect(await called(own, "Called")).toMatchObject([{ version: 2 }])
  })

  it("are recognised after a page of Notion was moved", async () => {
    const own = await start()
    const page = (path: string) => zipOf([{ name: `${path} ${id("a")}.md`, content: "# Page\n\ntext\n" }])
    await importFile(own, { source: "notion", filename: "Export.zip", bytes: page("Page") })
    const moved = await importFile(own, { source: "notion", filename: "Export 2.zip", bytes: page("Home/Page") })
    expect(countsOf(moved)).toEqual(counts(0, 1, 0))
  })

  it("include the workspace's own notes in a JSON export", async () => {
    const own = await start()
    const { team } = own
    const work = await team.post("/notebooks", { name: "Work" })
    const kept = await team.post("/notes", { notebook_id: work.id, title: "Kept", body: "kept" })
    const edited = await team.post("/notes", { notebook_id: work.id, title: "Edited", body: `[it](note:${kept.id})` })
    const trashed = await team.post("/notes", { notebook_id: work.id, title: "Trashed", body: `[it](note:${kept.id})` })
    const { bytes } = await own.exported("json")
    await team.patch(`/notes/${edited.id}`, { body: "later" })
    await remove(own, trashed.id)
    const file: File = { source: "json", filename: "export.zip", bytes }
    const edit = { ...editedSince(file), file: `notes/${edited.id}.json` }
    expect(countsOf(await importFile(own, file, "update"))).toEqual(counts(2, 1, 0, [edit]))
    expect(await called(own, "Trashed")).toMatchObject([{ body: `[it](note:${kept.id})`, notebook: ["Work"] }])
    expect(await called(own, "Edited")).toHaveLength(2)
    expect(countsOf(await importFile(own, file, "update"))).toEqual(counts(0, 3, 0))
    expect((await team.get("/notebooks")).data.map(({ name }: any) => name).toSorted()).toEqual(["Inbox", "Work"])
    await expectTruth(app, team.id)
  })

  it("are not overwritten when they are edited during the import", async () => {
    const own = await start()
    const last = (text: string) => [
      { name: "z.md", content: `${text} ![[p.png]]` },
      { name: "p.png", content: "a picture" }
    ]
    await importFile(own, { source: "markdown", filename: "vault.zip", bytes: zipOf(last("one")) })
    const [old] = await own.notes()
    const many = Array.from({ length: 1_000 }, (_, number) => ({ name: `n${number}.md`, content: "[[z]]" }))
    const bytes = zipOf([...many, ...last("changed")])
    const id = await own.begin("markdown", "vault.zip", bytes, { on_existing: "update" })
    await eventually("some notes are in", async () => (await own.team.get(`/imports/${id}`)).imported >= 100)
    await own.team.patch(`/notes/${old.id}`, { body: `mine ${old.body}` })
    expect(countsOf(await own.ended(id))).toEqual(
      counts(many.length + 1, 0, 0, [{ ...editedSince(markdown()), file: "z.md" }])
    )
    const both = await called(own, "z")
    expect(both.find((note) => note.id === old.id)).toMatchObject({ body: `mine ${old.body}`, version: 2 })
    const made = both.find((note) => note.id !== old.id)
    expect(made.body).toMatch(/^changed /)
    // The new note has its own picture with the same bytes.
    expect(await linked(own, made.body)).toMatchObject([{ note_id: made.id, filename: "p.png", status: "ready" }])
    expect(await own.attached()).toHaveLength(2)
    await expectTruth(app, own.team.id)
  })

  it("are recognised by content alone without a file name", async () => {
    const own = await start()
    const sent = async (text: string, on_existing: string) => {
      const { id, upload_url } = await own.team.post("/imports", { source: "markdown", on_existing })
      const { pathname, search } = new URL(upload_url)
      await fetch(new URL(pathname + search, new URL(app.url).origin), { method: "PUT", body: text })
      return own.ended(id)
    }
    expect(countsOf(await sent("one", "update"))).toEqual(counts(1, 0, 0))
    expect(countsOf(await sent("two", "update"))).toEqual(counts(1, 0, 0))
    expect(countsOf(await sent("one", "update"))).toEqual(counts(0, 1, 0))
  })

  it("receive a file that did not fit before once there is room", async () => {
    const limits = { ...planDefaults, free: { ...planDefaults.free, storage_bytes: 1_000 } }
    const policies = { signUp: "open", planChanges: "owner", ownedWorkspaces: 0, limits } as const
    const small = await startApp({ settings: { policies } })
    try {
      const own = new Importing(await Team.start(small))
      const plan = (name: string) =>
        small.call("PATCH", `/workspaces/${own.team.id}`, { plan: name }, own.team.owner.headers)
      const file: File = {
        source: "markdown",
        filename: "vault.zip",
        bytes: zipOf([
          { name: "A.md", content: "![[p.png]]" },
          { name: "p.png", content: Buffer.alloc(2_000, 7) }
        ])
      }
      expect((await plan("free")).status).toBe(200)
      const first = await importFile(own, file)
      expect(first.errors.map(({ code }: any) => code)).toEqual(["quota_exceeded"])
      await plan("team")
      expect(countsOf(await importFile(own, file))).toEqual(counts(0, 0, 1))
      const [note] = await own.notes()
      expect(await linked(own, note.body)).toMatchObject([{ note_id: note.id, status: "ready" }])
      expect(countsOf(await importFile(own, file))).toEqual(counts(0, 1, 0))
      await expectTruth(small, own.team.id)
    } finally {
      await small.stop()
    }
  })
})

describe("updated note", () => {
  const vault = (...entries: ReadonlyArray<ZipEntry>): File => ({
    source: "markdown",
    filename: "vault.zip",
    bytes: zipOf(entries)
  })
  const page = (front: string, text: string): ZipEntry => ({ name: "A.md", content: `---\n${front}\n---\n${text}` })
  const evernote = (inner: string, text: string): File => ({
    source: "enex",
    filename: "Notes.enex",
    bytes: Buffer.from(
      `<?xml version="1.0"?><en-export><note><guid>g-1</guid><title>T</title>${inner}<content><![CDATA[<en-note>${text}</en-note>]]></content></note></en-export>`
    )
  })

  it("has the times of the source, in its history, in sync and in search", async () => {
    const own = await start()
    const { team } = own
    await importFile(own, vault(page("created: 2024-01-01\nupdated: 2024-01-05", "heron")))
    const [{ id: note_id }] = await own.notes()
    const first = await team.get(`/notes/${note_id}`)
    const changed = vault(page("created: 2023-06-01\nupdated: 2023-02-05", "egret"))
    expect(countsOf(await importFile(own, changed, "update"))).toEqual(counts(0, 0, 1))
    const note = await team.get(`/notes/${note_id}`)
    expect(note).toMatchObject({
      body: "egret",
      version: 2,
      created_at: "2023-06-01T00:00:00.000Z",
      updated_at: "2023-02-05T00:00:00.000Z"
    })
    expect((await team.get(`/notes/${note_id}/versions`)).data).toMatchObject([
      { version: 2, created_at: note.updated_at },
      { version: 1, created_at: first.updated_at }
    ])
    const wanted = { query: "egret", created_before: "2023-07-01", updated_before: "2023-02-06" }
    await eventually("it is found by its times", async () => (await team.post("/search", wanted)).hits.length === 1)
    expect((await team.get("/notes?sort=created_at")).data).toMatchObject([{ id: note_id }])
    await expectTruth(app, team.id)
  })

  it("is updated if only its times change", async () => {
    const own = await start()
    await importFile(own, vault(page("created: 2024-01-01\nupdated: 2024-01-05", "text")))
    const changed = vault(page("created: 2023-06-01\nupdated: 2024-02-05", "text"))
    expect(countsOf(await importFile(own, changed, "update"))).toEqual(counts(0, 0, 1))
    expect(await own.team.get(`/notes/${(await own.notes())[0].id}`)).toMatchObject({
      version: 2,
      created_at: "2023-06-01T00:00:00.000Z",
      updated_at: "2024-02-05T00:00:00.000Z"
    })
    expect(countsOf(await importFile(own, changed, "update"))).toEqual(counts(0, 1, 0))
    await expectTruth(app, own.team.id)
  })

  it("keeps its creation time if the source has none, and is changed now if the source has no times", async () => {
    const own = await start()
    await importFile(own, evernote("<created>20240101T000000Z</created><updated>20240105T000000Z</updated>", "one"))
    await importFile(own, evernote("<updated>20240205T000000Z</updated>", "two"), "update")
    const [{ id: note_id }] = await own.notes()
    const created_at = "2024-01-01T00:00:00.000Z"
    expect(await own.team.get(`/notes/${note_id}`)).toMatchObject({
      created_at,
      updated_at: "2024-02-05T00:00:00.000Z"
    })
    await importFile(own, evernote("", "three"), "update")
    const note = await own.team.get(`/notes/${note_id}`)
    expect(note).toMatchObject({ body: expect.stringContaining("three"), version: 3, created_at })
    expect(Date.parse(note.updated_at)).toBeGreaterThanOrEqual(epoch)
    // The creation time is not later than the update time.
    await importFile(own, evernote("<updated>20200101T000000Z</updated>", "four"), "update")
    const time = "2020-01-01T00:00:00.000Z"
    expect(await own.team.get(`/notes/${note_id}`)).toMatchObject({ created_at: time, updated_at: time })
    await expectTruth(app, own.team.id)
  })

  it("uses the first modification time of its file if no other is known", async () => {
    const own = await start()
    const time = "2020-05-04T03:02:00.000Z"
    for (const text of ["one", "two"]) {
      await importFile(own, vault({ name: "A.md", content: text }), "update")
      const [{ id: note_id }] = await own.notes()
      expect(await own.team.get(`/notes/${note_id}`)).toMatchObject({ body: text, created_at: time, updated_at: time })
    }
  })

  it("uses the times of a JSON export", async () => {
    const own = await start()
    await importFile(own, json())
    expect(countsOf(await importFile(own, json({ first: "changed" }), "update"))).toEqual(counts(0, 1, 1))
    const time = "2020-01-01T00:00:00.000Z"
    const [{ id: note_id, version }] = await called(own, "First")
    expect(version).toBe(2)
    expect(await own.team.get(`/notes/${note_id}`)).toMatchObject({ created_at: time, updated_at: time })
  })

  it("has the reminders of its source, and those that a user changed or created", async () => {
    const own = await start()
    const { team } = own
    const at = (day: number) =>
      `<note-attributes><reminder-time>203001${String(day).padStart(2, "0")}T000000Z</reminder-time></note-attributes>`
    const time = (day: number) => `2030-01-${String(day).padStart(2, "0")}T00:00:00.000Z`
    const times = async () =>
      (await team.get("/reminders?sort=remind_at")).data.map(({ remind_at }: any) => remind_at) as ReadonlyArray<string>
    const only = async () => (await team.get("/reminders")).data as ReadonlyArray<any>
    await importFile(own, evernote(at(1), "one"))
    const [made] = await only()
    await importFile(own, evernote(at(1), "two"), "update")
    expect(await only()).toEqual([made])
    await importFile(own, evernote(at(2), "two"), "update")
    expect(await times()).toEqual([time(2)])
    await importFile(own, evernote(at(1), "two"), "update")
    expect(await times()).toEqual([time(1)])
    await team.post("/reminders", { note_id: made.note_id, remind_at: time(20) })
    await importFile(own, evernote("", "three"), "update")
    expect(await times()).toEqual([time(20)])
    await importFile(own, evernote(at(3), "four"), "update")
    const moved = (await only()).find(({ remind_at }) => remind_at === time(3))
    await team.patch(`/reminders/${moved.id}`, { remind_at: time(10) })
    await importFile(own, evernote(at(3), "five"), "update")
    expect(await times()).toEqual([time(10), time(20)])
    await importFile(own, evernote(at(4), "six"), "update")
    expect(await times()).toEqual([time(4), time(10), time(20)])
    await expectTruth(app, team.id)
  })

  it("moves a picture that it no longer shows to the note of unused files", async () => {
    const own = await start()
    const picture = { name: "p.png", content: "a picture" }
    await importFile(own, vault({ name: "A.md", content: "one ![[p.png]]" }, picture))
    const changed = (text: string) => vault({ name: "A.md", content: text }, picture)
    const unused = { file: "vault.zip", code: "unused_files" }
    const first = await importFile(own, changed("two"), "update")
    expect(first).toMatchObject({ imported: 1, skipped: 0, updated: 1, errors: [unused] })
    const before = await held(own)
    expect(before).toMatchObject({ notes: 2, attachments: 2 })
    expect(countsOf(await importFile(own, changed("two"), "update"))).toEqual(counts(0, 2, 0))
    for (const text of sampled(["three", "four"], 1)) {
      expect(countsOf(await importFile(own, changed(text), "update"))).toEqual(counts(0, 1, 1))
      expect(countsOf(await importFile(own, changed(text)))).toEqual(counts(0, 2, 0))
    }
    expect(await held(own)).toMatchObject({ notes: 2, attachments: 2, file_bytes: before.file_bytes })
    // The note shows the picture again, and the note of unused files remains.
    for (const text of ["five ![[p.png]]", "six"]) {
      await importFile(own, changed(text), "update")
    }
    expect(await held(own)).toMatchObject({ notes: 2, attachments: 2 })
    await expectTruth(app, own.team.id)
  })
})

const filesIn = (folder: string, ending: RegExp) =>
  hasSamples
    ? readdirSync(join(samples, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => ending.test(path) && !/hostile|expected/.test(path))
        .map((path) => join(folder, path))
        .toSorted((a, b) => statSync(join(samples, a)).size - statSync(join(samples, b)).size)
    : []

describe.skipIf(!hasSamples)(`sample files imported twice${withSamples}`, () => {
  it.each([
    ["markdown", filesIn("markdown", /\.zip$/)],
    ["notion", filesIn("notion", /\.zip$/)],
    ["enex", filesIn("enex", /\.enex$/)]
  ] as const)("of %s import nothing the second time", async (source, paths) => {
    expect(paths.length).toBeGreaterThan(0)
    for (const path of paths.slice(0, rounds(1, paths.length))) {
      const own = await start()
      const file = { source, filename: path.split("/").at(-1)!, bytes: readFileSync(join(samples, path)) }
      const first = await importFile(own, file)
      const before = await held(own)
      const second = await importFile(own, file)
      expect({ path, imported: second.imported, updated: second.updated, skipped: second.skipped }).toEqual({
        path,
        imported: 0,
        updated: 0,
        skipped: first.imported
      })
      expect(await held(own)).toEqual(before)
    }
  })
})
