import { beforeAll, describe, expect, it } from "vitest"
import { statementsOf } from "../../support/Statements.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let notebook: string
let made = 0

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const newId = (prefix: string) => `${prefix}_made-by-a-client-${String(++made).padStart(6, "0")}`

const push = async (changes: ReadonlyArray<unknown>, headers: Record<string, string> = {}, at = app) => {
  const answer = await at.call("POST", "/sync/push", { changes }, headers)
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

/** An upsert of a note with a mutation of its own. */
const upsert = (id: string | undefined, revision: number, data: object, more: object = {}) => ({
  mutation_id: `m-${++made}`,
  type: "note",
  op: "upsert",
  ...(id === undefined ? {} : { id }),
  revision,
  data,
  ...more
})

const create = (title: string, more: object = {}) => upsert(undefined, 0, { notebook_id: notebook, title, ...more })

const edit = async (id: string, data: object, at = app) => (await at.call("PATCH", `/notes/${id}`, data)).body

const statuses = (body: any) => body.results.map(({ status }: any) => status)

const newest = async (): Promise<string> => (await app.call("GET", "/sync/cursor")).body.cursor

describe("the changes of a push", () => {
  it("have the present state of the records of duplicates, as a pull returns it", async () => {
    const cursor = await newest()
    const entries = [
      create("Edited later", { tags: ["of-a-duplicate"] }),
      upsert(newId("nt"), 0, { notebook_id: notebook, title: "With an id" }),
      { type: "template", op: "upsert", mutation_id: "a-template", data: { name: "Pushed twice", body: "text" } },
      { type: "notebook", op: "upsert", id: newId("nb"), data: { name: "Pushed twice" } }
    ]
    const first = await push(entries)
    await edit(first.results[0].id, { title: "Edited" })
    await app.call("PATCH", `/templates/${first.results[2].id}`, { body: "edited" })
    const again = await push(entries)
    expect(again.results).toEqual(first.results.map((result: any) => ({ ...result, status: "duplicate" })))
    expect(again.changes).toMatchObject([
      { id: first.results[0].id, revision: 2, data: { title: "Edited", tags: ["of-a-duplicate"] } },
      { id: first.results[1].id, revision: 1, data: { title: "With an id" } },
      { type: "template", revision: 2, data: { body: "edited" } },
      { type: "notebook", revision: 1, data: { name: "Pushed twice" } }
    ])
    const pulled = (await app.call("POST", "/sync/pull", { cursor })).body.changes
    for (const change of again.changes) expect(pulled).toContainEqual(change)
  })

  it("have the deletion of a record that was deleted since, and nothing of one without a tombstone", async () => {
    const entries = [create("In the trash"), create("Purged"), create("Forgotten")]
    const { results } = await push(entries)
    const [trashed, purged, forgotten] = results.map(({ id }: any) => id)
    await app.call("DELETE", `/notes/${trashed}`)
    for (const id of [purged, forgotten]) await app.call("DELETE", `/notes/${id}?permanent=true`)
    await app.sql("DELETE FROM records WHERE workspace_id = $1 AND id = $2", [app.workspace_id, forgotten])
    const again = await push([...entries, { type: "note", op: "delete", id: trashed, revision: 1 }])
    expect(statuses(again)).toEqual(Array(4).fill("duplicate"))
    expect(again.changes).toMatchObject([
      { type: "note", id: trashed, op: "delete", revision: 2, data: null },
      { type: "note", id: purged, op: "delete", revision: 2, data: null }
    ])
    expect(again.changes).toHaveLength(2)
  })

  it("have each record once, in its state after the whole push", async () => {
    const { body: tag } = await app.call("POST", "/tags", { name: "before-the-push" })
    const repeated = create("Repeated")
    const [{ id }] = (await push([repeated])).results
    const body = await push([
      repeated,
      upsert(id, 1, { tags: ["before-the-push"] }),
      create("Tagged", { tags: ["before-the-push"] }),
      upsert(id, 2, { title: "Repeated" }),
      { type: "tag", op: "upsert", id: tag.id, revision: 1, data: { name: "after-the-push" } }
    ])
    expect(statuses(body)).toEqual(["duplicate", "applied", "applied", "duplicate", "applied"])
    expect(body.changes).toMatchObject([
      { id, revision: 3, data: { title: "Repeated", tags: ["after-the-push"] } },
      { id: body.results[2].id, revision: 2, data: { tags: ["after-the-push"] } },
      { id: tag.id, revision: 2, data: { name: "after-the-push" } }
    ])
    expect(body.changes).toHaveLength(3)
  })

  it("have no record of a conflict or a rejection", async () => {
    const { id } = (await app.call("POST", "/notes", { notebook_id: notebook, title: "Disputed" })).body
    await edit(id, { title: "Theirs" })
    const body = await push([upsert(id, 1, { title: "Mine" }), upsert(id, 2, { title: "" })])
    expect(statuses(body)).toEqual(["conflict", "rejected"])
    expect(body.changes).toEqual([])
  })

  it("are the same in the response to a repeated Idempotency-Key", async () => {
    const entries = [create("Under a key")]
    const [{ id }] = (await push(entries)).results
    const under = { "idempotency-key": "duplicates" }
    const first = await push(entries, under)
    expect(first.changes).toMatchObject([{ id, revision: 1, data: { title: "Under a key" } }])
    await edit(id, { title: "Since" })
    expect(await push(entries, under)).toEqual(first)
  })

  it("have what another node has written", async () => {
    const other = await startApp({ databaseOf: app })
    const entries = [create("On one node")]
    const [{ id }] = (await push(entries)).results
    expect((await push(entries)).changes).toMatchObject([{ id, revision: 1 }])
    await edit(id, { title: "On the other" }, other)
    expect((await push(entries)).changes).toMatchObject([{ id, revision: 2, data: { title: "On the other" } }])
    expect((await push(entries, {}, other)).changes).toMatchObject([{ id, revision: 2 }])
    await other.stop()
  })
})

describe("a push of 500 duplicates", () => {
  it("reads all its records at once, though its entries have no ids", async () => {
    const entries = Array.from({ length: 500 }, (_, index) => create(`Bulk ${index}`))
    const first = await push(entries)
    const { answer, statements } = await statementsOf(app, /FROM (records|notes)\b/, () => push(entries))
    expect(new Set(statuses(answer))).toEqual(new Set(["duplicate"]))
    expect(answer.changes).toEqual(first.changes)
    expect(statements.length).toBeLessThanOrEqual(2)
  })
})

describe("a push of duplicates of large notes", () => {
  it("rejects those above the limit, and returns them in another push", async () => {
    const entries = Array.from({ length: 20 }, (_, at) => create(`Large ${at}`))
    const body = "x".repeat(1_000_000)
    await Promise.all((await push(entries)).results.map(({ id }: any) => edit(id, { body })))
    const first = await push(entries)
    const returned = statuses(first).lastIndexOf("duplicate") + 1
    expect(returned).toBeGreaterThan(10)
    expect(statuses(first)).toEqual(entries.map((_, at) => (at < returned ? "duplicate" : "rejected")))
    expect(first.changes).toHaveLength(returned)
    expect(first.results.at(-1).error).toMatchObject({ status: 413, code: "payload_too_large" })
    const second = await push(entries.slice(returned))
    expect(new Set(statuses(second))).toEqual(new Set(["duplicate"]))
    expect(second.changes).toHaveLength(20 - returned)
  })
})

describe("a push that locks the workspace", () => {
  it("returns the states after all of its entries", async () => {
    const inner = newId("nb")
    const repeated = create("Outside")
    await push([repeated, { type: "notebook", op: "upsert", id: inner, data: { name: "Doomed" } }])
    const note = newId("nt")
    const body = await push([
      repeated,
      upsert(note, 0, { notebook_id: inner, title: "Inside" }),
      { type: "notebook", op: "delete", id: inner, revision: 1 },
      create("Afterwards")
    ])
    expect(statuses(body)).toEqual(["duplicate", "applied", "applied", "applied"])
    expect(body.changes).toMatchObject([
      { op: "upsert", data: { title: "Outside" } },
      { id: note, op: "delete", revision: 2, data: null },
      { id: inner, op: "delete", data: null },
      { op: "upsert", data: { title: "Afterwards" } }
    ])
  })
})
