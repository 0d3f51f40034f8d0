import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { ConvertThread } from "../../../services/transfers/imports/ConvertThread.ts"
import { limits } from "../../../services/transfers/formats/Item.ts"
import { rounds } from "../../support/Slow.ts"
import { fileId, fileOf, hasSamples, noteId, readAll, reported, samples, withSamples } from "./Reading.ts"
import { zipOf } from "./Zip.ts"

const vault = (files: Readonly<Record<string, string | Uint8Array>>, options = {}) =>
  readAll(
    fileOf("vault.zip", zipOf(Object.entries(files).map(([name, content]) => ({ name, content })))),
    "markdown",
    options
  )

const alone = (content: string | Uint8Array, name = "Note.md") => readAll(fileOf(name, content), "markdown")

const toNote = (key: string, heading = "") => `note:${noteId(key)}${heading}`
const toFile = (note: string, file: string) => `attachment:${fileId(`${note}///${file}`)}`

describe("a folder of Markdown files", () => {
  it("has notes in plain text too, and links lead to them", async () => {
    const got = await vault({
      "A/Index.md": "see [[Jam]], [[List]], [[Makefile]], [pic](Picture) and [[Both]]",
      "A/Jam.txt": "Jam words",
      "A/List.mdown": "- x",
      "A/Makefile": "all: jam",
      "A/Picture": Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"),
      "A/Empty": "",
      "A/Both.txt": "plain",
      "A/Both.md": "Markdown",
      "A/data.csv": "a,b"
    })
    expect(got.notes.map(({ title }) => title).toSorted()).toEqual(
      ["Both", "Both", "Files", "Index", "Jam", "List", "Makefile"].toSorted()
    )
    expect(got.note("Index").body).toBe(
      `see [Jam](${toNote("A/Jam.txt")}), [List](${toNote("A/List.mdown")}), [Makefile](${toNote("A/Makefile")}), [pic](${toFile("A/Index.md", "A/Picture")}) and [Both](${toNote("A/Both.md")})`
    )
    expect(got.note("Jam")).toMatchObject({ body: "Jam words", notebook: ["A"] })
    expect(reported(got)).toEqual(["A: unused_files"])
  })

  it.each([
    ["2023-07-04T20:15", "2023-07-05T00:15:00.000Z"],
    ["2023-01-04 20:15:30", "2023-01-05T01:15:30.000Z"],
    ["July 4, 2023 8:15 PM", "2023-07-05T00:15:00.000Z"],
    ["202307042015", "2023-07-05T00:15:00.000Z"],
    ["2023-07-04T20:15Z", "2023-07-04T20:15:00.000Z"],
    ["2023-07-04T20:15+02:00", "2023-07-04T18:15:00.000Z"],
    ["2023-07-04", "2023-07-04T00:00:00.000Z"],
    ["20230704", "2023-07-04T00:00:00.000Z"]
  ])("has times without a zone in that of the user: %s", async (written, time) => {
    const got = await vault({ "a.md": `---\ncreated: ${written}\n---\nx` }, { timezone: "America/New_York" })
    expect(got.notes[0]?.created_at).toBe(time)
  })

  it("reports skipped folders of programs at most once", async () => {
    const got = await vault({
      "a.md": "x",
      ".github/a.yml": "",
      ".github/b.yml": "",
      ".git/x": "",
      "in/.trash/y.md": ""
    })
    expect(reported(got)).toEqual([".github: skipped"])
    expect(got.problems[0]?.message).toBe(
      "Folders of programs, and trash folders, are skipped: .github (2 files), .git (1 file), in/.trash (1 file)"
    )
  })

  it("becomes notes in notebooks named after their folders", async () => {
    const got = await vault({ "a.md": "x", "Work/Plans/b.markdown": "y" })
    expect(got.notes.map(({ notebook, title }) => [notebook, title])).toEqual([
      [[], "a"],
      [["Work", "Plans"], "b"]
    ])
  })

  it("joins folders below the fifth level, and reports it", async () => {
    const got = await vault({ "1/2/3/4/5/6/n.md": "x" })
    expect(got.notes[0]?.notebook).toEqual(["1", "2", "3", "4", "5 / 6"])
    expect(reported(got)).toEqual(["1/2/3/4/5/6/n.md: notebook_folded"])
  })

  it("takes times from front matter, or from the file", async () => {
    const got = await vault({
      "a.md": "---\ncreated: 2019-05-06T07:08:09+02:00\nupdated: 2020-01-02\n---\nx",
      "b.md": "---\ncreated: 1595952505017\n---\nx",
      "c.md": "x"
    })
    expect(got.notes.map(({ created_at, updated_at }) => [created_at, updated_at])).toEqual([
      ["2019-05-06T05:08:09.000Z", "2020-01-02T00:00:00.000Z"],
      ["2020-07-28T16:08:25.017Z", "2020-05-04T03:02:00.000Z"],
      [undefined, "2020-05-04T03:02:00.000Z"]
    ])
  })

  it("parses digits of a time, and seconds or milliseconds since 1970", async () => {
    const dates = {
      "20240105": "2024-01-05T00:00:00.000Z",
      "202401051230": "2024-01-05T12:30:00.000Z",
      "20240105123015": "2024-01-05T12:30:15.000Z",
      '"20240105"': "2024-01-05T00:00:00.000Z",
      "1595952505": "2020-07-28T16:08:25.000Z",
      "1595952505017": "2020-07-28T16:08:25.017Z"
    }
    const files = Object.keys(dates).map((date, index) => [`${index}.md`, `---\ncreated: ${date}\n---\nx`])
    const got = await vault(Object.fromEntries(files))
    expect(got.notes.map(({ body, created_at }) => [body, created_at])).toEqual(
      Object.values(dates).map((time) => ["x", time])
    )
    expect(reported(got)).toEqual([])
  })

  it.each([
    ["a year", "date: 2019"],
    ["a small number", "date: 1"],
    ["a number with a fraction", "date: 2024.5"],
    ["a day that does not exist", "modified: 2024-02-31"],
    ["the digits of such a day", "created: 20240231"],
    ["the digits of an invalid minute", "created: 202401051260"],
    ["an invalid hour", "updated: 2024-01-05T25:00"],
    ["a future day", "date: 2026-05-01"],
    ["a future second", "created: 2026-01-01T00:00:01Z"],
    ["a future timestamp", "created: 1893456000"]
  ])("keeps %s in front matter, and reports that it is not a date", async (_, property) => {
    const text = `---\n${property}\nauthor: X\n---\nx`
    const got = await vault({ "a.md": text })
    const fileTime = "2020-05-04T03:02:00.000Z"
    expect(got.notes).toMatchObject([{ body: text, updated_at: fileTime }])
    expect(reported(got)).toEqual(["a.md: date_not_read"])
  })

  it("from an export of this service may have future times, because a clock may be ahead", async () => {
    const time = "2026-01-01T00:00:01.000Z"
    const own = `id: nt_0123456789abcdefghij\ntitle: "T"\ntags: []\ncreated: ${time}\nupdated: ${time}`
    const got = await vault({ "a.md": `---\n${own}\narchived: false\npinned: false\n---\nx` })
    expect(got.notes).toMatchObject([{ body: "x", created_at: time, updated_at: time }])
    expect(reported(got)).toEqual([])
  })

  it("from an export of this service keeps its tags unchanged", async () => {
    const tags = ["work/", "-urgent", "-", "a//b", "Caf\u00e9"]
    const matter = (own: string) => `---\n${own}tags: ${JSON.stringify(tags)}\n---\nx`
    const own = "id: nt_0123456789abcdefghij\narchived: false\npinned: false\n"
    const got = await vault({ "a.md": matter(own), "b.md": matter("") })
    expect(got.notes.map((note) => note.tags)).toEqual([tags, ["work", "urgent", "a//b", "Caf\u00e9"]])
    expect(reported(got)).toEqual(["b.md: tag_not_taken"])
  })

  it("keeps front matter that a note has no member for, unchanged", async () => {
    const { note } = await vault({
      "a.md": "---\ntitle: A title\n# mine\ncssclass:   wide   # as it was\ntags: [x]\naliases: [b]\n---\ntext\n"
    })
    expect(note("A title").body).toBe("---\n# mine\ncssclass:   wide   # as it was\naliases: [b]\n---\ntext\n")
  })

  it("has the tags of front matter and text, but not of code, addresses or headings", async () => {
    const { notes } = await vault({
      "a.md":
        '---\ntags: "#one, two"\n---\n# Head\n#three (#a/b) C# #123 `#no` [x](#no) [[b#no]] a#no\n\n    #no\n\n```\n#no\n```\n#THREE'
    })
    expect(notes[0]?.tags).toEqual(["one", "two", "three", "a/b"])
  })

  it.each([
    ["#two words#", ["two-words"]],
    ["text #project/web site# and #plain", ["project/web-site", "plain"]],
    ["#one# (#two three#), #four five#.", ["two-three", "four-five", "one"]],
    ["#learning C# today", ["learning"]],
    ["#a and # b", ["a"]],
    ["## Heading ##\n\n`#no tag#`", []]
  ])("reads tags of Bear, which may contain several words: %s", async (text, tags) => {
    const got = await vault({ "a.md": text })
    expect(got.notes[0]?.tags).toEqual(tags)
    expect(got.notes[0]?.body).toBe(text)
  })

  it("reports tags that a note cannot have, and repairs others", async () => {
    const got = await vault({ "a.md": `---\ntags: [two words, ${"x".repeat(51)}]\n---\n` })
    expect(got.notes[0]?.tags).toEqual(["two-words"])
    expect(reported(got)).toEqual(["a.md: tag_not_taken"])
  })

  it.each([
    ["invalid YAML", 'title: "unclosed\ntags: [a'],
    ["thousands of nested brackets", `a: ${"[".repeat(20_000)}`]
  ])("keeps front matter with %s, and reports it", async (_, yaml) => {
    const got = await vault({ "a.md": `---\n${yaml}\n---\ntext` })
    expect(got.notes[0]?.body).toBe(`---\n${yaml}\n---\ntext`)
    expect(reported(got)).toEqual(["a.md: front_matter_not_read"])
  })

  it.each([
    ["---\n---\n\n# Head", "\n# Head"],
    ["---\n\n---\nx", "x"],
    ["---\r\n---\r\nx", "x"],
    ["+++\n+++\nx", "x"]
  ])("leaves no thematic breaks from empty front matter: %j", async (text, body) => {
    const got = await vault({ "a.md": text })
    expect(got.notes[0]?.body).toBe(body)
    expect(reported(got)).toEqual([])
  })

  it("keeps the comments of front matter that it removes", async () => {
    const got = await vault({ "a.md": "---\ntitle: T # mine\ntags: # first\n  - x # second\nkey: 1\n---\ntext" })
    expect(got.notes).toMatchObject([{ title: "T", tags: ["x"] }])
    expect(got.notes[0]?.body).toBe("---\n# mine\n# first\n# second\nkey: 1\n---\ntext")
  })

  it("resolves links to notes and files by path, name, alias and heading", async () => {
    const { note } = await vault({
      "Top.md": "",
      "Dir/Deep Note.md": "---\naliases: [Other Name]\n---\n# A head",
      "Dir/pic ü.png": "p",
      "Dir/doc.pdf": "d",
      "Dir/links.md": [
        "[[Top]] [[top|shown]] [[Deep Note#A head]] [[#Here]] [[Other Name]]",
        "![[pic ü.png]] ![[pic ü.png|100]] ![[doc.pdf]] ![[Top]]",
        '[a](../Top.md "T") [b](Deep%20Note.md#A%20head) ![c](<pic ü.png>) <img src="pic%20%C3%BC.png" alt="">',
        "| [[Top\\|t]] | ![[pic ü.png\\|9]] |\n|-|-|\n",
        "`[[Top]]` \\[[Top]] [out](https://x.org/Top.md) [[Nowhere]]\n\n[r]: doc.pdf"
      ].join("\n")
    })
    const [top, deep] = [toNote("Top.md"), toNote("Dir/Deep Note.md")]
    const [pic, doc] = [toFile("Dir/links.md", "Dir/pic ü.png"), toFile("Dir/links.md", "Dir/doc.pdf")]
    expect(note("links").body.split("\n")).toEqual([
      `[Top](${top}) [shown](${top}) [Deep Note › A head](${deep}#A%20head) [Here](#Here) [Other Name](${deep})`,
      `![pic ü.png](${pic}) ![pic ü.png|100](${pic}) [doc.pdf](${doc})`.replace("[doc", "![doc") + ` ![Top](${top})`,
      `[a](${top} "T") [b](${deep}#A%20head) ![c](${pic}) <img src="${pic}" alt="">`,
      `| [t](${top}) | ![pic ü.png\\|9](${pic}) |`,
      "|-|-|",
      "",
      "`[[Top]]` \\[[Top]] [out](https://x.org/Top.md) [[Nowhere]]",
      "",
      `[r]: ${doc}`
    ])
    expect(note("links").original.links[0]).toEqual({ now: `[Top](${top})`, was: "[[Top]]" })
  })

  it("prefers a note of the same folder, and the exact spelling", async () => {
    const { note } = await vault({ "x/n.md": "", "y/n.md": "", "y/N.md": "", "y/from.md": "[[n]] [[N]] [[x/n]]" })
    expect(note("from").body).toBe(`[n](${toNote("y/n.md")}) [N](${toNote("y/N.md")}) [x/n](${toNote("x/n.md")})`)
  })

  it("reports links without a target, and reads no file of this machine", async () => {
    const got = await vault({
      "a.md": "![x](/etc/passwd) ![y](../../../etc/passwd) [z](gone.md) ![f](file:///etc/passwd)"
    })
    expect(got.notes[0]?.body).toContain("![x](/etc/passwd)")
    expect(got.files).toEqual([])
    expect(reported(got)).toEqual(["a.md: missing_file", "a.md: link_not_found"])
  })

  it("yields each file once, with all notes that use it", async () => {
    const { files } = await vault({ "a.md": "![](i.png) ![](i.png)", "b.md": "[i](i.png)", "i.png": "bytes" })
    expect(files).toMatchObject([{ filename: "i.png", size: 5, uses: [{ note: "a.md" }, { note: "b.md" }] }])
    expect(files[0]?.bytes.toString()).toBe("bytes")
  })

  it("keeps files that no note uses, in a note that lists them", async () => {
    const got = await vault({ "Dir/a.md": "", "Dir/left.pdf": "x" })
    expect(got.note("Files")).toMatchObject({
      notebook: ["Dir"],
      updated_at: got.note("a").updated_at,
      body: `- [left.pdf](${toFile("Dir///files", "Dir/left.pdf")})\n`
    })
    expect(got.files.map(({ uses }) => uses[0]?.note)).toEqual(["Dir///files"])
    expect(reported(got)).toEqual(["Dir: unused_files"])
  })

  it("attaches the whole text of a note that is too long as a file", async () => {
    const text = `[x](b.md)\n${`${"words ".repeat(2_000)}\n\n`.repeat(110)}`
    const got = await vault({ "a.md": text, "b.md": "" })
    const { body, files } = got.note("a")
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(limits.bodyBytes)
    expect(body).toMatch(/\n\n\[…\]\(attachment:.*\)\n$/)
    expect(files).toEqual(["a.md///a.md"])
    expect(got.files[0]?.bytes.toString()).toBe(text)
    expect(reported(got)).toEqual(["a.md: body_too_long"])
  })

  it("reports that it skips folders of programs, and silently skips files of operating systems", async () => {
    const got = await vault({
      "a.md": "",
      ".obsidian/x.md": "",
      "__MACOSX/._a.md": "",
      ".DS_Store": "",
      "Thumbs.db": ""
    })
    expect(got.notes).toHaveLength(1)
    expect(reported(got)).toEqual([".obsidian: skipped"])
  })

  it("of Logseq yields pages by name, journals by day, and properties", async () => {
    const id = "63bc6201-53b1-47a4-834f-83934b69ad49"
    const { note, problems } = await vault({
      "logseq/config.edn": "{}",
      "journals/2021_05_21.md": "- x",
      "pages/a___b.md": `title:: Real Name\ntags:: [[one]], two\n\n- text\n  id:: ${id}`,
      "pages/c.md": `- [[a/b]] [[May 21st, 2021]] [x](((${id}))) #tag #[[Real Name]] ![](../assets/i.png)`,
      "assets/i.png": "i"
    })
    const page = toNote("pages/a___b.md")
    expect(note("Real Name").tags).toEqual(["one", "two"])
    expect(note("2021-05-21").notebook).toEqual(["journals"])
    expect(note("c").body).toBe(
      `- [a/b](${page}) [May 21st, 2021](${toNote("journals/2021_05_21.md")}) [x](${page}#%5E${id}) #tag [#Real Name](${page}) ![](${toFile("pages/c.md", "assets/i.png")})`
    )
    expect(problems.map(({ code }) => code)).toEqual(["skipped"])
  })

  it("of Logseq keeps front matter unchanged, and does not convert exports of this service", async () => {
    const own = (body: string) =>
      `---\nid: nt_01kq3mZ8vT4sWx7Yb2Nc5E\ntitle: "Own"\ntags: []\ncreated: 2026-01-01T00:00:00.000Z\nupdated: 2026-01-01T00:00:00.000Z\narchived: false\npinned: false\n---\n${body}`
    const { note } = await vault({
      "logseq/config.edn": "{}",
      "pages/Meeting%3A 100%25.md": "- [lab two]([[Meeting: 100%]]) [[Meeting: 100%]]",
      "pages/own.md": own("- a\n\t- b:: c\n"),
      "pages/yaml.md": "---\nkey:\n  - a\n  - b: {c: d}\n---\n\nstate:: x\n\n\t- y"
    })
    const meeting = toNote("pages/Meeting%3A 100%25.md")
    expect(note("Meeting: 100%").body).toBe(`- [lab two](${meeting}) [Meeting: 100%](${meeting})`)
    expect(note("Own").body).toBe("- a\n\t- b:: c\n")
    expect(note("yaml").body).toBe("---\nkey:\n  - a\n  - b: {c: d}\n---\n- **state:** x\n\n\n- y")
  })

  it("keeps the text of a note that cannot be converted", async () => {
    const got = await vault({ "a.md": "[[b]]", "b.md": "" }, { convert: () => undefined })
    expect(got.notes.map(({ body }) => body)).toEqual(["[[b]]", ""])
    expect(reported(got)).toEqual(["a.md: too_complex", "b.md: too_complex"])
  })
})

