import { readFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { partsOf } from "../../../services/transfers/formats/markdown/OwnFrontMatter.ts"
import { upload } from "../../../src/clients/client/Upload.ts"
import { missing } from "../../support/browser/Chromium.ts"
import type { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

/** A PNG of one pixel. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

describe.skipIf(missing !== "")(`a note that leaves the console${missing}`, () => {
  const given = useConsole()

  /** Chooses an entry of the menu of the open note. */
  const choose = async (pages: ConsolePages, name: string) => {
    await pages.button("More").click()
    await pages.page.getByRole("menuitem", { name, exact: true }).click()
  }
  /** What the clipboard has, by its type. */
  const clipboard = ({ page }: ConsolePages) =>
    page.evaluate<Record<string, string>>(`(async () => {
      const [item] = await navigator.clipboard.read()
      const parts = item.types.map(async (type) => [type, await (await item.getType(type)).text()])
      return Object.fromEntries(await Promise.all(parts))
    })()`)
  const copied = ({ page }: ConsolePages) => page.locator(".notice", { hasText: "Copied." })

  it("is copied as Markdown and with formatting, saved as a file, and printed as it is read, by its menu and by the palette", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const other = await client.createNote({ notebook_id, title: "Other" })
    const pages = await given.signedIn(who)
    const { page } = pages
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    const body = "**Bold**, [[Other]], [[Nowhere]] and [a page](https://sheaf.test/a).\n\n- [x] done\n"
    const id = await pages.write("Trip: 1/2", body)
    await pages.type("Last.")
    await choose(pages, "Copy as Markdown")
    await copied(pages).waitFor()
    expect((await clipboard(pages))["text/plain"]).toBe(`${body}Last.`)
    await copied(pages).getByRole("button").click()

    await choose(pages, "Copy with formatting")
    await copied(pages).waitFor()
    const { "text/html": html = "", "text/plain": plain } = await clipboard(pages)
    expect(plain).toBe(`${body}Last.`)
    const { origin } = new URL(given.sheaf.url)
    expect(html).toContain("<strong>Bold</strong>")
    expect(html).toContain(`<a href="${origin}/console/all/${other.id}">Other</a>, Nowhere and`)
    expect(html).toContain('<a href="https://sheaf.test/a">a page</a>')
    expect(html).toMatch(/☑\s+done/)
    expect(html).not.toMatch(/class=|data-|<input/)

    await page.keyboard.press("Control+k")
    await page.keyboard.type("markdown file")
    await page.getByRole("option", { name: "Save as a Markdown file" }).waitFor()
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")])
    expect(download.suggestedFilename()).toBe("Trip- 1-2.md")
    const file = await readFile(await download.path(), "utf8")
    expect(file).toMatch(new RegExp(`^---\nid: ${id}\ntitle: "Trip: 1/2"\ntags: \\[\\]\ncreated: \\S+\nupdated: `))
    expect(partsOf(file)?.rest).toBe(`${body}Last.`)

    // A browser without a screen does not print.
    await page.evaluate(`window.print = () => {
      dispatchEvent(new Event("beforeprint"))
      const article = document.querySelector("body > .printed")
      const copy = article.querySelector("div").shadowRoot ?? article
      globalThis.printed = article.querySelector("h1").textContent + " " + copy.textContent
      dispatchEvent(new Event("afterprint"))
    }`)
    const printed = () => page.evaluate<string | undefined>("globalThis.printed")
    await choose(pages, "Print the note")
    await expect.poll(printed).toMatch(/^Trip: 1\/2\s+Bold, Other, Nowhere and a page\.\s+done\s+Last\.\s*$/)
    expect(await page.locator("iframe.note-html, .printed").count()).toBe(0)
    await pages.button("Read").click()
    await pages.rendered.getByText("Bold").waitFor()
    await page.evaluate("globalThis.printed = undefined")
    await page.keyboard.press("Control+k")
    await page.keyboard.type("print")
    await page.getByRole("option", { name: "Print the note" }).waitFor()
    await page.keyboard.press("Enter")
    await expect.poll(printed).toMatch(/^Trip: 1\/2\s+Bold, /)
    expect(pages.seen()).toEqual([])
  })

  it("says that a file has no attachments, and copies no address of an image", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const note = await client.createNote({ notebook_id, title: "Pictures" })
    const content = Buffer.from(dot, "base64")
    const file = await upload(client, { note_id: note.id, filename: "dot.png", content_type: "image/png", content })
    await client.updateNote({ id: note.id, body: `![A dot|40](attachment:${file.id})` })
    const pages = await given.signedIn(who)
    await pages.page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await pages.read("Pictures")
    await choose(pages, "Copy with formatting")
    await copied(pages).waitFor()
    expect((await clipboard(pages))["text/html"]).toMatch(/^<p>A dot<\/p>\s*$/)
    await Promise.all([pages.page.waitForEvent("download"), choose(pages, "Save as a Markdown file")])
    await pages.page.locator(".notice", { hasText: "The file has the text of the note." }).waitFor()
    expect(pages.seen()).toEqual([])
  })
})
