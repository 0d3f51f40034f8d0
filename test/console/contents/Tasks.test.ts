import { describe, expect, it } from "vitest"
import { isoDay } from "../../../src/clients/console/LocalTime.ts"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import type { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

/** Noon, far from the change of the day: the browser has this clock. */
const now = new Date("2027-03-10T12:00:00")
const dayIn = (days: number) => isoDay(new Date(now.getTime() + days * 24 * 3600_000))

describe.skipIf(missing !== "")(`tasks in the console${missing}`, () => {
  const given = useConsole()

  const texts = (pages: ConsolePages) => pages.page.locator(".task-text")
  const box = (pages: ConsolePages, name: string) => pages.page.getByRole("checkbox", { name, exact: true })
  const view = (pages: ConsolePages, name: string) =>
    pages.page.getByRole("navigation", { name: "Which tasks" }).getByRole("link", { name, exact: true }).click()
  /** The order of tasks with the same date is that of the ids of their notes. */
  const shows = (pages: ConsolePages, tasks: ReadonlyArray<string>) =>
    expect.poll(async () => (await texts(pages).allInnerTexts()).toSorted()).toEqual(tasks.toSorted())

  const opened = async (options: Parameters<typeof given.signedIn>[1] = {}) => {
    const who = await given.account()
    const { client, notebook_id } = who
    const trips = await client.createNotebook({ name: "Trips" })
    const body = `- [ ] tickets 📅 ${dayIn(0)} ⏫\n- [ ] hotel due:${dayIn(-3)}\n- [x] map\n- [ ] someday`
    const vienna = await client.createNote({ notebook_id: trips.id, title: "Vienna", body })
    const long = "text\n\n".repeat(60)
    const home = await client.createNote({
      notebook_id,
      title: "Home",
      body: `- [ ] rent ⏳ ${dayIn(0)}\n- [ ] dentist 📅 ${dayIn(9)}\n\n${long}- [ ] last`
    })
    const pages = await given.signedIn(who, options)
    await pages.page.clock.setFixedTime(now)
    return { client, home, pages, trips, vienna }
  }

  it("have no first steps next to them, unlike a workspace without notes", async () => {
    const pages = await given.signedIn(await given.account())
    const steps = pages.page.getByText("Begin here:")
    await steps.waitFor()
    await pages.page.keyboard.press("t")
    await pages.page.getByText("Nothing is due or planned for today.").waitFor()
    expect(await steps.isVisible()).toBe(true)
    const other = await opened()
    await other.pages.follow("tasks?q=open")
    await other.pages.page.getByText("tickets").waitFor()
    await other.pages.page.getByText("? lists the keys").waitFor()
    expect(await other.pages.page.getByText("Begin here:").count()).toBe(0)
    expect(await other.pages.button("Write a note").count()).toBe(0)
  })

  it("are shown by day, by note and by notebook, and lead to their line, by keys too and on a narrow screen", async () => {
    const { pages } = await opened({ viewport: { width: 360, height: 640 } })
    await pages.page.keyboard.press("t")
    await shows(pages, ["tickets", "rent"])
    expect(await audit(pages.page)).toEqual([])
    expect(await pages.page.evaluate("document.documentElement.scrollWidth")).toBe(360)
    await view(pages, "Overdue")
    await shows(pages, ["hotel"])
    await view(pages, "Upcoming")
    await shows(pages, ["dentist"])
    await view(pages, "All open")
    await shows(pages, ["hotel", "tickets", "dentist", "rent", "last", "someday"])
    await view(pages, "By note")
    await pages.page.getByRole("heading", { name: "Home Inbox" }).waitFor()
    await shows(pages, ["dentist", "hotel", "last", "rent", "someday", "tickets"])
    expect(await audit(pages.page)).toEqual([])
    await pages.page.locator(".list .bar select").selectOption({ label: "Trips" })
    await shows(pages, ["tickets", "hotel", "someday"])
    await view(pages, "Upcoming")
    await pages.page.getByText("Nothing is due or planned after today.").waitFor()
    await pages.page.locator(".list .bar select").selectOption({ label: "All notebooks" })
    await view(pages, "All open")
    await pages.page.getByRole("link", { name: "last", exact: true }).click()
    const last = pages.rendered.getByText("last", { exact: true })
    await expect.poll(async () => (await last.boundingBox())?.y).toBeLessThan(640)
    await pages.edit()
    const line = pages.page.locator(".cm-line", { hasText: "last" })
    await expect.poll(async () => (await line.boundingBox())?.y).toBeLessThan(640)
    expect(
      await pages.page.evaluate("document.getSelection().anchorNode.parentElement.closest('.cm-line').textContent")
    ).toContain("last")
    // The scripts by which a test looks into the frame of a note are reported, although they run.
    expect(pages.seen().filter((each) => !each.includes("in 'about:srcdoc'"))).toEqual([])
  })

  it("are ticked and changed where they are, under their version, and stay in their place", async () => {
    const { client, home, pages, vienna } = await opened()
    await pages.button("Account and workspace").waitFor()
    await pages.page.getByRole("link", { name: "Tasks", exact: true }).click()
    await view(pages, "All open")
    await shows(pages, ["hotel", "tickets", "dentist", "rent", "last", "someday"])
    const order = await texts(pages).allInnerTexts()
    expect(order.slice(0, 3)).toEqual(["hotel", "tickets", "dentist"])
    const body = async (id: string) => (await client.getNote({ id })).body
    const sent: Array<string> = []
    pages.page.on("request", (request) => {
      if (request.url().includes("/tasks/")) sent.push(request.method())
    })
    await box(pages, "hotel").press("Space")
    await expect.poll(() => body(vienna.id)).toContain(`- [x] hotel due:${dayIn(-3)}`)
    await pages.page.locator(".done", { hasText: "hotel" }).waitFor()
    await box(pages, "tickets").click()
    await pages.page.locator(".done", { hasText: "tickets" }).waitFor()
    // The second is sent with the version that the first has made.
    expect(sent).toEqual(["PATCH", "PATCH"])
    // The note was changed elsewhere: the task is read again.
    await client.updateNote({ id: home.id, version: 1, body: `first\n${home.body}` })
    await box(pages, "dentist").click()
    await pages.page.locator(".done", { hasText: "dentist" }).waitFor()
    expect(sent.slice(2)).toEqual(["PATCH", "GET", "PATCH"])
    await pages.button("Due date: rent").press("Enter")
    await pages.page.getByRole("menuitemradio", { name: "Tomorrow" }).press("Enter")
    await pages.page.locator(".task", { hasText: "due Thu, Mar 11" }).waitFor()
    await pages.button("Due date: last").click()
    await pages.page.getByRole("menuitem", { name: "Another day…" }).click()
    await pages.page.getByLabel("Due date", { exact: true }).fill("2028-01-02")
    await pages.page.keyboard.press("Enter")
    await pages.page.locator(".task", { hasText: "due Jan 2, 2028" }).waitFor()
    await pages.button("Priority: last").click()
    await pages.page.getByRole("menuitemradio", { name: "low priority" }).click()
    await pages.page.locator(".task", { hasText: "low priority" }).waitFor()
    expect(await texts(pages).allInnerTexts()).toEqual(order)
    const text = await body(home.id)
    expect(text).toContain(`- [ ] rent ⏳ ${dayIn(0)} 📅 ${dayIn(1)}`)
    expect(text).toContain(`- [x] dentist 📅 ${dayIn(9)}`)
    expect(text).toMatch(/- \[ \] last .*2028-01-02/)
    // Its words were changed: nothing is ticked.
    await client.updateNote({ id: home.id, body: text.replace("rent", "the rent") })
    await box(pages, "rent").click()
    await pages.page.getByText("This task has changed. The list shows it as it is now.").waitFor()
    await shows(pages, ["the rent", "last", "someday"])
    expect(await box(pages, "the rent").isChecked()).toBe(false)
    expect(pages.seen()).toEqual([])
  })
})