describe("dates of front matter", () => {
  it.each([
    ["Tuesday, May 17th 2022, 2:33:20 pm", "2022-05-17T14:33:20.000Z"],
    ["Monday, March 4th 2024, 5:06:07 pm", "2024-03-04T17:06:07.000Z"],
    ["Saturday, January 1st 2022, 12:00:00 am", "2022-01-01T00:00:00.000Z"],
    ["May 17th, 2022", "2022-05-17T00:00:00.000Z"],
    ["May 17, 2022 at 2:33 PM", "2022-05-17T14:33:00.000Z"],
    ["17 May 2022 14:33", "2022-05-17T14:33:00.000Z"],
    ["Tue, 17 May 2022 14:33:20 +0200", "2022-05-17T12:33:20.000Z"],
    ["Tue May 17 2022 14:33:20 GMT+0200 (Central European Summer Time)", "2022-05-17T12:33:20.000Z"],
    ["2022/05/17 14:33", "2022-05-17T14:33:00.000Z"],
    ["2022-05-17 2:33 pm", "2022-05-17T14:33:00.000Z"],
    ["17.05.2022", "2022-05-17T00:00:00.000Z"],
    ["5/17/2022", "2022-05-17T00:00:00.000Z"],
    ["17. Mai 2022", "2022-05-17T00:00:00.000Z"],
    ["17 de mayo de 2022", "2022-05-17T00:00:00.000Z"],
    ["2022年5月17日 14:33", "2022-05-17T14:33:00.000Z"]
  ])("are parsed in the form %s", async (written, time) => {
    const got = await alone(`---\ndate created: ${written}\n---\nx`)
    expect(got.notes).toMatchObject([{ body: "x", created_at: time }])
    expect(reported(got)).toEqual([])
  })

  it.each([
    ["a wrong day of the week", "Monday, May 17th 2022"],
    ["an ambiguous day and month", "05.06.2022"],
    ["a month name with several meanings", "3 listopad 2020"],
    ["an unknown time zone", "17 May 2022 14:33 EST"],
    ["other words around it", "Deadline 17 May 2022"],
    ["no day", "May 2022"],
    ["an invalid 12-hour time", "May 17, 2022 13:00 pm"]
  ])("stay in the text, and are reported, with %s", async (_, written) => {
    const text = `---\ncreated: ${written}\n---\nx`
    const got = await alone(text)
    expect(got.notes[0]?.body).toBe(text)
    expect(reported(got)).toEqual(["Note.md: date_not_read"])
  })
})

