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
import { sampled } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

const vault = new URL("../../../shared/data/markdown/obsidian-help-en.zip", import.meta.url)
const noVault = existsSync(vault) ? "" : " (skipped: no ../shared/data/markdown here)"

/** The folder for screenshots, if any. */
const screenshots = process.env["SHARE_SCREENSHOTS"]

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** A note with every feature that pages render. */
const features = String.raw`Euler wrote $e^{i\pi} + 1 = 0$, and it costs $5 to $10.

$$
\int_{-\infty}^{\infty} e^{-x^2} \, dx = \sqrt{\pi}
$$

$$\begin{aligned} (a+b)^2 &= a^2 + 2ab + b^2 \\ (a-b)^2 &= a^2 - 2ab + b^2 \end{aligned}$$

A matrix $$A = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}, \quad f(x) = \begin{cases} x & x > 0 \\ 0 & \text{else} \end{cases} \tag{1}$$ and a long formula, which may not be wider than its page: $a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} + a_{12} + a_{13} + a_{14} = \sum_{i=1}^{14} a_i$.

$$x_1 + x_2 + x_3 + x_4 + x_5 + x_6 + x_7 + x_8 + x_9 + x_{10} + x_{11} + x_{12} + x_{13} + x_{14} + x_{15} + x_{16} + x_{17} = \frac{\cancel{a}\boxed{b}}{\underline{c}}$$

Bad TeX: $\nonesuch{x$ and ==marked **text**==.

![pixel|100x50](pixel.png) ![gone](attachment:at_0000000000000000000000)

~~~ts
/** A comment. */
export const answer = async (name: string): Promise<number> => {
  const pattern = /a+/g // and a very long line that is wider than the window of any phone, so that it has to scroll
  return name.length > 41 ? 42 : await fetch("https://example.org/" + name).then((response) => response.status)
}
~~~

~~~diff
- removed
+ added
~~~

~~~python
@decorator
def f(x: int = 1) -> str:
    return f"{x!r}" if x is not None else 'none'
~~~

- [x] done
- [ ] to do
- a plain item
  - [ ] inside
  - plain inside
1. [ ] numbered
2. plain number

> [!warning]- Folded
> what is folded

> [!tip]+ Open
> what is **open** \`code\`
>
> ~~~js
> const inside = "a callout" // remark
> ~~~

A block with a name. ^named

[[#^named|to the named block]]

مرحبا بالعالم، هذه فقرة بالعربية مع **نص غامق** و \`code\`.
سطر ثانٍ.

- عنصر أول
- عنصر ثانٍ
  - [ ] مهمة

> اقتباس

> [!note] ملاحظة
> نص

| الاسم | العدد |
|---|---|
| واحد | 1 |

## עברית

An English paragraph again.
Its second line.
`.replaceAll("\\`", "`")

