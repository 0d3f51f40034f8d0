import { describe, expect, it } from "vitest"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

const always = "Always do this"

describe.skipIf(missing !== "")(`links to a note with another title or notebook, in the console${missing}`, () => {
  const given = useConsole()

  const notice = ({ page }: ConsolePages, text: string) => page.locator(".notice", { hasText: text })
  const title = ({ page }: ConsolePages) => page.getByRole("textbox", { name: "Title" })

  /** What the page has asked the server to do with links. */
  const askedOf = (pages: ConsolePages): ReadonlyArray<string> => {
    const asked: Array<string> = []
    pages.page.on("request", (request) => {
      const links = request.method() === "PATCH" && request.postDataJSON()?.links
      if (links) asked.push(links)
    })
    return asked
  }

  /** Types another title, and continues in the text. */
  const rename = async (pages: ConsolePages, next: string) => {
    await title(pages).fill(next)
    await title(pages).press("Enter")
    await pages.state("Saved")
  }

  const press = async ({ page }: ConsolePages, name: string, key: string) => {
    const focused = () =>
      page.evaluate<string>(`document.activeElement.closest("label, button")?.innerText.trim() ?? ""`)
    for (let tabs = 0; (await focused()) !== name && tabs < 100; tabs++) await page.keyboard.press("Tab")
    expect(await focused()).toBe(name)
    await page.keyboard.press(key)
  }

  it("are updated when the user says so, by keys and with an undo, or always, until the palette ends that", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const note = (title: string, body: string) => client.createNote({ notebook_id, title, body })
    const [vienna, plan] = [await note("Vienna", "x"), await note("Plan", "[[Vienna]] and [[vienna|more]]")]
    const planned = async () => (await client.getNote({ id: plan.id })).body
    const pages = await given.signedIn(who)
    const { keyboard } = pages.page
    await pages.follow(`all/${vienna.id}`)
    await pages.edit()
    const other = await ConsolePages.open(pages.page.context(), given.sheaf.url, `all/${vienna.id}`)
    await other.edit()
    await title(other).focus()
    const [asked, askedByOther] = [askedOf(pages), askedOf(other)]

    await rename(pages, "Wien")
    const question = notice(pages, "1 note links to “Wien” by its former title or path.")
    await question.waitFor()
    expect(await audit(pages.page)).toEqual([])
    await expect.poll(() => title(other).inputValue()).toBe("Wien")
    await title(other).press("Enter")
    await other.button("Read").click()
    await other.page.locator(".reading h1", { hasText: "Wien" }).waitFor()
    await keyboard.press("Escape")
    await press(pages, always, "Space")
    await press(pages, "Update links", "Enter")
    await question.waitFor({ state: "detached" })
    const done = notice(pages, "Links in 1 note were updated.")
    await done.waitFor()
    expect(await planned()).toBe("[[Wien]] and [[Wien|more]]")
    await press(pages, "Undo", "Enter")
    await notice(pages, "Undone.").waitFor()
    expect(await planned()).toBe("[[Vienna]] and [[vienna|more]]")
    expect((await client.getNote({ id: vienna.id })).title).toBe("Wien")

    await rename(pages, "Vindobona")
    await done.waitFor()
    expect(await planned()).toBe("[[Vindobona]] and [[Vindobona|more]]")

    await keyboard.press("Control+k")
    await keyboard.type("Ask about links")
    await pages.page.getByRole("option", { name: "Ask about links after a rename" }).waitFor()
    await keyboard.press("Enter")
    await rename(pages, "Vienna")
    await notice(pages, "1 note links to “Vienna”").waitFor()
    await pages.page.getByRole("checkbox", { name: always }).check()
    await pages.button("Keep").click()
    expect(asked).toEqual(["keep", "update", "update", "keep"])
    await rename(pages, "Beč")
    await rename(pages, "Bécs")
    expect(asked).toHaveLength(4)
    expect(await planned()).toBe("[[Vindobona]] and [[Vindobona|more]]")
    expect(askedByOther).toEqual([])
    expect(pages.seen()).toEqual([])
  })

  it("are not asked about without another title, or without the server", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const rome = await client.createNote({ notebook_id, title: "Rome", body: "x" })
    await client.createNote({ notebook_id, title: "Plan", body: "[[Rome]]" })
    const pages = await given.signedIn(who)
    const asked = askedOf(pages)
    await pages.begin("Li", "x")
    await pages.state("Saved")
    await pages.follow(`all/${rome.id}`)
    await pages.edit()
    await rename(pages, "Rome, Italy")
    await notice(pages, "1 note links").waitFor()
    await pages.button("Keep").click()
    await title(pages).fill("Rome")
    await title(pages).fill("Rome, Italy")
    await title(pages).press("Enter")
    await pages.state("Saved")
    await rename(pages, "ROME")
    // No link has to change.
    await expect.poll(() => asked).toEqual(["keep", "keep"])
    await pages.page.context().setOffline(true)
    await title(pages).fill("Roma")
    await title(pages).press("Enter")
    await pages.state("Offline: kept on this device")
    await pages.page.context().setOffline(false)
    await pages.state("Saved")
    expect(asked).toHaveLength(2)
    expect(await notice(pages, "").allInnerTexts()).toEqual([])
    expect(pages.seen()).toEqual([])
  })

  it("are not hidden by the notice about them: the pages end above it", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const note = (title: string, body: string) => client.createNote({ notebook_id, title, body })
    const rome = await note("Rome", "x")
    for (let at = 0; at < 12; at++) await note(`Plan ${at}`, "[[Rome]]")
    const pages = await given.signedIn(who)
    const { page } = pages
    await pages.follow(`all/${rome.id}`)
    await page.locator(".links > summary").press("Enter")
    await page.getByText("12 links in 12 notes").waitFor()
    const [frame, below] = [page.locator(".links > summary"), page.locator(".links > .hint")]
    const endOf = async (box: typeof frame) => (({ height, y }) => y + height)((await box.boundingBox())!)
    // The frame of the focus is three pixels wide.
    expect((await below.boundingBox())!.y - (await endOf(frame))).toBeGreaterThan(3)
    await pages.edit()
    await rename(pages, "Roma")
    await notice(pages, "12 notes link to “Roma”").waitFor()
    await pages.button("Update links").click()
    const done = notice(pages, "Links in 12 notes were updated.")
    // It stays under the pointer.
    await done.hover()
    const { y } = (await done.boundingBox())!
    for (const [scrolled, last] of [
      [".note", page.locator(".linked a").last()],
      [".windowed", page.locator(".windowed .row").last()]
    ] as const) {
      const lastEnd = async () => {
        await page.locator(scrolled).evaluate((each: any) => (each.scrollTop = each.scrollHeight))
        return endOf(last)
      }
      await expect.poll(lastEnd).toBeLessThan(y)
    }
    expect(pages.seen()).toEqual([])
  })

  it("are updated after a move, by the path of the note", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const { id: folder } = await client.createNotebook({ name: "Trips" })
    await client.createNote({ notebook_id: folder, title: "Rome", body: "x" })
    const plan = await client.createNote({ notebook_id, title: "Plan", body: "[[Trips/Rome]]" })
    const pages = await given.signedIn(who)
    await pages.read("Rome")
    await pages.page.getByLabel("Notebook", { exact: true }).selectOption("Inbox")
    await notice(pages, "1 note links to “Rome” by its former title or path.").waitFor()
    await pages.button("Update links").click()
    await notice(pages, "Links in 1 note were updated.").waitFor()
    expect((await client.getNote({ id: plan.id })).body).toBe("[[Inbox/Rome]]")
    await pages.row("Rome").dragTo(pages.page.locator(".tree a", { hasText: "Trips" }))
    await notice(pages, "1 note links to “Rome”").waitFor()
    await pages.button("Update links").press("Enter")
    await expect.poll(async () => (await client.getNote({ id: plan.id })).body).toBe("[[Trips/Rome]]")
    expect(pages.seen()).toEqual([])
  })
})
