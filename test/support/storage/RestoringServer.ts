import { createClient, type SheafClient } from "../../../src/client/SheafClient.ts"
import { startApp, type TestApp } from "../TestApp.ts"
import { restoreRows, type SavedRows, saveRows } from "./RestoredApp.ts"

/** A server with one address that is restored from backups while clients use it. */
export class RestoringServer implements AsyncDisposable {
  app: TestApp
  private saved: SavedRows | undefined
  private minutes = 0
  private readonly apps: Array<TestApp>
  /** Ends the connections of the server, as its stop does. */
  private connections = new AbortController()

  private constructor(app: TestApp) {
    this.app = app
    this.apps = [app]
  }

  static async start(): Promise<RestoringServer> {
    return new RestoringServer(await startApp())
  }

  /** Sends a request to the address of the first App. */
  readonly fetch: typeof fetch = (url, init = {}) => {
    const signals = [this.connections.signal, ...(init.signal == null ? [] : [init.signal])]
    const address = String(url).replace(this.apps[0]!.url, this.app.url)
    // Files have the public address.
    const reached = address.replace("http://sheaf.test", new URL(this.app.url).origin)
    return fetch(reached, { ...init, signal: AbortSignal.any(signals) })
  }

  get address(): { readonly url: string; readonly key: string } {
    return { url: this.apps[0]!.url, key: this.app.key }
  }

  client(send: typeof fetch = this.fetch): SheafClient {
    return createClient({ ...this.address, fetch: send, retries: 0 })
  }

  /** Makes a backup. What follows is of a later time. */
  async save(): Promise<void> {
    this.saved = await saveRows(this.app)
    await this.advance(10)
  }

  async advance(minutes: number): Promise<void> {
    this.minutes += minutes
    await this.app.advance(`${minutes} minutes`)
  }

  /** Restores the last backup. The clock of the server continues. */
  async restore(): Promise<void> {
    await this.advance(10)
    const app = await restoreRows(this.app, this.saved!)
    await app.advance(`${this.minutes + 10} minutes`)
    this.minutes += 10
    this.apps.push(app)
    this.app = app
    this.connections.abort(new TypeError("the server was stopped"))
    this.connections = new AbortController()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const app of this.apps.toReversed()) await app.stop()
  }
}
