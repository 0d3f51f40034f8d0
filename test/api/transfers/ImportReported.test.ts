import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import {
  fileOf,
  hasSamples,
  readAll,
  reported as codesOf,
  samples,
  withSamples
} from "../../services/transfers/Reading.ts"
import { zipOf } from "../../services/transfers/Zip.ts"
import { Files } from "../../support/Files.ts"
import { Importing } from "../../support/Importing.ts"
import { Team } from "../../support/people/Team.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

/** Imports a file into a new workspace, and returns the notes, files and errors. */
const imported = async (source: string, filename: string, bytes: Uint8Array) => {
  const own = new Importing(await Team.start(app))
  const done = await own.all(source, filename, bytes)
  const files = new Files(app)
  const attached: Record<string, string> = {}
  for (const { filename: name, id } of await own.attached()) {
    attached[name] = (await files.call("GET", (await own.team.get(`/attachments/${id}`)).url)).bytes.toString()
  }
  const notes = await own.notes()
  return {
    own,
    attached,
    notes,
    note: notes[0],
    errors: done.errors as ReadonlyArray<{ readonly code: string; readonly file: string; readonly message: string }>,
    codes: done.errors.map(({ code }: { readonly code: string }) => code)
  }
}

const reported = (name: string) => readFileSync(join(samples, "reported", name))

/** Reads the notes of a reported file, as an import does. */
const read = (name: string) => readAll(join(samples, "reported", name), "auto")

const enex = (note: string) => Buffer.from(`<?xml version="1.0"?><en-export>${note}</en-export>`)
const noteXml = (enml: string, more = "", title = "A note") =>
  `<note><title>${title}</title><content><![CDATA[<en-note>${enml}</en-note>]]></content>${more}</note>`

describe.skipIf(!hasSamples)(`reported import errors${withSamples}`, () => {
  it("uses the creation time for a note without an update time, and reads ISO dates", async () => {
    const { notes } = await imported("enex", "a.enex", reported("02-no-updated.enex"))
    expect(notes).toMatchObject([
      { title: "Never edited", created_at: "2015-01-02T03:04:05.000Z", updated_at: "2015-01-02T03:04:05.000Z" },
      { title: "Other dates", created_at: "2015-01-02T03:04:05.000Z", updated_at: "2016-01-02T03:04:05.000Z" }
    ])
  })

  it("puts the caption of a table above it", async () => {
    const [note] = (await read("03-table-caption.enex")).notes
    expect(note!.body).toBe("Turnover in spring, in euro\n\n| | |\n| - | - |\n| March | 17 |\n")
  })

  it("keeps all text of a note with CDATA in CDATA", async () => {
    const got = await read("04-nested-cdata.enex")
    expect(got.notes.map(({ body }) => body)).toEqual([
      "before\\\nthe important sentence\\\nwhat follows it\n",
      "the next note is fine\n"
    ])
    expect(codesOf(got)).toEqual([])
  })

  it("turns a link around blocks into a link in each block", async () => {
    const [note] = (await read("05-link-around-blocks.enex")).notes
    expect(note!.body).toBe(
      "### [Headline](https://example.org/1)\n\n[Teaser of it](https://example.org/1)\n\n[first](https://example.org/2)\n\n[second](https://example.org/2)\n\n| |\n| - |\n| [cell](https://example.org/3) |\n"
    )
  })

  it("keeps due date, description and reminder of a task, and creates a reminder for the note", async () => {
    const { note, own } = await imported("enex", "a.enex", reported("06-task-due.enex"))
    expect(note.body).toBe(
      "health\n\n- [ ] Call the dentist\\\n  Due: 2030-03-01 10:00 UTC\\\n  Reminder: 2030-03-01 09:00 UTC\\\n  ask about the bill\n"
    )
    expect((await own.team.get("/reminders")).data).toMatchObject([
      { note_id: note.id, remind_at: "2030-03-01T09:00:00.000Z", done: false }
    ])
  })

  it("keeps a bare URL usable, and renders it as a link", async () => {
    const [note] = (await read("07-bare-url.enex")).notes
    expect(note!.body).toBe("see http://example.org/a_b?x=1&y=2 or www.example.org or ann@example.org\n")
  })

  it("attaches the whole of a long note", async () => {
    const bytes = execFileSync("python3", [join(samples, "reported/08-long-enex.py")], { maxBuffer: 10_000_000 })
    const { attached, codes, errors, note } = await imported("enex", "a.enex", bytes)
    expect(codes).toEqual(["body_too_long"])
    expect(errors[0]?.message).toContain("the whole text is attached")
    expect(Buffer.byteLength(note.body)).toBeLessThanOrEqual(1_048_576)
    expect(attached["Long.md"]).toMatch(/^some text of a long note[\s\S]*\nTHE END\n$/)
  })

  it("puts the rest of a long title on the first line of the note", async () => {
    const [note] = (await read("23-long-title.enex")).notes
    expect(note!.body).toMatch(/^… word [word ]*END\n\ntext\n$/)
    const zip = fileOf("a.zip", "")
    execFileSync("python3", [join(samples, "reported/24-notion-long-title.py"), zip])
    const { notes } = await readAll(zip, "notion")
    expect(notes).toHaveLength(2)
    for (const { body } of notes) expect(body).toMatch(/^… word [word ]*and this end\n\nbody\n$/)
  })
})

