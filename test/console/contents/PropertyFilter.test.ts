import { describe, expect, it } from "vitest"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import type { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

describe.skipIf(missing !== "")(`the filter by a property in the console${missing}`, () => {
  const given = useConsole()

  const opened = async (options: Parameters<typeof given.signedIn>[1] = {}) => {
    const who = await given.account()
    const { client, notebook_id } = who
    const trips = await client.createNotebook({ name: "Trips" })
    const note = (title: string, matter: string, at = trips.id) =>
      client.createNote({ notebook_id: at, title, body: `---\n${matter}\n---\ntext` })
    await note("Vienna", 'status: "open *now*"\ndue date: 2027-02-01\nrating: 4\ndone: false')
    await note("Graz", "status: closed\ndue date: 2027-03-01\nrating: 3\ndone: true")
    await note("Home", "status: opening", notebook_id)
    const pages = await given.signedIn(who, options)
    await pages.row("Vienna").waitFor()
    return pages
  }
  const rows = ({ page }: ConsolePages) => page.locator(".windowed .row-title").allInnerTexts()
  const shows = (pages: ConsolePages, titles: ReadonlyArray<string>) =>
    expect.poll(async () => (await rows(pages)).toSorted()).toEqual(titles)
  const query = ({ page }: ConsolePages) => page.getByPlaceholder("Search notes").inputValue()
  const choose = async (pages: ConsolePages, name: string, comparison: string, value?: string) => {
    await pages.button("Property").click()
    const dialog = pages.dialog("Filter by a property")
    await dialog.getByLabel("Property").selectOption(name)
    await dialog.getByLabel("Comparison").selectOption(comparison)
    if (value !== undefined) await dialog.getByLabel("Value").fill(value)
    expect(await audit(pages.page)).toEqual([])
    await dialog.getByRole("button", { name: "Filter" }).click()
    await dialog.waitFor({ state: "detached" })
  }

  it("begins with the notes of a list, has the comparisons of the types of the property, and is taken away by its chip", async () => {
    const pages = await opened({ viewport: { width: 360, height: 700 } })
    await pages.button("Open the navigation").click()
    await pages.page.getByRole("link", { name: /^Trips/ }).click()
    await shows(pages, ["Graz", "Vienna"])
    await pages.button("Order and rows of the list").click()
    await pages.page.getByRole("menuitem", { name: "Filter" }).click()
    await expect.poll(() => query(pages)).toBe("in:Trips")
    await choose(pages, "status", "contains", "open *")
    await shows(pages, ["Vienna"])
    expect(await query(pages)).toBe(String.raw`in:Trips properties.status:"open \*"`)
    expect(await audit(pages.page)).toEqual([])
    expect(await pages.page.evaluate("document.documentElement.scrollWidth")).toBe(360)
    await pages.button(String.raw`Remove properties.status:"open \*"`).click()
    await shows(pages, ["Graz", "Vienna"])
    await choose(pages, "due date", "after", "2027-02-15")
    await shows(pages, ["Graz"])
    expect(await query(pages)).toBe('in:Trips properties."due date" > 2027-02-15')
    await pages.page.getByPlaceholder("Search notes").fill("")
    await shows(pages, ["Graz", "Home", "Vienna"])
    expect(pages.seen()).toEqual([])
  })

  it("is typed, several at once, next to words and other operators", async () => {
    const pages = await opened()
    await pages.search('properties.status = "closed"')
    await shows(pages, ["Graz"])
    await pages.search("properties.rating >= 3 and properties.done=false")
    await shows(pages, ["Vienna"])
    await pages.search("properties.status:open in:Inbox text")
    await shows(pages, ["Home"])
    await pages.page.getByPlaceholder("Search notes").fill("properties.rating < 5 ")
    await shows(pages, ["Graz", "Vienna"])
    await choose(pages, "done", "yes")
    await shows(pages, ["Graz"])
    await choose(pages, "rating", ">", "3.5")
    await pages.page.getByText("No note").first().waitFor()
    await pages.button("Remove properties.done = true").click()
    await shows(pages, ["Vienna"])
    await pages.page.getByPlaceholder("Search notes").fill("")
    await pages.search("-is:archived")
    await choose(pages, "rating", "has no value")
    await shows(pages, ["Home"])
    expect(pages.seen()).toEqual([])
  })
})
