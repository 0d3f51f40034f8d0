import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

/** As Debian, and others, install it. */
const paths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const path = [process.env["CHROMIUM"], ...paths].find((each) => each !== undefined && existsSync(each))

/** For the names of tests that need a browser: empty where there is one. */
export const missing = path === undefined ? " (skipped: no chromium here; `apt install chromium`)" : ""

/** No sandbox: tests may be run by root, which Chromium refuses otherwise. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: path!, args: ["--no-sandbox", "--disable-gpu"] })
