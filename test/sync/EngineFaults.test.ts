import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sha256 } from "../../src/clients/client/Upload.ts"
import { createClient } from "../../src/clients/client/SheafClient.ts"
import { mergeTexts } from "../../services/records/Merge.ts"
import { openSync } from "../../src/clients/sync/SyncEngine.ts"
import { memoryStore, StoreError, type SyncStore } from "../../src/clients/sync/SyncStore.ts"
import { SyncDevices } from "../support/devices/SyncDevices.ts"

let at: SyncDevices
beforeAll(async () => {
  at = await SyncDevices.start()
})
afterAll(() => at[Symbol.asyncDispose]())

describe("an engine", () => {
  it("sends nothing of its store to another workspace", async () => {
    const { id, one } = await at.shared()
    await one.engine.edit("note", id, { body: "First. Private." })
    const client = createClient({ url: at.sheaf.url })
    await client.signUp({ email: "other@example.org", password: "correct horse battery" })
    const store = one.store
    await one.engine.close()
    const engine = await openSync({ client, store })
    const before = engine.all("note")
    await expect(engine.sync()).rejects.toThrow(
      /The store is of workspace ws_\w+, the client of ws_\w+: use another store/
    )
    expect([engine.all("note"), engine.state.waiting]).toEqual([before, 1])
    expect((await client.listNotes()).data).toEqual([])
    await engine.close()
  })

  it("takes the changes of others although its push fails, and shows why", async () => {
    const { id, one, other } = await at.shared()
    await other.engine.edit("note", id, { body: "First. Theirs." })
    await other.engine.sync()
    await one.engine.create("tag", { name: "waits" })
    one.network = async (url, send) =>
      url.endsWith("/sync/push") ? Response.json({ code: "internal_error", status: 500 }, { status: 500 }) : send()
    await expect(one.engine.sync()).rejects.toMatchObject({ problem: { code: "internal_error" } })
    expect(one.engine.get(id)).toMatchObject({ body: "First. Theirs." })
    expect(one.engine.state).toMatchObject({ waiting: 1, error: { problem: { code: "internal_error" } } })
  })

  it("rejects with the failure of its push if its pull fails too", async () => {
    const { one } = await at.shared()
    await one.engine.create("tag", { name: "waits" })
    one.network = (url) =>
      url.endsWith("/sync/push")
        ? Promise.resolve(Response.json({ code: "internal_error", status: 500 }, { status: 500 }))
        : Promise.reject(new TypeError("No network"))
    await expect(one.engine.sync()).rejects.toMatchObject({ problem: { code: "internal_error" } })
  })

  it("shows edits as refused while its user has no right to write, and pushes them again when asked to", async () => {
    const { id, one } = await at.shared()
    await one.engine.edit("note", id, { body: "First. Mine." })
    const problem = { code: "insufficient_role", status: 403, detail: "At least the role editor is needed" }
    one.network = async (url, send) =>
      url.endsWith("/sync/push")
        ? Response.json(problem, { status: 403, headers: { "content-type": "application/problem+json" } })
        : send()
    await one.engine.sync()
    expect(one.engine.refused).toMatchObject([{ edit: { id }, problem: { code: "insufficient_role" } }])
    one.network = undefined
    const [refused] = one.engine.refused
    await one.engine.retry(refused!)
    await one.engine.retry(refused!)
    await one.engine.discard(refused!)
    expect(one.engine.state.waiting).toBe(1)
    await one.engine.sync()
    expect(one.engine.get(id)).toMatchObject({ body: "First. Mine.", version: 2 })
  })

  it("starts again after a stop that is still running", async () => {
    const { id, one, other } = await at.shared()
    one.engine.start()
    await expect.poll(() => one.engine.state.status).toBe("synced")
    const stopped = one.engine.stop()
    one.engine.start()
    await stopped
    await expect.poll(() => one.engine.state.status).toBe("synced")
    await other.engine.edit("note", id, { body: "First. Again." })
    await other.engine.sync()
    await expect.poll(() => one.engine.get(id)?.["body"]).toBe("First. Again.")
    await one.engine.stop()
  })

  it("follows again when a refusal of its stream has ended", async () => {
    const { id, one, other } = await at.shared()
    const problem = { code: "not_found", status: 404, detail: "There is no such workspace" }
    one.network = async (url, send) =>
      url.includes("/sync/p") || url.includes("/sync/stream") ? Response.json(problem, { status: 404 }) : send()
    one.engine.start()
    await expect.poll(() => one.engine.state.error).toMatchObject({ problem: { code: "not_found" } })
    one.network = undefined
    await other.engine.edit("note", id, { body: "First. Back." })
    await other.engine.sync()
    await expect.poll(() => one.engine.state.status, { timeout: 5_000 }).toBe("synced")
    expect(one.engine.get(id)).toMatchObject({ body: "First. Back." })
    await one.engine.stop()
  })

  it("pushes soon after the network is back, although many pushes have failed without it", async () => {
    const { id, one } = await at.shared()
    one.engine.start()
    await expect.poll(() => one.engine.state.status).toBe("synced")
    one.network = async (url, send) => (url.endsWith("/sync/push") ? Promise.reject(new TypeError("gone")) : send())
    for (let edit = 0; edit < 12; edit++) {
      await one.engine.edit("note", id, { body: `First. ${edit}` })
      await expect.poll(() => one.engine.state.error).toMatchObject({ problem: { code: "no_response" } })
    }
    await expect(one.engine.sync()).rejects.toThrow("No response")
    one.network = undefined
    await expect.poll(() => one.engine.state, { timeout: 4_000 }).toMatchObject({ waiting: 0, error: undefined })
    await one.engine.stop()
  })

  it("accepts no edit and no start after it was closed", async () => {
    const { engine } = await at.device()
    await engine.close()
    await engine.close()
    await expect(engine.create("tag", { name: "late" })).rejects.toThrow("The engine was closed")
    await expect(engine.sync()).rejects.toThrow("The engine was closed")
    expect(() => engine.start()).toThrow("The engine was closed")
    expect(engine.state.waiting).toBe(0)
  })

  it("does not share values with the app", async () => {
    const { id, one } = await at.shared({ tags: ["a"] })
    const tags = ["b"]
    await one.engine.edit("note", id, { tags })
    tags.push("c")
    expect(one.engine.get(id)).toMatchObject({ tags: ["b"] })
    await one.engine.sync()
    expect(() => (one.engine.get(id)!["tags"] as Array<string>).push("d")).toThrow(TypeError)
  })

  it("refuses an edit with the type of another record, and makes none of equal values", async () => {
    const { id, one } = await at.shared()
    await expect(one.engine.edit("tag", id, { name: "x" })).rejects.toThrow(`${id} is a note`)
    await one.engine.edit("note", id, { title: "Shared" })
    await one.engine.edit("note", id, {})
    expect(one.engine.state.waiting).toBe(0)
  })

  it("keeps both texts in two notes if they are too large for one", async () => {
    const [half, other] = ["mine ", "theirs "].map((word) => word.repeat(120_000))
    const { id, notebook, one } = await at.shared()
    const shown = one.engine.get(id)!
    await at.client.updateNote({ id, body: other! })
    await one.engine.sync()
    await one.engine.edit("note", id, { body: half! }, shown)
    await one.engine.sync()
    expect([one.engine.refused, one.engine.get(id)!["body"] === other]).toEqual([[], true])
    const copies = one.engine.all("note").filter((note) => note["notebook_id"] === notebook && note.id !== id)
    expect(copies.map(({ body }) => body === half)).toEqual([true])
    expect(mergeTexts("", other!, half!).length).toBeGreaterThan(1_048_576)
  })
})