describe("import of an Evernote note", () => {
  it("keeps CDATA in CDATA, even if it contains what looks like the end of a note", async () => {
    const enml = "<div>one</div><![CDATA[two <b> </content> <!-- ]]><p>three &amp; four<br></p>"
    const { attached, codes, notes } = await imported(
      "enex",
      "a.enex",
      enex(noteXml(enml) + noteXml("next", "", "Next"))
    )
    expect(notes.map(({ body }) => body)).toEqual([expect.stringMatching(/^one[^]*two[^]*three & four\n$/), "next\n"])
    expect([codes, attached]).toEqual([[], {}])
  })

  it("attaches the source when a part of its XML cannot be read", async () => {
    const enml = '<div>before</div><div title="never ended>lost words</div><p class="x">after</p>'
    const { attached, codes, note } = await imported("enex", "a.enex", enex(noteXml(enml)))
    expect(codes).toEqual(["not_well_formed"])
    expect(note.body).toMatch(/^before\\\nafter\n\n\[A note\.enml\]\(attachment:at_\w+\)\n$/)
    expect(attached["A note.enml"]).toContain("lost words")
  })

  it("keeps dates and properties that a note has no field for", async () => {
    const more = `<created>2020-05-01 10:00:00+02:00</created><updated>soon</updated><note-attributes><subject-date>20190102T000000Z</subject-date><place-name>Oslo</place-name></note-attributes><task><title>Paint</title><created>20200101T000000Z</created><dueDate>20300301T230000Z</dueDate><timeZone>Europe/Oslo</timeZone><dueDateUIOption>date_only</dueDateUIOption><taskGroupNoteLevelID>nowhere</taskGroupNoteLevelID></task>`
    const { errors, note } = await imported("enex", "a.enex", enex(noteXml("x", more)))
    expect(note.created_at).toBe("2020-05-01T08:00:00.000Z")
    expect(note.body).toBe(
      '---\ndate: 2019-01-02T00:00:00.000Z\nplace: Oslo\ntasks:\n  - "Paint: created 2020-01-01T00:00:00.000Z"\n---\nx\n\n- [ ] Paint\\\n  Due: 2030-03-02\n'
    )
    expect(errors).toMatchObject([{ file: "A note", code: "date_not_read", message: expect.stringContaining("soon") }])
  })

  it("reports each file whose bytes are damaged or missing", async () => {
    const resource = (data: string, name: string) =>
      `<resource><data encoding="base64">${data}</data><mime>image/png</mime><resource-attributes><file-name>${name}</file-name></resource-attributes></resource>`
    const files = [
      resource("%%§$!!", "none.png"),
      resource("QUJD??REVG", "part.png"),
      resource("QUJDRA==", "whole.png"),
      resource("", "empty.png"),
      "<resource><mime>image/png</mime><resource-attributes><file-name>gone.png</file-name></resource-attributes></resource>"
    ]
    const inText = '<img src="data:image/png;base64,§§§§"/>'
    const { attached, errors } = await imported("enex", "a.enex", enex(noteXml(inText, files.join(""))))
    expect(errors.map(({ code, message }) => [code, /"[^"]*?(\w+\.png|embedded 1\.png)/.exec(message)?.[1]])).toEqual([
      ["damaged", "none.png"],
      ["damaged", "part.png"],
      ["missing_file", "empty.png"],
      ["missing_file", "gone.png"],
      ["damaged", expect.stringContaining("1.png")]
    ])
    expect(attached).toMatchObject({ "part.png": "ABCDEF", "whole.png": "ABCD" })
  })

  it("reports a link that may mean another note", async () => {
    const link = '<a href="evernote:///view/1/s1/x/x/">Twin</a>'
    const notes = noteXml(link) + noteXml("one", "", "Twin") + noteXml("two", "", "Twin")
    const { errors } = await imported("enex", "a.enex", enex(notes))
    expect(errors).toMatchObject([{ file: "A note", code: "link_ambiguous", message: expect.stringContaining("Twin") }])
  })
})

