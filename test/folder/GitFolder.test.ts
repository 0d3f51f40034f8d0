import { readFileSync } from "node:fs"
import { beforeEach, describe, expect, it } from "vitest"
import { titleOfFile } from "../../src/clients/folder/FolderNames.ts"
import { isNoteFile } from "../../src/clients/folder/FolderScan.ts"
import { decodedText } from "../../src/clients/folder/FileText.ts"
import type { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { GitFolder, hasGit } from "../support/folders/GitFolder.ts"
import type { SyncedFolder } from "../support/folders/SyncedFolder.ts"
import { useFolders } from "../support/folders/useFolders.ts"

let sheaf: Sheaf
let folder: SyncedFolder
let other: SyncedFolder
useFolders((given) => ({ sheaf, folder, other } = given))

const notes = async () => {
  const { data } = await sheaf.client.listNotes({ limit: 100 })
  const whole = await Promise.all(data.map(({ id }) => sheaf.client.getNote({ id })))
  return Object.fromEntries(whole.map((note) => [note.title, note]))
}
const bodies = async () => Object.fromEntries(Object.entries(await notes()).map(([title, { body }]) => [title, body]))
/** The texts of the files of notes, by their titles, without what notes do not have. */
const plainFiles = (each: SyncedFolder) => {
  const texts = Object.keys(each.files()).flatMap((path) => {
    const decoded =
      isNoteFile(path) && !/(?:^|\/)(?:\.|node_modules)/.test(path)
        ? decodedText(readFileSync(each.at(path)))
        : undefined
    return decoded === undefined ? [] : [[titleOfFile(path), decoded.text]]
  })
  return Object.fromEntries(texts)
}
const trashed = async () =>
  (await sheaf.client.listNotes({ limit: 100, filter: "deleted_at != null" })).data.map(({ title }) => title).toSorted()

/** The bytes of the files of a documentation in Git. */
const files: Readonly<Record<string, string | Uint8Array>> = {
  ".gitignore": "node_modules/\n",
  ".github/workflows/ci.md": "no note\n",
  "README.md": "# Read me\n\n![](pages/images/plan.png) [guide](pages/guide.md)",
  "pages/guide.md": "---\ntitle: Guide\ntags: [b, a]   # ours\n---\r\n\r\nmixed\nends  \n",
  "pages/windows.md": "\ufeffone\r\ntwo\r\n",
  "pages/über/ä.md": "letters\n",
  "pages/images/plan.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]),
  "node_modules/x/README.md": "no note\n",
  "src/main.c": "int main(void) { return 0; }\n"
}

describe.skipIf(!hasGit)("a folder of a Git repository (skipped where there is no git)", () => {
  let git: GitFolder
  beforeEach(() => {
    for (const [path, bytes] of Object.entries(files)) folder.write(path, bytes)
    git = new GitFolder(folder.folder)
    git.commit()
  })
  const changes = () => git.git("status", "--porcelain")

  it("is not changed by its first sync, nor by one of nothing", async () => {
    const before = folder.fingerprint()
    for (let round = 0; round < 2; round++) {
      expect((await folder.sync()).problems).toEqual([])
      await folder.stop()
      expect([changes(), folder.fingerprint()]).toEqual(["", before])
    }
    expect((await folder.sync()).actions).toEqual([])
    await folder.stop()
    await folder.loseState()
    expect((await folder.sync()).problems).toEqual([])
    expect([changes(), folder.fingerprint()]).toEqual(["", before])
    expect(Object.keys(await notes()).toSorted()).toEqual(["README", "guide", "windows", "ä"])
  })

  it("has the edits of notes as changes, and an edit that is taken back as none", async () => {
    await folder.sync()
    const { body, id, version } = (await notes())["windows"]!
    await sheaf.client.updateNote({ id, version, body: `${body}three\n` })
    await folder.sync()
    expect([changes(), git.git("diff", "--numstat")]).toEqual([" M pages/windows.md\n", "1\t0\tpages/windows.md\n"])
    const { version: now } = await sheaf.client.getNote({ id })
    await sheaf.client.updateNote({ id, version: now, body })
    await folder.sync()
    expect(changes()).toBe("")
  })

  it("is equal to its notes after another branch was checked out, and only files that it lacks go to the trash", async () => {
    await folder.sync()
    await other.sync()
    const ids = Object.fromEntries(Object.entries(await notes()).map(([title, { id }]) => [title, id]))
    git.git("checkout", "--quiet", "-b", "topic")
    folder.write("README.md", "# Read me\n\nThe topic.\n")
    folder.write("pages/new.md", "new\n")
    folder.move("pages/windows.md", "pages/doors.md")
    folder.remove("pages/über/ä.md")
    await folder.sync()
    await other.sync()
    git.commit()
    expect((await notes())["doors"]!.id).toBe(ids["windows"])
    expect(await trashed()).toEqual(["ä"])

    git.git("checkout", "--quiet", "main")
    const main = folder.fingerprint()
    expect(await folder.sync()).toMatchObject({ problems: [], held: [], waiting: 0 })
    expect([changes(), folder.fingerprint()]).toEqual(["", main])
    expect(await trashed()).toEqual(["new", "ä"])
    expect((await notes())["windows"]!.id).toBe(ids["windows"])
    expect(await bodies()).toEqual(plainFiles(folder))
    await other.sync()
    expect(plainFiles(other)).toEqual(await bodies())
    expect([(await folder.sync()).actions, (await other.sync()).actions]).toEqual([[], []])
    expect(folder.trash()).toEqual({})
  })

  it("keeps the notes of many files that another branch lacks, until the user confirms that they go", async () => {
    await folder.sync()
    git.git("checkout", "--quiet", "-b", "small")
    for (const path of ["pages/guide.md", "pages/windows.md", "pages/über/ä.md"]) folder.remove(path)
    git.commit()
    git.git("checkout", "--quiet", "main")
    await folder.sync()
    git.git("checkout", "--quiet", "small")
    expect((await folder.sync()).held.map(({ path }) => path).toSorted()).toEqual([
      "pages/guide.md",
      "pages/windows.md",
      "pages/über/ä.md"
    ])
    expect([await trashed(), changes()]).toEqual([[], ""])
    // The branch that has them is back.
    git.git("checkout", "--quiet", "main")
    expect(await folder.sync()).toMatchObject({ problems: [], held: [] })
    expect([Object.keys(await notes()).length, changes()]).toEqual([4, ""])
    await folder.stop()
    git.git("checkout", "--quiet", "small")
    expect(await folder.sync({ missing: "delete-many" })).toMatchObject({ problems: [], held: [] })
    expect([await trashed(), changes()]).toEqual([["guide", "windows", "ä"], ""])
    expect(Object.keys(await notes())).toEqual(["README"])
  })
})
