/** A device of the user: an engine of `sheaf/sync`, whose requests pass the wire. */
import { createClient } from "../../src/client/SheafClient.ts"
import { SheafError } from "../../src/client/ClientProblem.ts"
import { openSync, type SyncEngine } from "../../src/sync/SyncEngine.ts"
import { memoryStore } from "../../src/sync/SyncStore.ts"
import { Turn } from "./Turn.ts"
import type { Fate } from "./Plan.ts"
import type { Wire } from "./Wire.ts"

export class Replica {
  readonly name: string
  /** Operations of one device follow each other. */
  readonly turn = new Turn()
  /** The records with edits that the server may not have. */
  readonly pending = new Set<string>()
  /** What happens to the next pushes. */
  readonly fates: Array<Fate> = []
  private readonly wire: Wire
  private readonly key: string
  private readonly store = memoryStore()
  private requests = 0
  engine!: SyncEngine

  constructor(name: string, wire: Wire, key: string) {
    this.name = name
    this.wire = wire
    this.key = key
  }

  /** Opens the store, in which a device that was closed continues. */
  async open(): Promise<this> {
    const fetching = this.wire.fetching(
      () => this.requests++,
      () => this.fates.shift() ?? "well"
    )
    const client = createClient({ url: "http://127.0.0.1/v2", key: this.key, fetch: fetching, retries: 0 })
    this.engine = await openSync({ client, store: this.store, device: { name: this.name, platform: "torture" } })
    return this
  }

  /** Exchanges changes with the server, which may fail. Returns whether it did not. */
  async sync(): Promise<boolean> {
    try {
      await this.engine.sync()
    } catch (error) {
      if (!(error instanceof SheafError)) throw error
      return false
    }
    const { refused, state } = this.engine
    // The file of a refused attachment waits for the user.
    const isDone = state.waiting <= refused.filter(({ edit }) => edit.type === "attachment").length
    if (isDone && state.error === undefined) this.pending.clear()
    return isDone
  }

  async reopen(): Promise<void> {
    await this.engine.close()
    await this.open()
  }
}
