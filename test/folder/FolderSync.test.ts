import { appendFileSync, existsSync, readFileSync, renameSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { FolderGone, type FolderReport, watchFolder } from "../../src/clients/folder/SheafFolder.ts"
import type { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { SyncedFolder } from "../support/folders/SyncedFolder.ts"
import { useFolders } from "../support/folders/useFolders.ts"
import { unzip } from "../support/Unzip.ts"

let sheaf: Sheaf
let folder: SyncedFolder
let other: SyncedFolder
useFolders((given) => ({ sheaf, folder, other } = given))

const titles = async () => (await sheaf.client.listNotes({ limit: 100 })).data.map(({ title }) => title).toSorted()
const noteTitled = async (title: string) => {
  const { data } = await sheaf.client.listNotes({ limit: 100 })
  return sheaf.client.getNote({ id: data.find((note) => note.title === title)!.id })
}
const kinds = ({ actions }: FolderReport) => actions.map(({ kind, path }) => `${kind} ${path}`).toSorted()

describe("bytes", () => {
  const files = {
    "bom.md": "\ufeffa\r\nb",
    "windows.md": "one\r\ntwo\r\n",
    "mixed.md": "one\r\ntwo\nthree",
    "Deep/er/front.md": "---\ntags: [b, a]\nx-unknown: {y: 1}   # why\n---\n\ntext  \n",
    "Deep/toml.md": "+++\ntitle = 'T'\n+++\ntext\n",
    "empty.md": ""
  }

  it("stay as they are on this side and are the same on another one", async () => {
    for (const [path, text] of Object.entries(files)) folder.write(path, text)
    const before = folder.fingerprint()
    await folder.sync()
    await folder.sync()
    expect(folder.fingerprint()).toBe(before)
    expect((await noteTitled("front")).tags).toEqual(["b", "a"])
    await other.sync()
    const plain = (text: string) => text.replace(/^\u00ef\u00bb\u00bf/, "").replaceAll("\r\n", "\n")
    const all = Object.entries(other.files()).map(([path, text]) => [path, plain(text)])
    expect(Object.fromEntries(all)).toEqual(
      Object.fromEntries(Object.entries(folder.files()).map(([path, text]) => [path, plain(text)]))
    )
  })

  it("that a note does not change keep their line ends and their byte order mark", async () => {
    folder.write("windows.md", "\ufeffone\r\ntwo\r\n")
    await folder.sync()
    const { id, version } = await noteTitled("windows")
    await sheaf.client.updateNote({ id, version, body: "one\ntwo and a half\n" })
    await folder.sync()
    expect(folder.read("windows.md")).toBe("\ufeffone\r\ntwo and a half\r\n")
  })

  const vault = "../shared/data/markdown/obsidian-help-en.zip"
  it.skipIf(!existsSync(vault))("of a real vault are the same in a second folder", async () => {
    const { files } = await unzip(readFileSync(vault))
    const entries = [...files].filter(([path]) => path.endsWith(".md"))
    expect(entries.length).toBeGreaterThan(100)
    for (const [path, bytes] of entries) folder.write(path, bytes)
    const before = folder.fingerprint()
    expect((await folder.sync()).problems).toEqual([])
    expect((await folder.sync()).actions).toEqual([])
    expect(folder.fingerprint()).toBe(before)
    await other.sync()
    expect(other.files()).toEqual(folder.files())
  })

  it("of a note with tags that its text does not have are those of a Markdown export", async () => {
    const {
      data: [inbox]
    } = await sheaf.client.listNotebooks()
    const note = await sheaf.client.createNote({ notebook_id: inbox!.id, title: "A/B", body: "text", tags: ["red"] })
    await folder.sync()
    expect(folder.read("A-B.md")).toMatch(new RegExp(`^---\nid: ${note.id}\ntitle: "A/B"\ntags:\n  - "red"\n`))
    folder.write("A-B.md", folder.read("A-B.md").replace('- "red"', '- "blue"').replace("text", "text and more"))
    await folder.sync()
    expect(await sheaf.client.getNote({ id: note.id })).toMatchObject({
      tags: ["blue"],
      body: "text and more",
      title: "A/B"
    })
  })
})

describe("names", () => {
  it("of notebooks and notes are those of a Markdown export, and the files at the top are in the Inbox", async () => {
    const { id: parent } = await sheaf.client.createNotebook({ name: "Trips: 2026" })
    const { id: child } = await sheaf.client.createNotebook({ name: "con", parent_id: parent })
    for (const title of ["Vienna", "vienna", "Vienna?"]) {
      await sheaf.client.createNote({ notebook_id: child, title })
      await sheaf.advance("1 second")
    }
    await folder.sync()
    const where = "Trips- 2026/_con/"
    expect(Object.keys(folder.files())).toEqual([`${where}Vienna-.md`, `${where}Vienna.md`, `${where}vienna (2).md`])
    folder.write("top.md", "top")
    await folder.sync()
    const { data: notebooks } = await sheaf.client.listNotebooks()
    expect(notebooks.find(({ id }) => id === parent)!.name).toBe("Trips: 2026")
    expect((await noteTitled("top")).notebook_id).toBe(notebooks.find(({ name }) => name === "Inbox")!.id)
  })

  it("of a folder are those of its notebook, when either is renamed", async () => {
    folder.write("Trips/a.md", "a")
    folder.write("Trips/Deep/b.md", "b")
    folder.write("Trips/picture.png", "not a note")
    await folder.sync()
    folder.move("Trips", "Journeys")
    await folder.sync()
    const { data } = await sheaf.client.listNotebooks()
    expect(data.map(({ name }) => name).toSorted()).toEqual(["Deep", "Inbox", "Journeys"])
    const { id } = data.find(({ name }) => name === "Journeys")!
    await sheaf.client.updateNotebook({ id, name: "Ways" })
    await folder.sync()
    expect(Object.keys(folder.files())).toEqual(["Ways/Deep/b.md", "Ways/a.md", "Ways/picture.png"])
    expect((await sheaf.client.listNotes({ limit: 10 })).data).toHaveLength(2)
  })

  it("that a user changes in the moment in which a file is written are those of the same note", async () => {
    folder.write("a.md", "one\n")
    await folder.sync()
    const { id, version } = await noteTitled("a")
    await sheaf.client.createNote({ notebook_id: (await noteTitled("a")).notebook_id, title: "b", body: "two\n" })
    await sheaf.client.updateNote({ id, version, body: "one and more\n" })
    await folder.stop()
    const onStep = () => {
      if (folder.files()["a.md"] === "one and more\n") folder.move("a.md", "renamed a.md")
      if (folder.files()["b.md"] === "two\n") folder.move("b.md", "renamed b.md")
    }
    await (await folder.program({ onStep })).sync()
    expect(folder.files()).toEqual({ "renamed a.md": "one and more\n", "renamed b.md": "two\n" })
    expect(await titles()).toEqual(["renamed a", "renamed b"])
    expect(await noteTitled("renamed a")).toMatchObject({ id, body: "one and more\n" })
  })

  it("in decomposed letters, or that differ in case alone, are files of their own", async () => {
    folder.write("Zu\u0308rich.md", "decomposed")
    folder.write("Note.md", "one")
    folder.write("note.md", "two")
    await folder.sync()
    expect((await folder.sync()).actions).toEqual([])
    expect(await titles()).toEqual(["Note", "Z\u00fcrich", "note"])
    await other.sync()
    expect(Object.values(other.files()).toSorted()).toEqual(["decomposed", "one", "two"])
  })

  it("of programs, and those in .sheafignore, are left alone", async () => {
    for (const path of [".obsidian/x.md", ".git/x.md", ".trash/x.md", "Drafts/x.md", "a.md"]) folder.write(path, "x")
    folder.write(".sheafignore", "# drafts stay here\nDrafts/\n*.tmp.md\n!keep.tmp.md\n")
    folder.write("b.tmp.md", "b")
    folder.write("keep.tmp.md", "keep")
    await folder.sync()
    expect(await titles()).toEqual(["a", "keep.tmp"])
    folder.write(".sheafignore", "a.md\n")
    await folder.sync()
    expect([await titles(), folder.read("a.md")]).toEqual([["a", "b.tmp", "keep.tmp", "x"], "x"])
  })
})

describe("one side", () => {
  it("alone changes if the user says so", async () => {
    const {
      data: [inbox]
    } = await sheaf.client.listNotebooks()
    await sheaf.client.createNote({ notebook_id: inbox!.id, title: "there", body: "there" })
    folder.write("here.md", "here")
    expect(kinds(await folder.sync({ direction: "pull" }))).toEqual(["write there.md"])
    expect(await titles()).toEqual(["there"])
    await folder.stop()
    const { id, version } = await noteTitled("there")
    await sheaf.client.updateNote({ id, version, body: "changed there" })
    expect(kinds(await folder.sync({ direction: "push" }))).toEqual(["create here.md"])
    expect([await titles(), folder.read("there.md")]).toEqual([["here", "there"], "there"])
  })

  it("that is published without its state wins over the text that its notes had, which stays in their history", async () => {
    const publish = async () => {
      await folder.loseState()
      return folder.sync({ direction: "push", missing: "delete" })
    }
    for (const title of ["changed", "same", "cut"]) folder.write(`${title}.md`, `first ${title}\nand more\n`)
    await publish()
    const changed = await noteTitled("changed")
    const same = await noteTitled("same")
    await sheaf.client.updateNote({ id: same.id, version: same.version, body: "edited on the server\n" })
    folder.write("changed.md", "second\n")
    folder.write("cut.md", "first c")
    const before = folder.fingerprint()
    const report = await publish()
    expect(kinds(report).filter((each) => !each.startsWith("meet "))).toEqual(["send changed.md"])
    expect(report.problems).toEqual([{ path: "cut.md", message: expect.stringContaining("cut off") }])
    expect(await noteTitled("changed")).toMatchObject({ id: changed.id, body: "second\n" })
    const { data } = await sheaf.client.listNoteVersions({ id: changed.id })
    expect(data.map(({ body }) => body)).toContain("first changed\nand more\n")
    // A file with an earlier text of its note has not changed since.
    expect((await noteTitled("same")).body).toBe("edited on the server\n")
    expect((await noteTitled("cut")).body).toBe("first cut\nand more\n")
    expect([await titles(), folder.fingerprint()]).toEqual([["changed", "cut", "same"], before])
    // Killed between both steps, the next run sends the file.
    folder.write("changed.md", "third\n")
    await folder.loseState()
    for (let steps = 1; steps < 6; steps++) await folder.syncAndKill(steps, { direction: "push" })
    await folder.sync({ direction: "push" })
    expect(await noteTitled("changed")).toMatchObject({ id: changed.id, body: "third\n" })
    expect(await titles()).toEqual(["changed", "cut", "same"])
  })

  it("is changed by none in a dry run", async () => {
    const {
      data: [inbox]
    } = await sheaf.client.listNotebooks()
    await sheaf.client.createNote({ notebook_id: inbox!.id, title: "there", body: "there" })
    folder.write("here.md", "here")
    const report = await folder.sync({ isDry: true })
    expect(kinds(report)).toEqual(["create here.md", "write there.md"])
    expect([await titles(), Object.keys(folder.files())]).toEqual([["there"], ["here.md"]])
  })
})

describe("failures", () => {
  it("a second program on a folder is refused", async () => {
    await folder.sync()
    const second = new SyncedFolder(sheaf)
    await using _ = second
    Object.assign(second, { folder: folder.folder, state: folder.state })
    await expect(second.program()).rejects.toThrow("Another process")
  })

  it("a folder that is not mounted any more ends the sync, and deletes nothing", async () => {
    folder.write("a.md", "a")
    await folder.sync()
    renameSync(folder.folder, `${folder.folder}-away`)
    await expect(folder.sync()).rejects.toBeInstanceOf(FolderGone)
    await folder.stop()
    folder.write("x/y.txt", "an empty mount point has no notes")
    await expect(folder.sync()).rejects.toThrow("has none of its 1 files")
    expect(await titles()).toEqual(["a"])
  })

  it("a full disk refuses a file, leaves nothing half written, and the next sync writes it", async () => {
    const {
      data: [inbox]
    } = await sheaf.client.listNotebooks()
    for (const title of ["a", "b"]) await sheaf.client.createNote({ notebook_id: inbox!.id, title, body: title })
    let failures = 1
    const report = await folder.sync({
      onStep: () => {
        if (failures-- > 0) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" })
      }
    })
    expect(report.problems).toEqual([])
    expect(folder.files()).toEqual({ "a.md": "a", "b.md": "b" })
  })

  it("without a network, edits of a folder wait", async () => {
    await folder.sync()
    folder.network = () => Promise.reject(new TypeError("the network is gone"))
    folder.write("a.md", "a")
    const report = await folder.sync()
    expect([report.waiting, report.error]).toEqual([1, expect.any(Error)])
    await folder.stop()
    folder.network = undefined
    expect(await folder.sync()).toMatchObject({ waiting: 0 })
    expect(await titles()).toEqual(["a"])
  })
})

describe("watching", () => {
  it("takes edits of both sides as they are made", async () => {
    const ending = new AbortController()
    const reports: Array<FolderReport> = []
    const run = async (each: SyncedFolder) =>
      watchFolder(await each.program(), ending.signal, (report) => reports.push(report))
    folder.write("a.md", "one\n")
    const running = Promise.all([run(folder), run(other)])
    await expect.poll(() => other.files()).toEqual({ "a.md": "one\n" })
    appendFileSync(folder.at("a.md"), "two\n")
    await expect.poll(() => other.files()).toEqual({ "a.md": "one\ntwo\n" })
    other.move("a.md", "Deep/b.md")
    await expect.poll(() => folder.files()).toEqual({ "Deep/b.md": "one\ntwo\n" })
    folder.remove("Deep/b.md")
    await expect.poll(() => other.trash()).toEqual({ "Deep/b.md": "one\ntwo\n" })
    ending.abort()
    await running
    expect(reports.flatMap(({ problems }) => problems)).toEqual([])
  })
})
