import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { type GuideClient, startGuideClient } from "../support/GuideClient.ts"

const { fetch } = globalThis

let at: GuideClient

beforeAll(async () => {
  at = await startGuideClient()
})
afterAll(() => at.stop())
afterEach(() => vi.restoreAllMocks())

describe("a conflict", () => {
  it("is merged member by member and pushed again until both devices are equal", async () => {
    const { id, one, other } = await at.shared()
    one.edit("note", id, { title: "Title of one", body: "First. And one." })
    other.edit("note", id, { pinned: true, body: "First. And other." })
    await one.sync()
    await other.sync()
    await one.sync()
    expect(other.get(id)).toMatchObject({
      title: "Title of one",
      pinned: true,
      body: "First. And one. And other.",
      version: 3
    })
    expect(one.records).toEqual(other.records)
    expect([...one.queue, ...other.queue]).toEqual([])
  })

  it("that is not merged ends with the server's state", async () => {
    const { id, one, other } = await at.shared()
    one.edit("note", id, { title: "Of one" })
    other.edit("note", id, {}, "delete")
    await one.sync()
    await other.sync()
    expect(other.get(id)).toMatchObject({ title: "Of one", version: 2 })
    expect(other.queue).toEqual([])
  })

  it("occurs again when another client is faster a second time", async () => {
    const { id, one, other } = await at.shared()
    one.edit("note", id, { body: "One." })
    await at.app.call("PATCH", `/notes/${id}`, { body: "Two." })
    let isSecond = false
    vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
      const response = await fetch(...asked)
      if (String(asked[0]).endsWith("/sync/push") && !isSecond) {
        isSecond = true
        await at.app.call("PATCH", `/notes/${id}`, { body: "Three." })
      }
      return response
    })
    await one.sync()
    expect(await at.onServer(id)).toMatchObject({ body: "Three.\nOne.", version: 4 })
    await other.sync()
    expect(other.get(id)).toEqual(one.get(id))
  })
})

describe("a deletion", () => {
  it("requires the revision, and reaches other devices with a new revision", async () => {
    const { id, one, other } = await at.shared()
    expect((await at.push({ type: "note", op: "delete", id })).results[0].error.errors).toMatchObject([
      { pointer: "/revision", code: "required" }
    ])
    one.edit("note", id, {}, "delete")
    expect(one.get(id)).toBe(undefined)
    await one.sync()
    await other.sync()
    expect(other.get(id)).toBe(undefined)
    expect(other.records.get(id)).toMatchObject({ op: "delete", revision: 2 })
    expect((await at.push({ type: "note", op: "delete", id, revision: 1 })).results).toMatchObject([
      { status: "duplicate", revision: 2 }
    ])
  })

  it("is undone by an upsert at its revision", async () => {
    const { id, one, other } = await at.shared({ tags: ["kept"] })
    one.edit("note", id, {}, "delete")
    await one.sync()
    await other.sync()
    other.edit("note", id, { title: "Back" })
    expect(other.queue).toMatchObject([
      { revision: 2, data: {} },
      { revision: 1, data: { title: "Back" } }
    ])
    await other.sync()
    await one.sync()
    for (const client of [one, other])
      expect(client.get(id)).toMatchObject({ title: "Back", body: "First.", tags: ["kept"] })
  })

  it("is repeated when the other device has changed other members only", async () => {
    const { id, one, other } = await at.shared()
    one.edit("note", id, { pinned: true })
    other.edit("note", id, {}, "delete")
    await one.sync()
    await other.sync()
    expect(other.records.get(id)).toMatchObject({ op: "delete", revision: 3 })
  })

  it("of a notebook is undone with all its data", async () => {
    const client = at.newClient()
    const id = at.guide.newId("nb_")
    client.edit("notebook", id, { name: "Folder" })
    await client.sync()
    client.edit("notebook", id, {}, "delete")
    await client.sync()
    client.edit("notebook", id, { color: "#123456" })
    await client.sync()
    expect(client.get(id)).toMatchObject({ name: "Folder", color: "#123456" })
  })
})
