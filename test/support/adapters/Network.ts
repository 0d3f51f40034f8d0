import { createClient, type SheafClient } from "../../../src/clients/client/SheafClient.ts"
import type { Random } from "../../../src/program/testing/Random.ts"
import type { Sheaf } from "../../../src/program/testing/Sheaf.ts"

/** The connection of one device to a server, which a test takes away. */
export class Network {
  readonly client: SheafClient
  /** The chance that the response to a push is lost. */
  lostPushes = 0
  pushes = 0
  /** Called when the network is back. */
  onOnline: () => void = () => {}
  private connection = new AbortController()

  /** Each request goes to one of the nodes, which are by default the one with the URL. */
  constructor(
    { key, nodes, url }: Pick<Sheaf, "key" | "url"> & { readonly nodes?: ReadonlyArray<string> },
    random: Random
  ) {
    this.client = createClient({
      url,
      key,
      // The adapters themselves repeat what has failed.
      retries: 0,
      fetch: async (address, init = {}) => {
        const isPush = String(address).endsWith("/sync/push")
        const signals = [this.connection.signal, ...(init.signal == null ? [] : [init.signal])]
        // Only pushes draw numbers from a network of one node: how often its device asks depends on real time.
        const node = nodes === undefined ? url : random.pick(nodes)
        const response = await fetch(String(address).replace(url, node), { ...init, signal: AbortSignal.any(signals) })
        if (isPush) this.pushes++
        if (isPush && random.chance(this.lostPushes)) throw new TypeError("the response was lost")
        return response
      }
    })
  }

  /** Ends all connections, also those of streams, and lets none begin. */
  goOffline(): void {
    this.connection.abort(new TypeError("there is no network"))
  }

  get isOffline(): boolean {
    return this.connection.signal.aborted
  }

  goOnline(): void {
    this.connection = new AbortController()
    this.onOnline()
  }
}
