import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

/** The paths where Debian and other distributions install it. */
const paths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const path = [process.env["CHROMIUM"], ...paths].find((each) => each !== undefined && existsSync(each))

/** A suffix for the names of tests that need a browser; empty if one is installed. */
export const missing = path === undefined ? " (skipped: no chromium here; `apt install chromium`)" : ""

/** Starts Chromium without its sandbox, because it does not run as root with the sandbox. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: path!, args: ["--no-sandbox", "--disable-gpu"] })
