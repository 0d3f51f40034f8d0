import { describe, expect, it } from "vitest"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import type { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

describe.skipIf(missing !== "")(`links of a note in the console${missing}`, () => {
  const given = useConsole()

  /** The scripts by which a test looks into the frame of a note are reported, although they run. */
  const wrongIn = (pages: ConsolePages) => pages.seen().filter((each) => !each.includes("in 'about:srcdoc'"))
  const title = (pages: ConsolePages) => pages.page.locator(".reading h1")
  const section = (pages: ConsolePages) => pages.page.locator("details.links")
  const link = (pages: ConsolePages, href: string) => pages.rendered.locator(`a[href^="${href}"]`).first()

  /** A workspace with two notes of one title, one that links to them, and one more. */
  const linked = async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const trips = await client.createNotebook({ name: "Trips" })
    const inner = await client.createNotebook({ name: "Inner", parent_id: trips.id })
    const note = async (at: string, title: string, body: string) =>
      (await client.createNote({ notebook_id: at, title, body })).id
    const vienna = await note(trips.id, "Vienna", "The opera")
    const one = await note(trips.id, "Twice", "The first")
    const other = await note(inner.id, "Twice", "The second\n\n# Place")
    const long = "text\n\n".repeat(60)
    const body = `[[Vienna]] [[Twice#Place]] [[Lisbon]] [m](../Trips/Madrid.md)\n\n${long}see [[Vienna|the sights]]`
    const plan = await note(notebook_id, "Plan", body)
    return { who, client, trips, vienna, one, other, plan }
  }

  it("offer the notes that they may mean, as they are read and written, and make a missing one where they say", async () => {
    const { client, other, plan, trips, who } = await linked()
    const pages = await given.signedIn(who)
    await pages.read("Plan")
    const style = (href: string) =>
      link(pages, href).evaluate((each: any) => each.ownerDocument.defaultView.getComputedStyle(each).borderBottomStyle)
    expect([await style("#note:"), await style("#missing:"), await style("#ambiguous:")]).toEqual([
      "none",
      "dashed",
      "dotted"
    ])
    const dialog = pages.dialog("“Twice#Place” may mean several notes")
    const choose = async () => {
      await dialog.getByRole("link", { name: "Trips / Inner" }).click()
      await dialog.waitFor({ state: "detached" })
      await expect.poll(() => [pages.noteId, new URL(pages.page.url()).hash]).toEqual([other, "#h-place"])
      await pages.follow(`all/${plan}`)
    }
    await link(pages, "#ambiguous:").click()
    await dialog.getByText("The first").waitFor()
    expect(await audit(pages.page)).toEqual([])
    await choose()
    await pages.edit()
    await pages.page
      .locator(".cm-note-link", { hasText: "Twice" })
      .first()
      .click({ modifiers: ["ControlOrMeta"] })
    await choose()
    await link(pages, "#missing:..").click()
    await pages.editor.waitFor()
    await expect
      .poll(() => client.getNote({ id: pages.noteId }))
      .toMatchObject({ title: "Madrid", notebook_id: trips.id })
    await pages.follow(`all/${plan}`)
    await pages.edit()
    await pages.page
      .locator(".cm-note-link", { hasText: "Lisbon" })
      .first()
      .click({ modifiers: ["ControlOrMeta"] })
    await expect.poll(() => pages.page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("Lisbon")
    const { data } = await client.listNoteLinks({ id: plan, direction: "broken" })
    expect(data.map(({ status }) => status)).toEqual(["ambiguous"])
    expect(wrongIn(pages)).toEqual([])
  })

  it("are listed at their note with the words around them, and lead to their places; those without a note too", async () => {
    const { client, plan, vienna, who } = await linked()
    const pages = await given.signedIn(who, { viewport: { width: 360, height: 640 } })
    const asked: Array<string> = []
    pages.page.on("request", (request) => void (/\/links\?/.test(request.url()) && asked.push(request.url())))
    await pages.read("Vienna")
    await section(pages).waitFor()
    expect(asked).toEqual([])
    await pages.page.keyboard.press("l")
    await section(pages).getByText("2 links in 1 note").waitFor()
    expect(await pages.page.evaluate("document.activeElement.tagName")).toBe("SUMMARY")
    expect(await audit(pages.page)).toEqual([])
    expect(await pages.page.evaluate("document.documentElement.scrollWidth")).toBe(360)
    await section(pages).getByRole("link", { name: "see the sights" }).click()
    await title(pages).getByText("Plan").waitFor()
    await expect.poll(async () => (await link(pages, "#note:").boundingBox())!.y).toBeLessThan(0)
    // It stays open.
    const broken = section(pages).getByRole("button", { name: "Lisbon" })
    await broken.waitFor()
    expect(await audit(pages.page)).toEqual([])
    await client.updateNote({ id: plan, version: 1, body: "[[Vienna]] [[Lisbon]]" })
    await section(pages).getByRole("button", { name: "Twice#Place" }).waitFor({ state: "detached" })
    await broken.click()
    await expect.poll(() => pages.page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("Lisbon")
    await pages.follow(`all/${vienna}`)
    await section(pages).getByText("1 link in 1 note").waitFor()
    await pages.page.context().setOffline(true)
    await pages.page.keyboard.press("l")
    await section(pages).locator("summary").press("Enter")
    await expect.poll(() => section(pages).getAttribute("open")).toBe(null)
    await section(pages).locator("summary").press("Enter")
    await section(pages).getByText("Only the server has the links, and it cannot be reached.").waitFor()
    expect(wrongIn(pages)).toEqual([])
  })

  it("are marked in the words around them where these are there once: of several, some may be no links", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const note = (title: string, body: string) => client.createNote({ notebook_id, title, body })
    const { id } = await note("Heron", "x")
    await note("Birds", "The Heron is a cousin. A [[Heron]].\n\nOf [[Heron|grey ones]] with a Heron.")
    const pages = await given.signedIn(who)
    await pages.follow(`all/${id}`)
    await section(pages).locator("summary").press("Enter")
    await section(pages).getByText("2 links in 1 note").waitFor()
    const words = await section(pages).locator(".words").allInnerTexts()
    expect(words.toSorted()).toEqual(["Of grey ones with a Heron.", "The Heron is a cousin. A Heron."])
    expect(await section(pages).locator("mark").allInnerTexts()).toEqual(["grey ones"])
    expect(pages.seen()).toEqual([])
  })

  it("show their note while the pointer rests on them, as they are read and written, until Escape", async () => {
    const { who } = await linked()
    const pages = await given.signedIn(who)
    await pages.read("Plan")
    const card = pages.page.locator(".preview")
    const closes = async () => {
      await pages.page.keyboard.press("Escape")
      await card.waitFor({ state: "detached" })
      await pages.page.mouse.move(1, 1)
    }
    for (const [href, words] of [
      ["#note:", "Vienna\nTrips\n\nThe opera"],
      ["#missing:Lisbon", "Lisbon\n\nNo note has this name. A click makes it."],
      ["#ambiguous:", "Twice#Place\n\nSeveral notes have this name. A click offers them."]
    ] as const) {
      await link(pages, href).hover()
      await card.waitFor()
      expect(await card.innerText()).toBe(words)
      expect(await audit(pages.page)).toEqual([])
      await closes()
    }
    await pages.edit()
    await pages.page.locator(".cm-note-link", { hasText: "Vienna" }).first().hover()
    await card.getByText("Ctrl-click opens it.").waitFor()
    await closes()
    await pages.editor.waitFor()
    expect(wrongIn(pages)).toEqual([])
  })
})
