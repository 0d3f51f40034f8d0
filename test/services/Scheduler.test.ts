import { beforeAll, describe, expect, it } from "vitest"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const create = async (title: string) =>
  (await app.call("POST", "/notes", { notebook_id: notebook, title, body: "kept secret" })).body.id as string

describe("scheduled jobs", () => {
  it("erase a note with its history five weeks after it was moved to the trash, and no other note", async () => {
    const [kept, trashed, restored] = [await create("kept"), await create("trashed"), await create("restored")]
    await app.call("PATCH", `/notes/${trashed}`, { body: "still secret" })
    await app.call("DELETE", `/notes/${trashed}`)
    await app.call("DELETE", `/notes/${restored}`)
    await app.call("POST", `/notes/${restored}/restore`)
    await app.advance("31 days")
    await app.idle()
    expect((await app.call("POST", `/notes/${trashed}/restore`)).status).toBe(410)
    const seq = await app.seq()
    await app.advance("7 days")
    await app.idle()
    expect(await app.changesAfter(seq)).toMatchObject([{ type: "note.purged", resource_id: trashed }])
    expect((await app.call("POST", `/notes/${trashed}/restore`)).status).toBe(404)
    expect(await app.sql("SELECT 1 FROM note_versions WHERE note_id = $1", [trashed])).toEqual([])
    expect((await app.call("GET", `/notes/${kept}`)).status).toBe(200)
    expect((await app.call("GET", `/notes/${restored}`)).status).toBe(200)
  })

  it("delete applied mutations after 30 days, and tombstones after 90", async () => {
    const id = "nt_aaaaaaaaaaaaaaaaaaaa"
    const push = (mutation_id: string, change: object) =>
      app.call("POST", "/sync/push", { changes: [{ mutation_id, type: "note", id, ...change }] })
    await push("m1", { op: "upsert", data: { notebook_id: notebook, title: "short-lived" } })
    await app.call("DELETE", `/notes/${id}?permanent=true`)
    const count = async (table: string, condition: string) =>
      (await app.sql(`SELECT count(*)::int AS n FROM ${table} WHERE ${condition}`))[0].n as number
    await app.advance("31 days")
    await app.idle()
    expect(await count("mutations", "mutation_id = 'm:m1'")).toBe(0)
    expect(await count("records", `id = '${id}'`)).toBe(1)
    await app.advance("61 days")
    await app.idle()
    expect(await count("records", `id = '${id}'`)).toBe(0)
  })
})
