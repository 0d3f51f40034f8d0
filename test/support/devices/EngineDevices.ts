import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Database } from "../../../services/database/Database.ts"
import { SheafError } from "../../../src/clients/client/ClientProblem.ts"
import { createClient } from "../../../src/clients/client/SheafClient.ts"
import { fileStore } from "../../../src/clients/sync/FileSyncStore.ts"
import type { Data } from "../../../services/records/Merge.ts"
import { openSync, type SyncEngine } from "../../../src/clients/sync/SyncEngine.ts"
import { memoryStore, type SyncStore } from "../../../src/clients/sync/SyncStore.ts"
import type { Random } from "../../../src/program/testing/Random.ts"
import type { Sheaf } from "../../../src/program/testing/Sheaf.ts"
import { aged } from "./SyncCursors.ts"

/** A device whose requests can be cut off, as by a crash. */
interface Device {
  engine: SyncEngine
  store: SyncStore
  readonly reopen: () => SyncStore
  readonly journal: string | undefined
  /** The number of requests until the crash, and whether the server receives the last of them. */
  crash: { left: number; readonly isServed: boolean } | undefined
  /** Notes that this device has deleted. */
  readonly removed: Set<string>
}

const names = { note: "title", notebook: "name", template: "name" } as const
type Kind = keyof typeof names
const kinds = { note: 6, template: 1, notebook: 1 }

/** Devices of one user that run the engine, with and without a network, and may crash at any step. */
export class EngineDevices implements AsyncDisposable {
  readonly devices: Array<Device> = []
  /** Words that a device added and that no device which showed them deleted. */
  readonly words = new Set<string>()
  private readonly sheaf: Sheaf
  private readonly random: Random
  private readonly folder = mkdtempSync(join(tmpdir(), "sheaf-engines-"))
  private made = 0
  private jumps = 0

  constructor(sheaf: Sheaf, random: Random) {
    this.sheaf = sheaf
    this.random = random
  }

  /** Adds a device, every other one with a store on disk. */
  async add(): Promise<void> {
    const path = join(this.folder, `device-${this.devices.length}`)
    const isOnDisk = this.devices.length % 2 === 0
    const memory = memoryStore()
    const reopen = () => (isOnDisk ? fileStore(path) : memory)
    const store = reopen()
    const journal = isOnDisk ? join(path, "journal") : undefined
    const device: Device = {
      engine: undefined!,
      store,
      reopen,
      journal,
      crash: undefined,
      removed: new Set()
    }
    device.engine = await this.open(device)
    this.devices.push(device)
  }

  private open(device: Device): Promise<SyncEngine> {
    const cutting: typeof fetch = async (...asked) => {
      const { crash } = device
      if (crash === undefined || crash.left-- > 0) return fetch(...asked)
      if (crash.left === -1 && crash.isServed) await (await fetch(...asked)).body?.cancel()
      throw new TypeError("the device has crashed")
    }
    const { key, url } = this.sheaf
    return openSync({ client: createClient({ url, key, fetch: cutting, retries: 0 }), store: device.store })
  }

  private word(): string {
    const word = `w${++this.made}w`
    this.words.add(word)
    return word
  }

  private dropWords(text: unknown): void {
    for (const [word] of JSON.stringify(text).matchAll(/w\d+w/g)) this.words.delete(word)
  }

  private pick(engine: SyncEngine, kind: Kind): (Data & { readonly id: string }) | undefined {
    const all = engine.all(kind)
    return all.length === 0 ? undefined : (this.random.pick(all) as Data & { id: string })
  }

  /** Syncs, which faults may prevent. */
  private async sync({ engine }: Device): Promise<void> {
    await engine.sync().catch((error: unknown) => {
      if (!(error instanceof SheafError)) throw error
    })
  }

  /** Stops a device without a word to its engine, and opens its store again, with a cursor that is some days older. */
  private async crash(device: Device, days = 0): Promise<void> {
    device.crash ??= { left: 0, isServed: false }
    await device.store.close()
    if (device.journal !== undefined && this.random.chance(0.5))
      appendFileSync(device.journal, '0123456789abcdef [["to')
    await device.engine.stop()
    device.crash = undefined
    if (days > 0) await this.age(device, days)
    device.store = device.reopen()
    device.engine = await this.open(device)
  }

  private async age(device: Device, days: number): Promise<void> {
    const store = device.reopen()
    const position = (await store.load()).get("position") as { readonly cursor?: string }
    if (position.cursor !== undefined) {
      const [{ id }] = await this.sql("SELECT workspace_id AS id FROM workspaces")
      const issuer = { run: (effect: Effect.Effect<any, any, any>) => this.sheaf.run(effect), workspace_id: id }
      const cursor = await aged(issuer, position.cursor, days * 86_400_000)
      await store.write([["position", { ...position, cursor }]])
    }
    await store.close()
    // A pull of everything may drop them.
    device.removed.clear()
  }

