import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SyncDevices } from "../support/devices/SyncDevices.ts"

let at: SyncDevices
beforeAll(async () => {
  at = await SyncDevices.start()
})
afterAll(() => at[Symbol.asyncDispose]())

const json = (body: unknown, status = 201) => Response.json(body, { status })

describe("an engine keeps its state, and says what is wrong, when the server", () => {
  it.each([200, 201, 404, 502])("responds with a page of a proxy and status %i", async (status) => {
    const { id, one } = await at.shared()
    await one.engine.edit("note", id, { body: "First. Typed." })
    one.network = async () => new Response("<html>", { status, headers: { "content-type": "text/html" } })
    await expect(one.engine.sync()).rejects.toMatchObject({ problem: { code: "unexpected_response", status } })
    expect(one.engine.state).toMatchObject({ waiting: 1, error: { problem: { code: "unexpected_response" } } })
    one.network = undefined
    await one.engine.sync()
    expect(one.engine.get(id)).toMatchObject({ body: "First. Typed.", version: 2 })
  })

  it("promises more pages, and sends nothing", async () => {
    const { id, one } = await at.shared()
    let pages = 0
    one.network = async () => json({ cursor: `c${pages++}`, changes: [], has_more: true })
    await expect(one.engine.sync()).rejects.toThrow("The server promises changes, but sends none")
    expect([pages, one.engine.get(id)?.["title"]]).toEqual([11, "Shared"])
  })

  it("refuses each cursor that it has issued", async () => {
    const { one } = await at.shared()
    const expired = { code: "cursor_expired", status: 410, detail: "Too old", resync_cursor: "again" }
    one.network = async () => json(expired, 410)
    await expect(one.engine.sync()).rejects.toThrow("cursor_expired")
  })

  it("refuses every change with a conflict", async () => {
    const { id, one } = await at.shared()
    await one.engine.edit("note", id, { body: "First. Typed." })
    const server = { type: "note", id, op: "upsert", revision: 5, data: { body: "First." } }
    one.network = async (url, send, sent) => {
      if (!url.endsWith("/sync/push")) return send()
      const { mutation_id } = sent.changes[0]
      const results = [{ index: 0, mutation_id, status: "conflict", revision: 5 }]
      return json({
        cursor: "c",
        changes: [],
        has_more: false,
        results,
        conflicts: [{ mutation_id, revision: 5, server }]
      })
    }
    await expect(one.engine.sync()).rejects.toThrow("The server accepted nothing of 20 pushes")
    expect(one.engine.get(id)).toMatchObject({ body: "First. Typed." })
  })

  it.each([
    [{}, "The response is of no push"],
    [{ changes: [], conflicts: [], results: [] }, "No known result"],
    [{ changes: [], conflicts: [], results: [{ index: 0, status: "postponed", revision: 1 }] }, "No known result"],
    [
      { changes: [7], conflicts: [], results: [{ index: 0, status: "applied", revision: 1 }] },
      "A change of an unknown form"
    ]
  ])("responds to a push with %j", async (body, message) => {
    const { id, one } = await at.shared()
    await one.engine.edit("note", id, { body: "First. Typed." })
    one.network = async (url, send) => (url.endsWith("/sync/push") ? json(body) : send())
    await expect(one.engine.sync()).rejects.toThrow(message)
    expect(one.engine.state.waiting).toBe(1)
  })

  it("ends in the middle of a page", async () => {
    const { id, one } = await at.shared()
    const device = await at.device()
    device.network = async (url, send) => {
      if (url.endsWith("/sync/cursor")) return send()
      const text = await (await send()).text()
      const half = new TextEncoder().encode(text.slice(0, text.length / 2))
      return new Response(half, { status: 201, headers: { "content-type": "application/json" } })
    }
    await expect(device.engine.sync()).rejects.toMatchObject({ problem: { code: "no_response" } })
    device.network = undefined
    await device.engine.sync()
    expect(device.engine.get(id)).toEqual(one.engine.get(id))
  })

  it("ends in the middle of a pull of everything", async () => {
    const { id, one } = await at.shared()
    const device = await at.device()
    let pulls = 0
    device.network = async (url, send) => {
      if (url.endsWith("/sync/cursor")) return send()
      if (pulls++ > 0) throw new TypeError("the network is gone")
      return json(Object.assign((await (await send()).json()) as object, { has_more: true }))
    }
    await expect(device.engine.sync()).rejects.toThrow("No response")
    device.network = undefined
    await device.engine.sync()
    expect(device.engine.all("note")).toHaveLength(one.engine.all("note").length)
    expect(device.engine.get(id)).toEqual(one.engine.get(id))
  })
})

it("types and members of a later server are kept", async () => {
  const device = await at.device()
  const card = { type: "card", id: "cd_1", op: "upsert", revision: 1, data: { front: "?", back: { text: "!" } } }
  device.network = async () => json({ cursor: "c", changes: [card], has_more: false })
  await device.engine.sync()
  expect(device.engine.all("card")).toEqual([{ id: "cd_1", front: "?", back: { text: "!" } }])
})

describe("after a long time", () => {
  it("an engine continues from the resync cursor, and from the beginning when there is none", async () => {
    await using at = await SyncDevices.start()
    for (const days of [2, 91]) {
      const { id, notebook, one, other } = await at.shared()
      const gone = await one.engine.create("notebook", { name: "Deleted meanwhile" })
      await one.engine.sync()
      await other.engine.sync()
      await one.engine.remove("notebook", gone)
      await one.engine.sync()
      await other.engine.edit("note", id, { body: `First. After ${days} days.` })
      await at.sheaf.advance(`${days} days`)
      other.exchanges.splice(0)
      await other.engine.sync()
      expect(other.exchanges.filter(({ received }) => received.code === "cursor_expired")).toHaveLength(1)
      expect([other.engine.get(gone), other.engine.get(notebook)?.["name"]]).toEqual([undefined, "Folder"])
      await one.engine.sync()
      expect(one.engine.get(id)).toMatchObject({ body: `First. After ${days} days.` })
      expect(new Set(one.engine.all("note"))).toEqual(new Set(other.engine.all("note")))
    }
  })
})
