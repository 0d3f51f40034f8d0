import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Files, sha256Of } from "../../support/Files.ts"
import { Importing } from "../../support/Importing.ts"
import { rounds } from "../../support/Slow.ts"
import { Team } from "../../support/people/Team.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"
import { zipOf } from "../../services/transfers/Zip.ts"

const { app } = useApp()

const start = async () => new Importing(await Team.start(app))

const attach = async (own: Importing, note_id: string, filename: string, content: string) => {
  const made = await own.team.post("/attachments/uploads", { note_id, filename })
  const sent = await new Files(app).put(made, Buffer.from(content))
  if (sent.status !== 200) throw new Error(JSON.stringify(sent.body))
  return made.id as string
}

/** Returns notes and their files, without ids and other values that depend on the workspace. */
const stateOf = async (own: Importing) => {
  const files = await own.attached()
  const called = new Map(files.map(({ filename, id, sha256 }) => [id, `${filename} ${sha256}`]))
  return (await own.notes())
    .map(({ archived, body, created_at, id, notebook, tags, title, updated_at }) => ({
      title,
      notebook,
      tags,
      archived,
      created_at,
      updated_at,
      body: body.replaceAll(/attachment:(at_\w+)/g, (_: string, file: string) => `attachment:${called.get(file)}`),
      files: [...new Set(files.filter(({ note_id }) => note_id === id).map((file) => called.get(file.id)))].toSorted()
    }))
    .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}

/** Returns the files of a ZIP, without the ids of notes. */
const contentsOf = ({ files }: { readonly files: ReadonlyMap<string, Buffer> }) =>
  Object.fromEntries(
    [...files].map(([path, bytes]) => [
      path,
      path.endsWith(".md") ? bytes.toString().replace(/^id: nt_\w+$/m, "id:") : sha256Of(bytes)
    ])
  )

const expectSame = async (own: Importing, body: object = {}) => {
  const first = await own.exported("markdown", body)
  const other = await start()
  const done = await other.all("markdown", "export.zip", first.bytes)
  expect(done).toMatchObject({ status: "done", errors: [] })
  expect(await stateOf(other)).toEqual(await stateOf(own))
  expect(contentsOf(await other.exported("markdown"))).toEqual(contentsOf(first))
  await expectTruth(app, other.team.id)
  return { first, other }
}