  sql(text: string, ...params: ReadonlyArray<string>): Promise<ReadonlyArray<any>> {
    return this.sheaf.run(Effect.flatMap(Effect.service(Database), ({ read }) => read.unsafe<any>(text, params)))
  }

  /** Another client erases a note, also from the trash. */
  private async purge(): Promise<void> {
    // No push may add words between the read and the deletion.
    const live = this.devices.filter(({ engine }) => engine.state.status !== "offline")
    for (const device of this.devices) await device.engine.stop()
    for (const device of live) await this.sync(device)
    const notes = await this.sql("SELECT id FROM notes ORDER BY id")
    if (notes.length === 0) return
    const { id } = this.random.pick(notes)
    for (const from of ["note_versions WHERE note_id", "notes WHERE id"])
      this.dropWords(await this.sql(`SELECT title, body, tags FROM ${from} = $1`, id))
    await this.sheaf.client.deleteNote({ id, permanent: true })
    for (const { engine } of live) engine.start()
  }

  /** The next action of a device or its user. */
  async step(): Promise<void> {
    const { random } = this
    const device = random.pick(this.devices)
    const { engine } = device
    const kind = random.weighted(kinds)
    const found = this.pick(engine, kind)
    const what = random.weighted({
      create: 3,
      write: 10,
      editor: 4,
      rename: 3,
      tag: 2,
      remove: 2,
      undo: 2,
      sync: 8,
      overlap: 2,
      crash: 2,
      age: 1,
      restore: 2,
      purge: 1,
      start: 1,
      stop: 1,
      jump: 1
    })
    if (what === "sync") await this.sync(device)
    else if (what === "start") engine.start()
    else if (what === "stop") await engine.stop()
    else if (what === "crash") {
      device.crash = { left: random.between(0, 4), isServed: random.chance(0.5) }
      await this.sync(device)
      await this.crash(device)
    } else if (what === "age") await this.crash(device, random.pick([2, 91]))
    else if (what === "purge") await this.purge()
    else if (what === "restore") {
      const [id] = [...device.removed].filter((each) => engine.get(each) === undefined)
      if (id === undefined) return
      await engine.restore("note", id)
      await engine.edit("note", id, { body: this.written(engine.get(id) ?? {}) })
    } else if (what === "jump") {
      if (this.jumps++ < 3) await this.sheaf.advance("2 days")
    } else if (what === "create") {
      const notebook = this.pick(engine, "notebook")
      if (kind === "note" && notebook !== undefined)
        await engine.create("note", { notebook_id: notebook.id, title: this.word(), body: this.word() })
      else if (kind !== "note") await engine.create(kind, { name: this.word() })
    } else if (found === undefined) return
    else if (what === "write" && kind !== "notebook") await engine.edit(kind, found.id, { body: this.written(found) })
    else if (what === "write" || what === "rename") {
      await engine.edit(kind, found.id, { [names[kind]]: `${String(found[names[kind]])} ${this.word()}` })
    } else if (what === "tag" && kind === "note") {
      const tags = Array.isArray(found["tags"]) ? found["tags"] : []
      await engine.edit("note", found.id, { tags: [...tags, this.word()] })
    } else if (what === "remove") {
      // Deleted notes stay in the trash.
      if (kind !== "note") this.dropWords(found)
      else device.removed.add(found.id)
      await engine.remove(kind, found.id)
    } else if (what === "undo") {
      await engine.remove(kind, found.id)
      await engine.restore(kind, found.id)
    } else if (what === "editor" && kind === "note") {
      // The user types into the text that an editor shows since before the last sync.
      const title = `${String(found["title"])} ${this.word()}`
      await this.sync(device)
      await engine.edit("note", found.id, { body: this.written(found), title }, found)
    } else if (what === "overlap" && kind === "note") {
      const syncs = [this.sync(device)]
      await engine.edit("note", found.id, { body: this.written(found) })
      syncs.push(this.sync(device))
      await engine.edit("note", found.id, { body: this.written(engine.get(found.id) ?? found) })
      await Promise.all(syncs)
    }
  }

  /** The text of a record with a new word at some place. */
  private written({ body }: Data): string {
    const words = String(body ?? "").match(/\s+|\S+/g) ?? []
    return words
      .toSpliced(this.random.between(0, words.length), 0, ` ${this.word()}${this.random.pick([" ", "\n"])}`)
      .join("")
  }

  /** Syncs all devices until none has anything new for the others. */
  async settle(): Promise<void> {
    for (const { engine } of this.devices) await engine.stop()
    for (let round = 0; round < 3; round++) for (const { engine } of this.devices) await engine.sync()
  }

  /** The records that a device shows, by id. */
  view({ engine }: Device): ReadonlyArray<Data> {
    return ["note", "notebook", "template", "tag"]
      .flatMap((type) => engine.all(type))
      .toSorted((one, other) => (String(one["id"]) < String(other["id"]) ? -1 : 1))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { engine } of this.devices) await engine.close()
    rmSync(this.folder, { recursive: true })
  }
}
