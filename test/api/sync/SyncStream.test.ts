import { Effect } from "effect"
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { loggedBetween } from "../../../services/sync/SyncEntries.ts"
import { guest } from "../../support/people/People.ts"
import { aged, places } from "../../support/devices/SyncCursors.ts"
import { EventStream, meanwhile } from "../../support/EventStream.ts"
import { rounds } from "../../support/Slow.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
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

const listen = async (options: Parameters<typeof EventStream.open>[1] = {}, at = app) => {
  const stream = await EventStream.open(at, options)
  open.push(stream)
  return stream
}

const write = async (title: string, more: object = {}, at = app) =>
  (await at.call("POST", "/notes", { notebook_id: notebook, title, ...more })).body

const newest = async (): Promise<string> => (await app.call("GET", "/sync/cursor")).body.cursor

describe("GET /sync/stream", () => {
  it("starts with retry and ready, then sends every change live with its cursor as id", async () => {
    const stream = await listen()
    expect(stream.status).toBe(200)
    expect(stream.headers).toMatchObject({ "content-type": "text/event-stream", "cache-control": "no-store" })
    await stream.until(() => stream.events.length === 1)
    expect(stream.retry).toBe(3000)
    expect(stream.events).toMatchObject([{ event: "ready", data: { cursor: expect.any(String) } }])
    expect(stream.events[0]!.id).toBe(stream.events[0]!.data.cursor)
    const note = await write("Live")
    await app.call("PATCH", `/notes/${note.id}`, { title: "Edited" })
    await app.call("DELETE", `/notes/${note.id}`)
    await stream.until(() => stream.changes.length === 3)
    expect(stream.changes).toMatchObject([
      { id: expect.any(String), data: { type: "note", id: note.id, op: "upsert", revision: 1, data: note } },
      { data: { op: "upsert", revision: 2, data: { title: "Edited" } } },
      { data: { op: "delete", revision: 3, data: null } }
    ])
    const pulled = await app.call("POST", "/sync/pull", { cursor: stream.changes[1]!.id })
    expect(pulled.body.changes).toEqual([stream.changes[2]!.data])
  })

  it("replays changes since a cursor first, each record once, and then continues live", async () => {
    const start = await newest()
    const note = await write("Replayed")
    const other = await write("Replayed too")
    await app.call("PATCH", `/notes/${note.id}`, { title: "Newest" })
    const stream = await listen({ cursor: start })
    await stream.until(() => stream.changes.length === 2)
    const last = await write("Then live")
    await stream.until(() => stream.changes.length === 3)
    expect(stream.changes.map(({ data }) => [data.id, data.revision])).toEqual([
      [other.id, 1],
      [note.id, 2],
      [last.id, 1]
    ])
  })

  it("resumes from the id of ready when the connection broke before the first change", async () => {
    const start = await newest()
    const old = await write("Before the stream")
    for (const options of [{}, { cursor: start }]) {
      const first = await listen(options)
      await first.until(() => first.events.length > 0)
      const { id } = first.events[0]!
      first.close()
      const missed = await write("While nobody listened")
      const second = await listen({ last: id! })
      await second.until(() => second.changes.some(({ data }) => data.id === missed.id))
      expect(second.changes.some(({ data }) => data.id === old.id)).toBe("cursor" in options)
    }
  })

  it("treats an empty Last-Event-ID as absent", async () => {
    const start = await newest()
    const note = await write("Since")
    const stream = await listen({ cursor: start, headers: { "last-event-id": "" } })
    await stream.until(() => stream.changes.length === 1)
    expect(stream.changes[0]!.data.id).toBe(note.id)
    const live = await listen({ headers: { "last-event-id": "" } })
    await live.until(() => live.events.length === 1)
    expect(live.events[0]!.event).toBe("ready")
  })

  it("resumes from Last-Event-ID, which takes precedence over cursor", async () => {
    const start = await newest()
    await write("One")
    const two = await write("Two")
    const first = await listen({ cursor: start })
    await first.until(() => first.changes.length === 2)
    const second = await listen({ cursor: start, last: first.changes[0]!.id! })
    await second.until(() => second.changes.length === 1)
    expect(second.changes).toMatchObject([{ data: { id: two.id } }])
  })

  it("continues an unfinished pull, without tombstones of records that the client never had", async () => {
    const gone = await write("Gone")
    await app.call("DELETE", `/notes/${gone.id}`)
    const last = await write("Last")
    const { body } = await app.call("POST", "/sync/pull", { limit: 1 })
    const stream = await listen({ cursor: body.cursor })
    await stream.until(() => stream.changes.some(({ data }) => data.id === last.id))
    expect(stream.changes.some(({ data }) => data.op === "delete")).toBe(false)
    // The same is true for a stream that is interrupted during the replay.
    const again = await listen({ last: stream.changes[0]!.id! })
    await again.until(() => again.changes.some(({ data }) => data.id === last.id))
    expect(again.changes).toEqual(stream.changes.slice(1).map((change) => ({ ...change, id: expect.any(String) })))
  })

  it("sends nothing to another workspace", async () => {
    const other = await guest(app, { elsewhere: true })
    const stream = await listen({ headers: other.headers })
    await write("Not yours")
    const { body } = await app.call("POST", "/notebooks", { name: "Yours" }, other.headers)
    await stream.until(() => stream.changes.length === 1)
    expect(stream.changes).toMatchObject([{ data: { type: "notebook", id: body.id } }])
  })

  it("rejects an invalid cursor with 400 and an expired one with 410 before it opens", async () => {
    const bad = await listen({ cursor: "nonsense" })
    await bad.ended()
    expect([bad.status, JSON.parse(bad.text).code]).toEqual([400, "invalid_cursor"])
    const old = await aged(app, await newest(), 24 * 3600_000)
    const expired = await listen({ last: old })
    await expired.ended()
    expect(expired.status).toBe(410)
    expect(JSON.parse(expired.text)).toMatchObject({ code: "cursor_expired", resync_cursor: expect.any(String) })
    const resynced = await listen({ cursor: JSON.parse(expired.text).resync_cursor })
    expect(resynced.status).toBe(200)
  })

  it("allows at most ten streams per credential", async () => {
    const small = await startApp()
    const streams = await Promise.all(Array.from({ length: 10 }, () => listen({}, small)))
    const refused = await listen({}, small)
    await refused.ended()
    expect(refused.status).toBe(429)
    expect(refused.headers["retry-after"]).toMatch(/^[1-9][0-9]*$/)
    expect(JSON.parse(refused.text).code).toBe("too_many_streams")
    streams[0]!.close()
    let next = await listen({}, small)
    while (next.status !== 200) next = await listen({}, small)
    await small.stop()
    await Promise.all(streams.slice(1).map((stream) => stream.ended()))
    for (const stream of streams.slice(1))
      expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "shutdown" } })
  })

  it("sends bye {revoked} when its device is deleted, on any node", async () => {
    const node = await startApp({ databaseOf: app })
    const device = "sy_device-to-be-revoked"
    await app.call("POST", "/sync/pull", { device: { id: device } })
    const headers = { "device-id": device }
    const streams = [await listen({ headers }), await listen({ headers }, node)]
    const other = await listen()
    expect((await app.call("DELETE", `/sync/devices/${device}`)).status).toBe(200)
    for (const stream of streams) {
      await meanwhile([app, node], stream.ended())
      expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
    }
    expect(other.closed).toBe(false)
    await node.stop()
  })
})