describe("Markdown export", () => {
  it("lists the files of a note that the note does not link, and an import restores them", async () => {
    const own = await start()
    const { id: notebook_id } = await own.team.post("/notebooks", { name: "Invoices" })
    for (const month of ["March", "April"]) {
      const note = await own.team.post("/notes", { notebook_id, title: `Invoice ${month}`, body: "see the file" })
      await attach(own, note.id, "invoice.pdf", `of ${month}`)
      await app.advance("1 second")
    }
    const { first, other } = await expectSame(own)
    expect(first.files.get("Invoices/Invoice March.md")!.toString()).toContain(
      '\nfiles:\n  - "../_attachments/invoice.pdf"\narchived: false\n'
    )
    expect(first.files.get("Invoices/Invoice April.md")!.toString()).toContain(
      '\nfiles:\n  - {"path": "../_attachments/invoice (2).pdf", "name": "invoice.pdf"}\n'
    )
    expect((await other.notes()).map(({ title }) => title)).toEqual(["Invoice April", "Invoice March"])
    expect(await other.all("markdown", "export.zip", first.bytes)).toMatchObject({ imported: 0, skipped: 2 })
  })

  it("restores the same notes with the same files, whatever their names and whether they are linked", async () => {
    const names = [
      "a.pdf",
      "A.PDF",
      "b: what?.png",
      "CON",
      ".hidden",
      "ümlaut.png",
      "u\u0308mlaut.png",
      "100% #1 [x].txt",
      "it's (1).txt",
      '"quoted".txt',
      "日本語.txt",
      "no ending",
      "x.md",
      "2024_01_05.md",
      "a.textpack",
      "b.bearnote",
      "Thumbs.db",
      `${"long ".repeat(40)}.txt`
    ]
    const file = fc.record({
      filename: fc.constantFrom(...names),
      content: fc.constantFrom("one", "two", "three"),
      link: fc.constantFrom("none", "image", "link")
    })
    const note = fc.record({
      title: fc.constantFrom("Plan", "plan", "Was: ist?", "files", "# 1"),
      notebook: fc.constantFrom(0, 1),
      head: fc.constantFrom("", "---\nfiles: [mine.txt]\nup: x\n---\n", "---\nup: x\n---\n"),
      files: fc.array(file, { maxLength: 5 }),
      archived: fc.boolean()
    })
    await fc.assert(
      fc.asyncProperty(fc.array(note, { minLength: 3, maxLength: 5 }), async (notes) => {
        const own = await start()
        const work = await own.team.post("/notebooks", { name: "Work" })
        const below = await own.team.post("/notebooks", { name: "Below it", parent_id: work.id })
        for (const { archived, files, head, notebook, title } of notes) {
          const notebook_id = [work.id, below.id][notebook]
          const { id } = await own.team.post("/notes", { notebook_id, title, tags: ["a/b"] })
          const rows: Array<string> = []
          for (const { content, filename, link } of files) {
            const attachment = await attach(own, id, filename, content)
            if (link !== "none") rows.push(`${link === "image" ? "!" : ""}[it](attachment:${attachment})`)
            await app.advance("700 millis")
          }
          await own.team.patch(`/notes/${id}`, { body: `${head}text\n\n${rows.join("\n\n")}\n`, archived })
          await app.advance("1 second")
        }
        await expectSame(own)
      }),
      { numRuns: rounds(1, 4), seed: 7, endOnFailure: true }
    )
  })

  it("restores files with names of notes, archives or system files", async () => {
    const names = ["x.md", "doc.markdown", "2024_01_05.md", "a.textpack", "b.bearnote", "Thumbs.db", "desktop.ini"]
    const own = await start()
    const { id: notebook_id } = await own.team.post("/notebooks", { name: "Work" })
    const { id } = await own.team.post("/notes", { notebook_id, title: "Files" })
    const links: Array<string> = []
    for (const [index, name] of names.entries()) {
      const file = await attach(own, id, name, `bytes of ${name}`)
      if (index % 2 === 0) links.push(`[${name}](attachment:${file})`)
      await app.advance("3 seconds")
    }
    // An exported note that was attached as a file stays a file.
    const front = '---\nid: nt_0123456789abcdefghij\ntitle: "A"\ntags: []\ncreated: 2020-01-01T00:00:00.000Z\n'
    await attach(own, id, "note.md", `${front}updated: 2020-01-01T00:00:00.000Z\narchived: false\npinned: false\n---\n`)
    await own.team.patch(`/notes/${id}`, { body: `${links.join("\n\n")}\n` })
    const { first, other } = await expectSame(own)
    expect((await other.attached()).map(({ filename }) => filename).toSorted()).toEqual(
      [...names, "note.md"].toSorted()
    )

    const wrapped = await start()
    const files = [...first.files].filter(([path]) => path !== "_attachments/note.md")
    const packed = zipOf([
      ...files.map(([path, content]) => ({ name: `export/${path}`, content })),
      { name: "export/_attachments/._x.md", content: "of a system" }
    ])
    const done = await wrapped.all("markdown", "export.zip", packed)
    expect(done.errors.map(({ code }: any) => code)).toEqual(["missing_file"])
    expect((await wrapped.notes()).map(({ title }) => title)).toEqual(["Files"])
    expect((await wrapped.attached()).map(({ filename }) => filename).toSorted()).toEqual(names.toSorted())
  })

  it("is recognised by the front matter of its notes only, and system files that no note lists are skipped", async () => {
    const own = await start()
    const packed = zipOf([
      { name: "Note.md", content: "---\nid: mine\n---\ntext" },
      { name: "_attachments/x.md", content: "a note of another program" },
      { name: "_attachments/Thumbs.db", content: "of a system" }
    ])
    expect(await own.all("markdown", "vault.zip", packed)).toMatchObject({ imported: 2, errors: [] })
    expect((await own.notes()).map(({ title }) => title).toSorted()).toEqual(["Note", "x"])

    const front = "---\nid: nt_0123456789abcdefghij\ntitle: Own\narchived: false\npinned: false\n---\n"
    const browsed = zipOf([
      { name: "Own.md", content: front },
      { name: "_attachments/Thumbs.db", content: "of a system" }
    ])
    expect(await own.all("markdown", "export.zip", browsed)).toMatchObject({ imported: 1, errors: [] })
  })

  it("is read after another program rewrote its front matter", async () => {
    const own = await start()
    const matter = "---\nid: nt_0123456789abcdefghij\narchived: false\npinned: true\ntitle: Note\n"
    const files = "files:\n  - _attachments/a (2).txt\n  - path: _attachments/b.txt\n    name: B.txt\n  - gone.txt\n"
    const done = await own.all(
      "markdown",
      "export.zip",
      zipOf([
        { name: "Note.md", content: `${matter}${files}mine: kept\n---\ntext\n` },
        { name: "_attachments/a (2).txt", content: "a" },
        { name: "_attachments/b.txt", content: "b" }
      ])
    )
    expect(done).toMatchObject({ imported: 1, errors: [{ file: "Note.md", code: "missing_file" }] })
    expect(await stateOf(own)).toMatchObject([
      {
        title: "Note",
        body: "---\nmine: kept\n---\ntext\n",
        files: [`B.txt ${sha256Of(Buffer.from("b"))}`, `a (2).txt ${sha256Of(Buffer.from("a"))}`]
      }
    ])
  })

  it("lists no files if the export has none", async () => {
    const own = await start()
    const [inbox] = (await own.team.get("/notebooks")).data
    const { id } = await own.team.post("/notes", { notebook_id: inbox.id, title: "Note" })
    await attach(own, id, "a.txt", "a")
    const { files } = await own.exported("markdown", { include_attachments: false })
    expect([...files].map(([path, bytes]) => [path, bytes.toString().includes("files:")])).toEqual([
      ["Inbox/Note.md", false]
    ])
  })
})
