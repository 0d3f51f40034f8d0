import { describe, expect, it } from "vitest"
import { pack } from "tar-stream"
import { fileId, fileOf, noteId, readAll, reported } from "./Reading.ts"
import { zipOf } from "./Zip.ts"

const zip = (files: Readonly<Record<string, string>>) =>
  zipOf(Object.entries(files).map(([name, content]) => ({ name, content })))

const micros = (time: string) => Date.parse(time) * 1000

describe("a Google Takeout", () => {
  const keep = (more: object) =>
    JSON.stringify({
      color: "DEFAULT",
      isTrashed: false,
      isPinned: false,
      isArchived: false,
      title: "",
      userEditedTimestampUsec: micros("2024-02-03T04:05:06Z"),
      createdTimestampUsec: micros("2023-02-03T04:05:06Z"),
      ...more
    })
  const page = (title: string, content: string) =>
    `<html><head><title>${title}</title></head><body><div class="note DEFAULT"><div class="heading"><div class="meta-icons"><span class="pinned"></span></div>\nMar 1, 2024, 10:30:00 AM</div>\n<div class="title">${title}</div><div class="content">${content}</div><div class="chips"><span class="chip label"><span class="label-name">home</span></span></div></div></body></html>`

  it("becomes notes with tasks, links, labels, times, states and files", async () => {
    const got = await readAll(
      fileOf(
        "takeout.zip",
        zip({
          "Takeout/archive_browser.html": "<html><body>Takeout</body></html>",
          "Takeout/Drive/plan.txt": "plan",
          "Takeout/Keep/List.json": keep({
            title: "List",
            isPinned: true,
            color: "RED",
            labels: [{ name: "two words" }],
            listContent: [
              { text: "milk", isChecked: false },
              { text: "bread", isChecked: true }
            ],
            annotations: [{ title: "Site", url: "https://example.org/a", description: "about" }],
            attachments: [{ filePath: "pic.jpeg", mimetype: "image/jpeg" }, { filePath: "gone.png" }]
          }),
          "Takeout/Keep/List.html": page("List", "milk"),
          "Takeout/Keep/pic.jpg": "P",
          "Takeout/Keep/Plain.json": keep({ textContent: "Buy #paint\nand brushes", isArchived: true }),
          "Takeout/Keep/Old.json": keep({ title: "Old", textContent: "x", isTrashed: true }),
          "Takeout/Keep/Page.html": page("Page", "a<br>b <b>c</b>"),
          "Takeout/Keep/Broken.json": '{"isTrashed":false,"isPinned":'
        })
      ),
      "auto",
      { timezone: "America/New_York" }
    )
    expect(got.note("List")).toMatchObject({
      notebook: ["Google Keep"],
      pinned: true,
      tags: ["two-words"],
      created_at: "2023-02-03T04:05:06.000Z",
      updated_at: "2024-02-03T04:05:06.000Z"
    })
    expect(got.note("List").body).toBe(
      `---\ncolor: red\n---\n\n- [ ] milk\n- [x] bread\n\n- [Site](https://example.org/a): about\n\n![pic.jpg](attachment:${fileId("Takeout/Keep/List.json///Takeout/Keep/pic.jpg")})\n`
    )
    expect(got.note("Buy #paint")).toMatchObject({ archived: true, tags: [], body: "Buy #paint  \nand brushes" })
    expect(got.note("Old")).toMatchObject({ archived: true })
    expect(got.note("Page")).toMatchObject({ pinned: true, tags: ["home"], updated_at: "2024-03-01T15:30:00.000Z" })
    expect(got.note("Page").body).toBe("a\\\nb **c**\n")
    expect(got.notes).toHaveLength(4)
    expect(got.files.map(({ filename }) => filename)).toEqual(["pic.jpg"])
    expect(reported(got).toSorted()).toEqual([
      ": skipped",
      "Takeout/Keep/Broken.json: invalid_file",
      "Takeout/Keep/List.json: missing_file",
      "Takeout/Keep/Old.json: was_in_trash"
    ])
  })

  it("goes into the notebook that the user has chosen", async () => {
    const got = await readAll(fileOf("a.json", keep({ title: "One" })), "auto", { hasNotebook: true })
    expect(got.notes).toMatchObject([{ title: "One", notebook: [] }])
  })
})

