/** A device of the user: an engine of `sheaf/sync` on disk, whose requests pass the wire, and which can be killed. */
import { randomUUID } from "node:crypto"
import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SheafError } from "../../src/clients/client/ClientProblem.ts"
import { createClient } from "../../src/clients/client/SheafClient.ts"
import { fileStore } from "../../src/clients/sync/FileSyncStore.ts"
import { openSync, type SyncEngine } from "../../src/clients/sync/SyncEngine.ts"
import { StoreError, type SyncStore } from "../../src/clients/sync/SyncStore.ts"
import { Turn } from "./Turn.ts"
import type { Fate } from "./Plan.ts"
import type { Wire } from "./Wire.ts"

/** Maximum number of writes before a kill. */
const maxWrites = 6

/** A process that will be killed at a write, before or after it, or when half of it is on disk. */
interface Process {
  readonly store: SyncStore
  /** The number of writes until then. */
  left: number
  at: number
  isDead: boolean
}

export class Replica {
  /** Operations of one device follow each other. */
  readonly turn = new Turn()
  /** The records with edits that the server may not have. */
  readonly pending = new Set<string>()
  /** What happens to the next pushes. */
  readonly fates: Array<Fate> = []
  private readonly folder: string
  private readonly wire: Wire
  private readonly key: string
  private requests = 0
  private process!: Process
  engine!: SyncEngine

  constructor(folder: string, wire: Wire, key: string) {
    this.folder = folder
    this.wire = wire
    this.key = key
  }

  /** Opens the store, in which a device that was closed or killed continues. */
  async open(): Promise<this> {
    const store = fileStore(this.folder)
    const process: Process = { store, left: Infinity, at: 0, isDead: false }
    const mortal =
      <Given extends ReadonlyArray<any>>(write: (...given: Given) => Promise<void>, tear = (..._: Given) => {}) =>
      async (...given: Given): Promise<void> => {
        if (!process.isDead && --process.left > 0) return write(...given)
        const isFirst = !process.isDead
        process.isDead = true
        if (isFirst && process.at < 0.3) await write(...given)
        else if (isFirst && process.at < 0.7) tear(...given)
        throw new StoreError("the process was killed")
      }
    const torn = (name: string, bytes: Uint8Array) => {
      const part = bytes.subarray(0, Math.floor(bytes.length * process.at))
      writeFileSync(join(this.folder, "files", `${name}.${randomUUID()}.new`), part)
    }
    const journal = join(this.folder, "journal")
    const network = this.wire.fetching(
      () => this.requests++,
      () => this.fates.shift() ?? "well"
    )
    const fetching: typeof fetch = async (...asked) => {
      if (process.isDead) throw new TypeError("the process was killed")
      return network(...asked)
    }
    this.process = process
    this.engine = await openSync({
      client: createClient({ url: "http://127.0.0.1/v2", key: this.key, fetch: fetching, retries: 0 }),
      store: {
        ...store,
        write: mortal(store.write, (entries) => appendFileSync(journal, `0123456789abcdef ${JSON.stringify(entries)}`)),
        writeFile: mortal(store.writeFile, torn),
        removeFile: mortal(store.removeFile)
      },
      device: { name: "torture", platform: "torture" }
    })
    return this
  }

  /** Does something at the device; kills and opens it if that is reached. Returns undefined if it was killed. */
  async doing<A>(work: (engine: SyncEngine) => Promise<A>): Promise<A | undefined> {
    const { engine, process } = this
    try {
      const done = await work(engine)
      if (!process.isDead) return done
    } catch (error) {
      if (!process.isDead) throw error
    }
    this.wire.count("a replica is killed")
    // Its memory is gone, and the system closes its files.
    await process.store.close()
    await engine.stop()
    await this.open()
    return undefined
  }

  /** Exchanges changes with the server, which may fail. Returns whether it did not. */
  async sync(): Promise<boolean> {
    const isSynced = await this.doing(async (engine) => {
      await engine.sync().catch((error: unknown) => {
        if (!(error instanceof SheafError)) throw error
      })
      // A file whose note is in the trash waits for the note.
      const live = new Set(engine.all("attachment").map(({ sha256 }) => sha256))
      const inTrash = (await this.process.store.files()).filter((name) => !live.has(name)).length
      return engine.state.waiting <= inTrash && engine.state.error === undefined
    })
    if (isSynced === true) this.pending.clear()
    return isSynced === true
  }

  /** Kills the device at one of its next writes. */
  doom(draw: number): void {
    Object.assign(this.process, { left: 1 + Math.floor(draw * maxWrites), at: (draw * 97) % 1 })
  }

  /** Ends faults. */
  heal(): void {
    this.process.left = Infinity
  }

  async reopen(): Promise<void> {
    this.heal()
    await this.engine.close()
    await this.open()
  }
}
