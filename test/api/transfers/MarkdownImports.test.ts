import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { encoded } from "../../services/transfers/Encode.ts"
import { fileOf, hasSamples, readAll, samples, withSamples } from "../../services/transfers/Reading.ts"
import { zipOf } from "../../services/transfers/Zip.ts"
import { Files, sha256Of } from "../../support/Files.ts"
import { Importing } from "../../support/Importing.ts"
import { Team } from "../../support/people/Team.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const start = async () => new Importing(await Team.start(app))
const codesOf = ({ errors }: any): ReadonlyArray<string> => errors.map(({ code }: any) => code)

const long = (bytes: Buffer) =>
  `# Clip\n\n![photo](data:image/jpeg;base64,${bytes.toString("base64")})\n\nclosing words\n`

const gbkNames = zipOf([
  { name: encoded("中文笔记/测试.md", "gbk"), content: "see ![](图片.png)" },
  { name: encoded("中文笔记/图片.png", "gbk"), content: "P" }
])

describe("imports of Markdown", () => {
  it("store a large embedded image as a file, and keep and index the words after it", async () => {
    const own = await start()
    const photo = randomBytes(1_500_000)
    const done = await own.all("markdown", "clip.md", Buffer.from(long(photo)))
    expect(done).toMatchObject({ status: "done", imported: 1, errors: [] })
    const [note] = await own.notes()
    const [attachment] = await own.attached()
    expect(note.body).toBe(`# Clip\n\n![photo](attachment:${attachment.id})\n\nclosing words\n`)
    expect(attachment).toMatchObject({
      filename: "embedded 1.jpg",
      content_type: "image/jpeg",
      sha256: sha256Of(photo)
    })
    const found = await own.team.post("/search", { query: "closing" })
    expect(found.hits.map(({ id }: any) => id)).toEqual([note.id])
    await expectTruth(app, own.team.id)
    await own.leftNothing()
  })

  it("serve embedded HTML or scripts as downloads only", async () => {
    const own = await start()
    const page = Buffer.from("<script>alert(1)</script>").toString("base64")
    await own.all("markdown", "page.md", Buffer.from(`[page](data:text/html;base64,${page})`))
    const [attachment] = await own.attached()
    const { url } = await own.team.get(`/attachments/${attachment.id}`)
    const { headers } = await new Files(app).call("GET", url)
    expect(headers.get("content-type")).toBe("application/octet-stream")
    expect(headers.get("content-disposition")).toMatch(/^attachment/)
  })

  it("read file names in national encodings, and resolve links to them", async () => {
    const own = await start()
    const done = await own.all("markdown", "names.zip", gbkNames)
    expect(codesOf(done)).toEqual(["encoding_assumed"])
    const [note] = await own.notes()
    const [attachment] = await own.attached()
    expect(note).toMatchObject({ title: "测试", notebook: ["中文笔记"], body: `see ![](attachment:${attachment.id})` })
    expect(attachment.filename).toBe("图片.png")
  })
})

describe("Markdown links with spaces in their URL", () => {
  it("lead to files and notes of the archive, or stay text if the target is missing", async () => {
    const own = await start()
    const kept = "[see](this, and that) `[a](my file.pdf)` \\[a](my file.pdf) [w](https://example.com/my file.pdf)"
    const text = `[x](my file.pdf) ![](img/my img.png) [n](My note.md) [c](my copy (1).pdf) ${kept}\n`
    const done = await own.all(
      "markdown",
      "vault.zip",
      zipOf([
        { name: "Note.md", content: text },
        { name: "My note.md", content: "n" },
        { name: "my file.pdf", content: "%PDF-1.7" },
        { name: "my copy (1).pdf", content: "%PDF-1.7 copy" },
        { name: "img/my img.png", content: "P" }
      ])
    )
    expect(done).toMatchObject({ status: "done", imported: 2, errors: [] })
    const files = await own.attached()
    const idOf = (name: string) => files.find(({ filename }) => filename === name).id
    const notes = await own.notes()
    const note = (title: string) => notes.find((each) => each.title === title)!
    expect(note("Note").body).toBe(
      `[x](attachment:${idOf("my file.pdf")}) ![](attachment:${idOf("my img.png")}) [n](note:${note("My note").id}) [c](attachment:${idOf("my copy (1).pdf")}) ${kept}\n`
    )
  })
})

