import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { aged } from "../support/SyncCursors.ts"
import { type GuideClient, startGuideClient, watched } from "../support/GuideClient.ts"

const hour = 3600_000
const { fetch } = globalThis

let at: GuideClient

beforeAll(async () => {
  at = await startGuideClient()
})
afterAll(() => at.stop())
afterEach(() => vi.restoreAllMocks())

describe("a cursor that is too old", () => {
  it("costs one more pull from its resync_cursor", async () => {
    const { id, one, other } = await at.shared()
    one.edit("note", id, {}, "delete")
    await one.sync()
    other.cursor = await aged(at.app, other.cursor, 25 * hour)
    const pulls = watched("/sync/pull")
    await other.sync()
    expect(pulls).toMatchObject([
      { code: "cursor_expired", resync_cursor: expect.any(String) },
      { changes: [{ id, op: "delete" }] }
    ])
    expect(other.records.get(id)).toMatchObject({ op: "delete" })
  })

  it("without a resync_cursor costs a pull of everything, which removes records that it does not return", async () => {
    const { id, one, other } = await at.shared()
    one.edit("note", id, {}, "delete")
    await one.sync()
    other.edit("note", id, { title: "Of long ago" })
    other.edit("tag", at.guide.newId("tg_"), { name: `since-${id.slice(-8)}` })
    other.cursor = await aged(at.app, other.cursor, 91 * 24 * hour)
    const pulls = watched("/sync/pull")
    await other.pull()
    expect(pulls[0]).toMatchObject({ code: "cursor_expired", resync_cursor: null })
    expect(other.records.has(id)).toBe(false)
    expect(other.queue).toHaveLength(2)
    await other.sync()
    expect(other.get(id)).toMatchObject({ title: "Of long ago", body: "First." })
    const fresh = at.newClient()
    await fresh.sync()
    const shown = (client: any) => [...client.records.keys()].filter((each) => client.get(each) !== undefined).sort()
    expect(shown(other)).toEqual(shown(fresh))
  })

  it("continues an interrupted pull of everything", async () => {
    const { id, one, other } = await at.shared()
    one.edit("note", id, {}, "delete")
    await one.sync()
    other.cursor = null
    other.named = new Set()
    const paged = vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => {
      const body = JSON.parse(String(init!.body))
      if (body.cursor !== null) return Promise.reject(new TypeError("the network is gone"))
      return fetch(url, { ...init!, body: JSON.stringify({ ...body, limit: 1 }) })
    })
    await expect(other.pull()).rejects.toThrow("the network is gone")
    expect([other.named.size, other.records.has(id)]).toEqual([1, true])
    paged.mockRestore()
    await other.pull()
    expect([other.named, other.records.has(id)]).toEqual([null, false])
  })
})

describe("the stream", () => {
  const receives = (client: any, id: string, revision: number) => {
    const take = client.take.bind(client)
    return new Promise<void>((resolve) => {
      client.take = (change: any) => {
        take(change)
        if (change.id === id && change.revision === revision) resolve()
      }
    })
  }

  it("is read with fetch, and continues from the last id", async () => {
    const { id, one, other } = await at.shared()
    for (const revision of [2, 3]) {
      const ending = new AbortController()
      one.edit("note", id, { title: `Revision ${revision}` })
      const change = receives(other, id, revision)
      // The first time, the change precedes the stream; the second time, it happens meanwhile.
      if (revision === 2) await one.sync()
      const listening = at.guide.listen(other, ending.signal)
      if (revision === 3) await one.sync()
      await change
      expect(other.get(id)).toMatchObject({ title: `Revision ${revision}` })
      ending.abort()
      await expect(listening).rejects.toThrow(/abort/i)
    }
    const pulls = watched("/sync/pull")
    await other.pull()
    expect(pulls).toMatchObject([{ changes: [] }])
  })

  it("begins with ready, and yields complete events however the bytes are split", async () => {
    const ending = new AbortController()
    const seen: Array<string> = []
    const text = `retry: 3000\nevent: ready\nid: c0\ndata: {"cursor":"c0"}\n\n: ping\n\nid: c1\nevent: change\ndata: {"id":"nt_ä: b"}\n\n`
    const bytes = new TextEncoder().encode(text)
    vi.spyOn(globalThis, "fetch").mockResolvedValue(
      new Response(
        new ReadableStream({
          start: (controller) => {
            for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
            controller.close()
          }
        })
      )
    )
    for await (const { data, event, id } of at.guide.events(at.app.url, {}, ending.signal))
      seen.push(`${event} ${id} ${data.id ?? data.cursor}`)
    expect(seen).toEqual(["ready c0 c0", "change c1 nt_ä: b"])
  })

  it("is refused when the cursor is too old; a sync then continues", async () => {
    const { id, one, other } = await at.shared()
    one.edit("note", id, { title: "Meanwhile" })
    await one.sync()
    other.cursor = await aged(at.app, other.cursor, 25 * hour)
    await expect(at.guide.listen(other, new AbortController().signal)).rejects.toMatchObject({ status: 410 })
    await other.sync()
    expect(other.get(id)).toMatchObject({ title: "Meanwhile" })
  })
})

describe("the statuses in the guide", () => {
  it("are 201 for pull, push and search", async () => {
    for (const [path, body] of [
      ["/sync/pull", {}],
      ["/sync/push", { changes: [] }],
      ["/search", { query: "x" }]
    ] as const) {
      expect((await at.app.call("POST", path, body)).status, path).toBe(201)
    }
  })
})
