import { SheafError } from "../../../src/clients/client/ClientProblem.ts"
import { createClient } from "../../../src/clients/client/SheafClient.ts"
import { openSync, type SyncEngine } from "../../../src/clients/sync/SyncEngine.ts"
import { memoryStore } from "../../../src/clients/sync/SyncStore.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { SyncWire } from "./SyncWire.ts"
import type { World } from "./World.ts"

/** A device of a user: a sync engine whose responses are checked. */
export class OfflineClient {
  readonly name: string
  readonly random: Random
  readonly wire: SyncWire
  engine!: SyncEngine
  protected readonly world: World
  protected readonly store = memoryStore()

  constructor(world: World, name: string, seed: number) {
    this.world = world
    this.name = name
    this.random = new Random(seed)
    this.wire = new SyncWire(world, name, this.random)
  }

  async open(): Promise<this> {
    const { key, url } = this.world.servers[0]!
    const client = createClient({ url, key, fetch: this.wire.fetch, retries: 0 })
    this.engine = await openSync({ client, store: this.store, device: { name: this.name, platform: "test" } })
    return this
  }

  /** Whether the engine follows the server. */
  isLive = false

  setLive(isLive: boolean): void | Promise<void> {
    this.isLive = isLive
    return isLive ? this.engine.start() : this.engine.stop()
  }

  /** Syncs, which the network may prevent. */
  async sync(): Promise<void> {
    await this.engine.sync().catch((error: unknown) => {
      if (!(error instanceof SheafError)) throw error
    })
    this.wire.check()
  }

  async close(): Promise<void> {
    await this.engine.close()
    this.wire.check()
  }
}
