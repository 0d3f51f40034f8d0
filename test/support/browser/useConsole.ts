import { Effect } from "effect"
import type { BrowserContextOptions } from "playwright-core"
import { afterAll, beforeAll, inject } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { createClient, type SheafClient } from "../../../src/clients/client/SheafClient.ts"
import { Sheaf, type SheafOptions } from "../../../src/program/testing/Sheaf.ts"
import { type Contexts, launch, missing } from "./Chromium.ts"
import { ConsolePages, type Credentials } from "./ConsolePages.ts"
import { isSlow } from "../Slow.ts"

/** An account of a test, with a client of the API that is signed in with it. */
export interface Account extends Credentials {
  readonly client: SheafClient
  /** The first notebook of the workspace of the account. */
  readonly notebook_id: string
}

let made = 0

/**
 * Starts an instance before the tests of a file, and stops it after them. With `plain`, pages have no service worker in
 * `npm test`, as by plain HTTP from another host: it stores the whole console, which takes half a second of processor time
 * in each context.
 */
export const useConsole = (options: SheafOptions = {}, { plain = false } = {}) => {
  let running: { readonly sheaf: Sheaf; readonly browser: Contexts } | undefined
  const started = () => {
    if (running === undefined) throw new Error("the instance runs only during tests and their hooks")
    return running
  }
  beforeAll(async () => {
    if (missing === "")
      running = { sheaf: await Sheaf.start({ ...options, postgres: inject("postgres") }), browser: await launch() }
  })
  afterAll(async () => {
    await running?.browser.close()
    await running?.sheaf.stop()
  })
  /** Runs a statement in the database of the instance. */
  const sql = (text: string, values: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<any>> =>
    started().sheaf.run(Effect.flatMap(Database, ({ write }) => write.unsafe(text, values)))
  const account = async (): Promise<Account> => {
    const credentials = { email: `person-${++made}@console.test`, password: "correct horse battery" }
    const client = createClient({ url: started().sheaf.url })
    await client.signUp(credentials)
    const notebook_id = (await client.listNotebooks()).data[0]!.id
    return { ...credentials, client, notebook_id }
  }
  const browse = async (given: BrowserContextOptions = {}) => {
    const context = await started().browser.newContext({ viewport: { width: 1280, height: 800 }, ...given })
    if (plain && !isSlow) await context.addInitScript("delete Navigator.prototype.serviceWorker")
    return context
  }
  return {
    get sheaf() {
      return started().sheaf
    },
    sql,
    /** Creates an account by the API. */
    account,
    /** Creates an account of an operator of the server. */
    operator: async (): Promise<Account> => {
      const made = await account()
      await sql("UPDATE users SET is_operator = true WHERE email = $1", [made.email])
      return made
    },
    /** Another browser, which has no data of earlier ones. */
    browse,
    /** Opens the console in another browser, signed in. */
    signedIn: async (who: Credentials, given: BrowserContextOptions = {}): Promise<ConsolePages> => {
      const pages = await ConsolePages.open(await browse(given), started().sheaf.url)
      await pages.signIn(who)
      return pages
    }
  }
}
