import { existsSync } from "node:fs"
import { type Browser, type BrowserContext, chromium } from "playwright-core"

/** The paths where Debian and other distributions install it. */
const paths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const path = [process.env["CHROMIUM"], ...paths].find((each) => each !== undefined && existsSync(each))

/** A suffix for the names of tests that need a browser; empty if one is installed. */
export const missing = path === undefined ? " (skipped: no chromium here; `apt install chromium`)" : ""

/** The part of a browser that a test file uses. */
export interface Contexts extends Pick<Browser, "newContext"> {
  /** Closes the contexts of the file, with their pages. */
  readonly close: () => Promise<void>
}

let browser: Promise<Browser> | undefined

/**
 * Returns contexts of Chromium, which has no data of others. The test files of a process share one Chromium, which ends
 * with the process: each start takes a second of processor time. It has no sandbox, because it does not run as root with one.
 */
export const launch = async (): Promise<Contexts> => {
  browser ??= chromium.launch({ executablePath: path!, args: ["--no-sandbox", "--disable-gpu"] })
  const started = await browser
  const contexts: Array<BrowserContext> = []
  return {
    newContext: async (options) => {
      const context = await started.newContext(options)
      contexts.push(context)
      return context
    },
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()))
    }
  }
}
