import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { LinkPaths, inNote } from "../../src/clients/folder/files/LinkPaths.ts"
import { upload } from "../../src/clients/client/ClientPackage.ts"
import type { Sheaf } from "../../src/program/testing/Sheaf.ts"
import type { SyncedFolder } from "../support/folders/SyncedFolder.ts"
import { useFolders } from "../support/folders/useFolders.ts"
import { isSlow } from "../support/Slow.ts"
import { unzip } from "../support/Unzip.ts"

let sheaf: Sheaf
let folder: SyncedFolder
let other: SyncedFolder
useFolders((given) => ({ sheaf, folder, other } = given))

const noteTitled = async (title: string) => {
  const { data } = await sheaf.client.listNotes({ limit: 100 })
  return sheaf.client.getNote({ id: data.find((note) => note.title === title)!.id })
}
const attachments = async () => (await sheaf.client.listAttachments({ limit: 100, sort: ["filename"] })).data
const attached = async () => (await attachments()).map(({ filename, size, status }) => [filename, size, status])
const offline = () => Promise.reject(new TypeError("the network is gone"))
const pixel = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").toString("latin1")

/** Attaches a file to a note by the API. */
const attach = async (note_id: string, filename: string, text: string) =>
  (await upload(sheaf.client, { note_id, filename, content: new TextEncoder().encode(text) })).id

