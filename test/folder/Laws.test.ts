import { appendFileSync } from "node:fs"
import { describe, expect, it, vi } from "vitest"
import type { Sheaf } from "../../src/program/testing/Sheaf.ts"
import type { SyncedFolder } from "../support/folders/SyncedFolder.ts"
import { useFolders } from "../support/folders/useFolders.ts"

let sheaf: Sheaf
let folder: SyncedFolder
useFolders((given) => ({ sheaf, folder } = given))

const notes = async () => {
  const { data } = await sheaf.client.listNotes({ limit: 100 })
  const whole = await Promise.all(data.map(({ id }) => sheaf.client.getNote({ id })))
  return Object.fromEntries(whole.map((note) => [note.title, note]))
}
const bodies = async () => Object.fromEntries(Object.entries(await notes()).map(([title, { body }]) => [title, body]))
const trashed = async () =>
  (await sheaf.client.listNotes({ limit: 100, filter: "deleted_at != null" })).data.map(({ title }) => title)
const edit = async (title: string, body: string) => {
  const { id, version } = (await notes())[title]!
  await sheaf.client.updateNote({ id, version, body })
}
const fill = async (count: number) => {
  for (let at = 0; at < count; at++) folder.write(`n${at}.md`, `word${at}\n`)
  expect(await folder.sync()).toMatchObject({ problems: [], held: [] })
}