describe("an export of Simplenote", () => {
  it("becomes notes whose first line is the title, without the copies of their texts", async () => {
    const notes = {
      activeNotes: [
        {
          id: "a",
          content: "# Plan\r\n\r\nline 1\r\nline 2 #word",
          creationDate: "2020-01-02T03:04:05.000Z",
          lastModified: "2021-01-02T03:04:05.000Z",
          tags: ["home"],
          pinned: true
        },
        { id: "b", content: "Marked\n**bold** #tag", markdown: true }
      ],
      trashedNotes: [{ id: "c", content: "Old" }]
    }
    const got = await readAll(
      fileOf("simplenote.zip", zip({ "source/notes.json": JSON.stringify(notes), "Plan.txt": "Plan" })),
      "markdown"
    )
    expect(got.notes).toMatchObject([
      {
        title: "Plan",
        body: "line 1  \nline 2 #word",
        tags: ["home"],
        pinned: true,
        created_at: "2020-01-02T03:04:05.000Z",
        updated_at: "2021-01-02T03:04:05.000Z",
        notebook: ["Simplenote"]
      },
      { title: "Marked", body: "**bold** #tag", tags: ["tag"] },
      { title: "Old", archived: true }
    ])
    expect(reported(got)).toEqual([": other_source", "Old: was_in_trash"])
  })

  it("is imported up to the place where it ends too early", async () => {
    const got = await readAll(fileOf("n.json", '{"activeNotes":[{"id":"a","content":"One"},{"id":"b","con'), "auto")
    expect(got.notes.map(({ title }) => title)).toEqual(["One"])
    expect(reported(got)).toEqual([": invalid_file"])
  })
})