describe("front matter in TOML", () => {
  it("yields title, tags and dates; other members stay as YAML, with comments", async () => {
    const got = await alone(
      [
        "+++",
        'title = "A # title" # shown',
        "date = 2020-01-01T10:00:00Z",
        "lastmod = 2020-02-03",
        'tags = ["one", "two words"]',
        "draft = true",
        "weight = 9007199254740993",
        "[taxonomies]",
        'tags = ["three"]',
        'categories = ["c"]',
        "[extra]",
        "when = 1979-05-27T07:32:00",
        'deep = { a = [1, "b"] }',
        "+++",
        "",
        "Text"
      ].join("\n")
    )
    expect(got.notes).toMatchObject([
      {
        title: "A # title",
        tags: ["one", "two-words", "three"],
        created_at: "2020-01-01T10:00:00.000Z",
        updated_at: "2020-02-03T00:00:00.000Z"
      }
    ])
    expect(got.notes[0]?.body).toBe(
      [
        "---",
        "# shown",
        "draft: true",
        "weight: 9007199254740993",
        "taxonomies:",
        "  tags:",
        "    - three",
        "  categories:",
        "    - c",
        "extra:",
        "  when: 1979-05-27T07:32:00.000",
        "  deep:",
        "    a:",
        "      - 1",
        "      - b",
        "---",
        "",
        "Text"
      ].join("\n")
    )
    expect(reported(got)).toEqual([])
  })

  it("stays if it is invalid, and is reported", async () => {
    const text = "+++\ntitle = no quotes\n+++\ntext"
    const got = await alone(text)
    expect(got.notes[0]?.body).toBe(text)
    expect(reported(got)).toEqual(["Note.md: front_matter_not_read"])
  })

  it("names its note for links from other notes", async () => {
    const { note } = await vault({ "a.md": '+++\ntitle = "Called so"\n+++\n', "b.md": "[[Called so]]" })
    expect(note("b").body).toBe(`[Called so](${toNote("a.md")})`)
  })
})

