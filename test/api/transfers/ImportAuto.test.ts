import { pack } from "tar-stream"
import { describe, expect, it } from "vitest"
import { zipOf } from "../../services/transfers/Zip.ts"
import { Importing } from "../../support/Importing.ts"
import { Team } from "../../support/people/Team.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const start = async () => new Importing(await Team.start(app))
const codesOf = ({ errors }: any): ReadonlyArray<string> => errors.map(({ code }: any) => code)

describe("imports without a source", () => {
  it("find out what the file is, and put it into the chosen notebook", async () => {
    const own = await start()
    const notebook = await own.team.post("/notebooks", { name: "Mine" })
    const keep = JSON.stringify({ isTrashed: false, isPinned: false, title: "Kept", textContent: "words #word" })
    const made = await own.form({ source: "auto", notebook_id: notebook.id }, "keep.json", Buffer.from(keep))
    expect(made).toMatchObject({ status: 201, body: { source: "auto" } })
    expect(await own.ended(made.body.id)).toMatchObject({ status: "done", imported: 1, total: 1, errors: [] })
    expect(await own.notes()).toMatchObject([{ title: "Kept", body: "words #word", tags: [], notebook: ["Mine"] }])
    await expectTruth(app, own.team.id)
  })

  it("read a JSON export without loss, also if it is sent as Markdown", async () => {
    const from = await start()
    await from.all("auto", "One.md", Buffer.from("words"))
    const [{ id }] = (await from.notes()) as [any]
    const { bytes } = await from.exported("json")
    for (const [source, codes] of [
      ["auto", []],
      ["markdown", ["other_source"]]
    ] as const) {
      const into = await start()
      const done = await into.all(source, "export.zip", bytes)
      expect(done).toMatchObject({ status: "done", imported: 1 })
      expect(codesOf(done)).toEqual(codes)
      expect(await into.notes()).toMatchObject([{ id, title: "One", body: "words" }])
      // The same notes are known the second time.
      expect(await into.all(source, "export.zip", bytes)).toMatchObject({ status: "done", imported: 0, skipped: 1 })
      await expectTruth(app, into.team.id)
    }
  })

  it("refuse other programs' formats with advice, and change nothing", async () => {
    const own = await start()
    const done = await own.all("auto", "letter.rtf", Buffer.from("{\\rtf1 words}"))
    expect(done).toMatchObject({ status: "failed", imported: 0, total: null })
    expect(done.errors).toEqual([
      {
        file: "letter.rtf",
        code: "invalid_file",
        message: "This is rich text (RTF), which is not imported. Save it as HTML or plain text, and import that"
      }
    ])
    expect(await own.notes()).toEqual([])
  })

  it("create the reminders of to-dos, and change them with their source", async () => {
    const own = await start()
    const idOf = (number: number) => String(number).padStart(32, "0")
    const file = async (due: string, done = 0) => {
      const packed = pack()
      const lines = {
        id: idOf(1),
        parent_id: "",
        is_todo: 1,
        todo_due: Date.parse(due),
        todo_completed: done,
        type_: 1
      }
      const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}`)
      packed.entry({ name: `${idOf(1)}.md` }, ["Call", "", "words", "", ...text].join("\n"))
      packed.finalize()
      const chunks: Array<Uint8Array> = []
      for await (const chunk of packed as AsyncIterable<Uint8Array>) chunks.push(chunk)
      return Buffer.concat(chunks)
    }
    const times = async () => (await own.team.get("/reminders")).data.map(({ remind_at }: any) => remind_at)
    const first = "2031-01-01T10:00:00.000Z"
    const second = "2031-01-02T10:00:00.000Z"
    expect(await own.all("auto", "notes.jex", await file(first))).toMatchObject({ imported: 1, errors: [] })
    expect(await times()).toEqual([first])
    const update = { on_existing: "update" }
    expect(await own.all("auto", "notes.jex", await file(second), update)).toMatchObject({ updated: 1 })
    expect(await times()).toEqual([second])
    expect(await own.all("auto", "notes.jex", await file(second, 1_000), update)).toMatchObject({ updated: 1 })
    expect(await times()).toEqual([])
    await expectTruth(app, own.team.id)
  })
})

describe("imports of a user in New York", () => {
  it("read times without a zone in that zone, and plain text is found by search", async () => {
    const own = await start()
    await app.call("PATCH", "/me", { timezone: "America/New_York" }, own.team.owner.headers)
    const vault = zipOf([
      { name: "A/Jam.txt", content: "Boil the strawberries" },
      { name: "A/Index.md", content: "---\ncreated: 2023-07-04T20:15\nupdated: 2023-07-06\n---\nsee [[Jam]]" }
    ])
    expect(await own.all("markdown", "vault.zip", vault)).toMatchObject({ status: "done", imported: 2, errors: [] })
    const [index, jam] = await own.notes()
    expect(index).toMatchObject({
      title: "Index",
      body: `see [Jam](note:${jam.id})`,
      created_at: "2023-07-05T00:15:00.000Z",
      updated_at: "2023-07-06T00:00:00.000Z"
    })
    const found = await own.team.post("/search", { query: "strawberries" })
    expect(found.hits.map(({ id }: any) => id)).toEqual([jam.id])
  })
})
