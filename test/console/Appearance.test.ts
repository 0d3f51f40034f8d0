import { describe, expect, it } from "vitest"
import { missing } from "../support/browser/Chromium.ts"
import { useConsole } from "../support/browser/useConsole.ts"

describe.skipIf(missing !== "")(`the appearance of the console${missing}`, () => {
  const given = useConsole()

  it("has a size and a width of the text, by the palette and in the settings, for reading and writing, on this device", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who, { viewport: { width: 1920, height: 1080 } })
    const { page } = pages
    await pages.write("Alpha", "Some words.")
    const written = () => page.evaluate<string>('getComputedStyle(document.querySelector(".editor")).fontSize')
    const read = () =>
      pages.rendered.evaluate(
        (main: { ownerDocument: { defaultView: { getComputedStyle: (element: unknown) => { fontSize: string } } } }) =>
          main.ownerDocument.defaultView.getComputedStyle(main).fontSize
      )
    const width = async () => (await page.locator(".page").boundingBox())!.width
    const find = async (words: string) => {
      await page.keyboard.press("Control+k")
      await page.keyboard.type(words)
      await page.getByRole("option", { name: words }).first().waitFor()
      await page.keyboard.press("Enter")
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }
    const narrow = await width()
    expect(await written()).toBe("17px")
    await find("Size of the text: larger")
    await find("Width of the text: wide")
    expect(parseFloat(await written())).toBeCloseTo(23.8)
    expect(await width()).toBeGreaterThan(narrow + 200)
    await pages.button("Read").click()
    await pages.rendered.getByText("Some words.").waitFor()
    await expect.poll(async () => parseFloat(await read())).toBeCloseTo(23.8)
    // The open note follows another choice.
    await find("Size of the text: small")
    await expect.poll(async () => parseFloat(await read())).toBeLessThan(15.1)

    await pages.settings("Account")
    expect(await page.getByLabel("Size of the text").inputValue()).toBe("small")
    await page.getByLabel("Size of the text").selectOption("Large")
    await page.getByLabel("Width of the text").selectOption("Normal")
    await page.getByLabel("Theme").selectOption("Dark")
    await page.reload()
    await page.getByLabel("Theme").waitFor()
    expect(await page.getByLabel("Size of the text").inputValue()).toBe("large")
    expect(await page.evaluate("({ ...document.documentElement.dataset })")).toMatchObject({
      theme: "dark",
      size: "large",
      width: "normal"
    })
    expect(pages.seen()).toEqual([])
  })
})