describe("a backup of Standard Notes", () => {
  const item = (uuid: string, content_type: string, content: unknown) => ({
    uuid,
    content_type,
    content,
    created_at: "2020-01-02T03:04:05.000Z",
    updated_at: "2021-01-02T03:04:05.000Z"
  })
  const backup = (...items: ReadonlyArray<object>) => JSON.stringify({ version: "004", items })

  it("becomes notes by their types, with nested tags and states", async () => {
    const state = { trashed: false, appData: { "org.standardnotes.sn": { pinned: true, archived: true } } }
    const got = await readAll(
      fileOf(
        "backup.txt",
        backup(
          item("p", "Tag", { title: "Work", references: [] }),
          item("t", "Tag", {
            title: "Plans",
            references: [
              { uuid: "n1", content_type: "Note" },
              { uuid: "p", content_type: "Tag", reference_type: "TagToParentTag" }
            ]
          }),
          item("n1", "Note", { title: "Plain", text: "a\nb", ...state }),
          item("n2", "Note", { title: "Rich", text: "<p>a <b>b</b></p>", noteType: "rich-text" }),
          item("n3", "Note", {
            title: "Tasks",
            noteType: "task",
            text: JSON.stringify({
              groups: [
                {
                  name: "Home",
                  tasks: [
                    { description: "milk", completed: false },
                    { description: "bread", completed: true }
                  ]
                }
              ]
            })
          }),
          item("n4", "Note", {
            title: "Super",
            noteType: "super",
            text: JSON.stringify({
              root: {
                type: "root",
                children: [
                  { type: "heading", tag: "h2", children: [{ type: "text", text: "Head" }] },
                  {
                    type: "paragraph",
                    children: [
                      { type: "text", text: "a ", format: 0 },
                      { type: "text", text: "b", format: 1 },
                      { type: "link", url: "https://example.org", children: [{ type: "text", text: "c" }] }
                    ]
                  },
                  {
                    type: "list",
                    listType: "check",
                    children: [{ type: "listitem", checked: true, children: [{ type: "text", text: "done" }] }]
                  }
                ]
              }
            })
          }),
          item("x", "SN|UserPreferences", {}),
          { ...item("n5", "Note", { title: "Deleted" }), deleted: true }
        )
      ),
      "auto"
    )
    expect(got.notes.map(({ body, title }) => [title, body])).toEqual([
      ["Plain", "a  \nb"],
      ["Rich", "a **b**\n"],
      ["Tasks", "## Home\n\n- [ ] milk\n- [x] bread"],
      ["Super", "## Head\n\na **b**[c](https://example.org)\n\n- [x] done\n"]
    ])
    expect(got.note("Plain")).toMatchObject({ tags: ["Work/Plans"], pinned: true, archived: true })
    expect(reported(got)).toEqual([])
  })

  it("keeps a text that is nested too deeply as code, and reports it", async () => {
    const deep = `${'{"type":"x","children":['.repeat(200)}{"type":"text","text":"deep"}${"]}".repeat(200)}`
    const text = `{"root":${deep}}`
    const got = await readAll(
      fileOf("b.txt", backup(item("n", "Note", { title: "Deep", text, noteType: "super" }))),
      "auto"
    )
    expect(got.notes.map(({ body }) => body)).toEqual([`\`\`\`json\n${text}\n\`\`\`\n`])
    expect(reported(got)).toEqual(["Deep: not_converted"])
  })

  it("takes no time for texts that are hard to match", async () => {
    const blanks = " ".repeat(200_000)
    const notes = [
      item("1", "Note", { title: "a", text: `x${blanks}y`, noteType: "plain-text" }),
      item("2", "Note", {
        title: "b",
        noteType: "task",
        text: JSON.stringify({ groups: [{ name: `x${blanks}y`, tasks: [{ description: `x${blanks}y` }] }] })
      })
    ]
    const got = await readAll(fileOf("b.txt", backup(...notes)), "auto")
    expect(got.notes).toHaveLength(2)
    for (const text of [`<!doctype ${"a".repeat(60_000)}`, "<!--".repeat(15_000), "<img".repeat(15_000)]) {
      expect((await readAll(fileOf("a.md", text), "auto")).notes).toHaveLength(1)
    }
  })

  it("is refused with advice if it is encrypted", async () => {
    const got = await readAll(fileOf("b.txt", backup(item("n", "Note", "004:abc"))), "auto")
    expect(got.problems).toMatchObject([{ code: "encrypted", isFatal: true }])
    expect(got.problems[0]?.message).toContain("Export a decrypted one")
  })
})

