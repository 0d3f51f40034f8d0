import { describe, expect, it } from "vitest"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { qrText } from "../support/browser/qrText.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { offered } from "../support/people/SetupLink.ts"
import { zipOf } from "../services/transfers/Zip.ts"

describe.skipIf(missing !== "")(`writing in the console${missing}`, () => {
  const given = useConsole()

  it("begins with the setup link and the start page, and shows a note in a second browser as it is written", async () => {
    const { origin } = new URL(given.sheaf.url)
    const link = await offered(given.sheaf)
    const context = await given.browse()
    const page = await context.newPage()
    await page.goto(link!.replace("http://sheaf.test", origin))
    const ida = { email: "ida@console.test", password: "correct horse battery" }
    await page.fill("#setup-email", ida.email)
    await page.fill("#setup-password", ida.password)
    await page.click("button")
    await page.locator("a[href*='/console']").first().click()
    await page.getByRole("button", { name: "Connect a client (optional)" }).click()
    await page.getByRole("img", { name: /^QR code/ }).waitFor()
    expect(await qrText(page)).toBe(`${origin}/v2`)
    await page.close()
    const writing = await ConsolePages.open(context, given.sheaf.url)
    await writing.write("A walk to Vienna", "By train, with **two** bags.")

    const reading = await given.signedIn(ida)
    await reading.read("A walk to Vienna")
    await expect.poll(() => reading.rendered.locator("strong").textContent()).toBe("two")
    await writing.type("\n\nBack on Sunday.")
    await writing.state("Saved")
    await reading.rendered.getByText("Back on Sunday.").waitFor()
    expect([writing.seen(), reading.seen()]).toEqual([[], []])
  })

  it("merges a note of a vault that an API client has changed, and restores a version of it", async () => {
    const who = await given.account()
    const { client } = who
    const made = await client.createImport({ source: "markdown", filename: "vault.zip" })
    await fetch(made.upload_url!, {
      method: "PUT",
      headers: made.upload_headers ?? {},
      body: new Uint8Array(
        zipOf([
          { name: "Trips/Vienna.md", content: "The train to Vienna leaves at nine.\n\nTwo bags, one hat." },
          { name: "Trips/Lisbon.md", content: "By ship, with a book." },
          { name: "Bread.md", content: "Flour, water, salt." }
        ])
      )
    })
    await given.sheaf.idle()

    const pages = await given.signedIn(who)
    await pages.search("vienna train")
    await pages.row("Vienna").waitFor()
    expect(await pages.page.locator(".windowed .row-title").allTextContents()).toEqual(["Vienna"])
    expect(await pages.page.locator(".row mark").allTextContents()).toEqual(["train", "Vienna"])
    await pages.read("Vienna")
    const id = pages.noteId
    await pages.edit()
    await pages.beforeSave(() =>
      client.updateNote({ id, title: "To Vienna", body: "The train to Vienna leaves at ten.\n\nTwo bags, one hat." })
    )
    await pages.page.getByRole("textbox", { name: "Title" }).fill("Vienna by train")
    await pages.retype("The train to Vienna leaves at eight.\n\nTwo bags, one hat, one book.")
    const conflict = pages.dialog("You and someone else changed the same title")
    await conflict.waitFor()
    for (const [side, text] of [
      ["Before", "leaves at nine"],
      ["Their version", "ten."],
      ["Your version", "eight."]
    ]) {
      await conflict.getByRole("region", { name: side! }).getByText(text!).first().waitFor()
    }
    const result = conflict.getByLabel("Result", { exact: true })
    await result.fill("The train to Vienna leaves at half past nine.\n\nTwo bags, one hat, one book.")
    await conflict.getByRole("button", { name: "Save the result" }).click()
    await conflict.waitFor({ state: "detached" })
    await pages.state("Saved")

    const bodies = async () =>
      (await client.listNoteVersions({ id })).data.map(({ body }) => /at (.*)\./.exec(body)![1])
    await expect.poll(bodies).toEqual(["half past nine", "eight", "ten", "nine"])
    await pages.openDialog("History")
    const history = pages.dialog("History")
    await history.getByLabel("Show every version").check()
    await history.getByRole("button", { name: "Version 2" }).click()
    await history.locator("ins", { hasText: "ten." }).waitFor()
    await history.getByRole("button", { name: "Restore this version" }).click()
    await pages.editor.getByText("leaves at ten").waitFor()
    expect((await client.getNote({ id })).body).toBe("The train to Vienna leaves at ten.\n\nTwo bags, one hat.")
    expect(pages.seen()).toEqual([])
  })

  it("continues in the middle of a word when another writes at the same place, and undo leaves their words", async () => {
    const who = await given.account()
    const { client } = who
    const pages = await given.signedIn(who)
    const { keyboard } = pages.page
    const id = await pages.write("Line", "At the end")
    await pages.beforeSave(() => client.updateNote({ id, body: "At the end of theirs" }))
    await keyboard.type(" wor", { delay: 1 })
    const notice = pages.page.locator(".notice", { hasText: "Merged with another change" })
    await notice.waitFor()
    await keyboard.type("ds")
    await pages.state("Saved")
    expect(await pages.page.getByRole("dialog").count()).toBe(0)
    expect((await client.getNote({ id })).body).toBe("At the end of theirs words")
    await notice.getByRole("button", { name: "Compare" }).click()
    const comparison = pages.dialog("Merged with another change")
    await comparison.getByRole("region", { name: "Their version" }).locator("ins", { hasText: "of theirs" }).waitFor()
    await comparison.getByRole("region", { name: "Your version" }).locator("ins", { hasText: "wor" }).waitFor()
    await pages.closeDialog("Merged with another change")
    await pages.editor.focus()
    for (let presses = 0; presses < 3; presses++) await keyboard.press("Control+z")
    await expect
      .poll(async () => (await client.getNote({ id })).body)
      .toMatch(/^\S* ?of theirs\s*$|^At the end of theirs\s*$/)
    expect(pages.seen()).toEqual([])
  })

  it("without a network is saved by itself after the note was left, and is shown when the note is opened before", async () => {
    const who = await given.account()
    const bodiesOf = async (title: string) =>
      (await who.client.listNotes({ filter: `title = "${title}"` })).data.map(({ body }) => body)
    const context = await given.browse()
    const pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(who)
    const id = await pages.write("Known", "First words.")
    await pages.row("Known").waitFor()
    await context.setOffline(true)
    await pages.type(" Second words.")
    await pages.state("Offline: kept on this device")
    await pages.begin("Begun", "Third words.")
    await pages.state("Offline: kept on this device")
    await pages.page.getByRole("link", { name: "All notes" }).click()
    await pages.page.getByText("2 texts wait").waitFor()
    await pages.row("Known").click()
    await pages.page.locator(".reading .source", { hasText: "First words. Second words." }).waitFor()
    await pages.state("Offline: kept on this device")
    await pages.page.getByText("1 text waits").waitFor()
    await pages.button("Show").click()
    const waiting = pages.dialog("Texts on this device")
    await waiting.getByText("Begun").waitFor()
    // The person does not confirm it.
    await waiting.getByRole("button", { name: "Discard: Begun" }).click()
    await waiting.getByText("Begun").waitFor()
    await pages.closeDialog("Texts on this device")
    await pages.page.getByRole("link", { name: "All notes" }).click()
    await pages.page.getByText("2 texts wait").waitFor()
    expect(await bodiesOf("Known")).toEqual(["First words."])
    await context.setOffline(false)
    await pages.row("Begun").waitFor()
    await expect.poll(() => bodiesOf("Known")).toEqual(["First words. Second words."])
    expect(await bodiesOf("Begun")).toEqual(["Third words."])
    await pages.page.getByText("texts wait").waitFor({ state: "detached" })
    await pages.follow(`all/${id}`)
    await pages.rendered.getByText("First words. Second words.").waitFor()
    await pages.state("Saved")
    expect(pages.seen().filter((each) => !each.startsWith("dialog: "))).toEqual([])
  })
})