/** Milliseconds for a test; real pages are slow on a busy machine. */
const testTimeout = 600_000

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
  }, testTimeout)
  afterAll(() => browser.close())

  const pageOf = async (note_id: string, more: object = {}): Promise<string> =>
    origin + new URL((await given("POST", "/shares", { note_id, ...more })).url).pathname

  const newNote = async (title: string, body: string): Promise<string> =>
    (await given("POST", "/notes", { notebook_id: inbox, title, body })).id

  const windows = [
    { size: { width: 1280, height: 900 }, colorScheme: "light" },
    { size: { width: 390, height: 844 }, colorScheme: "dark" }
  ] as const

  /** Returns what is wrong in each window, so that the test reports all pages of a vault together. */
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
    let noteCount = 0

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
      noteCount = notes.length
      for (const { body, path, title } of screenshots === undefined ? sampled(notes, 6) : notes) {
        const note_id = await newNote(title, body)
        for (const file of files) {
          if (body.includes(file.name) || body.includes(encodeURIComponent(file.name))) await add(note_id, file)
        }
        pages.set(path, await pageOf(note_id))
      }
    }, testTimeout)

    it(
      "load completely, request nothing from other origins, and are accessible, light on a desktop and dark on a phone",
      async () => {
        expect(noteCount).toBeGreaterThan(100)
        const wrong: Record<string, ReadonlyArray<string>> = {}
        // Audits take most of the time: every other page is audited, alternately in each window.
        for (const [index, [path, url]] of [...pages].entries()) {
          const found = await wrongWith(url, index % 2 === 0 ? windows[(index / 2) % 2] : undefined)
          if (found.length > 0) wrong[path] = found
        }
        expect(wrong).toEqual({})
      },
      testTimeout
    )

    it.runIf(screenshots !== undefined)(
      "are saved as screenshots",
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
      testTimeout
    )
  })

  it(
    "with formulas, code, callouts, tasks and right-to-left text are accessible, and fit on a phone",
    async () => {
      const note_id = await newNote("What notes have", features)
      const picture = await new Files(app).make(note_id, Buffer.from(onePixel, "base64"), { filename: "pixel.png" })
      const url = await pageOf(note_id)
      const wrong: Array<string> = []
      for (const each of windows) wrong.push(...(await wrongWith(url, each)))
      expect(wrong).toEqual([])
      const found = await tab.page.evaluate<object>(`({
        formulas: document.querySelectorAll("math").length,
        display: getComputedStyle(document.querySelector("math[display=block]")).display,
        direction: getComputedStyle(document.querySelector("ul[dir=rtl]")).direction,
        code: getComputedStyle(document.querySelector(".hljs-keyword")).color !== getComputedStyle(document.querySelector("pre")).color,
        bullet: getComputedStyle(document.querySelector(".contains-task-list > li:not(.task-list-item)")).listStyleType,
        image: document.images[0].width
      })`)
      expect(found).toMatchObject({ display: "block math", direction: "rtl", code: true, bullet: "disc", image: 100 })
      await tab.page.click("text=to the named block")
      expect(new URL(tab.page.url()).hash).toBe("#b-named")
      await tab.page.click("summary >> text=Folded")
      expect(await tab.page.isVisible("text=what is folded")).toBe(true)
      expect((await tab.page.goto(`${url}/files/${picture.id}`))!.headers()["content-type"]).toBe("image/png")
      tab.seen()
      if (screenshots === undefined) return
      mkdirSync(screenshots, { recursive: true })
      for (const { colorScheme, size } of windows.flatMap(({ size }) => [
        { size, colorScheme: "light" as const },
        { size, colorScheme: "dark" as const }
      ])) {
        await tab.page.setViewportSize(size)
        await tab.page.emulateMedia({ colorScheme })
        await tab.page.goto(url, { waitUntil: "load" })
        await tab.page.screenshot({
          path: join(screenshots, `features-${size.width}-${colorScheme}.png`),
          fullPage: true
        })
      }
    },
    testTimeout
  )

  it(
    "of protected notes open with their password, without scripts",
    async () => {
      const note_id = await newNote("Secret", "secret text")
      const url = await pageOf(note_id, { password: "open sesame" })
      const offline = await browser.newContext({ javaScriptEnabled: false })
      const page = await offline.newPage()
      expect((await page.goto(url))!.status()).toBe(401)
      await page.fill("#password", "open sesam")
      await page.click("button")
      expect(await page.textContent("[role=alert]")).toBe("The password is wrong.")
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
    testTimeout
  )

  describe.skipIf(noMarkup !== "")(`of markup that attacks its readers${noMarkup}`, () => {
    it.each(markupFiles)(
      "run no script, and request nothing from other origins: %s",
      async (_, cases) => {
        const wrong: Record<string, ReadonlyArray<string>> = {}
        for (const each of sampled(cases, 5)) {
          const url = await pageOf(await newNote(each.replaceAll("\0", "").slice(0, 60).trim() || "x", each))
          await tab.page.goto(url, { waitUntil: "load" })
          const found = tab.seen()
          if (found.length > 0 || tab.page.url() !== url) wrong[each] = [...found, tab.page.url()]
        }
        expect(wrong).toEqual({})
      },
      testTimeout
    )
  })
})
