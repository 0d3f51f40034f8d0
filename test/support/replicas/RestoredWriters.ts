import { isProblem } from "../../../src/clients/client/SheafClient.ts"
import { openSync, type SyncEngine } from "../../../src/clients/sync/SyncEngine.ts"
import { memoryStore, type SyncStore } from "../../../src/clients/sync/SyncStore.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import type { RestoringServer } from "../storage/RestoringServer.ts"

/** The words of a text that writers have made. */
export const wordsOf = (text: unknown): ReadonlyArray<string> => String(text).match(/w\d+w/g) ?? []

/** Engines, and a user of the API, add words to notes and templates while the server is restored at random points. */
export class RestoredWriters {
  readonly words = new Set<string>()
  private readonly server: RestoringServer
  private readonly random: Random
  private readonly stores: ReadonlyArray<SyncStore> = [memoryStore(), memoryStore(), memoryStore()]
  readonly engines: Array<SyncEngine> = []
  private made = 0
  /** The number of requests of an engine until its process is killed. */
  private left = Infinity

  constructor(server: RestoringServer, seed: number) {
    this.server = server
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
      this.left-- > 0 ? this.server.fetch(...asked) : Promise.reject(new TypeError("the process was killed"))
    return openSync({ store, client: this.server.client(send) })
  }

  async start(): Promise<void> {
    for (const store of this.stores) this.engines.push(await this.open(store))
    const [first] = this.engines
    const notebook_id = await first!.create("notebook", { name: "Folder" })
    for (const title of ["One", "Two"]) await first!.create("note", { notebook_id, title, body: this.word() })
    await first!.create("template", { name: "Letter", body: this.word() })
    await this.settle()
    await this.server.save()
  }

  async settle(): Promise<void> {
    for (let round = 0; round < 3; round++) for (const engine of this.engines) await engine.sync()
  }

  /** Words of the user of the API which neither the server nor an engine has. */
  private async dropLost(): Promise<void> {
    const held = this.engines.flatMap((engine) => [...engine.all("note"), ...engine.all("template")])
    const kept = new Set(wordsOf(JSON.stringify([held, await this.text()])))
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
    else if (what === "save") await this.server.save()
    else {
      await this.server.restore()
      await this.dropLost()
    }
  }

  private async writeByApi(type: string, id: string): Promise<void> {
    const client = this.server.client()
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

  /** What a client with an empty store, and each engine, has. */
  async views(): Promise<ReadonlyArray<ReadonlySet<unknown>>> {
    const fresh = await this.open(memoryStore())
    await fresh.sync()
    const views = [fresh, ...this.engines].map(
      (engine) => new Set(["note", "notebook", "template"].flatMap((type) => engine.all(type)))
    )
    await fresh.close()
    return views
  }

  /** The texts of the server. */
  async text(): Promise<string> {
    return JSON.stringify(await this.server.app.sql("SELECT body FROM notes UNION ALL SELECT body FROM templates"))
  }

  async close(): Promise<void> {
    for (const engine of this.engines) await engine.close()
  }
}