const binaries = [
  ["a PDF", Buffer.from("%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n")],
  ["a PNG image", Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), randomBytes(500)])],
  ["a RAR archive", Buffer.concat([Buffer.from("Rar!\x1a\x07\x01\0", "latin1"), randomBytes(500)])],
  ["a 7z archive", Buffer.concat([Buffer.from("7z\xbc\xaf\x27\x1c", "latin1"), randomBytes(500)])],
  // Contains each byte equally often.
  ["a binary file", Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 167) % 256))]
] as const

describe("files named as Markdown with other content", () => {
  it.each(binaries)("fail with an error for %s", async (name, bytes) => {
    const { notes, problems } = await readAll(fileOf("f.md", bytes), "markdown")
    const message = `This is ${name}, not Markdown`
    expect(problems).toMatchObject([{ code: "not_readable", message, isFatal: true }])
    expect(notes).toEqual([])
  })

  it("are attached when they are in an archive, and links lead to them", async () => {
    const own = await start()
    const files = binaries.map(([name, content], index) => ({ name: `Work/${index}.md`, content, format: name }))
    const text = "[it](0.md) [[1]]\n"
    const done = await own.all("markdown", "vault.zip", zipOf([{ name: "Work/Note.md", content: text }, ...files]))
    expect(done.status).toBe("done")
    expect(done.errors).toEqual([
      ...files.map(({ format, name }) => ({
        file: name,
        code: "not_converted",
        message: `It is ${format}, not Markdown; it is attached as a file`
      })),
      {
        file: "Work",
        code: "unused_files",
        message: 'No note uses 3 files of this folder; the note "Files" has them'
      }
    ])
    const attached = await own.attached()
    expect(attached.map(({ sha256 }) => sha256).toSorted()).toEqual(
      files.map(({ content }) => sha256Of(content)).toSorted()
    )
    const idOf = (filename: string) => attached.find((each) => each.filename === filename).id
    const note = (await own.notes()).find(({ title }) => title === "Note")!
    expect(note.body).toBe(`[it](attachment:${idOf("0.md")}) [1](attachment:${idOf("1.md")})\n`)
  })

  it("are read if they are UTF-16 without a byte order mark, also truncated, or contain a few control characters", async () => {
    const wide = Buffer.from("plain words of a note, ".repeat(20), "utf16le")
    const odd = `${"words ".repeat(100)}\0\x01\x02`
    const packed = zipOf([
      { name: "wide.md", content: wide },
      { name: "cut.md", content: wide.subarray(0, wide.length - 1) },
      { name: "odd.md", content: odd }
    ])
    const { notes } = await readAll(fileOf("vault.zip", packed), "markdown")
    expect(notes.map(({ body }) => body.slice(0, 5)).toSorted()).toEqual(["plain", "plain", "words"])
  })
})

