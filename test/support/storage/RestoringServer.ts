import { createClient, type SheafClient } from "../../../src/clients/client/SheafClient.ts"
import type { TestApp } from "../TestApp.ts"
import { type RestorableApp, type SavedRows, startRestorable } from "./RestoredApp.ts"

/** A server with one address that is restored from backups while clients use it. */
export class RestoringServer implements AsyncDisposable {
  private readonly server: RestorableApp
  /** The address of the first App. */
  private readonly url: string
  private saved: SavedRows | undefined
  /** Ends the connections of the server, as its stop does. */
  private connections = new AbortController()

  private constructor(server: RestorableApp) {
    this.server = server
    this.url = server.app.url
  }

  static async start(): Promise<RestoringServer> {
    return new RestoringServer(await startRestorable())
  }

  get app(): TestApp {
    return this.server.app
  }

  /** Sends a request to the address of the first App. */
  readonly fetch: typeof fetch = (url, init = {}) => {
    const signals = [this.connections.signal, ...(init.signal == null ? [] : [init.signal])]
    const address = String(url).replace(this.url, this.app.url)
    // Files have the public address.
    const reached = address.replace("http://sheaf.test", new URL(this.app.url).origin)
    return fetch(reached, { ...init, signal: AbortSignal.any(signals) })
  }

  get address(): { readonly url: string; readonly key: string } {
    return { url: this.url, key: this.app.key }
  }

  client(send: typeof fetch = this.fetch): SheafClient {
    return createClient({ ...this.address, fetch: send, retries: 0 })
  }

  /** Makes a backup. What follows is of a later time. */
  async save(): Promise<void> {
    this.saved = await this.server.save()
    await this.advance(10)
  }

  advance(minutes: number): Promise<void> {
    return this.app.advance(`${minutes} minutes`)
  }

  /** Restores the last backup. The clock of the server continues. */
  async restore(): Promise<void> {
    await this.advance(10)
    this.connections.abort(new TypeError("the server was stopped"))
    this.connections = new AbortController()
    await this.server.restore(this.saved!)
    await this.advance(10)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server.stop()
  }
}
