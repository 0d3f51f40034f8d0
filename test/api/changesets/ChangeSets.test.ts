import { describe, expect, it } from "vitest"
import { reverting } from "../../support/changesets/Reverting.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp({ settings: { rateLimit: 0 } })
const revert = reverting(given)

let count = 0
const newSet = (): string => `cs_${String(++count).padStart(20, "0")}`
/** Sends requests whose changes belong to a change set. */
const inSet =
  (set: string) =>
  async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await app.call(method, path, body, { "change-set": set })
    expect(response.status, response.text).toBeLessThan(300)
    return response.body
  }

const inbox = async (): Promise<string> => (await given("GET", "/notebooks")).data[0].id
const note = async (body: string, more: object = {}): Promise<any> =>
  given("POST", "/notes", { notebook_id: await inbox(), title: "A note", body, ...more })
const read = (id: string): Promise<any> => given("GET", `/notes/${id}`)

describe("a change set", () => {
  it("lists its records with their versions and the difference", async () => {
    const set = newSet()
    const by = inSet(set)
    const old = await note("one\ntwo\n")
    await by("PATCH", `/notes/${old.id}`, { title: "Another", body: "one\nthree\n" })
    const made = await by("POST", "/notes", { notebook_id: await inbox(), title: "New", body: "x" })
    await by("PATCH", `/notes/${made.id}`, { body: "x\ny" })
    expect(await given("GET", `/change-sets/${set}`)).toMatchObject({
      origin: "header",
      records: 2,
      changes: 3,
      reverted_by: null
    })
    expect((await given("GET", "/change-sets")).data[0].id).toBe(set)
    const { data } = await given("GET", `/change-sets/${set}/records`)
    expect(data).toHaveLength(2)
    expect(data.find(({ id }: any) => id === old.id)).toMatchObject({
      type: "note",
      title: "Another",
      version_before: 1,
      version_after: 2,
      before: { title: "A note" },
      after: { title: "Another" },
      diff: [
        { mark: " ", line: 1, text: "one" },
        { mark: "-", line: 2, text: "two" },
        { mark: "+", line: 2, text: "three" }
      ]
    })
    expect(data.find(({ id }: any) => id === made.id)).toMatchObject({
      version_before: null,
      version_after: 2,
      changes: 2
    })
  })

  it("is reverted as one, and the revert is reverted again", async () => {
    const set = newSet()
    const by = inSet(set)
    const [changed, moved, trashed] = [await note("one\n", { tags: ["a"] }), await note("two"), await note("three")]
    const notebook = await by("POST", "/notebooks", { name: "Its own" })
    await by("PATCH", `/notes/${changed.id}`, { title: "T", body: "one\nmore\n", tags: ["b"] })
    await by("PATCH", `/notes/${moved.id}`, { notebook_id: notebook.id })
    await by("DELETE", `/notes/${trashed.id}`)
    const made = await by("POST", "/notes", { notebook_id: notebook.id, title: "New", body: "x" })
    const after = await Promise.all([changed.id, moved.id, made.id].map(read))
    const preview = await revert(set, { preview: true })
    const { counts, records, reverted_by } = await revert(set)
    expect(records).toEqual(preview.records)
    expect([counts, preview.counts]).toEqual([
      [6, 0, 0],
      [6, 0, 0]
    ])
    expect(await read(changed.id)).toMatchObject({ title: "A note", body: "one\n", tags: ["a"] })
    expect(await read(moved.id)).toMatchObject({ notebook_id: moved.notebook_id })
    expect(await read(trashed.id)).toMatchObject({ body: "three" })
    expect((await app.call("GET", `/notes/${made.id}`)).status).toBe(404)
    expect((await app.call("GET", `/notebooks/${notebook.id}`)).status).toBe(404)
    expect((await given("GET", "/tags")).data.map(({ name }: any) => name)).toEqual(["a"])
    expect((await app.call("POST", "/notes", {}, { "change-set": set })).status).toBe(409)
    const again = await revert(reverted_by!)
    expect(again.counts).toEqual([6, 0, 0])
    const back = await Promise.all([changed.id, moved.id, made.id].map(read))
    const content = ({ body, notebook_id, tags, title }: any) => ({ body, notebook_id, tags, title })
    expect(back.map(content)).toEqual(after.map(content))
    expect((await app.call("GET", `/notes/${trashed.id}`)).status).toBe(404)
    expect(await given("GET", `/change-sets/${set}`)).toMatchObject({ reverted_by })
    expect(await given("GET", `/change-sets/${reverted_by}`)).toMatchObject({ origin: "revert", reverts: set })
  })

  it("keeps what others have written since", async () => {
    const set = newSet()
    const by = inSet(set)
    const [text, both, title, gone] = [
      await note("one\ntwo\n"),
      await note("a\n\nb\n\nc\n"),
      await note("x"),
      await note("y")
    ]
    for (const each of [text, gone]) await by("PATCH", `/notes/${each.id}`, { body: "machine" })
    await by("PATCH", `/notes/${both.id}`, { body: "machine\n\na\n\nb\n\nc\n" })
    await given("PATCH", `/notes/${both.id}`, { body: "machine\n\na\n\nb\n\nc\n\nperson\n" })
    await by("PATCH", `/notes/${both.id}`, { body: "machine\n\na\n\nB\n\nc\n\nperson\n" })
    await by("PATCH", `/notes/${title.id}`, { title: "Machine" })
    await given("PATCH", `/notes/${title.id}`, { title: "Person" })
    await given("DELETE", `/notes/${gone.id}`)
    const made = await by("POST", "/notes", { notebook_id: await inbox(), title: "New", body: "machine" })
    await given("PATCH", `/notes/${made.id}`, { body: "machine and person" })
    const preview = await revert(set, { preview: true })
    const { id, records } = await revert(set)
    expect(records).toEqual(preview.records)
    const { data } = await given("GET", `/reverts/${id}/records?filter=outcome=merged`)
    expect(data.map(({ record_id }: any) => record_id)).toEqual([both.id])
    expect(records).toEqual({
      [text.id]: ["reverted", null, []],
      [both.id]: ["merged", null, []],
      [title.id]: ["kept", "changed_since", ["title"]],
      [gone.id]: ["kept", "deleted_since", []],
      [made.id]: ["kept", "changed_since", []]
    })
    expect(await read(both.id)).toMatchObject({ body: "a\n\nb\n\nc\n\nperson\n" })
    expect(await read(made.id)).toMatchObject({ body: "machine and person" })
  })

  it("takes new files along with their new notes, and keeps those of other notes", async () => {
    const set = newSet()
    const by = inSet(set)
    const old = await note("one\n")
    const made = await by("POST", "/notes", { notebook_id: await inbox(), title: "New", body: "x" })
    const [own, other] = [
      await by("POST", "/attachments", { note_id: made.id, filename: "own.txt" }),
      await by("POST", "/attachments", { note_id: old.id, filename: "other.txt" })
    ]
    const preview = await revert(set, { preview: true })
    const { records } = await revert(set)
    expect(records).toEqual(preview.records)
    expect(records).toEqual({
      [made.id]: ["reverted", null, []],
      [own.id]: ["reverted", null, []],
      [other.id]: ["kept", "is_file", []]
    })
  })
})
