import { afterEach, beforeAll, describe, expect, it } from "vitest"
import { EventStream, meanwhile } from "../../support/EventStream.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { streamsPerCredential: 40 } })
let notebook: string
const open: Array<EventStream> = []

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})
afterEach(() => {
  for (const stream of open.splice(0)) stream.close()
})

const listen = async (options: Parameters<typeof EventStream.open>[1], at = app) => {
  const stream = await EventStream.open(at, options)
  open.push(stream)
  return stream
}

const write = async (title: string, more: object = {}, at = app) =>
  (await at.call("POST", "/notes", { notebook_id: notebook, title, ...more })).body

const folder = async (name: string, at = app) => (await at.call("POST", "/notebooks", { name })).body

const pull = async (body: object) => (await app.call("POST", "/sync/pull", body)).body

const changed = (stream: EventStream) => stream.changes.map(({ data }) => [data.type, data.data?.name])

describe("GET /sync/stream with types", () => {
  it("sends only live changes of these types, with cursors for pulls of these types", async () => {
    const stream = await listen({ types: "tag,notebook" })
    const every = await listen({})
    await write("Not sent", { tags: ["sent"] })
    const { id } = await folder("Sent")
    await app.call("DELETE", `/notebooks/${id}`)
    await stream.until(() => stream.changes.length === 3)
    expect(stream.changes).toMatchObject([
      { data: { type: "tag", op: "upsert", data: { name: "sent" } } },
      { data: { type: "notebook", id, op: "upsert", data: { name: "Sent" } } },
      { data: { type: "notebook", id, op: "delete", data: null } }
    ])
    await every.until(() => every.changes.length === 4)
    expect(every.changes.filter(({ data }) => data.type !== "note").map(({ data }) => data)).toEqual(
      stream.changes.map(({ data }) => data)
    )
    const cursor = stream.changes[1]!.id
    expect((await pull({ cursor, types: ["notebook", "tag"] })).changes).toEqual([stream.changes[2]!.data])
    expect(await pull({ cursor })).toMatchObject({ status: 400, code: "cursor_mismatch" })
  })

  it("continues pulls with the same types, also unfinished ones, and its own events", async () => {
    await folder("First")
    await folder("Second")
    await write("Between", { tags: ["between"] })
    const all = await pull({ types: ["notebook", "tag"] })
    const { cursor } = await pull({ types: ["notebook", "tag"], limit: 1 })
    const stream = await listen({ cursor, types: "tag,notebook" })
    await stream.until(() => stream.changes.length === all.changes.length - 1)
    expect(stream.changes.map(({ data }) => data)).toEqual(all.changes.slice(1))
    const last = await folder("Then live")
    await stream.until(() => stream.changes.length === all.changes.length)
    expect(stream.changes.at(-1)!.data).toMatchObject({ id: last.id })
    const again = await listen({ last: stream.changes.at(-2)!.id!, types: "notebook,tag" })
    await again.until(() => again.changes.length === 1)
    expect(again.changes).toMatchObject([{ data: { id: last.id } }])
  })

  it("refuses cursors of other types before it opens", async () => {
    const every = (await pull({})).cursor
    const notes = (await pull({ types: ["note"], limit: 500 })).cursor
    for (const options of [
      { cursor: every, types: "note" },
      { last: every, types: "note" },
      { cursor: notes },
      { cursor: notes, types: "note,tag" },
      { last: notes, types: "tag" }
    ]) {
      const refused = await listen(options)
      await refused.ended()
      expect([refused.status, JSON.parse(refused.text).code]).toEqual([400, "cursor_mismatch"])
    }
    expect((await listen({ cursor: notes, types: "note" })).status).toBe(200)
  })

  it("refuses names that are no types, and sends all types without a name", async () => {
    for (const types of ["poem", "note,poem", "note,", "__proto__", " note"]) {
      const refused = await listen({ types })
      await refused.ended()
      expect([refused.status, JSON.parse(refused.text).code], types).toEqual([400, "invalid_parameter"])
    }
    const every = await listen({ types: "", cursor: (await pull({ limit: 500 })).cursor })
    await write("Sent", { tags: ["sent-too"] })
    await every.until(() => every.changes.length === 2)
    expect(every.changes.map(({ data }) => data.type)).toEqual(["tag", "note"])
  })

  it("sends pings and new cursors while only other types change", async () => {
    const stream = await listen({ types: "tag" })
    await stream.until(() => stream.events.length === 1)
    for (let times = 0; times < 11; times++) {
      await write(`Other ${times}`)
      await app.advance("1 minute")
    }
    await stream.until(() => stream.events.length === 2)
    expect(stream.comments).toBeGreaterThan(5)
    const [ready, fresh] = stream.events
    expect(fresh).toMatchObject({ event: "cursor", data: { cursor: fresh!.id } })
    expect(fresh!.id).not.toBe(ready!.id)
    expect((await pull({ cursor: fresh!.id, types: ["tag"] })).changes).toEqual([])
  })

  it("sends reminders that fire only if the types include them", async () => {
    const note = await write("Reminded")
    const [reminders, notes] = [await listen({ types: "reminder" }), await listen({ types: "note" })]
    await app.call("POST", "/reminders", { note_id: note.id, remind_at: "2026-01-01T00:00:00Z" })
    await reminders.until(() => reminders.events.some(({ event }) => event === "reminder"))
    await app.call("PATCH", `/notes/${note.id}`, { title: "Later" })
    await notes.until(() => notes.changes.length === 1)
    expect(notes.events.map(({ event }) => event)).toEqual(["ready", "change"])
    expect(reminders.changes.every(({ data }) => data.type === "reminder")).toBe(true)
  })

  it("sends changes of these types of another node", async () => {
    const other = await startApp({ databaseOf: app })
    const stream = await listen({ types: "notebook,template" })
    await write("Far away", { tags: ["far-away"] }, other)
    await folder("Far away", other)
    await other.call("POST", "/templates", { name: "Far too", body: "" })
    await meanwhile(
      [app],
      stream.until(() => stream.changes.length === 2)
    )
    expect(changed(stream)).toEqual([
      ["notebook", "Far away"],
      ["template", "Far too"]
    ])
    expect((await pull({ cursor: stream.changes[0]!.id, types: ["notebook", "template"] })).changes).toEqual([
      stream.changes[1]!.data
    ])
    await other.stop()
  })
})
