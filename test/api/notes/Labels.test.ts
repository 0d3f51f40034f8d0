import { beforeAll, describe, expect, it } from "vitest"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp()
let notebook_id: string
beforeAll(async () => {
  notebook_id = (await given("GET", "/notebooks")).data[0].id
})

const written = "a\nb\r\nc\rd\u2028e\u2029f\u0085g\vh\fi\tj"
const read = "a b c d e f g h i j"

describe("line breaks and tabs in a title or name", () => {
  it("become spaces in notes, notebooks, templates, files, keys, workspaces and user names", async () => {
    const note = await given("POST", "/notes", { notebook_id, title: written })
    expect(note.title).toBe(read)
    expect((await given("PATCH", `/notes/${note.id}`, { title: `2${written}` })).title).toBe(`2${read}`)
    expect((await given("POST", `/notes/${note.id}/duplicate`, { title: written })).title).toBe(read)
    const book = await given("POST", "/notebooks", { name: written })
    expect(book.name).toBe(read)
    expect((await given("PATCH", `/notebooks/${book.id}`, { name: `2${written}` })).name).toBe(`2${read}`)
    const template = await given("POST", "/templates", { name: written, body: "x\ny" })
    expect([template.name, template.body]).toEqual([read, "x\ny"])
    const file = await given("POST", "/attachments/uploads", { note_id: note.id, filename: `${written}.txt` })
    expect(file.filename).toBe(`${read}.txt`)
    expect((await given("POST", "/api-keys", { name: written })).name).toBe(read)
    expect((await given("POST", "/workspaces", { name: written })).name).toBe(read)
    expect((await given("PATCH", "/me", { name: written })).name).toBe(read)
  })

  it("become spaces in a title made by a template", async () => {
    const template = await given("POST", "/templates", { name: "For {{who}}", body: "{{who}}" })
    const made = await given("POST", `/templates/${template.id}/apply`, { variables: { who: written } })
    expect([made.title, made.body]).toEqual([`For ${read}`, written])
    expect((await given("POST", `/templates/${template.id}/apply`, { title: written })).title).toBe(read)
  })

  it("become spaces in a pushed note, which is a duplicate when pushed again", async () => {
    const id = "nt_pushed-with-breaks-1"
    const push = async () =>
      (
        await given("POST", "/sync/push", {
          changes: [{ type: "note", op: "upsert", id, data: { notebook_id, title: written } }]
        })
      ).results[0].status
    expect([await push(), await push()]).toEqual(["applied", "duplicate"])
    expect((await given("GET", `/notes/${id}`)).title).toBe(read)
  })

  it("count as one character each, and as blank on their own", async () => {
    const blank = await app.call("POST", "/notes", { notebook_id, title: "\n\u0085\t" })
    expect([blank.status, blank.body.errors[0].code]).toEqual([422, "blank"])
    expect((await given("POST", "/notes", { notebook_id, title: `${"x".repeat(199)}\n` })).title).toHaveLength(200)
  })
})

it("rejects a template whose resulting title is blank", async () => {
  const template = await given("POST", "/templates", { name: "{{what}}", body: "x" })
  for (const what of ["", " \n"]) {
    const { body, status } = await app.call("POST", `/templates/${template.id}/apply`, { variables: { what } })
    expect([status, body.code, body.errors[0].field]).toEqual([422, "validation_failed", "title"])
  }
})
