import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openSync, type SyncEngine } from "../../src/clients/sync/SyncEngine.ts"
import { memoryStore, type SyncStore } from "../../src/clients/sync/SyncStore.ts"
import { rounds } from "../support/Slow.ts"
import { RestoredWriters, wordsOf } from "../support/replicas/RestoredWriters.ts"
import { RestoringServer } from "../support/storage/RestoringServer.ts"

let server: RestoringServer
const engines: Array<SyncEngine> = []
beforeEach(async () => {
  server = await RestoringServer.start()
})
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close()
  await server[Symbol.asyncDispose]()
})

const open = async (store: SyncStore = memoryStore(), client = server.client()) => {
  const engine = await openSync({ client, store })
  engines.push(engine)
  return engine
}
const sync = async (...all: ReadonlyArray<SyncEngine>) => {
  for (const engine of all) await engine.sync()
}
const expectDone = (engine: SyncEngine) =>
  expect([engine.state.waiting, engine.state.error, engine.refused]).toEqual([0, undefined, []])

/** An engine with a notebook, and records that are in the backup. */
const backedUp = async (store?: SyncStore) => {
  const one = await open(store)
  const notebook = await one.create("notebook", { name: "Folder" })
  const note = await one.create("note", { notebook_id: notebook, title: "Shared", body: "first" })
  const template = await one.create("template", { name: "Letter", body: "first" })
  await one.sync()
  await server.save()
  return { one, notebook, note, template }
}