describe("the files of notes", () => {
  it("go to the server when a note links to them, and to the same places in a second folder", async () => {
    const texts = {
      "Trips/a.md": "![[map.png]] ![](assets/b%20c.txt)\n\n[d]: ../d.pdf\n<img src='assets/e.gif'>\n",
      "Trips/again.md": "![[Trips/assets/e.gif|300]]\n"
    }
    for (const [path, text] of Object.entries(texts)) folder.write(path, text)
    const files = ["Trips/map.png", "Trips/assets/b c.txt", "d.pdf", "Trips/assets/e.gif", "unused.png"]
    for (const path of files) folder.write(path, `${pixel} ${path}`)
    const before = folder.fingerprint()
    expect((await folder.sync()).problems).toEqual([])
    expect((await folder.sync()).actions).toEqual([])
    expect(folder.fingerprint()).toBe(before)
    expect((await attached()).map(([filename, , status]) => [filename, status])).toEqual(
      ["b c.txt", "d.pdf", "e.gif", "e.gif", "map.png"].map((name) => [name, "ready"])
    )
    expect((await noteTitled("a")).body).toBe(texts["Trips/a.md"])
    expect((await other.sync()).problems).toEqual([])
    const { "Trips/map.png": map, "unused.png": _, ...same } = folder.files()
    expect(other.files()).toEqual({ ...same, "_attachments/map.png": map })
    expect((await other.sync()).actions).toEqual([])
    expect((await folder.sync()).actions).toEqual([])
  })

  it("replace those of the server when they are written again", async () => {
    folder.write("a.md", "![](p.txt)\n")
    folder.write("p.txt", "one")
    await folder.sync()
    await other.sync()
    folder.write("p.txt", "two, longer")
    await folder.sync()
    expect(await attached()).toEqual([["p.txt", 11, "ready"]])
    await other.sync()
    expect([other.read("p.txt"), folder.read("p.txt")]).toEqual(["two, longer", "two, longer"])
    expect([(await folder.sync()).actions, (await other.sync()).actions]).toEqual([[], []])
  })

  it("stay with their notes when they are removed in a folder, and go to its trash when they are deleted", async () => {
    folder.write("a.md", "![](p.txt) ![](q.txt)\n")
    folder.write("p.txt", "one")
    folder.write("q.txt", "two")
    await folder.sync()
    folder.remove("p.txt")
    await folder.sync()
    await folder.stop()
    await folder.sync()
    expect([Object.keys(folder.files()), (await attached()).length]).toEqual([["a.md", "q.txt"], 2])
    const { id } = (await attachments()).find(({ filename }) => filename === "q.txt")!
    await sheaf.client.deleteAttachment({ id })
    await folder.sync()
    expect([Object.keys(folder.files()), folder.trash()]).toEqual([["a.md"], { "q.txt": "two" }])
  })

  it("come back if they were missing when the program started, and all of them if its state was lost", async () => {
    folder.write("a.md", "![](p.txt)\n")
    folder.write("p.txt", "one")
    await folder.sync()
    await folder.stop()
    folder.remove("p.txt")
    await folder.sync()
    expect(folder.read("p.txt")).toBe("one")
    await folder.loseState()
    expect((await folder.sync()).problems).toEqual([])
    expect([Object.keys(folder.files()), (await attached()).length]).toEqual([["a.md", "p.txt"], 1])
  })

  it("of a deleted note stay where a user has put them", async () => {
    folder.write("a.md", "![](p.txt)\n")
    folder.write("p.txt", "one")
    await folder.sync()
    await other.sync()
    await sheaf.client.deleteNote({ id: (await noteTitled("a")).id })
    await folder.sync()
    expect(folder.files()).toEqual({ "p.txt": "one" })
    folder.remove("p.txt")
    await folder.sync()
    expect((await folder.sync()).actions).toEqual([])
  })

  it("that were attached to a note while it was deleted stay in the folder, without a problem, and come with the note", async () => {
    folder.write("a.md", "text\n")
    await folder.sync()
    const { id } = await noteTitled("a")
    folder.network = offline
    folder.write("a.md", "text\n![](p.txt)\n")
    folder.write("p.txt", "one")
    await folder.sync()
    folder.network = undefined
    await sheaf.client.deleteNote({ id })
    const { held, problems } = await folder.sync()
    expect([held, problems, folder.read("p.txt")]).toEqual([[], [], "one"])
    // The edit of the text has restored the note.
    expect([(await noteTitled("a")).id, await attached()]).toEqual([id, [["p.txt", 3, "ready"]]])
    folder.network = offline
    folder.write("q.txt", "two")
    folder.write("a.md", "text\n![](p.txt) ![](q.txt)\n")
    await folder.sync()
    folder.network = undefined
    await sheaf.client.deleteNote({ id, permanent: true })
    expect((await folder.sync()).problems).toEqual([])
    expect((await folder.sync()).problems).toEqual([])
    // The server has erased one file with the note; the other one it never had.
    expect([folder.trash(), folder.read("q.txt")]).toEqual([{ "p.txt": "one" }, "two"])
  })

  it("that were changed while their note was deleted stay in the folder, without a problem", async () => {
    folder.write("a.md", "![](p.txt)\n")
    folder.write("p.txt", "one")
    await folder.sync()
    folder.network = offline
    folder.write("p.txt", "two, longer")
    await folder.sync()
    folder.network = undefined
    await sheaf.client.deleteNote({ id: (await noteTitled("a")).id, permanent: true })
    for (let run = 0; run < 2; run++) expect(await folder.sync()).toMatchObject({ held: [], problems: [], waiting: 0 })
    expect(folder.files()).toEqual({ "p.txt": "two, longer" })
  })

  it("whose attachments were deleted before their bytes came go to the trash of the folder, without a problem", async () => {
    folder.network = async (send) => {
      const response = await send()
      return response.url.includes("/attachments/") ? offline() : response
    }
    folder.write("a.md", "![](p.txt)\n")
    folder.write("p.txt", "one")
    await folder.sync()
    folder.network = undefined
    const [pending] = await attachments()
    expect(pending).toMatchObject({ filename: "p.txt", status: "pending" })
    await sheaf.client.deleteAttachment({ id: pending!.id })
    for (let run = 0; run < 2; run++) expect(await folder.sync()).toMatchObject({ held: [], problems: [], waiting: 0 })
    expect([Object.keys(folder.files()), folder.trash()]).toEqual([["a.md"], { "p.txt": "one" }])
  })

  it("never replace a file, and never leave the folder", async () => {
    const { id } = await sheaf.client.createNote({
      notebook_id: (await sheaf.client.listNotebooks({})).data[0]!.id,
      title: "a",
      body: "![](../../out.txt) ![](.obsidian/app.json) ![](taken.txt) ![](note.md) ![[x/../../y.txt]]"
    })
    for (const name of ["out.txt", "app.json", "taken.txt", "note.md", "y.txt", ".sheafignore"])
      await attach(id, name, name)
    folder.write("taken.txt", "of the user")
    expect((await folder.sync()).problems).toEqual([])
    expect(Object.keys(folder.files())).toEqual([
      "_attachments/app.json",
      "_attachments/note.md",
      "_attachments/out.txt",
      "_attachments/sheafignore",
      "_attachments/taken.txt",
      "_attachments/y.txt",
      "a.md",
      "taken.txt"
    ])
    expect(folder.read("taken.txt")).toBe("of the user")
    expect((await folder.sync()).actions).toEqual([])
  })

  it("stay out of reach behind a link that leads out of the folder, and where the user ignores them", async () => {
    folder.write(".sheafignore", "*.psd\n")
    folder.write("a.md", "![](draft.psd)\n")
    folder.write("draft.psd", "bytes")
    const outside = mkdtempSync(join(tmpdir(), "sheaf-outside-"))
    symlinkSync(outside, folder.at("_attachments"))
    await folder.sync()
    expect(await attached()).toEqual([])
    await attach((await noteTitled("a")).id, "x.txt", "x")
    expect((await folder.sync()).problems).toEqual([
      { path: "_attachments/x.txt", message: expect.stringContaining("leads out of the folder") }
    ])
    expect(readdirSync(outside)).toEqual([])
    rmSync(outside, { recursive: true })
  })

  const vault = `../shared/data/markdown/${isSlow ? "obsidian-help-en" : "obsidian-importer-markdown"}.zip`
  it.skipIf(!existsSync(vault))("of a real vault are the same in a second folder", async () => {
    const { files } = await unzip(readFileSync(vault))
    for (const [path, bytes] of files) if (!path.endsWith("/")) folder.write(path, bytes)
    const before = folder.fingerprint()
    expect((await folder.sync()).problems).toEqual([])
    expect((await folder.sync()).actions).toEqual([])
    expect(folder.fingerprint()).toBe(before)
    const { length: count } = await attachments()
    expect(count).toBeGreaterThan(0)
    expect((await other.sync()).problems).toEqual([])
    const names = (all: Record<string, string>) =>
      new Set(Object.entries(all).map(([path, text]) => `${path.slice(path.lastIndexOf("/") + 1)} ${text}`))
    expect([...names(other.files())].filter((each) => !names(folder.files()).has(each))).toEqual([])
    expect([(await other.sync()).actions, (await folder.sync()).actions]).toEqual([[], []])
    expect(await attachments()).toHaveLength(count)
  })
})