describe("idle stream", () => {
  it("sends a ping every 15 seconds, and a new cursor after 10 minutes", async () => {
    const stream = await listen()
    await stream.until(() => stream.events.length === 1)
    await app.advance("14 seconds")
    expect(stream.comments).toBe(0)
    await app.advance("2 seconds")
    await stream.until(() => stream.comments === 1)
    for (let move = 0; move < 2; move++) await app.advance("5 minutes")
    await stream.until(() => stream.events.length === 2)
    const [, fresh] = stream.events
    expect(fresh).toMatchObject({ event: "cursor", data: { cursor: fresh!.id } })
    expect(stream.comments).toBeGreaterThan(30)
    const pulled = await app.call("POST", "/sync/pull", { cursor: fresh!.id })
    expect(pulled.body).toMatchObject({ changes: [], has_more: false })
  })
})

describe("changes of another node", () => {
  it("are sent individually, in commit order", async () => {
    const other = await startApp({ databaseOf: app })
    const stream = await listen()
    const note = await write("Version one", { tags: ["far-away"] }, other)
    for (const title of ["Version two", "Version three"]) await other.call("PATCH", `/notes/${note.id}`, { title })
    await other.call("DELETE", `/notes/${note.id}`)
    await meanwhile(
      [app],
      stream.until(() => stream.changes.length === 5)
    )
    expect(stream.changes.map(({ data }) => [data.type, data.revision, data.data?.title ?? data.data?.name])).toEqual([
      ["tag", 1, "far-away"],
      ["note", 1, "Version one"],
      ["note", 2, "Version two"],
      ["note", 3, "Version three"],
      ["note", 4, undefined]
    ])
    await other.stop()
  })

  it("are read from the log in pages limited by bytes, without gaps", async () => {
    const first = await app.seq()
    const body = "x".repeat(100_000)
    const ids = []
    for (let index = 0; index < 7; index++) ids.push((await write(`Long ${index}`, { body })).id)
    const text = (await app.call("POST", "/templates", { name: "Long", body: body.repeat(4) })).body.id
    await app.call("PATCH", `/notes/${ids[0]}`, { body: "short" })
    const last = await app.seq()
    const page = (after: number) =>
      app.run(Effect.flatMap(Database, ({ read }) => loggedBetween(read, app.workspace_id, after, last)))
    const pages = []
    for (let at = first; at < last; at = pages.at(-1)!.last) pages.push(await page(at))
    expect(pages.map(({ entries }) => entries.map(({ resource_id }) => resource_id))).toEqual([
      ids.slice(0, 3),
      ids.slice(3, 6),
      [ids[6], text],
      [ids[0]]
    ])
    expect(pages[0]!.entries[0]!.json).toContain(body)
  })

  it("are sent after the log could not be read for a while", async () => {
    const other = await startApp({ databaseOf: app })
    const stream = await listen()
    await app.sql("ALTER TABLE note_versions RENAME TO note_versions_away")
    const note = await write("Unread", {}, other)
    for (let times = 0; times < 20; times++) await newest()
    await app.sql("ALTER TABLE note_versions_away RENAME TO note_versions")
    await meanwhile(
      [app],
      stream.until(() => stream.changes.length === 1)
    )
    expect(stream.changes).toMatchObject([{ data: { id: note.id } }])
    await other.stop()
  })
})

