import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { limits } from "../../../services/transfers/formats/Item.ts"
import { formOf } from "../../../services/transfers/formats/recognition/Forms.ts"
import { recognized } from "../../../services/transfers/formats/recognition/Recognition.ts"
import type { Source } from "../../../services/transfers/formats/Item.ts"
import { fileOf, hasSamples, noteId, readAll, reported, samples, withSamples } from "./Reading.ts"
import { zipOf } from "./Zip.ts"

const zip = (files: Readonly<Record<string, string>>) =>
  zipOf(Object.entries(files).map(([name, content]) => ({ name, content })))

const enex = (title: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export3.dtd">\n<en-export><note><title>${title}</title><content><![CDATA[<en-note><div>words</div></en-note>]]></content></note></en-export>`

const id = "0123456789abcdef0123456789abcdef"

/** A file of each format: its name, its content, the titles of its notes, and the name of its format. */
const files: ReadonlyArray<
  readonly [name: string, content: string | Uint8Array, titles: ReadonlyArray<string>, what: string]
> = [
  ["My.enex", enex("One"), ["One"], "Evernote"],
  ["books.zip", zip({ "a.enex": enex("One"), "b.enex": enex("Two") }), ["One", "Two"], "Evernote"],
  [
    "page.txt",
    "<!DOCTYPE html>\n<html><head><title>Page</title></head><body><p>words</p></body></html>",
    ["Page"],
    "HTML"
  ],
  ["site.zip", zip({ "a/One.html": "<p>x</p>", "Two.htm": "<title>Second</title>y" }), ["One", "Second"], "HTML"],
  ["Export.zip", zip({ [`Page ${id}.md`]: "# Page\n\nwords" }), ["Page"], "Notion"],
  [
    "keep.json",
    '{"color":"DEFAULT","isTrashed":false,"isPinned":true,"isArchived":false,"textContent":"a\\nb","title":"Kept"}',
    ["Kept"],
    "Google Keep"
  ],
  ["notes.json", '{"activeNotes":[{"id":"1","content":"First\\r\\nrest"}],"trashedNotes":[]}', ["First"], "Simplenote"],
  [
    "backup.txt",
    '{"version":"004","items":[{"uuid":"1","content_type":"Note","content":{"title":"Standard","text":"x"}}]}',
    ["Standard"],
    "Standard Notes"
  ]
]

describe("a file of another source than the user has chosen", () => {
  it.each(files)("is imported as what it is: %s", async (name, content, titles, what) => {
    const got = await readAll(fileOf(name, content), "markdown")
    expect(got.notes.map(({ title }) => title)).toEqual(titles)
    expect(reported(got)).toEqual([": other_source"])
    expect(got.problems[0]?.message).toContain(what)
    expect(got.notes.map(({ body }) => body).join("")).not.toMatch(/[{}]|<\/|<!/)
  })

  it.each(files)("is recognised without a source, and nothing is reported: %s", async (name, content, titles) => {
    const got = await readAll(fileOf(name, content), "auto")
    expect(got.notes.map(({ title }) => title)).toEqual(titles)
    expect(reported(got)).toEqual([])
  })

  it.each([
    ["letter.rtf", "{\\rtf1\\ansi words}", "rich text (RTF)"],
    ["ideas.opml", '<?xml version="1.0"?><opml version="2.0"><body/></opml>', "an outline (OPML)"],
    ["feed.xml", '<?xml version="1.0"?><feed><title>x</title></feed>', "XML of another program"],
    ["mail.eml", "From: a@example.org\nSubject: x\nMessage-ID: <1@example.org>\n\nwords", "an e-mail"],
    ["mails.mbox", "From a@example.org Mon Jan 1\nSubject: x\n\nwords", "a mailbox"],
    ["roam.json", '[{"title":"Page","children":[{"string":"#word","uid":"1"}]}]', "Roam Research"],
    ["Journal.json", '{"metadata":{"version":"1.0"},"entries":[{"creationDate":"2020","text":"x"}]}', "Day One"],
    ["any.json", '{"a":"#word"}', "JSON of another program"],
    ["letter.docx", zip({ "[Content_Types].xml": "<Types/>", "word/document.xml": "<w/>" }), "a Word document"],
    ["letter.odt", zip({ mimetype: "application/vnd.oasis.opendocument.text" }), "an OpenDocument file"],
    ["roam.zip", zip({ "graph.json": '[{"title":"Page","edit-time":1,"children":[]}]' }), "Roam Research"],
    ["journal.zip", zip({ "Journal.json": '{"metadata":{},"entries":[]}', "photos/a.jpeg": "x" }), "Day One"],
    ["dates.ics", "BEGIN:VCALENDAR\nEND:VCALENDAR", "a calendar"]
  ])("is refused with advice if its format is not imported: %s", async (name, content, what) => {
    for (const source of ["auto", "markdown", "notion"] satisfies ReadonlyArray<Source>) {
      const got = await readAll(fileOf(name, content), source)
      expect(got.notes).toEqual([])
      expect(got.problems).toMatchObject([{ file: "", isFatal: true }])
      expect(got.problems[0]?.message).toContain(what)
    }
  })

  it.each([
    ["a list of tasks", "[ ] milk\n[x] bread"],
    ["a link", "[a](https://example.org)"],
    ["a line in braces", '{ "this" is no JSON'],
    ["an element", "<div align=center>\n\n# Title\n\n</div>"],
    ["a comment", "<!-- draft -->\n\n# Title"],
    ["the lines of a letter", "From: Ann\nSubject: Tea\n\nHello"],
    ["HTML in code", "```html\n<html></html>\n```"]
  ])("is Markdown if it begins with %s", async (_, text) => {
    const got = await readAll(fileOf("Note.md", text), "auto")
    expect(got.notes.map(({ body }) => body)).toEqual([text])
    expect(reported(got)).toEqual([])
  })

  it("stays a vault if one was imported into it", async () => {
    const got = await readAll(
      fileOf("vault.zip", zip({ ".obsidian/app.json": "{}", [`Page ${id}.md`]: "x", "Takeout.html": "<p>y</p>" })),
      "auto"
    )
    expect(got.notes.map(({ title }) => title)).toEqual([`Page ${id}`, "Files"])
  })
})

describe("pages in HTML", () => {
  it("become Markdown with links to each other, pictures, tasks and embedded files", async () => {
    const got = await readAll(
      fileOf(
        "site.zip",
        zip({
          "a/One.html":
            '<html><head><title>First</title><meta name="keywords" content="red, blue"></head><body><h1 id="top">Top</h1><p>See <a href="../Two.html">two</a>, <a href="#top">up</a>, <a href="https://example.org">web</a>.<p><img src="p.png" alt="pic"><ul><li>☐ milk<li>☑ bread</ul><script>alert(1)</script><img src="data:image/png;base64,AAAA"></body></html>',
          "Two.html": "<p>second",
          "a/p.png": "P"
        })
      ),
      "auto"
    )
    const [one] = got.notes
    expect(one).toMatchObject({ title: "First", notebook: ["a"], tags: ["red", "blue"] })
    expect(one?.body).toContain(`See [two](note:${noteId("Two.html")}), [up](#Top), [web](https://example.org).`)
    expect(one?.body).toMatch(/!\[pic\]\(attachment:at_\w+\)/)
    expect(one?.body).toContain("- [ ] milk\n- [x] bread")
    expect(one?.body).not.toContain("alert")
    expect(got.files.map(({ filename }) => filename).toSorted()).toEqual(["embedded 1.png", "p.png"])
    expect(reported(got)).toEqual([])
  })

  it("survive thousands of nested elements, and their source is attached", async () => {
    const source = `<html><body>${"<div>".repeat(20_000)}deep</body></html>`
    const got = await readAll(fileOf("deep.html", source), "auto")
    expect(got.notes[0]?.body).toContain("deep")
    expect(reported(got)).toEqual(["deep.html: too_complex"])
    expect(got.files.map(({ bytes }) => bytes.toString())).toEqual([source])
  })
})

describe.skipIf(!hasSamples)(`real exports${withSamples}`, () => {
  it.each([
    ["markdown", /\.zip$/, "markdown"],
    ["notion", /\.zip$/, "notion"],
    ["enex/yarle", /\.enex$/, "enex"],
    ["enex/evernote2md", /\.enex$/, "enex"]
  ] as const)("of %s are read in their format, whatever the source", async (folder, name, form) => {
    const found: Record<string, unknown> = {}
    // Some archives have no file that can be read.
    const isEmpty = (each: string) => /empty_|zip_complex/.test(each)
    const all = readdirSync(join(samples, folder)).filter((each) => name.test(each) && !isEmpty(each))
    for (const each of all) {
      const { found: what } = await recognized(join(samples, folder, each), "x", limits)
      found[each] = typeof what === "object" ? what : ["auto", form].map((source) => formOf(source as Source, what))
    }
    expect(found).toEqual(Object.fromEntries(all.map((each) => [each, [form, form]])))
  })
})