describe("data: addresses", () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  const file = (number: number) => `attachment:${fileId(`Note.md///data/${number}`)}`

  it("become files of the note if a link or an element leads to them", async () => {
    const got = await alone(
      [
        `![chart](data:image/png;base64,${png} "Title")`,
        `<img alt="x" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`,
        `<img src='data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>'>`,
        "[page](data:text/html;base64,PHNjcmlwdD4=) ![ref]",
        "[text](<data:text/plain;charset=utf-8,hello%20world>)",
        `![again](data:image/png;base64,${png})`,
        "",
        "[ref]: data:application/pdf;base64,JVBERg=="
      ].join("\n")
    )
    expect(got.notes[0]?.body.split("\n")).toEqual([
      `![chart](${file(1)} "Title")`,
      `<img alt="x" src="${file(2)}">`,
      `<img src="${file(3)}">`,
      `[page](${file(4)}) ![ref]`,
      `[text](${file(5)})`,
      `![again](${file(1)})`,
      "",
      `[ref]: ${file(6)}`
    ])
    expect(
      got.files.map(({ bytes, content_type, filename }) => [filename, content_type, bytes.toString("latin1")])
    ).toEqual([
      ["embedded 1.png", "image/png", Buffer.from(png, "base64").toString("latin1")],
      ["embedded 2.gif", "image/gif", expect.stringMatching(/^GIF89a/)],
      ["embedded 3.svg", "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
      ["embedded 4.html", "text/html", "<script>"],
      ["embedded 5.txt", "text/plain;charset=utf-8", "hello world"],
      ["embedded 6.pdf", "application/pdf", "%PDF"]
    ])
    expect(got.notes[0]?.files).toHaveLength(6)
    expect(got.notes[0]?.original.links).toEqual([])
    expect(reported(got)).toEqual([])
  })

  it("stay text in code, in prose, and if nothing leads to them", async () => {
    const text = [
      `\`\`\`html\n<img src="data:image/png;base64,${png}">\n\`\`\``,
      `\`![x](data:image/png;base64,${png})\` and data:image/png;base64,${png}`,
      '"data: of the year" (data:) x-data-0- #tag'
    ].join("\n\n")
    const got = await alone(text)
    expect(got.notes).toMatchObject([{ body: text, tags: ["tag"], files: [] }])
  })

  it.each(["AAA!AAAA", "A", "%ZZ"])("stay in the text and are reported if they cannot be decoded: %s", async (data) => {
    const text = `before ![x](data:image/png;base64,${data}) after`
    const got = await alone(text)
    expect(got.notes[0]?.body).toBe(text)
    expect(reported(got)).toEqual(["Note.md: damaged"])
  })

  it("are attached unchanged and reported if they are long and cannot be decoded", async () => {
    const address = `data:image/png;base64,${"!bad".repeat(400_000)}`
    const got = await alone(`![x](${address})\n\nlast words`)
    expect(got.notes[0]?.body).toBe(`![x](${file(1)})\n\nlast words`)
    expect(got.files).toMatchObject([{ filename: "embedded 1.txt", content_type: "text/plain" }])
    expect(got.files[0]?.bytes.toString()).toBe(address)
    expect(reported(got)).toEqual(["Note.md: damaged"])
  })

  it("do not count towards the length of the text, and do not displace later text", async () => {
    const photo = Buffer.alloc(9_000_000, "photo")
    const got = await alone(`# Clip\n\n![photo](data:image/jpeg;base64,${photo.toString("base64")})\n\nclosing words\n`)
    expect(got.notes[0]?.body).toBe(`# Clip\n\n![photo](${file(1)})\n\nclosing words\n`)
    expect(got.files[0]?.bytes.equals(photo)).toBe(true)
    expect(reported(got)).toEqual([])
  })

  it("in notes of an archive are files of these notes", async () => {
    const text = `![[Top]] ![a](data:image/png;base64,${png}) [[gone]]`
    const { files, note } = await vault({ "Dir/a.md": text, "Top.md": "" })
    const key = "Dir/a.md///data/1"
    expect(note("a").body).toBe(`![Top](${toNote("Top.md")}) ![a](attachment:${fileId(key)}) [[gone]]`)
    expect(note("a").files).toEqual([key])
    expect(files.map(({ uses }) => uses)).toEqual([[{ key, note: "Dir/a.md" }]])
  })
})

