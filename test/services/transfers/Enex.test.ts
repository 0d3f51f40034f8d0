import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
import { limits } from "../../../services/transfers/formats/Item.ts"
import { read } from "../../../services/transfers/formats/FileReader.ts"
import { sampled } from "../../support/Slow.ts"
import {
  fileId,
  fileOf,
  hasSamples,
  noteId,
  readAll,
  reported,
  samples,
  scratchFolder,
  withSamples
} from "./Reading.ts"

const md5 = (content: string | Buffer) => createHash("md5").update(content).digest("hex")

const exported = (notes: string, head = '<?xml version="1.0" encoding="UTF-8"?>') =>
  `${head}<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export3.dtd"><en-export>${notes}</en-export>`

const noteXml = (enml: string, more = "", title = "A note") =>
  `<note><title>${title}</title><content><![CDATA[<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note>${enml}</en-note>]]></content>${more}</note>`

const resource = (content: string, name: string, type = "image/png") =>
  `<resource><data encoding="base64">\n${Buffer.from(content)
    .toString("base64")
    .replaceAll(
      /(.{20})/g,
      "$1\n"
    )}\n</data><mime>${type}</mime><resource-attributes><file-name>${name}</file-name></resource-attributes></resource>`

const reading = (xml: string | Uint8Array, options = {}) => readAll(fileOf("My notes.enex", xml), "enex", options)
const bodyOf = async (enml: string, more = "") => (await reading(exported(noteXml(enml, more)))).notes[0]?.body

