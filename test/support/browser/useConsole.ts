import { Effect } from "effect"
import type { Browser, BrowserContextOptions } from "playwright-core"
import { afterAll, beforeAll, inject } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { createClient, type SheafClient } from "../../../src/clients/client/SheafClient.ts"
import { Sheaf } from "../../../src/program/testing/Sheaf.ts"
import type { SheafOptions } from "../../../src/program/testing/TestRun.ts"
import { launch, missing } from "./Chromium.ts"
import { ConsolePages, type Credentials } from "./ConsolePages.ts"

/** An account of a test, with a client of the API that is signed in with it. */
export interface Account extends Credentials {
  readonly client: SheafClient
  /** The first notebook of the workspace of the account. */
  readonly notebook_id: string
}

let made = 0

/** Starts an instance and a browser before the tests of a file, and stops both after them. */
export const useConsole = (options: SheafOptions = {}) => {
  let running: { readonly sheaf: Sheaf; readonly browser: Browser } | undefined
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
    browse: (given: BrowserContextOptions = {}) =>
      started().browser.newContext({ viewport: { width: 1280, height: 800 }, ...given }),
    /** Opens the console in another browser, signed in. */
    signedIn: async (who: Credentials, given: BrowserContextOptions = {}): Promise<ConsolePages> => {
      const { browser, sheaf } = started()
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...given })
      const pages = await ConsolePages.open(context, sheaf.url)
      await pages.signIn(who)
      return pages
    }
  }
}
