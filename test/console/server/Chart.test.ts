import { build } from "esbuild"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { audit } from "../../support/browser/Audit.ts"
import { launch, missing } from "../../support/browser/Chromium.ts"
import { serveSite } from "../../support/browser/SiteServer.ts"
import { type Watched, watched } from "../../support/browser/Watched.ts"

const root = join(import.meta.dirname, "../../..")
const screenshots = process.env["SCREENSHOTS"]

/** A page with a chart of an hour, whose second line has a gap. */
const script = `
import { render } from "preact"
import { Chart } from "./src/clients/console/ui/charts/Chart.tsx"
const steps = { from: Date.parse("2026-03-01T12:00:00.000Z"), step: 60_000, count: 60 }
const waves = steps => Array.from({ length: 60 }, (_, index) => Math.round(500 + 400 * Math.sin(index / steps)))
const refused = waves(9).map((value, index) => (index > 20 && index < 30 ? null : value / 4))
const lines = [
  { label: "Requests", values: waves(6) },
  { label: "Refused", values: refused },
  { label: "Errors", values: waves(4).map((value) => value / 10) },
  { label: "Slow", values: waves(3).map((value) => value / 20) }
]
render(<main><h1>Charts</h1><h2>Now</h2><Chart title="Requests" unit="requests" steps={steps} lines={lines} /></main>, document.body)
`
/** The policy of the console. */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:"
const html = `<!doctype html><html lang="en"><head><title>Charts</title><meta name="viewport" content="width=device-width">
  <meta http-equiv="Content-Security-Policy" content="${policy}"><link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css">
  <script type="module" src="/page.js"></script></head><body></body></html>`

describe.skipIf(missing !== "")(`a chart of the console${missing}`, () => {
  let browser: Browser
  let site: Awaited<ReturnType<typeof serveSite>>
  let tab: Watched

  beforeAll(async () => {
    const shared = { bundle: true, write: false, logLevel: "warning", absWorkingDir: root } as const
    const [page, style] = await Promise.all([
      build({
        ...shared,
        stdin: { contents: script, loader: "tsx", resolveDir: root },
        format: "esm",
        jsx: "automatic",
        jsxImportSource: "preact"
      }),
      build({ ...shared, entryPoints: ["src/clients/console/style/console.css"] })
    ])
    const files = { "/": html, "/page.js": page.outputFiles[0]!.contents, "/page.css": style.outputFiles[0]!.contents }
    site = await serveSite(files)
    browser = await launch()
    const context = await browser.newContext({
      viewport: { width: 360, height: 640 },
      timezoneId: "UTC",
      locale: "en-GB"
    })
    tab = await watched(context, new URL(site.url).origin)
    await tab.page.goto(site.url)
    await tab.page.locator(".chart").waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await site?.stop()
  })

  const readOut = () => tab.page.getByRole("slider", { name: "Requests" }).getAttribute("aria-valuetext")

  it("shows the values of a step that the arrow keys and the pointer choose", async () => {
    const plot = tab.page.getByRole("slider", { name: "Requests" })
    expect(await readOut()).toMatch(/^1 Mar, 12:59, Requests: /)
    await plot.focus()
    await plot.press("Home")
    expect(await readOut()).toBe("1 Mar, 12:00, Requests: 500, Refused: 125, Errors: 50, Slow: 25")
    for (let times = 0; times < 2; times++) await plot.press("PageUp")
    await plot.press("ArrowRight")
    expect(await readOut()).toMatch(/^1 Mar, 12:21, Requests: \d+, Refused: –/)
    const { height, width, x, y } = (await plot.boundingBox())!
    await tab.page.mouse.move(x + width - 11, y + height / 2)
    expect(await readOut()).toMatch(/^1 Mar, 12:59/)
    await tab.page.mouse.move(x + 58, y + height / 2)
    expect(await readOut()).toMatch(/^1 Mar, 12:00/)
  })

  it("has the same values as a table, the newest first", async () => {
    await tab.page.getByText("Show as a table").click()
    const rows = tab.page.locator("tbody tr")
    await rows.first().waitFor()
    expect(await rows.count()).toBe(60)
    expect(await rows.first().innerText()).toMatch(/^1 Mar, 12:59\t/)
    expect((await rows.last().innerText()).split("\t")).toEqual(["1 Mar, 12:00", "500", "125", "50", "25"])
  })

  it.each(["light", "dark"] as const)(
    "is accessible and fits in the %s theme, from 360 pixels on",
    async (colorScheme) => {
      await tab.page.emulateMedia({ colorScheme })
      for (const width of [360, 1280]) {
        await tab.page.setViewportSize({ width, height: 640 })
        await expect
          .poll(() => tab.page.evaluate("document.querySelector('.chart-plot svg').clientWidth"))
          .toBeGreaterThan(width / 2)
        // The chart is drawn again after the page has its new width.
        await expect
          .poll(() => tab.page.evaluate<number>("document.documentElement.scrollWidth"))
          .toBeLessThanOrEqual(width)
        if (screenshots !== undefined) {
          mkdirSync(screenshots, { recursive: true })
          await tab.page.screenshot({ path: join(screenshots, `chart-${colorScheme}-${width}.png`) })
        }
      }
      expect(await audit(tab.page)).toEqual([])
      expect(tab.seen()).toEqual([])
    }
  )
})
