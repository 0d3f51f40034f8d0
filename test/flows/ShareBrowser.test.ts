import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, BrowserContext } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readVault, type VaultFile } from "../../scripts/demo/vault.ts"
import { audit } from "../support/browser/Audit.ts"
import { launch, missing as noBrowser } from "../support/browser/Chromium.ts"
import { type Watched, watched } from "../support/browser/Watched.ts"
import { Files, sha256Of } from "../support/Files.ts"
import { markupFiles, missing as noMarkup } from "../support/hostile/Markup.ts"
import { useApp } from "../support/useApp.ts"

const vault = new URL("../../../shared/data/markdown/obsidian-help-en.zip", import.meta.url)
const noVault = existsSync(vault) ? "" : " (skipped: no ../shared/data/markdown here)"

/** Where screenshots go, when they are asked for. */
const screenshots = process.env["SHARE_SCREENSHOTS"]

/** Real pages take their time on a busy machine. */
const patience = 600_000

describe.skipIf(noBrowser !== "")(`share pages in a browser${noBrowser}`, () => {
  const { app, given } = useApp()
  let browser: Browser
  let context: BrowserContext
  let origin: string
  let inbox: string
  let tab: Watched

  beforeAll(async () => {
    browser = await launch()
    context = await browser.newContext()
    origin = new URL(app.url).origin
    tab = await watched(context, origin)
    inbox = (await given("GET", "/notebooks")).data[0].id
  }, patience)
  afterAll(() => browser.close())

  const pageOf = async (note_id: string, more: object = {}): Promise<string> =>
    origin + new URL((await given("POST", "/shares", { note_id, ...more })).url).pathname

  const newNote = async (title: string, body: string): Promise<string> =>
    (await given("POST", "/notes", { notebook_id: inbox, title, body })).id

  const windows = [
    { size: { width: 1280, height: 900 }, colorScheme: "light" },
    { size: { width: 390, height: 844 }, colorScheme: "dark" }
  ] as const

  /** What is not as it should be, in each window: pages of a vault fail together, so that all is seen at once. */
  const wrongWith = async (
    url: string,
    audited: (typeof windows)[number] | undefined
  ): Promise<ReadonlyArray<string>> => {
    await tab.page.goto(url, { waitUntil: "load" })
    const wrong = await tab.page.evaluate<Array<string>>(`(async () => {
      const images = [...document.images]
      for (const image of images) image.loading = "eager"
      await Promise.allSettled(images.map((image) => image.decode()))
      return images.filter((image) => image.naturalWidth === 0).map((image) => "broken image: " + image.src)
    })()`)
    for (const each of windows) {
      await tab.page.setViewportSize(each.size)
      await tab.page.emulateMedia({ colorScheme: each.colorScheme })
      const isWide = await tab.page.evaluate<boolean>(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
      )
      if (isWide) wrong.push(`wider than the window of ${each.size.width}`)
      if (each === audited) wrong.push(...(await audit(tab.page)))
    }
    return [...tab.seen(), ...wrong]
  }

  describe.skipIf(noVault !== "")(`of a real vault${noVault}`, () => {
    const pages = new Map<string, string>()

    beforeAll(async () => {
      const { files, notes } = await readVault(readFileSync(vault))
      const stored = new Set<string>()
      const upload = new Files(app)
      const add = async (note_id: string, { bytes, name }: VaultFile) => {
        const sha256 = sha256Of(bytes)
        if (stored.has(sha256)) await given("POST", "/attachments/uploads", { note_id, filename: name, sha256 })
        else await upload.make(note_id, bytes, { filename: name })
        stored.add(sha256)
      }
      for (const { body, path, title } of notes) {
        const note_id = await newNote(title, body)
        for (const file of files) {
          if (body.includes(file.name) || body.includes(encodeURIComponent(file.name))) await add(note_id, file)
        }
        pages.set(path, await pageOf(note_id))
      }
    }, patience)

    it(
      "load whole, ask for nothing elsewhere, and can be read by everybody, by day on a desktop and by night on a phone",
      async () => {
        expect(pages.size).toBeGreaterThan(100)
        const wrong: Record<string, ReadonlyArray<string>> = {}
        // An audit takes most of the time: every other page has one, by day and by night in turn.
        for (const [index, [path, url]] of [...pages].entries()) {
          const found = await wrongWith(url, index % 2 === 0 ? windows[(index / 2) % 2] : undefined)
          if (found.length > 0) wrong[path] = found
        }
        expect(wrong).toEqual({})
      },
      patience
    )

    it.runIf(screenshots !== undefined)(
      "look like this",
      async () => {
        mkdirSync(screenshots!, { recursive: true })
        const chosen = [...pages].filter(([path]) =>
          /(?:Callouts|Basic formatting syntax|Advanced formatting syntax|Embed files|Home)\.md$/.test(path)
        )
        for (const [path, url] of chosen) {
          const name = path.split("/").at(-1)!.replace(".md", "").replaceAll(" ", "-")
          for (const colorScheme of ["light", "dark"] as const) {
            for (const [device, width] of [
              ["desktop", 1280],
              ["phone", 390]
            ] as const) {
              await tab.page.setViewportSize({ width, height: 900 })
              await tab.page.emulateMedia({ colorScheme })
              await tab.page.goto(url, { waitUntil: "load" })
              await tab.page.screenshot({ path: join(screenshots!, `${name}-${device}-${colorScheme}.png`) })
            }
          }
          await tab.page.emulateMedia({ media: "print", colorScheme: "light" })
          await tab.page.screenshot({ path: join(screenshots!, `${name}-print.png`), fullPage: true })
          await tab.page.emulateMedia({ media: null })
        }
      },
      patience
    )
  })

  it(
    "of protected notes ask for the password, and open with it, without any script",
    async () => {
      const note_id = await newNote("Secret", "secret text")
      const url = await pageOf(note_id, { password: "open sesame" })
      const offline = await browser.newContext({ javaScriptEnabled: false })
      const page = await offline.newPage()
      expect((await page.goto(url))!.status()).toBe(401)
      await page.fill("#password", "open sesam")
      await page.click("button")
      expect(await page.textContent("[role=alert]")).toBe("That is not the password.")
      await page.fill("#password", "open sesame")
      await page.click("button")
      expect(await page.textContent(".text")).toContain("secret text")
      await page.reload()
      expect(await page.textContent(".text")).toContain("secret text")
      await offline.close()
      if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true })
      for (const colorScheme of ["light", "dark"] as const) {
        await tab.page.emulateMedia({ colorScheme })
        for (const [name, address] of [
          ["password", url],
          ["gone", `${url}x`]
        ] as const) {
          await tab.page.goto(address)
          expect(await audit(tab.page)).toEqual([])
          if (screenshots !== undefined) {
            await tab.page.screenshot({ path: join(screenshots, `${name}-${colorScheme}.png`) })
          }
        }
      }
      tab.seen()
    },
    patience
  )

  describe.skipIf(noMarkup !== "")(`of markup that attacks its readers${noMarkup}`, () => {
    it.each(markupFiles)(
      "run nothing, and ask for nothing elsewhere: %s",
      async (_, cases) => {
        const wrong: Record<string, ReadonlyArray<string>> = {}
        for (const each of cases) {
          const url = await pageOf(await newNote(each.replaceAll("\0", "").slice(0, 60).trim() || "x", each))
          await tab.page.goto(url, { waitUntil: "load" })
          const found = tab.seen()
          if (found.length > 0 || tab.page.url() !== url) wrong[each] = [...found, tab.page.url()]
        }
        expect(wrong).toEqual({})
      },
      patience
    )
  })
})
