import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isFileOf, type NoteContent, sameTags, statedBy, textOf } from "../../src/clients/folder/FileText.ts"
import type { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { frontMatterBlockOf } from "../../services/markdown/FrontMatterBlock.ts"
import type { SyncedFolder } from "../support/folders/SyncedFolder.ts"
import { useFolders } from "../support/folders/useFolders.ts"

let sheaf: Sheaf
let folder: SyncedFolder
let other: SyncedFolder
useFolders((given) => ({ sheaf, folder, other } = given))

const listed = async () => (await sheaf.client.listNotes({ limit: 100 })).data
const only = async () => {
  const [note, ...more] = await listed()
  expect(more).toEqual([])
  return sheaf.client.getNote({ id: note!.id })
}
const tag = async (tags: ReadonlyArray<string>) => {
  const { id, version } = await only()
  await sheaf.client.updateNote({ id, version, tags: [...tags] })
}

const text = `---
title: A plan   # of ours
tags:
  - red
  - blue
x-unknown: {y: 1}
---
---
text
`

describe("tags that are changed outside of the text of a note", () => {
  it.each([
    { tags: ["blue"], lines: "tags:\n  - blue\n" },
    { tags: [], lines: "tags: []\n" },
    { tags: ["red", "blue", "new/one"], lines: "tags:\n  - red\n  - blue\n  - new/one\n" }
  ])("are in the front matter of the text in its file, which is the only one ($tags)", async ({ lines, tags }) => {
    folder.write("a.md", text)
    await folder.sync()
    await tag(tags)
    await folder.sync()
    await other.sync()
    const file = text.replace("tags:\n  - red\n  - blue\n", lines)
    expect([folder.read("a.md"), other.read("a.md")]).toEqual([file, file])
    expect(await only()).toMatchObject({ body: text, tags })
    expect([(await folder.sync()).actions, (await other.sync()).actions]).toEqual([[], []])
    // The state is lost: the file is still that of the note.
    await folder.loseState()
    expect((await folder.sync()).actions.map(({ kind }) => kind)).toEqual(["meet"])
    expect(await only()).toMatchObject({ body: text, tags })
    // An edit of the file brings its front matter into the text of the note.
    folder.write("a.md", `${file}more\n`)
    await folder.sync()
    expect(await only()).toMatchObject({ body: `${file}more\n`, tags })
    await other.sync()
    expect(other.read("a.md")).toBe(`${file}more\n`)
    expect([(await folder.sync()).actions, (await other.sync()).actions]).toEqual([[], []])
  })

  it("stay when both sides change: the tags in the console, and the text in the file", async () => {
    folder.write("a.md", text)
    await folder.sync()
    await tag(["blue"])
    folder.write("a.md", `${text}more\n`)
    await folder.sync()
    expect(await only()).toMatchObject({ body: `${text}more\n`, tags: ["blue"] })
    expect(folder.read("a.md")).toBe(`${text.replace("  - red\n", "")}more\n`)
    expect((await folder.sync()).actions).toEqual([])
  })

  it("are found again in a file that is an earlier version, when the state was lost", async () => {
    folder.write("a.md", text)
    await folder.sync()
    await tag(["blue"])
    await folder.sync()
    const { id, version } = await only()
    await folder.loseState()
    await sheaf.client.updateNote({ id, version, body: `${text}theirs\n` })
    await folder.sync()
    expect(folder.files()).toEqual({ "a.md": `${text.replace("  - red\n", "")}theirs\n` })
    await only()
  })

  it("come to a file whose state was lost, also if an earlier version has the same tags", async () => {
    folder.write("a.md", "text\n")
    await folder.sync()
    await folder.loseState()
    for (const tags of [["red"], ["blue"], ["red"]]) await tag(tags)
    await folder.sync()
    expect(folder.read("a.md")).toContain('tags:\n  - "red"\n')
    expect(await only()).toMatchObject({ body: "text\n", tags: ["red"] })
  })

  it("are said by one front matter for any properties, and the text behind it stays the same", () => {
    const line = fc.constantFrom(
      "tags: [red, blue]",
      "tags: red # why",
      "Tags:\n  - red",
      "tag: red",
      "tags:",
      "title: T",
      "created: 2020-01-01",
      "aliases: [x]",
      "x: &a 1\ny: *a",
      "# a comment",
      "x: {y: 1}",
      "taxonomies:\n  tags: [red]",
      "broken: ["
    )
    const block = fc
      .uniqueArray(line, { maxLength: 5 })
      .map((lines) => `---\n${lines.map((each) => `${each}\n`).join("")}---\n`)
    const rest = fc.constantFrom("text\n", "", "---\nx: 1\n---\n", "text\n---\n")
    const tags = fc.uniqueArray(fc.constantFrom("red", "blue", "a/b", "12", "true"), { maxLength: 3 })
    let joined = 0
    fc.assert(
      fc.property(block, rest, tags, (head, end, own) => {
        const note: NoteContent = {
          id: "nt_0123456789abcdefghijk",
          title: "T",
          notebook_id: "nb_1",
          body: head + end,
          tags: own,
          pinned: false,
          archived: false,
          created_at: "2026-01-01T00:00:00.000Z",
          updated_at: "2026-01-01T00:00:00.000Z"
        }
        const file = textOf(note, note.body)
        const stated = statedBy(file)
        expect(sameTags(stated.tags, own)).toBe(true)
        expect(isFileOf(stated, note)).toBe(true)
        expect(file.endsWith(end)).toBe(true)
        // What the file says gives the same file.
        expect(textOf({ ...note, ...stated }, stated.body)).toBe(file)
        if (stated.body !== note.body) {
          joined++
          expect(frontMatterBlockOf(file)?.end).toBe(file.length - end.length)
        } else if (stated.pinned === undefined) expect(file).toBe(note.body)
      }),
      { numRuns: 500 }
    )
    expect(joined).toBeGreaterThan(50)
  })
})