it("a file that cannot be read keeps no others from their upload", async () => {
  const store = memoryStore()
  const lost = await sha256(new TextEncoder().encode("lost"))
  const reading: SyncStore = {
    ...store,
    readFile: (name) => (name === lost ? Promise.reject(new StoreError("The file is gone")) : store.readFile(name))
  }
  const { engine } = await at.device({ store: reading })
  const notebook_id = await engine.create("notebook", { name: "Files" })
  const note = await engine.create("note", { notebook_id, title: "Note" })
  await engine.attach(note, { filename: "lost.txt", bytes: new Blob(["lost"]) })
  const id = await engine.attach(note, { filename: "kept.txt", bytes: new Blob(["kept"]) })
  await expect(engine.sync()).rejects.toThrow("The file is gone")
  expect((await at.client.getAttachment({ id })).status).toBe("ready")
  expect(engine.state).toMatchObject({ waiting: 1, isWhole: true })
})

describe("a refused edit of an attachment", () => {
  it("ends no upload of its bytes when it is discarded", async () => {
    const store = memoryStore()
    const { client } = at
    const one = await at.device({ store })
    const notebook_id = await one.engine.create("notebook", { name: "Files" })
    const note = await one.engine.create("note", { notebook_id, title: "Note" })
    const id = await one.engine.attach(note, { filename: "a.txt", bytes: new Blob(["bytes"]) })
    one.network = async (url, send) => (url.includes("/attachments/") ? Promise.reject(new TypeError("gone")) : send())
    await expect(one.engine.sync()).rejects.toThrow("No response")
    await one.engine.edit("attachment", id, { filename: "" })
    await one.engine.sync()
    const [refused] = one.engine.refused
    expect(refused).toMatchObject({ edit: { id } })
    await one.engine.discard(refused!)
    one.network = undefined
    await one.engine.sync()
    expect((await client.getAttachment({ id })).status).toBe("ready")
    expect(one.engine.state.waiting).toBe(0)
  })
})