describe("TextBundles", () => {
  const info = (bear: object, more: object = {}) =>
    JSON.stringify({
      version: 2,
      type: "net.daringfireball.markdown",
      transient: false,
      creatorIdentifier: "net.shinyfrog.bear",
      ...more,
      "net.shinyfrog.bear": bear
    })
  const said = {
    creationDate: "2020-01-02T03:04:05Z",
    modificationDate: "2021-02-03T04:05:06Z",
    pinned: 1,
    trashed: 0,
    archived: 0,
    uniqueIdentifier: "ABC-1"
  }
  const text = "# My note\n\n![](assets/pic%201.png) #a tag#"
  const pack = (files: Readonly<Record<string, string>>) =>
    zipOf(Object.entries(files).map(([name, content]) => ({ name, content })))

  it("of Bear become notes with dates, state and files", async () => {
    const got = await vault({
      "Bear/My note.textbundle/text.markdown": text,
      "Bear/My note.textbundle/info.json": info(said, { sourceURL: "https://example.org/a" }),
      "Bear/My note.textbundle/assets/pic 1.png": "png",
      "Bear/My note.textbundle/assets/other.pdf": "pdf"
    })
    const key = "Bear/My note.textbundle/text.markdown"
    expect(got.notes).toMatchObject([
      {
        title: "My note",
        notebook: ["Bear"],
        tags: ["a-tag"],
        created_at: "2020-01-02T03:04:05.000Z",
        updated_at: "2021-02-03T04:05:06.000Z",
        pinned: true,
        archived: false
      }
    ])
    expect(got.notes[0]?.body).toBe(
      `---\nsourceURL: https://example.org/a\nuniqueIdentifier: ABC-1\n---\n# My note\n\n![](${toFile(key, "Bear/My note.textbundle/assets/pic 1.png")}) #a tag#`
    )
    expect(got.files.map(({ filename }) => filename)).toEqual(["pic 1.png", "other.pdf"])
    expect(reported(got)).toEqual([])
  })

  it("add to the front matter of their text", async () => {
    const { note } = await vault({
      "N.textbundle/text.md": "---\nkey: value\n---\ntext",
      "N.textbundle/info.json": info({ creationDate: "2020-01-02T03:04:05Z", tags: ["one"] })
    })
    expect(note("N")).toMatchObject({
      body: "---\nkey: value\n---\ntext",
      created_at: "2020-01-02T03:04:05.000Z",
      tags: ["one"]
    })
  })

  it("from a trash folder are archived, and reported", async () => {
    const got = await vault({ "N.textbundle/text.txt": "x", "N.textbundle/info.json": info({ trashed: 1 }) })
    expect(got.notes).toMatchObject([{ title: "N", archived: true }])
    expect(reported(got)).toEqual(["N.textbundle/info.json: was_in_trash"])
  })

  it("are read without an invalid description, which is reported", async () => {
    const got = await vault({ "N.textbundle/text.md": "x", "N.textbundle/info.json": "{" })
    expect(got.notes).toMatchObject([{ title: "N", body: "x" }])
    expect(reported(got)).toEqual(["N.textbundle/info.json: invalid_file"])
  })

  it.each(["textpack", "bearnote"])("may be packed individually as .%s", async (ending) => {
    const inner = { "text.md": text, "info.json": info(said), "assets/pic 1.png": "png" }
    for (const folder of ["", `My note.textbundle/`, `My note.${ending}/`]) {
      const files = Object.entries(inner).map(([name, content]) => [folder + name, content])
      const got = await readAll(fileOf(`My note.${ending}`, pack(Object.fromEntries(files))), "markdown")
      expect(got.notes).toMatchObject([{ title: "My note", notebook: [], created_at: "2020-01-02T03:04:05.000Z" }])
      expect(got.files.map(({ bytes, filename }) => [filename, bytes.toString()])).toEqual([["pic 1.png", "png"]])
      expect(reported(got)).toEqual([])
    }
  })

  it("may be packed within an archive, next to notes and other bundles", async () => {
    const got = await vault({
      "Dir/One.textpack": pack({ "text.md": "![](assets/a.png) [[Two]]", "assets/a.png": "1" }),
      "Dir/Two.bearnote": pack({ "Two.textbundle/text.md": "![](assets/a.png)", "Two.textbundle/assets/a.png": "2" }),
      "__MACOSX/Dir/._One.textpack": "x",
      "Three.md": "[[One]]"
    })
    expect(got.notes.map(({ notebook, title }) => [title, ...notebook])).toEqual([
      ["One", "Dir"],
      ["Two", "Dir"],
      ["Three"]
    ])
    expect(got.files.map(({ bytes }) => bytes.toString())).toEqual(["1", "2"])
    expect(got.note("Three").body).toMatch(/^\[One\]\(note:/)
    expect(reported(got)).toEqual([])
  })

  it("are reported if they are packed and damaged, and the others are read", async () => {
    const got = await vault({ "a.md": "x", "One.textpack": "no archive" })
    expect(got.notes).toHaveLength(1)
    expect(reported(got)).toEqual(["One.textpack: not_readable"])
  })
})

describe("a Markdown file", () => {
  it.each([
    ["UTF-8 with a byte order mark", Buffer.from("\ufeff---\ntags: [a]\n---\nünï")],
    ["UTF-16", Buffer.from("\ufeff---\ntags: [a]\n---\nünï", "utf16le")],
    ["UTF-16 without a byte order mark", Buffer.from("---\ntags: [a]\n---\nünï", "utf16le")],
    ["Latin 1", Buffer.from("---\ntags: [a]\n---\nünï", "latin1")]
  ])("is decoded from %s", async (_, bytes) => {
    expect((await alone(bytes)).notes).toMatchObject([{ title: "Note", tags: ["a"], body: "ünï" }])
  })

  it("is read without characters that are not text, which is reported", async () => {
    const got = await alone("a\0b")
    expect(got.notes[0]?.body).toBe("ab")
    expect(reported(got)).toEqual(["Note.md: text_repaired"])
  })

  it.each([
    ["an invalid byte", ["日本語のノート café ", [0xff], " 🎉"], "日本語のノート café \ufffd 🎉"],
    ["a letter that is cut off", ["Привет — ", [0xd0]], "Привет — \ufffd"]
  ] as const)("is decoded as UTF-8 despite %s, which is reported", async (_, parts, body) => {
    const got = await alone(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
    expect(got.notes[0]?.body).toBe(body)
    expect(reported(got)).toEqual(["Note.md: text_repaired"])
  })

  it("is decoded from windows-1252 even if a part of it could be UTF-8", async () => {
    const bytes = Buffer.from("«NAÏVETÉ» à la carte, Übermut, öffnen ", "latin1")
    const got = await alone(Buffer.concat([bytes, Buffer.from([0x93, 0xd6, 0x94, 0x20, 0x80])]))
    expect(got.notes[0]?.body).toBe("«NAÏVETÉ» à la carte, Übermut, öffnen “Ö” €")
    expect(reported(got)).toEqual(["Note.md: encoding_assumed"])
  })

  it("is rejected if it is too large", async () => {
    const path = fileOf("big.md", "x".repeat(2_000))
    const got = await readAll(path, "markdown", { limits: { ...limits, textBytes: 1_000 } })
    expect(got.problems).toMatchObject([{ code: "too_large", isFatal: true }])
    const embedding = await readAll(fileOf("images.md", Buffer.alloc(limits.embeddingBytes + 1, "x")), "markdown")
    expect(embedding.problems).toMatchObject([{ code: "too_large", isFatal: true }])
    expect(embedding.problems[0]?.message).toMatch(/^The file has more than 32 MiB .* import all as a ZIP$/)
  })
})

describe("the converter thread", () => {
  it("converts notes, and continues after one that takes too long", async () => {
    const thread = new ConvertThread({
      short: { maxMillis: 2_000, maxMegabytes: 96, isKept: true },
      long: { maxMillis: 300, maxMegabytes: 384, isKept: false }
    })
    try {
      const got = await vault(
        { "a.md": "#tag [[c]]", "b.md": "[a]: b\n\n" + "[a] ".repeat(200_000), "c.md": "[[a]]" },
        { convert: thread.convert }
      )
      expect(got.notes.map(({ body }) => body.slice(0, 60))).toEqual([
        `#tag [c](${toNote("c.md")})`,
        `[a]: b\n\n${"[a] ".repeat(13)}`,
        `[a](${toNote("a.md")})`
      ])
      expect(reported(got)).toEqual(["b.md: too_complex"])
    } finally {
      await thread.end()
    }
  })
})

describe.skipIf(!hasSamples)(`real vaults${withSamples}`, () => {
  const sample = (name: string) => readAll(join(samples, "markdown", name), "markdown")
  const lists = (got: Awaited<ReturnType<typeof sample>>) =>
    got.problems.filter(({ code }) => code === "unused_files").length

  const vaults = [
    ["obsidian-sandbox.zip", 31, 0],
    ["obsdconv-testdata.zip", 92, 38],
    ["hostile-zips/frontmatter-and-links.zip", 16, 4],
    ["obsidian-help-en.zip", 173, 113],
    ["logseq-docs.zip", 313, 45]
  ] as const
  it.each(vaults.slice(0, rounds(3, 5)))(
    "%s yields %i notes without the lists of unused files, and %i files",
    async (name, notes, files) => {
      const got = await sample(name)
      expect(got.notes.length - lists(got)).toBe(notes)
      expect(got.files).toHaveLength(files)
      expect(got.files.filter(({ failed }) => failed !== undefined)).toEqual([])
    }
  )

  it("keep no unresolved link to one of their files", async () => {
    for (const [name] of vaults.slice(0, rounds(3, 5))) {
      const got = await sample(name)
      const known = new Set(
        [...got.notes.map(({ original }) => original.path), ...got.files.map(({ path }) => path)].flatMap((path) => {
          const base = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
          return [base, base.replace(/\.md$/, "")]
        })
      )
      const dangling = got.notes.flatMap(({ body }) =>
        [...body.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, "").matchAll(/(?<!\\)\[\[([^[\]\n|#]+)/g)]
          .map(([, target = ""]) => target.trim().toLowerCase())
          .filter((target) => known.has(target.slice(target.lastIndexOf("/") + 1)))
      )
      expect({ name, dangling }).toEqual({ name, dangling: [] })
    }
  })
})
