import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { isProblem } from "../../src/client/SheafClient.ts"
import { openSync, type SyncEngine } from "../../src/sync/SyncEngine.ts"
import { memoryStore, type SyncStore } from "../../src/sync/SyncStore.ts"
import { Random } from "../../src/testing/Random.ts"
import { rounds } from "../support/Slow.ts"
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
    for (let writes = 0; ; writes += rounds(2, 1)) {
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
        if (writes % 4 >= 2) await server.restore()
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

const wordsOf = (text: unknown): ReadonlyArray<string> => String(text).match(/w\d+w/g) ?? []

/** Engines, and a user of the API, add words to notes and templates while the server is restored at random points. */
class Writers {
  readonly words = new Set<string>()
  private readonly random: Random
  private readonly stores: ReadonlyArray<SyncStore> = [memoryStore(), memoryStore(), memoryStore()]
  private readonly engines: Array<SyncEngine> = []
  private made = 0
  /** The number of requests of an engine until its process is killed. */
  private left = Infinity

  constructor(seed: number) {
    this.random = new Random(seed)
  }

  private word(): string {
    const word = `w${++this.made}w`
    this.words.add(word)
    return word
  }

  private written(text: unknown): string {
    const words = String(text ?? "").match(/\s+|\S+/g) ?? []
    const typed = ` ${this.word()}${this.random.pick([" ", "\n"])}`
    return words.toSpliced(this.random.between(0, words.length), 0, typed).join("")
  }

  private open(store: SyncStore): Promise<SyncEngine> {
    const send: typeof fetch = (...asked) =>
      this.left-- > 0 ? server.fetch(...asked) : Promise.reject(new TypeError("the process was killed"))
    return open(store, server.client(send))
  }

  async start(): Promise<void> {
    for (const store of this.stores) this.engines.push(await this.open(store))
    const [first] = this.engines
    const notebook_id = await first!.create("notebook", { name: "Folder" })
    for (const title of ["One", "Two"]) await first!.create("note", { notebook_id, title, body: this.word() })
    await first!.create("template", { name: "Letter", body: this.word() })
    await this.settle()
    await server.save()
  }

  async settle(): Promise<void> {
    for (let round = 0; round < 3; round++) for (const engine of this.engines) await engine.sync()
  }

  /** Words of the user of the API which neither the server nor an engine has. */
  private async dropLost(): Promise<void> {
    const held = this.engines.flatMap((engine) => [...engine.all("note"), ...engine.all("template")])
    const kept = new Set(wordsOf(JSON.stringify([held, await texts()])))
    for (const word of this.words) if (!kept.has(word)) this.words.delete(word)
  }

  async step(): Promise<void> {
    const { random } = this
    const engine = random.pick(this.engines)
    const type = random.weighted({ note: 4, template: 1 })
    const found = random.pick(engine.all(type))
    const what = random.weighted({ write: 10, create: 2, sync: 8, kill: 2, api: 4, save: 1, restore: 1 })
    if (what === "write") await engine.edit(type, found.id, { body: this.written(found["body"]) })
    else if (what === "sync") await engine.sync()
    else if (what === "create") {
      const own = random.chance(0.5) ? await engine.create("notebook", { name: "Folder" }) : undefined
      const notebook_id = own ?? random.pick(engine.all("notebook")).id
      await engine.create("note", { notebook_id, title: "Made", body: this.word() })
    } else if (what === "kill") {
      this.left = random.between(0, 6)
      await engine.sync().catch(() => {})
      await engine.stop()
      this.left = Infinity
      const at = this.engines.indexOf(engine)
      this.engines[at] = await this.open(this.stores[at]!)
    } else if (what === "api") await this.writeByApi(type, found.id)
    else if (what === "save") await server.save()
    else {
      await server.restore()
      await this.dropLost()
    }
  }

  private async writeByApi(type: string, id: string): Promise<void> {
    const client = server.client()
    try {
      if (type === "template") {
        const { body } = await client.getTemplate({ id })
        await client.updateTemplate({ id, body: this.written(body) })
      } else {
        const { body, version } = await client.getNote({ id })
        await client.updateNote({ id, version, body: this.written(body) })
      }
    } catch (error) {
      if (!isProblem(error, "not_found")) throw error
    }
  }

  async expectEqual(): Promise<void> {
    const fresh = await this.open(memoryStore())
    await fresh.sync()
    for (const engine of this.engines) {
      expectDone(engine)
      for (const type of ["note", "notebook", "template"]) {
        expect(new Set(engine.all(type))).toEqual(new Set(fresh.all(type)))
      }
    }
  }
}

/** The texts of the server. */
const texts = () => server.app.sql("SELECT body FROM notes UNION ALL SELECT body FROM templates")

const first = Number(process.env["RECOVERY_SEED"] ?? 1)
const seeds = Array.from(
  { length: Number(process.env["RECOVERY_RUNS"] ?? rounds(2, 100)) },
  (_, index) => first + index
)

it.each(seeds)("no word that an engine had is lost or doubled by restores (seed %i)", async (seed) => {
  const writers = new Writers(seed)
  await writers.start()
  for (let step = 0; step < 60; step++) await writers.step()
  await writers.settle()
  const found = wordsOf(JSON.stringify(await texts()))
  expect([...writers.words].filter((word) => !found.includes(word))).toEqual([])
  expect(found.filter((word, at) => found.indexOf(word) !== at)).toEqual([])
  await writers.expectEqual()
})
