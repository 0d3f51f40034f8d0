import { inject } from "vitest"
import { createClient, type SheafClient } from "../../../src/clients/client/SheafClient.ts"
import { openSync, type SyncEngine, type SyncOptions } from "../../../src/clients/sync/SyncEngine.ts"
import { memoryStore, type SyncStore } from "../../../src/clients/sync/SyncStore.ts"
import { Sheaf } from "../../../src/program/testing/Sheaf.ts"

/** A request that a device has sent, and the response to it. */
export interface Exchange {
  readonly path: string
  readonly sent: any
  readonly received: any
}

/** What happens to a request of a device, which has a body of JSON if any. */
export type Network = (url: string, send: () => Promise<Response>, sent: any) => Promise<Response>

/** An engine whose network a test controls. */
export interface SyncDevice {
  readonly engine: SyncEngine
  readonly store: SyncStore
  /** The pushes and pulls so far. */
  readonly exchanges: Array<Exchange>
  /** Replaces the network; without it every request reaches the server. */
  network: Network | undefined
  /** Runs a sync whose pushes reach the server, but whose responses are lost. */
  readonly syncWithLostResponse: () => Promise<void>
}

export const offline = (): Promise<never> => Promise.reject(new TypeError("the network is gone"))

/** A server with devices of one user. */
export class SyncDevices implements AsyncDisposable {
  readonly sheaf: Sheaf
  readonly client: SheafClient
  private readonly opened: Array<SyncDevice> = []

  private constructor(sheaf: Sheaf) {
    this.sheaf = sheaf
    this.client = createClient({ url: sheaf.url, key: sheaf.key })
  }

  static async start(): Promise<SyncDevices> {
    return new SyncDevices(await Sheaf.start({ postgres: inject("postgres") }))
  }

  /** A new device, or one that continues with the store of an earlier one. */
  async device(
    options: { readonly store?: SyncStore } & Pick<SyncOptions, "notebooks" | "types"> = {}
  ): Promise<SyncDevice> {
    const { store = memoryStore() } = options
    const exchanges: Array<Exchange> = []
    const watching: typeof fetch = async (url, init) => {
      const network = device.network ?? ((_, send) => send())
      const sent = typeof init?.body === "string" ? JSON.parse(init.body) : undefined
      const response = await network(String(url), () => fetch(url, init), sent)
      const path = String(url).slice(this.sheaf.url.length)
      if (path.startsWith("/sync/pu") && response.headers.get("content-type")?.includes("json") === true) {
        exchanges.push({ path, sent, received: await response.clone().json() })
      }
      return response
    }
    const client = createClient({
      ...this.sheaf,
      url: this.sheaf.url,
      key: this.sheaf.key,
      fetch: watching,
      retries: 0
    })
    const engine = await openSync({ ...options, client, store })
    const device: SyncDevice = {
      engine,
      store,
      exchanges,
      network: undefined,
      syncWithLostResponse: async () => {
        device.network = async (url, send) => {
          if (!url.endsWith("/sync/push")) return send()
          await (await send()).text()
          throw new TypeError("the network is gone")
        }
        await engine.sync().then(
          () => Promise.reject(new Error("the sync succeeded")),
          () => undefined
        )
        device.network = undefined
      }
    }
    this.opened.push(device)
    return device
  }

  /** Two devices that both have one note. */
  async shared(data: object = {}) {
    const [one, other] = [await this.device(), await this.device()]
    const notebook = await one.engine.create("notebook", { name: "Folder" })
    const id = await one.engine.create("note", { notebook_id: notebook, title: "Shared", body: "First.", ...data })
    await one.engine.sync()
    await other.engine.sync()
    for (const { exchanges } of [one, other]) exchanges.splice(0)
    return { one, other, id, notebook }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { engine } of this.opened) await engine.close()
    await this.sheaf.stop()
  }
}
