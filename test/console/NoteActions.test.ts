import { describe, expect, it } from "vitest"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import { useConsole } from "../support/browser/useConsole.ts"

describe.skipIf(!isSlow || missing !== "")(`an open note of the console${missing}`, () => {
  const given = useConsole()

  it("keeps a tag and a notebook as they are on the server, and a refused tag in its field", async () => {
    const who = await given.account()
    await who.client.createNotebook({ name: "Second" })
    const pages = await given.signedIn(who)
    await pages.write("Alpha", "Text.")
    const tag = pages.page.getByRole("combobox", { name: "Add a tag" })
    await tag.fill("two words")
    await tag.press("Enter")
    await pages.page.locator(".notice", { hasText: "white space" }).waitFor()
    await expect.poll(() => tag.inputValue()).toBe("two words")
    await tag.fill("two-words")
    await tag.press("Enter")
    await pages.page.locator(".tag", { hasText: "two-words" }).waitFor()
    expect(await tag.inputValue()).toBe("")
    const notebook = pages.page.getByRole("combobox", { name: "Notebook", exact: true })
    given.sheaf.faults.set({ unavailable: 1 })
    await notebook.selectOption({ label: "Second" })
    await pages.page.locator(".notice", { hasText: "busy" }).waitFor()
    expect(await notebook.inputValue()).toBe(who.notebook_id)
    given.sheaf.faults.clear()
    await notebook.selectOption({ label: "Second" })
    await expect.poll(() => notebook.inputValue()).not.toBe(who.notebook_id)
    expect(pages.seen()).toEqual([])
  })

  it("is copied with the words that were typed last", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    await pages.write("Alpha", "First.")
    await pages.type(" Second.")
    await pages.button("More").click()
    await pages.page.getByRole("menuitem", { name: "Duplicate" }).click()
    await pages.row("Alpha (copy)").waitFor()
    const notes = await who.client.listNotes()
    expect(notes.data.map(({ body }) => body)).toEqual(["First. Second.", "First. Second."])
    expect(pages.seen()).toEqual([])
  })

  it("shows what the oldest listed version has changed", async () => {
    const { client, notebook_id, ...who } = await given.account()
    const body = (version: number) => `The train leaves at platform number ${version}.`
    let note = await client.createNote({ notebook_id, title: "Train", body: body(1) })
    for (let at = 2; at <= 30; at++) note = await client.updateNote({ ...note, body: body(at) })
    const pages = await given.signedIn(who)
    await pages.read("Train")
    await pages.openDialog("History")
    await pages.page.getByRole("button", { name: "Version 6" }).click()
    await pages.page.locator("ins", { hasText: "added: 6." }).waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("changes between reading and writing also by a key in its text, and the field has the search of the way back", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    await pages.write("Alpha", "Text.")
    await pages.button("Read").click()
    await pages.rendered.click()
    await pages.page.keyboard.press("ControlOrMeta+e")
    await pages.editor.waitFor()
    await pages.search("alpha")
    await pages.row("Alpha").waitFor()
    await pages.page.getByRole("link", { name: "Archive" }).click()
    const field = pages.page.getByPlaceholder("Search notes")
    await expect.poll(() => field.inputValue()).toBe("")
    await pages.page.goBack()
    await expect.poll(() => field.inputValue()).toBe("alpha")
    expect(pages.seen()).toEqual([])
  })
})