describe("an export of Joplin", () => {
  const idOf = (number: number) => String(number).padStart(32, "0")
  const item = (number: number, type: number, title: string, body: string, more: object = {}) => {
    const properties = { id: idOf(number), parent_id: idOf(1), ...more, type_: type }
    const lines = Object.entries(properties).map(([name, value]) => `${name}: ${value}`)
    return [...(title === "" ? [] : [title, ""]), ...(body === "" ? [] : [body, ""]), ...lines].join("\n")
  }
  const files: Readonly<Record<string, string>> = {
    [`${idOf(1)}.md`]: item(1, 2, "Inner", "", { parent_id: idOf(2) }),
    [`${idOf(2)}.md`]: item(2, 2, "Outer", "", { parent_id: "" }),
    [`${idOf(3)}.md`]: item(3, 1, "One", `see [two](:/${idOf(4)}#part) ![p](:/${idOf(5)}) #inline\n\nlast: line`, {
      user_created_time: "2020-01-02T03:04:05.000Z",
      user_updated_time: "2021-01-02T03:04:05.000Z",
      source_url: "https://example.org",
      author: "Ann",
      latitude: "48.20000000",
      longitude: "16.30000000",
      markup_language: 1
    }),
    [`${idOf(4)}.md`]: item(4, 1, "Two", "---\nnot: matter\n---", {
      is_todo: 1,
      todo_due: Date.parse("2026-05-04T08:00:00Z"),
      todo_completed: 0
    }),
    [`${idOf(5)}.md`]: item(5, 4, "photo.png", "", { mime: "image/png", file_extension: "png" }),
    [`resources/${idOf(5)}.png`]: "P",
    [`${idOf(6)}.md`]: item(6, 5, "home", "", { parent_id: "" }),
    [`${idOf(7)}.md`]: item(7, 6, "", "", { note_id: idOf(3), tag_id: idOf(6) }),
    [`${idOf(8)}.md`]: item(8, 1, "Page", `<p>a <b>b</b> <img src=":/${idOf(5)}"></p>`, { markup_language: 2 }),
    [`${idOf(9)}.md`]: item(9, 1, "Done", "", { is_todo: 1, todo_due: 0, todo_completed: 1577934245000 }),
    [`${idOf(10)}.md`]: item(10, 13, "", "", {})
  }
  const tar = async (entries: Readonly<Record<string, string>>): Promise<Buffer> => {
    const packed = pack()
    for (const [name, content] of Object.entries(entries)) packed.entry({ name }, content)
    packed.finalize()
    const chunks: Array<Uint8Array> = []
    for await (const chunk of packed as AsyncIterable<Uint8Array>) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  it.each([
    ["as JEX", "notes.jex", () => tar(files)],
    ["as a ZIP of its raw files", "raw.zip", async () => zip(files)]
  ])("becomes notes with notebooks, tags, links, files and to-dos, %s", async (_, name, content) => {
    const got = await readAll(fileOf(name, await content()), "auto", { timezone: "Europe/Vienna" })
    const picture = (note: number) => `attachment:${fileId(`${idOf(note)}///resources/${idOf(5)}.png`)}`
    expect(got.note("One")).toMatchObject({
      notebook: ["Outer", "Inner"],
      tags: ["home", "inline"],
      created_at: "2020-01-02T03:04:05.000Z",
      updated_at: "2021-01-02T03:04:05.000Z",
      body: `---\nsource: https://example.org\nauthor: Ann\nlocation: 48.2, 16.3\n---\nsee [two](note:${noteId(idOf(4))}#part) ![p](${picture(3)}) #inline\n\nlast: line`
    })
    expect(got.note("Two")).toMatchObject({
      body: "- [ ] Two\\\n  Due: 2026-05-04 10:00 Europe/Vienna\n\n---\nnot: matter\n---",
      reminders: [{ remind_at: "2026-05-04T08:00:00.000Z" }]
    })
    expect(got.note("Page").body).toBe(`a **b** ![](${picture(8)})\n`)
    expect(got.note("Done")).toMatchObject({
      body: "- [x] Done\\\n  Done: 2020-01-02 04:04 Europe/Vienna\n\n",
      reminders: []
    })
    expect(got.files.map(({ bytes, filename }) => [filename, bytes.toString()])).toEqual([["photo.png", "P"]])
    expect(reported(got)).toEqual([": skipped"])
  })

  it("is imported up to the place where its archive ends too early", async () => {
    const whole = await tar({ [`${idOf(3)}.md`]: item(3, 1, "One", "x"), [`${idOf(4)}.md`]: item(4, 1, "Two", "y") })
    const got = await readAll(fileOf("notes.jex", whole.subarray(0, 1536 + 20)), "auto")
    expect(got.notes.map(({ title }) => title)).toEqual(["One"])
    expect(reported(got)).toEqual([": truncated"])
  })

  it("has no cycle of notebooks, and no file outside of its archive", async () => {
    const got = await readAll(
      fileOf(
        "notes.jex",
        await tar({
          [`${idOf(1)}.md`]: item(1, 2, "A", "", { parent_id: idOf(2) }),
          [`${idOf(2)}.md`]: item(2, 2, "B", "", { parent_id: idOf(1) }),
          [`${idOf(3)}.md`]: item(3, 1, "One", "x"),
          "../../outside.md": "x"
        })
      ),
      "auto"
    )
    expect(got.notes).toMatchObject([{ title: "One", notebook: ["B", "A"] }])
    expect(reported(got)).toEqual(["../../outside.md: unsafe_path"])
  })
})
