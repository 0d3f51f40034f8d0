import { describe, expect, it } from "vitest"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { type Account, useConsole } from "../support/browser/useConsole.ts"

describe.skipIf(!isSlow || missing !== "")(`unsaved text in the console${missing}`, () => {
  const given = useConsole()

  /** The texts of all notes with a title. */
  const bodiesOf = async ({ client }: Account, title: string) =>
    (await client.listNotes({ filter: `title = "${title}"` })).data.map(({ body }) => body)

  /** Waits until a request was processed whose response was lost. */
  const lost = (request: string) =>
    expect
      .poll(() => given.sheaf.faults.happened)
      .toContainEqual({ fault: "lostResponses", request: expect.stringContaining(request) })

  it("is saved by the next tab when its tab was closed without a network, of a known note and of a new one", async () => {
    const who = await given.account()
    const context = await given.browse()
    const closed = await ConsolePages.open(context, given.sheaf.url)
    await closed.signIn(who)
    await closed.write("Known", "First words.")
    await context.setOffline(true)
    await closed.type(" Second words.")
    await closed.state("Offline: kept on this device")
    await closed.begin("Begun", "Third words.")
    await closed.state("Offline: kept on this device")
    // Before the tab is closed: its last request, made while it closes, may reach the server.
    expect(await bodiesOf(who, "Known")).toEqual(["First words."])
    expect(await bodiesOf(who, "Begun")).toEqual([])
    await closed.page.close()
    await context.setOffline(false)

    const tabs = await Promise.all([1, 2].map(() => ConsolePages.open(context, given.sheaf.url)))
    for (const tab of tabs) await tab.row("Begun").waitFor()
    await expect.poll(() => bodiesOf(who, "Known")).toEqual(["First words. Second words."])
    expect(await bodiesOf(who, "Begun")).toEqual(["Third words."])
    for (const tab of tabs) {
      await expect.poll(() => tab.page.getByText(/texts? waits?$/).count()).toBe(0)
      expect(tab.seen()).toEqual([])
    }
    const [opened] = tabs as [ConsolePages]
    await opened.read("Known")
    await opened.rendered.getByText("First words. Second words.").waitFor()
    expect(opened.seen()).toEqual([])
  })

  it("stays on the page when the session ends, and is saved after the next sign-in", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    await pages.write("Session", "Before.")
    await pages.beforeSave(() => who.client.revokeOtherSessions())
    await pages.type(" While the session ends.")
    await pages.signInAgain(who.password)
    await pages.state("Saved")
    await pages.type(" After.")
    await pages.state("Saved")
    expect(await bodiesOf(who, "Session")).toEqual(["Before. While the session ends. After."])
    // The stream continues too.
    const id = pages.noteId
    await who.client.updateNote({ id, body: "From elsewhere." })
    await pages.editor.getByText("From elsewhere.").waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("is saved once when the server is away, or loses its responses, while a person types", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const id = await pages.write("Server", "One.")
    given.sheaf.faults.set({ unavailable: 1 })
    await pages.type(" Two.")
    await pages.state("Offline: kept on this device")
    given.sheaf.faults.set({ lostResponses: 1 })
    await pages.type(" Three.")
    await lost("PATCH /v2/notes/")
    given.sheaf.faults.clear()
    await pages.state("Saved")
    expect((await who.client.listNoteVersions({ id })).data.map(({ body }) => body)).toEqual([
      "One. Two. Three.",
      "One. Two.",
      "One."
    ])
    // A new note whose response is lost is created once.
    given.sheaf.faults.set({ lostResponses: 1 })
    await pages.begin("Created", "Once.")
    await lost("POST /v2/notes")
    given.sheaf.faults.clear()
    await pages.state("Saved")
    expect(await bodiesOf(who, "Created")).toEqual(["Once."])
    expect(pages.seen()).toEqual([])
  })

  it("of two tabs on one note is merged, with the clock of the browser years behind", async () => {
    const who = await given.account()
    const context = await given.browse()
    const one = await ConsolePages.open(context, given.sheaf.url)
    await one.page.clock.setFixedTime(new Date("2020-01-01"))
    await one.signIn(who)
    const id = await one.write("Tabs", "First line.\n\nSecond line.")
    const other = await ConsolePages.open(context, given.sheaf.url, `all/${id}`)
    await other.edit()
    await one.beforeSave(async () => {
      await other.type(" Of the other tab.")
      await other.state("Saved")
    })
    await one.editor.focus()
    await one.page.keyboard.press("Control+Home")
    await one.page.keyboard.insertText("Of one tab. ")
    const both = "Of one tab. First line.\n\nSecond line. Of the other tab."
    await expect.poll(async () => (await who.client.getNote({ id })).body).toBe(both)
    for (const tab of [one, other]) {
      await tab.editor.getByText("Of one tab.").waitFor()
      await tab.editor.getByText("Of the other tab.").waitFor()
      await tab.state("Saved")
    }
    // An access token ends while the note is open.
    await given.sheaf.advance("61 minutes")
    await other.type(" An hour later.")
    await one.editor.getByText("An hour later.").waitFor()
    expect([one.seen(), other.seen()]).toEqual([[], []])
  })

  it("and the result of a conflict stay when the page is loaded again, and when others write", async () => {
    const who = await given.account()
    const { client } = who
    const context = await given.browse()
    let pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(who)
    const id = await pages.write("Train", "It leaves at nine.\n\nTwo bags.")
    await pages.beforeSave(() => client.updateNote({ id, title: "Trains", body: "It leaves at ten.\n\nTwo bags." }))
    await pages.page.getByRole("textbox", { name: "Title" }).fill("My train")
    await pages.retype("It leaves at eight.\n\nTwo bags.")
    let conflict = pages.dialog("You and someone else changed the same title")
    await conflict.getByLabel("Result", { exact: true }).fill("It leaves at half past nine.\n\nTwo bags.")
    await conflict.getByLabel("Title of the result").fill("The train")
    // The words that differ are marked, not the paragraph.
    await expect
      .poll(() => conflict.getByRole("region", { name: "Your version" }).locator("ins").allTextContents())
      .toEqual(["added: My train", "added: eight."])
    await pages.page.close()

    pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.page.getByText("1 text waits").waitFor()
    await pages.button("Show").click()
    await pages.page.getByRole("button", { name: /^Open: / }).click()
    conflict = pages.dialog("You and someone else changed the same title")
    await conflict.getByText("eight").first().waitFor()
    expect(await conflict.getByLabel("Title of the result").inputValue()).toBe("The train")
    expect((await client.getNote({ id })).body).toBe("It leaves at ten.\n\nTwo bags.")
    await client.updateNote({ id, body: "It leaves at ten.\n\nThree bags." })
    await conflict.getByRole("button", { name: "Save the result" }).click()
    await pages.state("Saved")
    expect(await client.getNote({ id })).toMatchObject({
      title: "The train",
      body: "It leaves at half past nine.\n\nThree bags."
    })
    const times = (await client.listNoteVersions({ id })).data.map(({ body }) => /at (.*)\./.exec(body)![1])
    expect(times).toEqual(["half past nine", "eight", "ten", "ten", "nine"])
    expect(pages.seen()).toEqual([])
  })

  it("is saved as a note of another notebook when its notebook was deleted", async () => {
    const who = await given.account()
    const { id } = await who.client.createNotebook({ name: "Doomed" })
    const pages = await given.signedIn(who)
    await pages.page.getByRole("link", { name: "Doomed" }).click()
    await pages.write("Known", "First words.")
    await who.client.deleteNotebook({ id })
    await pages.page.getByRole("link", { name: "Doomed" }).waitFor({ state: "detached" })
    await pages.type(" Second words.")
    await pages.page.getByText("The note was deleted while you were writing.").waitFor()
    await pages.button("Save as a new note").click()
    await pages.state("Saved")
    expect(await bodiesOf(who, "Known")).toEqual(["First words. Second words."])
    expect(await pages.page.getByText("This note was deleted, or moved to the trash.").count()).toBe(0)
    expect(pages.seen()).toEqual([])
  })

  it("keeps the page open while neither the browser nor the server can store it", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    await pages.write("Full", "One.")
    await pages.page.evaluate(`IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError")
    }`)
    given.sheaf.faults.set({ unavailable: 1 })
    await pages.type(" Two.")
    await pages.state("This browser cannot keep the text. Do not close the page.")
    await pages.page.close({ runBeforeUnload: true })
    await expect.poll(() => pages.seen().filter((each) => each.startsWith("dialog: "))).toHaveLength(1)
    given.sheaf.faults.clear()
    await pages.state("Saved")
    expect(await bodiesOf(who, "Full")).toEqual(["One. Two."])
  })

  it("becomes a new note with its own address when the note was deleted", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const id = await pages.write("Deleted", "One.")
    await pages.beforeSave(() => who.client.deleteNote({ id, permanent: true }))
    await pages.type(" Two.")
    await pages.button("Save as a new note").click()
    await pages.page.waitForURL((url) => /\/nt_/.test(url.pathname) && !url.pathname.endsWith(id))
    await pages.state("Saved")
    expect((await who.client.getNote({ id: pages.noteId })).body).toBe("One. Two.")
    expect(pages.seen()).toEqual([])
  })
})