describe("slow stream", () => {
  it("is closed, stops using memory, and resumes by its cursor", async () => {
    const stream = await listen()
    await stream.until(() => stream.events.length === 1)
    stream.pause()
    const ids = []
    const body = "slow ".repeat(190_000)
    for (let index = 0; index < 30; index++) ids.push((await write(`Large ${index}`, { body })).id)
    await app.advance("1 second")
    await app.advance("11 seconds")
    stream.resume()
    await stream.ended()
    expect(stream.changes.length).toBeLessThan(30)
    const again = await listen({ last: stream.lastId! })
    await again.until(() => again.changes.length + stream.changes.length >= 30)
    expect([...stream.changes, ...again.changes].map(({ data }) => data.id)).toEqual(ids)
  })
})

describe("streams during many writes on two nodes", () => {
  it("receive every change after their start, without gaps or duplicates, in commit order", async () => {
    const other = await startApp({ databaseOf: app, settings: { streamsPerCredential: 40 } })
    const seqOf = await places(app)
    const begun = await app.seq()
    let random = 12345
    const upTo = (limit: number) => (random = (random * 48271) % 2147483647) % limit

    interface Listener {
      readonly start: number
      readonly steady: boolean
      readonly streams: Array<EventStream>
    }
    const listeners: Array<Listener> = []
    const join = async (steady: boolean, at: TestApp, cursor?: string) => {
      const stream = await listen(cursor === undefined ? {} : { cursor }, at)
      await stream.until(() => stream.events.length > 0)
      listeners.push({ start: seqOf(stream.events[0]!.data.cursor), steady, streams: [stream] })
    }
    await join(true, app)
    await join(true, other)

    const notes: Array<string> = []
    const writer = async (at: TestApp, name: string) => {
      for (let index = 0; index < rounds(30, 90); index++) {
        const id = notes[upTo(notes.length + 1)]
        const what = upTo(10)
        if (id === undefined || what < 4)
          notes.push((await write(`${name} ${index}`, { tags: [`tag-${name}`] }, at)).id)
        else if (what < 8) await at.call("PATCH", `/notes/${id}`, { body: `${name} ${index}` })
        else if (what === 8) await at.call("DELETE", `/notes/${id}`)
        else {
          const tags = (await at.call("GET", "/tags?limit=100")).body.data
          const tag = tags[upTo(tags.length)]
          await at.call("PATCH", `/tags/${tag.id}`, { name: `renamed-${name}-${index}` })
        }
      }
    }
    let writing = true
    const all = Promise.all([writer(app, "a"), writer(app, "b"), writer(other, "c")]).finally(() => (writing = false))
    const start = await newest()
    while (writing) {
      const at = upTo(2) === 0 ? app : other
      if (listeners.length < 24) await join(false, at, upTo(2) === 0 ? start : undefined)
      const some = listeners[upTo(listeners.length)]!
      if (some.steady) continue
      // Cut at any moment; the client has what it had received by then.
      const before = some.streams.at(-1)!
      before.close()
      await before.ended()
      const last = some.streams.findLast(({ lastId }) => lastId !== undefined)!.lastId!
      some.streams.push(await listen({ last }, at))
    }
    await all

    const log = (await app.changesAfter(begun)).filter(({ version }) => version !== null)
    const last = log.at(-1)!.seq
    expect(log.length).toBeGreaterThan(3 * rounds(30, 90) - 20)
    for (const { start, steady, streams } of listeners) {
      const received = () => streams.flatMap(({ changes }) => changes)
      const end = streams.at(-1)!
      await meanwhile(
        [app, other],
        end.until(() => end.lastId !== undefined && seqOf(end.lastId) >= last)
      )
      const seqs = received().map(({ id }) => seqOf(id!))
      expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
      const due = log.filter(({ seq }) => seq > start)
      const bySeq = new Map(due.map((change) => [change.seq, change]))
      received().forEach(({ data }, index) => {
        const change = bySeq.get(seqs[index]!)!
        expect([data.id, data.revision]).toEqual([change.resource_id, change.version])
      })
      if (steady) expect(seqs).toEqual(due.map(({ seq }) => seq))
      // Only a replay may omit a change, and only if a later change of the same record follows.
      const latest = new Map(received().map(({ data }, index) => [data.id, seqs[index]!]))
      for (const { resource_id, seq } of due) expect(latest.get(resource_id)).toBeGreaterThanOrEqual(seq)
    }
    await other.stop()
  })
})
