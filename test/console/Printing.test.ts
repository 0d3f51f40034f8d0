import { describe, expect, it } from "vitest"
import { missing } from "../support/browser/Chromium.ts"
import type { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"

describe.skipIf(missing !== "")(`a printed note${missing}`, () => {
  const given = useConsole()

  /** The number of pages of a print, and the text that they have. */
  const printed = async ({ page }: ConsolePages) => {
    // The text that the browser prints, in the layout of the print.
    await page.evaluate(`addEventListener("beforeprint", () => {
      const article = document.querySelector("body > .printed")
      const copy = article.querySelector("div").shadowRoot ?? article
      globalThis.printedText = article.querySelector("h1").textContent + " " + copy.textContent
    }, { once: true })`)
    const pdf = await page.pdf({ format: "A4" })
    return {
      pages: (pdf.toString("latin1").match(/\/Type \/Page\b/g) ?? []).length,
      text: await page.evaluate<string>("globalThis.printedText")
    }
  }

  it("has its title and its whole text, from the reading view and from the writing view", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const lines = Array.from(
      { length: 300 },
      (_, at) => `Paragraph ${at} of a note that is longer than a window. **Bold.**`
    )
    const body = `${lines.join("\n\n")}\n\nThe last words.`
    await client.createNote({ notebook_id, title: "A long note", body })
    const pages = await given.signedIn(who)
    await pages.read("A long note")
    await pages.rendered.getByText("The last words.").waitFor()
    const read = await printed(pages)
    expect(read.text).toMatch(/^A long note\s+Paragraph 0 [^*]* Bold\.[\s\S]*The last words\.\s*$/)
    // About 25 paragraphs a page.
    expect(read.pages).toBeGreaterThan(9)
    expect(read.pages).toBeLessThan(20)
    await pages.edit()
    const written = await printed(pages)
    expect(written.text).toContain("**Bold.**\n\nThe last words.")
    expect(written.pages).toBeGreaterThan(9)
    expect(await pages.page.locator(".printed").count()).toBe(0)
    expect(pages.seen()).toEqual([])
  })
})