describe("an Evernote export", () => {
  it("becomes a notebook named after the file, with titles, tags and times of its notes", async () => {
    const more = "<created>20200102T030405Z</created><updated>20210203T040506</updated><tag>a</tag><tag>b c</tag>"
    const got = await reading(exported(noteXml("<div>x</div>", more, "Größe &amp; &lt;more&gt;") + noteXml("", "", "")))
    expect(got.notes).toMatchObject([
      {
        key: "1",
        notebook: ["My notes"],
        title: "Größe & <more>",
        tags: ["a", "b-c"],
        created_at: "2020-01-02T03:04:05.000Z",
        updated_at: "2021-02-03T04:05:06.000Z",
        body: "x\n"
      },
      { key: "2", title: "Untitled", body: "" }
    ])
    expect(got.notes[1]).not.toHaveProperty("created_at")
  })

  it("keeps the source of a note, and creates reminders for future times", async () => {
    const attributes = (time: string, done = "") =>
      `<note-attributes><source-url>https://x.org/?a=1&amp;b=2</source-url><author>Ada: L</author><latitude>1.5</latitude><longitude>2</longitude><reminder-time>${time}</reminder-time>${done}</note-attributes>`
    const done = "<reminder-done-time>20250101T000000Z</reminder-done-time>"
    const [future, past, over] = (
      await reading(
        exported(
          noteXml("x", attributes("20300101T000000Z")) +
            noteXml("x", attributes("20200101T000000Z")) +
            noteXml("x", attributes("20300101T000000Z", done))
        )
      )
    ).notes
    expect(future?.body).toBe('---\nsource: https://x.org/?a=1&b=2\nauthor: "Ada: L"\nlocation: 1.5, 2\n---\nx\n')
    expect(future?.reminders).toEqual([{ remind_at: "2030-01-01T00:00:00.000Z" }])
    expect([past?.reminders, over?.reminders]).toEqual([[], []])
  })

  it("shows files at their places, and files without a place at the end", async () => {
    const enml = `<div>a <en-media type="image/png" hash="${md5("one")}"/> b</div><en-media type="application/pdf" hash="${md5("two")}"/>`
    const files =
      resource("one", "one.png") + resource("two", "two.pdf", "application/pdf") + resource("three", "three.bin", "x/y")
    const got = await reading(exported(noteXml(enml, files)))
    expect(got.notes[0]?.body).toBe(
      `a ![one.png](attachment:${fileId("1/1")}) b\\\n[two.pdf](attachment:${fileId("1/2")})\n\n[three.bin](attachment:${fileId("1/3")})\n`
    )
    expect(got.notes[0]?.files).toEqual(["1/1", "1/2", "1/3"])
    expect(
      got.files.map(({ bytes, content_type, filename, uses }) => [
        filename,
        content_type,
        bytes.toString(),
        uses[0]?.key
      ])
    ).toEqual([
      ["one.png", "image/png", "one", "1/1"],
      ["two.pdf", "application/pdf", "two", "1/2"],
      ["three.bin", "x/y", "three", "1/3"]
    ])
  })

  it("reports missing media", async () => {
    const got = await reading(exported(noteXml('<en-media type="image/png" hash="00"/>')))
    expect(reported(got)).toEqual(["A note: missing_file"])
  })

  it("imports all files when the text also shows missing media", async () => {
    const enml = '<en-media type="image/png" hash="00"/>'
    const got = await reading(exported(noteXml(enml, resource("one", "report.pdf", "application/pdf"))))
    expect(got.notes[0]?.body).toMatch(new RegExp(`\\n\\[report\\.pdf\\]\\(attachment:${fileId("1/1")}\\)\\n$`))
    expect(reported(got)).toEqual(["A note: missing_file"])
  })

  it("replaces an image with invalid base64 by text", async () => {
    const broken = resource("x", "photo.png").replace(/(<data[^>]*>)[^<]*/, "$1§§§")
    const enml = `<div>a <en-media type="image/png" hash="${md5("gone")}"/> b</div>`
    const got = await reading(exported(noteXml(enml, broken)))
    expect(got.notes[0]?.body).toMatch(/^a \(missing file: photo\.png\) b\n\n!\[photo\.png\]\(attachment:/)
    expect(reported(got)).toEqual(["A note: damaged", "A note: missing_file"])
  })

  it("attaches an HTML page from the address of a link as a file", async () => {
    const url = `data:text/html;base64,${Buffer.from("<p>the page</p>").toString("base64")}`
    const got = await reading(
      exported(noteXml(`<a href="${url}">clip</a> <iframe src="${url}"/> <a href="javascript:x()">y</a>`))
    )
    expect(got.notes[0]?.body).toBe(
      `[clip](attachment:${fileId("1/data/1")}) [embedded 2.html](attachment:${fileId("1/data/2")}) y\n`
    )
    expect(got.files.map(({ bytes, content_type, filename }) => [filename, content_type, bytes.toString()])).toEqual([
      ["embedded 1.html", "text/html", "<p>the page</p>"],
      ["embedded 2.html", "text/html", "<p>the page</p>"]
    ])
    expect(reported(got)).toEqual(["A note: unsafe_link", "A note: unsafe_link", "A note: unsafe_link"])
  })

  it("attaches images that are embedded in the text", async () => {
    const got = await reading(
      exported(noteXml(`<img src="data:image/png;base64,${Buffer.from("px").toString("base64")}"/>`))
    )
    expect(got.notes[0]?.body).toBe(`![embedded 1.png](attachment:${fileId("1/data/1")})\n`)
    expect(got.files).toMatchObject([{ filename: "embedded 1.png", content_type: "image/png", size: 2 }])
  })

  it("resolves links to other notes by title", async () => {
    const link = (title: string) => `<a href="evernote:///view/1/s1/x/x/">${title}</a>`
    const got = await reading(exported(noteXml(`${link("Later")} ${link("Nowhere")}`) + noteXml("", "", "Later")))
    expect(got.notes[0]?.body).toBe(`[Later](note:${noteId("2")}) [Nowhere](evernote:///view/1/s1/x/x/)\n`)
    expect(got.notes[0]?.original.links).toEqual([{ now: `note:${noteId("2")}`, was: "evernote:///view/1/s1/x/x/" }])
    expect(reported(got)).toEqual(["A note: link_not_found"])
  })
})

it("leaves no files behind when the consumer stops early", async () => {
  const scratch = scratchFolder()
  const path = fileOf("a.enex", exported(noteXml("one", resource("x", "x.bin")) + noteXml("two")))
  const names = { note: noteId, file: fileId }
  const items = read(path, { source: "enex", filename: "a.enex", names, scratch, now: new Date(0) })
  expect((await items.next()).value).toMatchObject({ type: "note", key: "1" })
  expect(readdirSync(scratch)).toHaveLength(1)
  await items.return()
  expect(readdirSync(scratch)).toEqual([])
})

describe("the text of an Evernote note", () => {
  it.each([
    ["lines", "<div>one</div><div>two</div><div><br/></div><div>three</div>", "one\\\ntwo\n\nthree\n"],
    ["paragraphs, but not empty ones", "<p>one</p><p>&nbsp;</p><p> </p><p><br/></p><p>two</p>", "one\n\ntwo\n"],
    ["headings", "<h1>One</h1><div>x</div><h3>Three</h3>", "# One\n\nx\n\n### Three\n"],
    [
      "nested lists",
      "<ul><li>a</li><ul><li>b<ol><li>c</li></ol></li></ul><li><ul><li>d</li></ul></li></ul>",
      "- a\n  - b\n    1. c\n  - d\n"
    ],
    ["old to-dos", "<div><en-todo checked='true'/>done</div><div><en-todo/>open</div>", "- [x] done\n- [ ] open\n"],
    [
      "old to-dos without elements around them",
      "<div>w</div><br/>x<br/><en-todo/>a<br/><en-todo checked='true'/>b &amp; c<br/>y",
      "w\n\nx\n\n- [ ] a\n- [x] b & c\n\ny\n"
    ],
    [
      "old to-dos in one element",
      "<div><en-todo/>a<br/><b><en-todo checked='true'/>b<br/><en-todo/>c</b><br/>more</div>",
      "- [ ] a\n- [x] **b**\n- [ ] **c**\\\n  more\n"
    ],
    [
      "old to-dos in elements in one element",
      "<div><div><en-todo/>a</div><div><en-todo/>b</div></div>",
      "- [ ] a\n- [ ] b\n"
    ],
    [
      "old to-dos in a cell",
      "<table><tr><td><en-todo/>a<br/><en-todo/>b</td></tr></table>",
      "| |\n| - |\n| ☐ a<br>☐ b |\n"
    ],
    [
      "new to-dos",
      "<ul style='--en-todo:true;'><li style='--en-checked:true;'><div>a</div></li><li style='--en-checked:false;'>b</li></ul>",
      "- [x] a\n- [ ] b\n"
    ],
    [
      "tables",
      "<table><tr><td><div>a|b</div></td><td>x<br/>y</td></tr></table>",
      "| | |\n| - | - |\n| a\\|b | x<br>y |\n"
    ],
    [
      "old code",
      "<div style='-en-codeblock:true;'><div>a</div><div>  b</div><div><br/></div><div>c</div></div>",
      "```\na\n  b\n\nc\n```\n"
    ],
    [
      "new code",
      "<div style='--en-codeblock:true;--en-codeblockLanguage:rust;'>a<br/>*b*</div>",
      "```rust\na\n*b*\n```\n"
    ],
    ["newer code", "<div style='--en-codeblock:true;--en-syntaxLanguage:python;'>a</div>", "```python\na\n```\n"],
    [
      "highlights",
      "<div>a <span style='-evernote-highlight:true;'>b</span> <span style='--en-highlight:yellow;'>c</span></div>",
      "a <mark>b</mark> <mark>c</mark>\n"
    ],
    [
      "styles",
      "<div><b>a </b><span style='font-weight: bold;'>b</span> <i>c</i> <s>d</s> <u>e</u> H<sub>2</sub></div>",
      "**a** **b** _c_ ~~d~~ <u>e</u> H<sub>2</sub>\n"
    ],
    ["links", "<div><a href='https://x.org/a_(b)'>x</a> <a>none</a></div>", "[x](https://x.org/a_\\(b\\)) none\n"],
    ["quotes and rules", "<blockquote><div>q</div></blockquote><hr/>", "> q\n\n***\n"],
    ["signs of Markdown", "<div># no *heading* [x](y) &lt;b&gt;</div>", "\\# no \\*heading\\* \\[x]\\(y) \\<b>\n"],
    ["entities of XHTML", "<div>a&nbsp;&eacute;&#8364;</div>", "a\u00a0é€\n"]
  ])("converts %s", async (_, enml, markdown) => {
    expect(await bodyOf(enml)).toBe(markdown)
  })

  it("keeps encrypted text with its hint, and reports it", async () => {
    const got = await reading(exported(noteXml('<div>a</div><en-crypt hint="my dog" cipher="AES">U2VjcmV0</en-crypt>')))
    expect(got.notes[0]?.body).toBe("a\n\nEncrypted in Evernote (hint: my dog):\n\n```en-crypt\nU2VjcmV0\n```\n")
    expect(reported(got)).toEqual(["A note: encrypted_text"])
  })

  it("shows lists of tasks at their places", async () => {
    const task = (title: string, status: string) =>
      `<task><title>${title}</title><taskStatus>${status}</taskStatus><taskGroupNoteLevelID>g</taskGroupNoteLevelID></task>`
    const enml = "<div>a</div><div style='--en-task-group:true; --en-id:g;'/><div>b</div>"
    expect(await bodyOf(enml, task("one", "open") + task("two", "completed"))).toBe("a\n\n- [ ] one\n- [x] two\n\nb\n")
  })

  it("is read as HTML if it is not valid XML", async () => {
    expect(await bodyOf("<div>a<br>b <en-todo checked='true'>c & d</div><p>e")).toContain("☑ c & d\n\ne")
  })

  it("is flattened when it is nested thousands of levels deep", async () => {
    const got = await reading(
      exported(noteXml(`${"<div><b>".repeat(20_000)}deep${"</b></div>".repeat(20_000)}`) + noteXml("next"))
    )
    expect(got.notes[0]?.body).toContain("deep")
    expect(got.notes[1]?.body).toBe("next\n")
  })

  it("has at most 10 000 more empty cells in its tables than written ones; larger tables are simplified without losing a word", async () => {
    const noteWith = async (enml: string) => {
      const got = await reading(exported(noteXml(enml)))
      return { body: got.notes[0]!.body, problems: reported(got) }
    }
    const cells = (count: number, attributes = "") =>
      Array.from({ length: count }, (_, n) => `<td${attributes}>word${n}</td>`).join("")
    const row = (inner: string) => `<tr>${inner}</tr>`
    const hostile = {
      "joined cells": row(cells(400, " colspan='1000' rowspan='1000'")),
      "joined cells in many rows": row(cells(1, " colspan='1000' rowspan='1000'")).repeat(300),
      "one long row": row(cells(800)) + row(cells(1)).repeat(800),
      "one row that is long by a joined cell": row(cells(1, " colspan='9999'")) + row(cells(1)).repeat(800)
    }
    for (const [what, rows] of Object.entries(hostile)) {
      const text = `<div><table>${rows}</table></div>`
      const { body, problems } = await noteWith(text)
      const written = text.split("<td").length - 1
      expect(body.split("|").length, what).toBeLessThan(10_000 + 4 * written)
      expect(body.match(/word\d+/g), what).toEqual(text.match(/word\d+/g))
      expect(problems, what).toEqual(["A note: too_complex"])
    }
    const many = await noteWith(`<div><table>${row(cells(1, " colspan='100' rowspan='9'"))}</table></div>`.repeat(200))
    expect(many.body.split("|").length).toBeLessThan(40_000)
    const fine = await noteWith(
      `<div><table>${row(cells(1, " colspan='20'"))}${row(cells(20)).repeat(400)}</table></div>`
    )
    expect(fine.problems).toEqual([])
  })

  it("is attached as a file if it is too long, and reported", async () => {
    const enml = `<div>${"long ".repeat(1_000)}</div>`
    const got = await reading(exported(noteXml(enml) + noteXml("next")), { limits: { ...limits, textBytes: 1_000 } })
    expect(got.files.map(({ bytes, filename }) => [filename, bytes.toString().includes(enml)])).toEqual([
      ["A note.enml", true]
    ])
    expect(got.notes.map(({ body }) => body)).toEqual([`[A note.enml](attachment:${fileId("1/1")})\n`, "next\n"])
    expect(reported(got)).toEqual(["A note: body_too_long"])
  })
})

describe("an unusual or damaged Evernote export", () => {
  it.each([
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${exported(noteXml("ünï"))}`)],
    ["UTF-16", Buffer.from(`\ufeff${exported(noteXml("ünï"), "")}`, "utf16le")],
    [
      "a declared encoding",
      Buffer.from(exported(noteXml("ünï"), '<?xml version="1.0" encoding="ISO-8859-1"?>'), "latin1")
    ]
  ])("is decoded from %s", async (_, bytes) => {
    expect((await reading(bytes)).notes[0]?.body).toBe("ünï\n")
  })

  it("is read without characters that are not text, which is reported", async () => {
    const got = await reading(exported(noteXml("a\u0001b&#1;")))
    expect(got.notes[0]?.body).toBe("ab\n")
    expect(reported(got)).toEqual(["A note: text_repaired"])
  })

  it("yields the notes before the place where it is cut off, and reports it", async () => {
    const whole = exported(noteXml("one") + noteXml("two", resource("x".repeat(1_000), "x.bin")))
    const got = await reading(whole.slice(0, whole.lastIndexOf("</data>")))
    expect(got.notes.map(({ body }) => body)).toEqual(["one\n"])
    expect(reported(got)).toEqual([": truncated"])
  })

  it.each([
    ["empty", "", "not_readable"],
    ["of another format", "%PDF", "invalid_file"],
    ["other XML", "<opml></opml>", "invalid_file"]
  ])("is rejected when it is %s", async (_, content, code) => {
    const got = await reading(content)
    expect(got.notes).toEqual([])
    expect(got.problems).toMatchObject([{ code, isFatal: true }])
  })

  it("expands no declared entity, and fetches nothing", async () => {
    const laughs = Array.from(
      { length: 9 },
      (_, depth) => `<!ENTITY l${depth + 1} "${`&l${depth};`.repeat(10)}">`
    ).join("")
    const head = `<?xml version="1.0"?><!DOCTYPE en-export [<!ENTITY l0 "lol"><!ENTITY file SYSTEM "file:///etc/passwd">${laughs}]>`
    const got = await reading(`${head}<en-export>${noteXml("x", "", "&l9;&file;")}</en-export>`)
    expect(got.notes[0]?.title).toBe("&l9;&file;")
    expect(got.problems.map(({ code }) => code)).toContain("not_well_formed")
  })

  it.each([
    ["too many unpacked bytes", { unpackedBytes: 1_000 }, "too_large"],
    ["too many packed bytes", { packedBytes: 1_000 }, "too_large"],
    ["too many files", { entries: 1 }, "too_many_entries"]
  ])("fails when it has %s", async (_, less, code) => {
    const files = resource("x".repeat(2_000), "a.bin") + resource("y", "b.bin")
    const got = await reading(exported(noteXml("one") + noteXml("two", files)), { limits: { ...limits, ...less } })
    expect(got.problems).toMatchObject([{ code, isFatal: true }])
  })

  it("fails at a tag that never ends", async () => {
    const got = await reading(`<?xml version="1.0"?><en-export><note a="${"x".repeat(1_000_000)}`)
    expect(got.problems).toMatchObject([{ code: "not_well_formed", isFatal: true }])
  })
})

interface Expected {
  readonly notes: number
  readonly resources: number
  readonly titles: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly created: ReadonlyArray<string>
  readonly updated: ReadonlyArray<string>
  readonly resource_md5_len: ReadonlyArray<readonly [string, number]>
}

const compact = (time: string | undefined) => time?.replaceAll(/[-:]|\.\d+/g, "")

describe.skipIf(!hasSamples)(`real Evernote exports${withSamples}`, () => {
  it("yield all notes, files, tags and times", async () => {
    const expected: Readonly<Record<string, Expected>> = JSON.parse(
      readFileSync(join(samples, "enex", "expected.json"), "utf8")
    )
    const found = Object.keys(expected).filter((name) => name.startsWith("open/"))
    expect(found.length).toBeGreaterThan(60)
    for (const name of sampled(found, 15)) {
      const want = expected[name]!
      const got = await readAll(join(samples, "enex", name.slice("open/".length)), "enex")
      // Images that are embedded in the text become files, but are not files of the export.
      const files = got.files.filter(({ uses }) => !uses[0]?.key.includes("/data/"))
      expect({
        name,
        notes: got.notes.length,
        titles: got.notes.map(({ title }) => title),
        tags: [...new Set(got.notes.flatMap(({ tags }) => tags))].toSorted(),
        created: got.notes.flatMap(({ created_at }) => compact(created_at) ?? []),
        updated: got.notes.flatMap(({ updated_at }) => compact(updated_at) ?? []),
        files: files.map(({ bytes }) => [md5(bytes), bytes.length])
      }).toEqual({
        name,
        notes: want.notes,
        titles:
          want.titles.length === 0
            ? Array.from({ length: want.notes }, () => "Untitled")
            : want.titles.map((title) => [...title.trim()].slice(0, 200).join("").trim()),
        tags: [...new Set(want.tags.map((tag) => tag.replaceAll(" ", "-")))].toSorted(),
        created: want.created,
        // A note that was never changed has its creation time as the time of its last change.
        updated: want.updated.length === 0 ? want.created : want.updated,
        files: want.resource_md5_len
      })
    }
  })

  it("lose none of their text", async () => {
    const folder = join(samples, "enex", "yarle")
    for (const name of readdirSync(folder).filter((each) => statSync(join(folder, each)).isFile())) {
      const got = await readAll(join(folder, name), "enex")
      expect({ name: basename(name), failed: got.problems.filter(({ code }) => code === "too_complex") }).toEqual({
        name,
        failed: []
      })
    }
  })

  it.each([
    ["made/utf8-bom.enex", ["Größe “quoted” café €"], []],
    ["made/utf16le-bom.enex", ["Größe “quoted” café €"], []],
    ["made/iso-8859-1-declared.enex", ["Größe café"], []],
    ["made/invalid-utf8-bytes.enex", ["ok", "bad\ufffd\ufffd"], ["text_repaired"]],
    ["made/control-chars.enex", ["ctl"], ["text_repaired"]],
    ["made/missing-media.enex", ["m"], ["missing_file"]],
    ["made/unreferenced-resource.enex", ["u"], []],
    ["made/duplicate-titles-and-dates.enex", ["same", "same", "same"], []],
    ["made/truncated.enex", ["first"], ["truncated"]]
  ])("yield the expected notes and problems: %s", async (name, titles, codes) => {
    const got = await readAll(join(samples, "enex", name), "enex")
    expect(got.notes.map(({ title }) => title)).toEqual(titles)
    expect(got.problems.map(({ code }) => code)).toEqual(codes)
  })

  it.each(["billion-laughs", "external-dtd", "xxe-file", "xxe-http"])(
    "do not expand or fetch declared entities: %s",
    async (name) => {
      const got = await readAll(join(samples, "badinput", "enex-xml-attacks", `${name}.enex`), "enex")
      const all = got.notes.map(({ body, title }) => title + body).join("")
      expect(all).not.toContain("root:")
      expect(all.length).toBeLessThan(1_000)
    }
  )
})