describe("import of HTML", () => {
  const page = (title: string, body: string) => ({
    name: `${title}.html`,
    content: `<html><body><article><header><h1 class="page-title">${title}</h1></header><div class="page-body">${body}</div></article></body></html>`
  })
  const link = (href: string) => `<div>a <a href="${href}">the <b>words</b></a> b</div>`
  const scripts = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java&#10;scr&#9;ipt:alert(1)",
    "&#106;avascript&#58;alert(1)",
    "vbscript:x",
    "java\u200bscript:alert(1)"
  ]
  const pages = ["data:text/html;base64,PHNjcmlwdD4=", "DATA:text/html,x", "data:&#10;text/html,x"]
  const around =
    '<a href="https://x.org/"><ul><li>one</li><li>two</li></ul><blockquote><p>three</p></blockquote></a><a href="https://y.org/"><pre>four</pre></a>'
  const bare =
    "<div>(http://x.org/a_b), see http://y.org/a_b*c. <b>https://z.org/_d_</b>看http://w.org/e_f。ftp://v.org/g_h</div><div>www.u_v.org</div>"

  /** The notes that Evernote and Notion imports create from each HTML text, one import each. */
  const made = new Map<string, ReadonlyArray<Pick<Awaited<ReturnType<typeof imported>>, "errors" | "note">>>()
  /** Errors that belong to none of these notes. */
  let unnamed: ReadonlyArray<unknown>
  beforeAll(async () => {
    const all = [...[...scripts, ...pages].map(link), around, bare].map((html, index) => ({
      html,
      title: `Page ${String.fromCharCode(65 + index)}`
    }))
    const both = [
      await imported("enex", "a.enex", enex(all.map(({ html, title }) => noteXml(html, "", title)).join(""))),
      await imported("notion", "a.zip", zipOf(all.map(({ html, title }) => page(title, html))))
    ]
    for (const { html, title } of all) {
      const found = both.map(({ errors, notes }) => ({
        note: notes.find((note) => note.title === title),
        errors: errors.filter(({ file }) => file === title || file === `${title}.html`)
      }))
      made.set(html, found)
    }
    const named = new Set([...made.values()].flat().flatMap(({ errors }) => errors))
    unnamed = both.flatMap(({ errors }) => errors).filter((error) => !named.has(error))
  })

  it.each(scripts)("removes a link that runs a script, and reports it: %j", (href) => {
    for (const { errors, note } of made.get(link(href))!) {
      expect(note.body).toBe("a the **words** b\n")
      expect(errors).toMatchObject([{ code: "unsafe_link", message: expect.stringContaining("their text is kept") }])
    }
  })

  it.each(pages)("removes a link to a page in a data: URL, or attaches the page, and reports it: %j", (href) => {
    for (const { errors, note } of made.get(link(href))!) {
      expect(note.body).toMatch(/^a (?:the \*\*words\*\*|\[the \*\*words\*\*\]\(attachment:[^)]+\)) b\n$/)
      expect(errors).toMatchObject([{ code: "unsafe_link" }])
    }
  })

  it("reports nothing else", () => expect(unnamed).toEqual([]))

  it("keeps lists, code and tables inside a link", () => {
    for (const { errors, note } of made.get(around)!) {
      expect(note.body).toBe(
        "- [one](https://x.org/)\n- [two](https://x.org/)\n\n> [three](https://x.org/)\n\n```\nfour\n```\n\n<https://y.org/>\n"
      )
      expect(errors).toEqual([])
    }
  })

  it("leaves bare URLs unchanged, whatever text is next to them", () => {
    for (const { errors, note } of made.get(bare)!) {
      expect(note.body).toBe(
        "(http://x.org/a_b), see <http://y.org/a_b*c>. <strong><https://z.org/_d_></strong>看<http://w.org/e_f>。<ftp://v.org/g_h>\\\n[www.u_v.org](http://www.u_v.org)\n"
      )
      expect(errors).toEqual([])
    }
  })

  it("keeps all of a title, even if its end would be Markdown", async () => {
    const long = `${"x".repeat(198)} *end* # http://x.org/a_b`
    const { errors, notes } = await imported(
      "notion",
      "a.zip",
      zipOf([
        { name: "Row.md", content: `# ${long}\n\nbody\n` },
        { name: "T.csv", content: `Name\n${long}\n` }
      ])
    )
    expect(notes.find(({ title }) => title.startsWith("xxx"))?.body).toBe("… \\*end\\* # http://x.org/a_b\n\nbody\n")
    expect(notes.find(({ title }) => title === "T")?.body).toContain("http://x.org/a_b")
    expect(errors.map(({ code }) => code)).toEqual(["title_shortened"])
  })
})