describe("the laws of a folder", () => {
  it("1: a deletion is believed only if the file was seen present and then absent while the program runs", async () => {
    await fill(3)
    await folder.stop()
    folder.remove("n1.md")
    await folder.sync()
    expect(folder.read("n1.md")).toBe("word1\n")
    folder.remove("n1.md")
    await folder.sync()
    expect([Object.keys(await notes()), await trashed()]).toEqual([expect.arrayContaining(["n0", "n2"]), ["n1"]])
  })

  it("2: deletions of more than 20 files or 5 % at once wait until the user confirms them", async () => {
    await fill(42)
    for (const at of [1, 2, 3]) folder.remove(`n${at}.md`)
    folder.write("n5.md", "word5 changed\n")
    const report = await folder.sync()
    expect(report.held).toHaveLength(3)
    expect(await trashed()).toEqual([])
    expect((await bodies())["n5"]).toBe("word5 changed\n")
    await folder.stop()
    expect((await folder.sync({ missing: "delete" })).held).toHaveLength(3)
    await folder.stop()
    expect(await folder.sync({ missing: "delete-many" })).toMatchObject({ held: [], problems: [] })
    expect((await trashed()).toSorted()).toEqual(["n1", "n2", "n3"])
  })

  it("3: texts are merged from a true base, and else both are kept", async () => {
    folder.write("a.md", "one\n\ntwo\n")
    await folder.sync()
    await edit("a", "one\n\ntwo theirs\n")
    folder.write("a.md", "one mine\n\ntwo\n")
    await folder.sync()
    expect([folder.read("a.md"), await bodies()]).toEqual([
      "one mine\n\ntwo theirs\n",
      { a: "one mine\n\ntwo theirs\n" }
    ])
    await folder.loseState()
    folder.write("a.md", "one mine\n\nthree\n")
    await folder.sync()
    expect(folder.files()).toEqual({ "a.md": "one mine\n\nthree\n", "a (2).md": "one mine\n\ntwo theirs\n" })
    expect(Object.keys(await notes())).toEqual(["a"])
    expect((await sheaf.client.listNotes({ limit: 10 })).data).toHaveLength(2)
  })

  it("4: what waits for a question or fails does not stop the rest", async () => {
    await fill(42)
    for (const at of [1, 2, 3]) folder.remove(`n${at}.md`)
    folder.write("latin.md", Buffer.from([0xe4, 0xf6]))
    folder.write("new.md", "news\n")
    await edit("n9", "theirs\n")
    const report = await folder.sync()
    expect(report.problems).toEqual([{ path: "latin.md", message: expect.stringContaining("UTF-8") }])
    expect(report.held).toHaveLength(3)
    expect([(await bodies())["new"], folder.read("n9.md")]).toEqual(["news\n", "theirs\n"])
  })

  it("5: an empty or truncated file never wins over text", async () => {
    folder.write("empty.md", "first words\nsecond words\n")
    folder.write("cut.md", "first words\nsecond words\n")
    await folder.sync()
    folder.write("empty.md", "")
    folder.write("cut.md", "first wo")
    const soon = await folder.sync()
    expect(soon.problems.map(({ path }) => path).toSorted()).toEqual(["cut.md", "empty.md"])
    const now = Date.now()
    vi.spyOn(Date, "now").mockImplementation(() => now + 10_000)
    await folder.sync()
    const whole = "first words\nsecond words\n"
    expect(await bodies()).toEqual({ empty: whole, cut: whole })
    expect(folder.files()).toEqual({ "empty.md": whole, "cut.md": whole })
    expect(folder.trash()).toEqual({ "cut.md": "first wo" })
  })

  it("6: a deletion ends in the trash on both sides", async () => {
    await fill(2)
    folder.remove("n0.md")
    await folder.sync()
    expect(await trashed()).toEqual(["n0"])
    await sheaf.client.deleteNote({ id: (await notes())["n1"]!.id })
    await folder.sync()
    expect([folder.files(), folder.trash()]).toEqual([{}, { "n1.md": "word1\n" }])
  })

  it("7: without its state, the next run merges, deletes nothing and doubles nothing", async () => {
    await fill(5)
    await edit("n1", "word1 and theirs\n")
    folder.write("Deep/new.md", "mine\n")
    await folder.loseState()
    await folder.sync()
    expect(folder.read("n1.md")).toBe("word1 and theirs\n")
    expect(Object.keys(folder.files())).toEqual(["Deep/new.md", "n0.md", "n1.md", "n2.md", "n3.md", "n4.md"])
    expect((await sheaf.client.listNotes({ limit: 20 })).data).toHaveLength(6)
    expect([await trashed(), folder.trash()]).toEqual([[], {}])
  })

  it("8: a file that an editor writes meanwhile is never replaced", async () => {
    folder.write("a.md", "base\n")
    await folder.sync()
    await folder.stop()
    await edit("a", "base theirs\n")
    let steps = 0
    const program = await folder.program({
      onStep: () => {
        // Before each change of a file, the editor writes one more word.
        if (steps < 5) appendFileSync(folder.at("a.md"), `typed${steps++}\n`)
      }
    })
    await program.sync()
    const text = folder.read("a.md")
    for (let at = 0; at < steps; at++) expect(text).toContain(`typed${at}\n`)
    expect(steps).toBe(5)
    expect(text).toContain("theirs")
    expect(await bodies()).toEqual({ a: text })
  })

  it("9: a rename is a rename in both directions, with its history and its links", async () => {
    folder.write("Journeys/Vienna.md", "by train\n")
    folder.write("List.md", "see [[Vienna]]\n")
    await folder.sync()
    await edit("Vienna", "by night train\n")
    await folder.sync()
    const { id } = (await notes())["Vienna"]!
    const inode = folder.inode("Journeys/Vienna.md")
    folder.move("Journeys/Vienna.md", "Plans/Wien.md")
    await folder.sync()
    const renamed = (await notes())["Wien"]!
    expect(renamed.id).toBe(id)
    expect((await sheaf.client.listNoteVersions({ id })).data.map(({ body }) => body)).toContain("by train\n")
    const links = await sheaf.client.listNoteLinks({ id, direction: "in" })
    expect(links.data).toHaveLength(1)
    await sheaf.client.updateNote({ id, version: renamed.version, title: "Bec", links: "update" })
    await folder.sync()
    expect(folder.files()).toEqual({ "List.md": "see [[Bec]]\n", "Plans/Bec.md": "by night train\n" })
    expect(folder.inode("Plans/Bec.md")).toBe(inode)
  })
})