describe("imports of a JSON export", () => {
  it("read an export that was unpacked and packed again with its parent folders", async () => {
    const from = await start()
    await from.team.post("/notebooks", { name: "Work" })
    await from.all("markdown", "vault.zip", zipOf([{ name: "Work/a.md", content: "text" }]))
    const { files } = await from.exported("json")
    for (const folder of ["export/", "Downloads/export/"]) {
      const packed = zipOf([
        ...[...files].map(([path, content]) => ({ name: folder + path, content })),
        { name: `${folder}.DS_Store`, content: "x" },
        { name: `__MACOSX/${folder}._manifest.json`, content: "x" },
        { name: `__MACOSX/${folder}manifest.json`, content: "x" }
      ])
      const into = await start()
      expect(await into.all("json", "export.zip", packed)).toMatchObject({ status: "done", imported: 1, errors: [] })
      expect(await into.notes()).toMatchObject([{ title: "a", body: "text", notebook: ["Work"] }])
      await expectTruth(app, into.team.id)
    }
  })

  it("reject an archive that contains the export as an archive, and suggest importing that one", async () => {
    const packed = zipOf([{ name: "export.zip", content: zipOf([{ name: "manifest.json", content: "{}" }]) }])
    const done = await (await start()).all("json", "outer.zip", packed)
    expect(done).toMatchObject({
      status: "failed",
      errors: [{ code: "not_readable", message: expect.stringContaining('import the archive "export.zip" in it') }]
    })
  })

  it("read the first of two exports in an archive, and report the other", async () => {
    const from = await start()
    await from.all("markdown", "a.md", Buffer.from("text"))
    const { files } = await from.exported("json")
    const packed = zipOf(
      ["one/", "two/"].flatMap((folder) => [...files].map(([path, content]) => ({ name: folder + path, content })))
    )
    const done = await (await start()).all("json", "export.zip", packed)
    expect(done).toMatchObject({ status: "done", imported: 1, errors: [{ file: "two/", code: "skipped" }] })
  })

  it("report files that are not part of the export, once per folder", async () => {
    const from = await start()
    await from.all("markdown", "a.md", Buffer.from("text"))
    const { files } = await from.exported("json")
    const packed = zipOf([
      ...[...files].map(([path, content]) => ({ name: `export/${path}`, content })),
      { name: "outside.txt", content: "x" },
      { name: "export/readme.txt", content: "x" },
      { name: "export/notes/mine.md", content: "x" },
      { name: "export/notes/other.md", content: "x" },
      { name: "export/notes/old/nt_0123456789abcdefghij.json", content: "{}" },
      { name: "export/notes/._nt_0123456789abcdefghij.json", content: "of a system" },
      { name: "export/files/photo.png", content: "x" }
    ])
    const into = await start()
    const done = await into.all("json", "export.zip", packed)
    expect(done).toMatchObject({ status: "done", imported: 1 })
    const left = (folder: string, message: string) => ({ file: folder, code: "skipped", message })
    expect(done.errors).toEqual([
      left("export.zip", '1 file is left out, not part of a JSON export: "outside.txt"'),
      left("export", '1 file is left out, not part of a JSON export: "readme.txt"'),
      left("export/notes", '2 files are left out, not part of a JSON export: "mine.md", "other.md"'),
      left("export/notes/old", '1 file is left out, not part of a JSON export: "nt_0123456789abcdefghij.json"'),
      left("export/files", '1 file is left out, not part of a JSON export: "photo.png"')
    ])
    await expectTruth(app, into.team.id)
  })
})

describe.skipIf(!hasSamples)(`reported errors of Markdown imports${withSamples}`, () => {
  it("09, 20, 21, 22: store images in data: URLs, and read empty properties, dates of a plug-in and TOML", async () => {
    const own = await start()
    const names = ["09-data-uri.md", "20-empty-properties.md", "21-linter-dates.md", "22-toml.md"]
    const files = names.map((name) => ({ name, content: readFileSync(join(samples, "reported", name)) }))
    expect((await own.all("markdown", "vault.zip", zipOf(files))).errors).toEqual([])
    const [attachment] = await own.attached()
    const [image, empty, dated, toml] = await own.notes()
    expect(image.body).toContain(`![chart](attachment:${attachment.id})`)
    expect(image.body).toContain("closing words")
    expect(empty.body.trim()).toBe("# Empty properties")
    expect(dated).toMatchObject({ created_at: "2022-05-17T14:33:20.000Z", updated_at: "2022-05-18T09:00:00.000Z" })
    expect(dated.body).not.toContain("created")
    expect(toml).toMatchObject({ title: "TOML", tags: ["t"], created_at: "2020-01-01T10:00:00.000Z", body: "Hugo\n" })
  })
})
