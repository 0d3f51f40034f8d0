import { describe, expect, it } from "vitest"
import { reverting } from "../../support/changesets/Reverting.ts"
import { Importing } from "../../support/Importing.ts"
import { callTool } from "../../support/mcp/McpWire.ts"
import { Team } from "../../support/people/Team.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp()
const revert = reverting(given)

const inbox = async (): Promise<string> => (await given("GET", "/notebooks")).data[0].id
const note = async (body: string, more: object = {}): Promise<any> =>
  given("POST", "/notes", { notebook_id: await inbox(), title: "A note", body, ...more })
const read = (id: string): Promise<any> => given("GET", `/notes/${id}`)
/** The newest set. The next one is newer. */
const newest = async (): Promise<any> => {
  const found = (await given("GET", "/change-sets?limit=1")).data[0]
  await app.move("1 second")
  return found
}

describe("a change set without a header", () => {
  it("has what an import has written, and its revert takes all of it back", async () => {
    const team = await Team.start(app)
    const importing = new Importing(team)
    const xml = (title: string) => `<note><title>${title}</title><tag>imported</tag>
      <content><![CDATA[<en-note><div>text</div></en-note>]]></content></note>`
    const enex = `<?xml version="1.0"?><en-export>${["one", "two", "three"].map(xml).join("")}</en-export>`
    const done = await importing.all("enex", "Some.enex", Buffer.from(enex))
    expect(done).toMatchObject({ status: "done", imported: 3 })
    const filter = encodeURIComponent(`import_id = "${done.id}"`)
    const { data } = await team.get(`/change-sets?filter=${filter}`)
    expect(data).toMatchObject([{ origin: "import", import_id: done.id, author_id: team.owner.user_id }])
    const revertThere = reverting(async (method, path, body) => {
      const response = await app.call(method, path, body, team.owner.headers)
      expect(response.status, response.text).toBeLessThan(300)
      return response.body
    })
    const { counts, reverted_by } = await revertThere(data[0].id)
    expect(counts).toEqual([data[0].records, 0, 0])
    expect((await team.get("/notes")).data).toEqual([])
    expect((await team.get("/tags")).data).toEqual([])
    await revertThere(reverted_by!)
    expect((await team.get("/notes")).data).toHaveLength(3)
    await expectTruth(app, team.id)
  })

  it("is the merge of tags, the rename of one, and its deletion", async () => {
    const [one, both] = [await note("x", { tags: ["cat"] }), await note("y", { tags: ["cat", "dog"] })]
    const [cat, dog] = (await given("GET", "/tags")).data
    await given("POST", "/tags/merge", { source_ids: [cat.id], target_id: dog.id })
    const merge = await newest()
    expect(merge).toMatchObject({ origin: "tags", records: 3 })
    expect((await revert(merge.id)).counts).toEqual([3, 0, 0])
    await app.move("1 second")
    expect((await read(one.id)).tags).toEqual(["cat"])
    expect((await read(both.id)).tags).toEqual(["cat", "dog"])

    await given("PATCH", `/tags/${cat.id}`, { name: "lion" })
    const rename = await newest()
    const later = await note("z", { tags: ["lion"] })
    expect((await revert(rename.id)).counts).toEqual([3, 0, 0])
    await app.move("1 second")
    expect((await read(both.id)).tags).toEqual(["cat", "dog"])
    expect((await read(later.id)).tags).toEqual(["cat"])

    await given("DELETE", `/tags/${dog.id}`)
    const removal = await newest()
    expect((await revert(removal.id)).counts).toEqual([2, 0, 0])
    expect((await read(both.id)).tags).toEqual(["cat", "dog"])
    await expectTruth(app)
  })

  it("is the deletion of a notebook with its notes", async () => {
    const notebook = await given("POST", "/notebooks", { name: "Outer" })
    const inner = await given("POST", "/notebooks", { name: "Inner", parent_id: notebook.id })
    const kept = await note("in it", { notebook_id: inner.id, tags: ["t"] })
    const comment = await given("POST", `/notes/${kept.id}/comments`, { body: "said" })
    await app.move("1 second")
    await given("DELETE", `/notebooks/${notebook.id}`)
    const set = await newest()
    expect(set).toMatchObject({ origin: "notebook", records: 3 })
    expect((await revert(set.id)).counts).toEqual([3, 0, 0])
    expect(await read(kept.id)).toMatchObject({ notebook_id: inner.id, body: "in it", tags: ["t"] })
    expect(await given("GET", `/notebooks/${inner.id}`)).toMatchObject({ parent_id: notebook.id, note_count: 1 })
    expect(await given("GET", `/notes/${kept.id}/comments/${comment.id}`)).toMatchObject({ body: "said" })
    await expectTruth(app)
  })

  it("has the MCP calls of a caller until 30 minutes pass without a change", async () => {
    const call = (name: string, args: object) =>
      callTool({ url: app.url, headers: { authorization: `Bearer ${app.key}` } }, name, { ...args })
    const notebook_id = await inbox()
    const make = async (title: string) => {
      const made = await call("create_note", { notebook_id, title, text: "by a tool" })
      expect(made?.isError, JSON.stringify(made)).not.toBe(true)
      return newest()
    }
    await app.move("1 second")
    const first = await make("one")
    expect(first).toMatchObject({ origin: "mcp", records: 1 })
    await app.advance("29 minutes")
    expect(await make("two")).toMatchObject({ id: first.id, records: 2 })
    await app.advance("29 minutes")
    expect((await make("three")).id).toBe(first.id)
    await app.advance("31 minutes")
    const second = await make("four")
    expect(second.id).not.toBe(first.id)
    expect((await revert(first.id)).counts).toEqual([3, 0, 0])
    // A call after the revert of its set begins another one.
    expect((await revert(second.id)).counts).toEqual([1, 0, 0])
    expect((await make("five")).id).not.toBe(second.id)
  })
})