describe("after a restore of the server, an engine", () => {
  it("pushes again what the server has lost, and its waiting edits on top", async () => {
    const { note, notebook, one, template } = await backedUp()
    const folder = await one.create("notebook", { name: "Late folder", parent_id: notebook })
    const tag = await one.create("tag", { name: "late", color: "#123456" })
    const late = await one.create("note", { notebook_id: folder, title: "Late", body: "late", tags: ["late"] })
    await one.edit("note", note, { body: "first lost" })
    await one.edit("template", template, { body: "first lost" })
    await one.sync()
    await one.edit("note", note, { body: "first lost mine" })
    await one.edit("note", late, { body: "late mine" })
    await server.restore()
    await one.sync()
    expectDone(one)
    expect(one.state.recovered).toBe(5)
    const client = server.client()
    expect(await client.getNote({ id: note })).toMatchObject({ body: "first lost mine" })
    expect(await client.getNote({ id: late })).toMatchObject({ notebook_id: folder, body: "late mine", tags: ["late"] })
    expect(await client.getTemplate({ id: template })).toMatchObject({ body: "first lost" })
    expect(await client.getTag({ id: tag })).toMatchObject({ color: "#123456" })
    const fresh = await open()
    await sync(one, fresh)
    for (const type of ["note", "notebook", "tag", "template"]) {
      expect(new Set(one.all(type))).toEqual(new Set(fresh.all(type)))
    }
  })

  it("merges what it has with what others have written and brought back", async () => {
    const { note, one, template } = await backedUp()
    const [two, three] = [await open(), await open()]
    await one.edit("note", note, { body: "first lost" })
    await one.edit("template", template, { body: "first lost" })
    const late = await one.create("note", { notebook_id: one.get(note)!["notebook_id"], title: "Late", body: "a" })
    await sync(one, two)
    await two.edit("note", note, { body: "first lost more" })
    await two.edit("note", late, { body: "a b" })
    await sync(two, three)
    await three.edit("note", note, { body: "zero first lost more" })
    await server.restore()
    const client = server.client()
    const { version } = await client.getNote({ id: note })
    await client.updateNote({ id: note, version, body: "first\npresent" })
    await client.updateTemplate({ id: template, body: "first\npresent" })
    await sync(one, two, three, one, two)
    for (const engine of [one, two, three]) {
      expectDone(engine)
      expect(engine.all("note")).toHaveLength(2)
      const words = (text: unknown) => String(text).split(/\s+/).toSorted()
      expect(words(engine.get(note)!["body"])).toEqual(["first", "lost", "more", "present", "zero"])
      expect(words(engine.get(late)!["body"])).toEqual(["a", "b"])
      expect(words(engine.get(template)!["body"])).toEqual(["first", "lost", "present"])
    }
  })

  it("repeats no deletion, and follows those that were made since", async () => {
    const { note, notebook, one, template } = await backedUp()
    const other = await one.create("note", { notebook_id: notebook, title: "Other" })
    await one.sync()
    await server.advance(10)
    await server.client().createTag({ name: "later" })
    await server.save()
    await one.remove("template", template)
    await one.remove("note", note)
    await one.sync()
    await server.restore()
    await server.client().deleteNote({ id: other, permanent: true })
    await one.sync()
    expectDone(one)
    expect([one.get(note)?.["body"], one.get(template)?.["body"], one.get(other)]).toEqual([
      "first",
      "first",
      undefined
    ])
    expect(one.state.recovered).toBe(0)
  })

  it("restores a note that was taken from the trash in the lost part, with its later words", async () => {
    const { note, one } = await backedUp()
    await one.remove("note", note)
    await one.sync()
    await server.save()
    await one.restore("note", note)
    await one.edit("note", note, { body: "first lost" })
    await one.sync()
    await server.restore()
    await one.sync()
    expectDone(one)
    expect(await server.client().getNote({ id: note })).toMatchObject({ title: "Shared", body: "first lost" })
  })

  it("says which files are nowhere any more, and uploads those that it has", async () => {
    const { note, one } = await backedUp()
    const bytes = new TextEncoder().encode("bytes")
    const id = await one.attach(note, { filename: "a.txt", bytes })
    await one.sync()
    await server.restore()
    await one.sync()
    expect(one.refused).toMatchObject([{ edit: { id }, problem: { code: "attachment_not_ready" }, isUpload: true }])
    expect(await server.client().getAttachment({ id })).toMatchObject({ status: "pending", filename: "a.txt" })
    const other = await one.attach(note, { filename: "b.txt", bytes })
    await one.retry(one.refused[0]!)
    await one.sync()
    expectDone(one)
    for (const each of [id, other]) expect((await server.client().getAttachment({ id: each })).status).toBe("ready")
  })

  it("does so while it follows live, before it pushes its own edits", async () => {
    const { note, one } = await backedUp()
    await one.edit("note", note, { body: "first lost" })
    one.start()
    await expect.poll(() => one.state, { timeout: 5_000 }).toMatchObject({ waiting: 0, status: "synced" })
    await server.restore()
    await one.edit("note", note, { body: "first lost mine" })
    await expect.poll(() => one.state, { timeout: 10_000 }).toMatchObject({ waiting: 0, recovered: 1 })
    expect(await server.client().getNote({ id: note })).toMatchObject({ body: "first lost mine" })
    await one.stop()
  })

  it("does so after a second restore, and after a crash at any write", async () => {
    const before = memoryStore()
    const { note, notebook, one } = await backedUp(before)
    await one.edit("note", note, { body: "first lost" })
    const late = await one.create("note", { notebook_id: notebook, title: "Late", body: "late" })
    await one.sync()
    await one.edit("note", note, { body: "first lost mine" })
    const entries = [...(await before.load())]
    for (let writes = 0; ; writes += rounds(4, 1)) {
      await server.restore()
      const store = memoryStore()
      await store.load()
      await store.write(entries)
      let left = writes
      const write: SyncStore["write"] = async (changed) => {
        if (left-- <= 0) throw new Error("the process was killed")
        await store.write(changed)
      }
      const killed = await openSync({ client: server.client(), store: { ...store, write } }).catch(() => undefined)
      const isKilled = await (killed?.sync() ?? Promise.reject(new Error())).then(
        () => false,
        () => true
      )
      if (isKilled) {
        if (writes % 8 >= 4) await server.restore()
        const again = await open(store)
        await again.sync()
        expectDone(again)
      }
      const client = server.client()
      expect([writes, (await client.getNote({ id: note })).body, (await client.getNote({ id: late })).body]).toEqual([
        writes,
        "first lost mine",
        "late"
      ])
      if (!isKilled) break
    }
  })
})

const first = Number(process.env["RECOVERY_SEED"] ?? 1)
const seeds = Array.from(
  { length: Number(process.env["RECOVERY_RUNS"] ?? rounds(1, 100)) },
  (_, index) => first + index
)

it.each(seeds)("no word that an engine had is lost or doubled by restores (seed %i)", async (seed) => {
  const writers = new RestoredWriters(server, seed)
  await writers.start()
  for (let step = 0; step < 60; step++) await writers.step()
  await writers.settle()
  const found = wordsOf(await writers.text())
  expect([...writers.words].filter((word) => !found.includes(word))).toEqual([])
  expect(found.filter((word, at) => found.indexOf(word) !== at)).toEqual([])
  const [fresh, ...others] = await writers.views()
  for (const view of others) expect(view).toEqual(fresh)
  for (const engine of writers.engines) expectDone(engine)
  await writers.close()
})
