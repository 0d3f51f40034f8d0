import { beforeAll, describe, expect, it } from "vitest"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp()

let inbox: string
beforeAll(async () => {
  inbox = (await given("GET", "/notebooks")).data[0].id
})

const newNote = async (title: string, fields: object = {}) => {
  await app.advance("1 second")
  return given("POST", "/notes", { notebook_id: inbox, title, ...fields })
}

const excerpt = async (body: string): Promise<string> => {
  const { id } = await newNote("excerpt", { body })
  return (await given("GET", `/notes/summaries?filter=id=${id}`)).data[0].excerpt
}

describe("GET /notes/summaries", () => {
  it("lists the notes of GET /notes, in the same order, with excerpts instead of bodies", async () => {
    const [a, b] = [await newNote("a", { body: "# One\n\ntwo", tags: ["x"] }), await newNote("b", { pinned: true })]
    await newNote("archived", { archived: true })
    const summary = ({ body: _, ...note }: any, excerpt: string) => ({ ...note, excerpt })
    const shown = await given("GET", "/notes/summaries")
    expect(shown).toEqual({ data: [summary(b, ""), summary(a, "One two")], has_more: false, next_cursor: null })
    for (const query of [
      "sort=title",
      "sort=-version,title",
      "filter=body:two",
      "filter=tags:x",
      "filter=archived=true"
    ]) {
      const [notes, summaries] = [
        await given("GET", `/notes?${query}`),
        await given("GET", `/notes/summaries?${query}`)
      ]
      expect(summaries.data.map(({ id }: any) => id)).toEqual(notes.data.map(({ id }: any) => id))
      expect(notes.data.length).toBeGreaterThan(0)
    }
    await given("DELETE", `/notes/${a.id}`)
    const [trashed] = (await given("GET", "/notes/summaries?filter=deleted_at:*")).data
    expect(trashed).toMatchObject({ id: a.id, excerpt: "One two", deleted_at: expect.any(String) })
  })

  it("has pages, whose cursors are not those of GET /notes", async () => {
    await newNote("c")
    const { next_cursor } = await given("GET", "/notes/summaries?limit=1&sort=title")
    const cursor = encodeURIComponent(next_cursor)
    const next = await given("GET", `/notes/summaries?limit=100&sort=title&cursor=${cursor}`)
    expect(next.data.length).toBeGreaterThan(0)
    expect((await app.call("GET", `/notes?sort=title&cursor=${cursor}`)).body.code).toBe("cursor_mismatch")
  })

  it("shortens the text to 200 characters on one line, without Markdown, comments and front matter", async () => {
    expect(
      await excerpt(
        "---\ntitle: x\ntags: [a]\n---\n> - [x] **bold** [link](https://x.test) [[Note]]\n\n`code` %%hidden%%"
      )
    ).toBe("bold link Note code")
    const long = await excerpt("wörd ".repeat(1_000))
    expect(long).toMatch(/^(?:wörd )+wörd…$/)
    expect(long.length).toBeLessThanOrEqual(200)
    expect((await excerpt("😀".repeat(300))).length).toBeLessThanOrEqual(200)
    expect(await excerpt("")).toBe("")
  })

  it("returns a full page of notes of a megabyte, and examines as many bytes as GET /notes for a filter", async () => {
    const { id: notebook_id } = await given("POST", "/notebooks", { name: "large" })
    for (let count = 0; count < 100; count++) await given("POST", "/notes", { notebook_id, title: "large" })
    await app.sql("UPDATE notes SET body = repeat('abcdefghi ', 100000) WHERE title = 'large'")
    const { body, text } = await app.call("GET", `/notes/summaries?limit=100&filter=notebook_id=${notebook_id}`)
    expect([body.data.length, body.has_more]).toEqual([100, false])
    expect(text.length).toBeLessThan(100_000)
    const filtered = await given("GET", "/notes/summaries?filter=body:absent")
    expect([filtered.data, filtered.has_more]).toEqual([[], true])
  })
})
