import { describe, expect, it } from "vitest"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import type { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

const matter = `# of the trip
status: open
due: 2026-12-01 # not later
rating: 4.5
done: false
tags: [city, "old town"]
authors:
  - Ann
  - Bob
reviewed:
id: 12345678901234567890
`
const text = "Some words.\n\n- [ ] tickets\n"
const body = `---\n${matter}---\n${text}`

describe.skipIf(missing !== "")(`the properties of a note in the console${missing}`, () => {
  const given = useConsole()

  const opened = async (written: string, options: Parameters<typeof given.signedIn>[1] = {}) => {
    const who = await given.account()
    const { client, notebook_id } = who
    await client.createNote({ notebook_id, title: "Other", body: "---\ndeadline: 2027-01-01\n---\n" })
    const { id } = await client.createNote({ notebook_id, title: "Vienna", body: written })
    const pages = await given.signedIn(who, options)
    await pages.read("Vienna")
    return { client, id, pages, stored: async () => (await client.getNote({ id })).body }
  }
  const form = (pages: ConsolePages) => pages.page.getByRole("region", { name: "Properties" })
  const names = (pages: ConsolePages) => form(pages).locator("dt").allInnerTexts()
  const field = (pages: ConsolePages, name: string) => form(pages).getByLabel(name, { exact: true })
  const focused = (pages: ConsolePages) =>
    pages.page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.textContent")
  const after = (before: string, now: string) => body.replace(before, now)

  it("are shown while it is read, by their types, and a change writes its line alone", async () => {
    const { pages, stored } = await opened(body, { viewport: { width: 360, height: 800 } })
    await form(pages).waitFor()
    expect(await names(pages)).toEqual([...["status", "due", "rating", "done", "tags", "authors", "reviewed", "id"]])
    for (const [name, type, value] of [
      ["status", null, "open"],
      ["due", "date", "2026-12-01"],
      ["rating", "number", "4.5"]
    ] as const) {
      expect(await field(pages, name).getAttribute("type")).toBe(type)
      expect(await field(pages, name).inputValue()).toBe(value)
    }
    expect(await field(pages, "done").isChecked()).toBe(false)
    expect(await form(pages).locator(".tag span").allInnerTexts()).toEqual(["city", "old town", "Ann", "Bob"])
    // A number that programs do not keep is left to the source.
    expect(await form(pages).locator("[data-name=id] input").count()).toBe(0)
    expect(await audit(pages.page)).toEqual([])
    expect(await pages.page.evaluate("document.documentElement.scrollWidth")).toBe(360)
    expect(await stored()).toBe(body)

    await field(pages, "done").press("Space")
    let now = after("done: false", "done: true")
    await expect.poll(stored).toBe(now)
    await field(pages, "rating").press("ControlOrMeta+a")
    await pages.page.keyboard.type("3.05")
    now = now.replace("4.5", "3.05")
    await expect.poll(stored).toBe(now)
    await field(pages, "due").fill("2027-02-03")
    now = now.replace("2026-12-01", "2027-02-03")
    await expect.poll(stored).toBe(now)
    await field(pages, "status").press("End")
    await pages.page.keyboard.type(": soon")
    now = now.replace("status: open", 'status: "open: soon"')
    await expect.poll(stored).toBe(now)
    await field(pages, "tags: Add an item").fill("Wien ")
    await pages.page.keyboard.press("Enter")
    await pages.button("Remove city").press("Enter")
    now = now.replace('[city, "old town"]', "[old town, Wien]")
    await expect.poll(stored).toBe(now)
    // An item may have a comma. The same one is not added again.
    const item = field(pages, "tags: Add an item")
    for (const typed of ["Heron, grey", "Wien", "Heron, grey"]) {
      await item.focus()
      await pages.page.keyboard.type(typed)
      await item.press("Enter")
      await expect.poll(() => item.inputValue()).toBe("")
    }
    now = now.replace("Wien]", 'Wien, "Heron, grey"]')
    await expect.poll(stored).toBe(now)
    await pages.button("Remove Bob").click()
    now = now.replace("  - Bob\n", "")
    await expect.poll(stored).toBe(now)
    await pages.state("Saved")
    await field(pages, "reviewed").fill("yes")
    await expect.poll(stored).toBe(now.replace("reviewed:", "reviewed: yes"))
    // What was typed is one step.
    await pages.page.keyboard.press("ControlOrMeta+z")
    await expect.poll(stored).toBe(now)
    await pages.button("Remove due").click()
    await expect.poll(stored).toBe(now.replace("due: 2027-02-03 # not later\n", ""))
    await pages.page.keyboard.press("ControlOrMeta+z")
    await expect.poll(stored).toBe(now)
    expect(pages.seen().filter((each) => !each.includes("in 'about:srcdoc'"))).toEqual([])
  })

  it("are added by the menu of a note without any, with the names and types of other notes, by keys alone", async () => {
    const { pages, stored } = await opened(text)
    await pages.rendered.getByText("Some words.").waitFor()
    expect(await form(pages).count()).toBe(0)
    await pages.button("More").press("Enter")
    await pages.page.getByRole("menuitem", { name: "Add property" }).press("Enter")
    const name = form(pages).getByLabel("Name of the property")
    await expect.poll(() => form(pages).locator("datalist option").count()).toBe(1)
    await pages.page.keyboard.type("deadline")
    await expect.poll(() => form(pages).getByLabel("Kind").inputValue()).toBe("date")
    expect(await audit(pages.page)).toEqual([])
    expect(await stored()).toBe(text)
    await pages.page.keyboard.press("Enter")
    await expect.poll(() => focused(pages)).toBe("deadline")
    await field(pages, "deadline").fill("2026-11-30")
    await expect.poll(stored).toBe(`---\ndeadline: 2026-11-30\n---\n${text}`)
    await pages.button("Add property").press("Enter")
    await name.fill("places")
    await form(pages).getByLabel("Kind").selectOption("List")
    await name.press("Enter")
    await expect.poll(() => focused(pages)).toBe("places: Add an item")
    await pages.page.keyboard.type("Graz")
    await pages.page.keyboard.press("Enter")
    await pages.page.keyboard.type("Linz")
    await pages.page.keyboard.press("Enter")
    await expect.poll(stored).toBe(`---\ndeadline: 2026-11-30\nplaces: [Graz, Linz]\n---\n${text}`)
    // Without its last property, the front matter goes.
    await pages.button("Remove deadline").click()
    await pages.button("Remove places").click()
    await expect.poll(stored).toBe(text)
    await expect.poll(() => focused(pages)).toBe("Add property")
  })

  it("stand for the source while it is written, which the cursor shows, and are undone there", async () => {
    const crlf = body.replaceAll("\n", "\r\n")
    const { client, id, pages, stored } = await opened(crlf)
    await pages.edit()
    await form(pages).waitFor()
    const shown = async () => (await pages.editor.innerText()).includes("status")
    const { keyboard } = pages.page
    await expect.poll(shown).toBe(false)
    expect(await audit(pages.page)).toEqual([])
    // The cursor is at the start of the text. A key that would change the source shows it instead.
    await keyboard.press("Backspace")
    await expect.poll(shown).toBe(true)
    expect(await form(pages).count()).toBe(0)
    await keyboard.press("ArrowDown")
    await form(pages).waitFor()
    await expect.poll(shown).toBe(false)
    await keyboard.press("ArrowUp")
    await expect.poll(shown).toBe(true)
    await keyboard.press("ControlOrMeta+End")
    await form(pages).waitFor()
    await pages.button("Show source").press("Enter")
    await expect.poll(shown).toBe(true)
    await keyboard.press("ControlOrMeta+End")
    await form(pages).waitFor()
    expect(await client.getNote({ id })).toMatchObject({ version: 1, body: crlf })

    const crlfAfter = (before: string, now: string) => crlf.replace(before, now)
    await field(pages, "status").press("End")
    await keyboard.type("ed")
    await expect.poll(stored).toBe(crlfAfter("open", "opened"))
    await field(pages, "done").click()
    await expect.poll(stored).toBe(crlfAfter("open", "opened").replace("done: false", "done: true"))
    await keyboard.press("ControlOrMeta+z")
    await expect.poll(stored).toBe(crlfAfter("open", "opened"))
    await pages.editor.focus()
    await keyboard.press("ControlOrMeta+z")
    await expect.poll(stored).toBe(crlf)
    await keyboard.press("ControlOrMeta+Shift+z")
    await expect.poll(stored).toBe(crlfAfter("open", "opened"))
    // The source is text like any other, and the form follows it.
    await pages.button("Show source").click()
    await keyboard.insertText("city: Graz\n")
    await keyboard.press("ControlOrMeta+End")
    await expect.poll(() => field(pages, "city").inputValue()).toBe("Graz")
    await expect.poll(stored).toBe(crlfAfter("open", "opened").replace("---\r\n", "---\r\ncity: Graz\r\n"))
  })

  it("are no form where the front matter is not valid YAML, and cannot be changed where that is not safe", async () => {
    for (const written of [`---\na: 1\na: [\n---\n${text}`, `+++\na = 1\n+++\n${text}`]) {
      const { pages, stored } = await opened(written)
      await pages.rendered.getByText("Some words.").waitFor()
      await pages.edit()
      await pages.page.locator(".cm-line", { hasText: /^a/ }).first().waitFor()
      expect(await form(pages).count()).toBe(0)
      expect(await stored()).toBe(written)
    }
    const indented = `---\n  a: 1\n---\n${text}`
    const { pages, stored } = await opened(indented)
    await form(pages).getByText("This front matter can be changed in its source only.").waitFor()
    expect(await names(pages)).toEqual(["a"])
    expect(await form(pages).locator("input, textarea, button").count()).toBe(0)
    await pages.edit()
    await pages.page.locator(".cm-line", { hasText: "a: 1" }).waitFor()
    expect(await form(pages).count()).toBe(0)
    expect(await stored()).toBe(indented)
  })

  it("keep what others change meanwhile, also in the next line, while there is no network", async () => {
    const { client, id, pages, stored } = await opened(body)
    await form(pages).waitFor()
    await pages.page.context().setOffline(true)
    await field(pages, "status").fill("closed")
    await field(pages, "tags: Add an item").fill("x")
    await field(pages, "tags: Add an item").press("Enter")
    await pages.state("Offline: kept on this device")
    await client.editNote({ id, properties: { set: { due: "2027-01-01", done: true } }, append: "Their words." })
    await pages.page.context().setOffline(false)
    const now = after("status: open\ndue: 2026-12-01", "status: closed\ndue: 2027-01-01")
      .replace("done: false", "done: true")
      .replace('"old town"]', "old town, x]")
    await expect.poll(stored).toBe(`${now}\nTheir words.`)
    await expect.poll(() => field(pages, "done").isChecked()).toBe(true)
    expect(await field(pages, "due").inputValue()).toBe("2027-01-01")
  })

  it("have the words of both where two clients change the same property at once, which the page says", async () => {
    const { client, id, pages, stored } = await opened(body)
    await form(pages).waitFor()
    await pages.page.context().setOffline(true)
    await field(pages, "status").fill("closed")
    await pages.state("Offline: kept on this device")
    await client.editNote({ id, properties: { set: { status: "paid" } } })
    await pages.page.context().setOffline(false)
    await pages.page.locator(".notice", { hasText: "Merged with" }).waitFor()
    await expect.poll(stored).toMatch(/^status: paid\s+closed$/m)
  })
})
