import { describe, expect, it } from "vitest"
import type { Sheaf } from "../../src/program/testing/Sheaf.ts"
import type { SyncedFolder } from "../support/folders/SyncedFolder.ts"
import { useFolders } from "../support/folders/useFolders.ts"

let sheaf: Sheaf
let folder: SyncedFolder
useFolders((given) => ({ sheaf, folder } = given))

const listed = async () => (await sheaf.client.listNotes({ limit: 100 })).data
const rename = async (id: string, title: string) => {
  const { version } = await sheaf.client.getNote({ id })
  await sheaf.client.updateNote({ id, version, title })
}
/** A note "a" whose file is in the folder, and which gets another title. */
const renamed = async (title: string) => {
  folder.write("a.md", "one\n")
  await folder.sync()
  await folder.stop()
  const { id } = (await listed())[0]!
  await rename(id, title)
  return id
}

describe("a file that follows the title of its note", () => {
  it("replaces no file that a program makes in the moment of the move", async () => {
    const id = await renamed("b")
    let steps = 0
    const onStep = () => {
      if (steps++ === 0) folder.write("b.md", "made\n")
    }
    await (await folder.program({ onStep })).sync()
    expect(folder.files()).toEqual({ "b (2).md": "one\n", "b.md": "made\n" })
    expect((await sheaf.client.getNote({ id })).body).toBe("one\n")
    expect(await listed()).toHaveLength(2)
  })

  it.each([0, 1, 2])("loses no file by which an editor replaces it before step %i", async (step) => {
    const id = await renamed("b")
    let steps = 0
    const onStep = () => {
      if (steps++ !== step) return
      folder.write("a.md.tmp", "one\ntwo\n")
      folder.move("a.md.tmp", "a.md")
    }
    await (await folder.program({ onStep })).sync()
    await folder.stop()
    await folder.sync()
    expect(Object.values(folder.files())).toContain("one\ntwo\n")
    const notes = await Promise.all((await listed()).map((note) => sheaf.client.getNote({ id: note.id })))
    expect(notes.map(({ body }) => body)).toContain("one\ntwo\n")
    expect(notes.map((note) => note.id)).toContain(id)
    expect(Object.keys(folder.files())).toHaveLength(notes.length)
  })

  it.each([undefined, "c", "a"])(
    "has one name after a kill at any step, and its note is the same (title meanwhile: %s)",
    async (next) => {
      const id = await renamed("b/b?")
      const inode = folder.inode("a.md")
      const names = new Set<string>()
      for (let steps = 0; ; steps++) {
        await folder.syncAndKill(steps)
        names.add(Object.keys(folder.files()).join(" "))
        const title = next ?? "b/b?"
        await rename(id, title)
        expect((await folder.sync()).problems).toEqual([])
        const path = `${title.replaceAll(/[/?]/g, "-")}.md`
        expect([Object.keys(folder.files()), folder.inode(path)]).toEqual([[path], inode])
        expect((await listed()).map((note) => [note.id, note.title])).toEqual([[id, title]])
        await folder.stop()
        if (steps > 12) break
        await rename(id, "a")
        await folder.sync()
        await folder.stop()
        await rename(id, "b/b?")
      }
      expect([...names]).toContain("a.md b-b-.md")
    }
  )

  it("has a title in another case", async () => {
    const id = await renamed("A")
    await folder.sync()
    expect(folder.files()).toEqual({ "A.md": "one\n" })
    expect((await listed()).map((note) => note.id)).toEqual([id])
  })

  it("is once in the trash after a kill at any step", async () => {
    folder.write("kept.md", "kept\n")
    for (let steps = 0; steps < 8; steps++) {
      folder.write(`n${steps}.md`, "one\n")
      await folder.sync()
      await folder.stop()
      await sheaf.client.deleteNote({ id: (await listed()).find(({ title }) => title === `n${steps}`)!.id })
      await folder.syncAndKill(steps)
      await folder.sync()
      await folder.stop()
      expect([Object.keys(folder.files()), Object.keys(folder.trash())]).toEqual([
        ["kept.md"],
        Array.from({ length: steps + 1 }, (_, at) => `n${at}.md`)
      ])
    }
  })
})