describe("links", () => {
  it("by id are paths in a file, follow their note, and stay links by id", async () => {
    const [inbox] = (await sheaf.client.listNotebooks({})).data
    const create = (title: string, body: string) => sheaf.client.createNote({ notebook_id: inbox!.id, title, body })
    const { id: to } = await create("To, here", "text")
    const from = await create("from", `[there](note:${to}#A%20heading) and\n`)
    const file = await attach(from.id, "p (1).png", "bytes")
    const body = `${from.body}![](attachment:${file})\n`
    await sheaf.client.updateNote({ id: from.id, version: from.version, body })
    await folder.sync()
    const written = "[there](To%2C%20here.md#A%20heading) and\n![](_attachments/p%20%281%29.png)\n"
    expect(folder.read("from.md")).toBe(written)
    folder.write("from.md", `${written}more\n`)
    await folder.sync()
    expect((await noteTitled("from")).body).toBe(`${body}more\n`)
    folder.move("To, here.md", "Deep/elsewhere.md")
    await folder.sync()
    expect(folder.read("from.md")).toBe(`${written.replace("To%2C%20here.md", "Deep/elsewhere.md")}more\n`)
    expect((await noteTitled("from")).body).toBe(`${body}more\n`)
    await folder.loseState()
    expect((await folder.sync()).actions.map(({ kind }) => kind)).toEqual(["meet", "meet"])
    expect(await attached()).toHaveLength(1)
  })

  it("by the name of a file lead to the file of their note, also where another one has the name", async () => {
    const [inbox] = (await sheaf.client.listNotebooks({})).data
    for (const title of ["one", "two"]) {
      const { id } = await sheaf.client.createNote({ notebook_id: inbox!.id, title, body: "![[image.png|30]]" })
      await attach(id, "image.png", title)
    }
    await folder.sync()
    const texts = ["one", "two"].map((title) => folder.read(`${title}.md`)).toSorted()
    expect(texts).toEqual(["![[_attachments/image (2).png|30]]", "![[image.png|30]]"])
    expect((await folder.sync()).actions).toEqual([])
    folder.write("two.md", `${folder.read("two.md")}\nmore`)
    await folder.sync()
    expect((await noteTitled("two")).body).toBe("![[image.png|30]]\nmore")
    expect(await attached()).toHaveLength(2)
    await folder.loseState()
    await folder.sync()
    expect([Object.keys(folder.files()).length, (await attached()).length]).toEqual([4, 2])
  })

  it("of a file give the text of the note again", () => {
    const names = ["a.png", "b c.png", "d(1).png", "e&f.png", "ä.png"]
    const piece = fc.oneof(
      fc.constantFrom("word ", "\n", "`", "[", "](", "![[", "]]", "<", "| a | b |\n", "[x]: "),
      fc.constantFrom(...names.map((name) => `![[${name}]]`)),
      fc.constantFrom("[n](note:nt_0123456789abcdef)", "[n](<note:nt_0123456789abcdef#h h>)", "![](attachment:at_1)"),
      fc.constantFrom("[[a.png\\|x]]", '<img src="a.png">', "[r]: attachment:at_2")
    )
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""))
    fc.assert(
      fc.property(text, fc.constantFrom("n.md", "x/n.md", "x/y/n.md"), (body, from) => {
        const links = new LinkPaths({
          notePath: (id) => (id === "nt_0123456789abcdef" ? "x/To do.md" : undefined),
          paths: ["z/a.png", "_attachments/a.png"],
          pathOf: (id) => ({ at_1: "_attachments/a.png", at_2: "z/d(1).png", at_3: "z/b c.png" })[id],
          attachments: new Map([
            [
              "nt_n",
              names.slice(0, 3).map((filename, at) => ({
                id: `at_${at + 1}`,
                note_id: "nt_n",
                filename,
                sha256: null,
                size: null,
                status: "ready",
                created_at: ""
              }))
            ]
          ])
        })
        const { targets, text: inFile } = links.inFile({ id: "nt_n", body }, from)
        const back = inNote(inFile, targets)
        // A target that the text had already leads to the same file.
        expect(links.inFile({ id: "nt_n", body: back }, from).text).toBe(inFile)
        const isAlone = Object.keys(targets).every((target) => !body.includes(target))
        if (isAlone && new Set(Object.values(targets)).size === Object.keys(targets).length) expect(back).toBe(body)
      })
    )
  })
})
