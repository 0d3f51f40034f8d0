import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { audit } from "../support/browser/Audit.ts"
import { missing } from "../support/browser/Chromium.ts"
import type { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { isSlow } from "../support/Slow.ts"

/** The folder for screenshots, if any. */
const screenshots = process.env["SCREENSHOTS"]

const windows = [
  ["phone", { width: 390, height: 844 }],
  ["desktop", { width: 1280, height: 800 }],
  ["wide", { width: 1920, height: 1080 }]
] as const

describe.skipIf(!isSlow || missing !== "")(`finding in the console${missing}`, () => {
  const given = useConsole()

  /** Looks at the open page in each window, light and dark, and returns what is not accessible or does not fit. */
  const wrongOf = async ({ page }: ConsolePages, name: string): Promise<ReadonlyArray<string>> => {
    const wrong: Array<string> = []
    if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true })
    for (const [device, size] of windows) {
      await page.setViewportSize(size)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        if ((device === "phone") === (colorScheme === "dark")) wrong.push(...(await audit(page)))
        const path = join(screenshots ?? "", `${name}-${device}-${colorScheme}.png`)
        if (screenshots !== undefined) await page.screenshot({ path })
      }
    }
    await page.setViewportSize({ width: 360, height: 640 })
    const width = await page.evaluate<number>("document.documentElement.scrollWidth")
    if (width > 360) wrong.push(`wider than the window: ${width}`)
    await page.setViewportSize({ width: 1280, height: 800 })
    return wrong
  }

  /** The name of the option that is selected. */
  const selected = ({ page }: ConsolePages) => page.locator(".found[aria-selected=true] .found-title").innerText()

  it("opens notes, headings, notebooks, tags and commands by Ctrl-K, also with typing errors", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const trips = await client.createNotebook({ name: "Trips", icon: "plane" })
    for (const title of ["Packing list", "Vienna in winter", "Bread with rye"]) {
      const body = `# Plan\n\nThe way to ${title}.\n\n${"Words.\n\n".repeat(80)}\n## Return\n\nBack on Sunday.`
      await client.createNote({ notebook_id: trips.id, title, body, tags: ["travel"] })
    }
    await given.sheaf.advance("1 minute")
    for (let at = 0; at < 105; at++) await client.createNote({ notebook_id, title: `Note ${at}` })
    const pages = await given.signedIn(who)
    const { page } = pages
    const { keyboard } = page
    await page.locator(".windowed a.row").first().waitFor()
    await keyboard.press("Control+k")
    await page.locator(".palette .found").first().waitFor()
    expect(await selected(pages)).toBe("New note")
    // Not loaded, and mistyped.
    await keyboard.type("viena")
    await page.locator(".found", { hasText: "Vienna in winter" }).waitFor()
    expect(await selected(pages)).toContain("Search for")
    expect(await wrongOf(pages, "palette-server")).toEqual([])
    await keyboard.press("ArrowUp")
    await expect.poll(() => selected(pages)).toBe("Vienna in winter")
    await keyboard.press("Enter")
    await pages.rendered.getByText("Back on Sunday.").waitFor()
    await keyboard.press("Control+k")
    await keyboard.type("return")
    await expect.poll(() => selected(pages)).toBe("Return")
    await keyboard.press("Enter")
    const top = () => page.locator(".pane.note").evaluate<number>((pane: { scrollTop: number }) => pane.scrollTop)
    await expect.poll(top).toBeGreaterThan(500)
    await keyboard.press("Control+k")
    await keyboard.type("trips")
    expect(await selected(pages)).toBe("Trips")
    expect(await wrongOf(pages, "palette")).toEqual([])
    await keyboard.press("Enter")
    await page.waitForURL(/\/nb_/)
    await pages.row("Packing list").waitFor()
    await keyboard.press("Control+k")
    await keyboard.type("#trav")
    expect(await selected(pages)).toBe("#travel")
    await keyboard.press("Enter")
    await page.waitForURL(/\/tag:travel/)
    await keyboard.press("Control+k")
    await page.locator(".found", { hasText: "Vienna in winter" }).waitFor()
    expect(await wrongOf(pages, "palette-recent")).toEqual([])
    await keyboard.type("dark")
    await keyboard.press("Enter")
    await expect.poll(() => page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(23, 25, 27)")
    await keyboard.press("Control+k")
    await keyboard.type("A plan for May")
    await page.locator(".found", { hasText: "New note “A plan for May”" }).click()
    await pages.editor.waitFor()
    expect(await page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("A plan for May")
    expect(pages.seen()).toEqual([])
  })

  it("lists the keys by ?, and does nothing by single keys while someone types or has switched them off", async () => {
    const pages = await given.signedIn(await given.account())
    const { page } = pages
    const { keyboard } = page
    await page.getByText("No notes yet.").waitFor()
    await keyboard.press("?")
    await pages.dialog("Keys").getByText("save now").waitFor()
    expect(await wrongOf(pages, "keys")).toEqual([])
    await keyboard.press("n")
    await pages.closeDialog("Keys")
    expect(await pages.editor.count()).toBe(0)
    await keyboard.press("/")
    await keyboard.type("n?d/")
    expect(await page.getByPlaceholder("Search notes").inputValue()).toBe("n?d/")
    await keyboard.press("Escape")
    await page.evaluate("document.activeElement.blur()")
    await keyboard.press("n")
    await pages.editor.waitFor()
    await page.getByRole("textbox", { name: "Title" }).fill("d?")
    await pages.state("Saved")
    await pages.button("Read").click()
    await keyboard.press("?")
    await pages
      .dialog("Keys")
      .getByLabel(/^Single keys/)
      .uncheck()
    await pages.closeDialog("Keys")
    await keyboard.press("?")
    await keyboard.press("/")
    expect(await page.locator("dialog, .search input:focus").count()).toBe(0)
    expect(pages.seen()).toEqual([])
  })
})
