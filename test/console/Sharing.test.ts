import { describe, expect, it } from "vitest"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import { linksIn } from "../support/people/FormPages.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"

describe.skipIf(!isSlow || missing !== "")(`sharing in the console${missing}`, () => {
  const given = useConsole()

  it("begins with an invitation that a person accepts, who then comments on a note of the team", async () => {
    const { client } = given.sheaf
    const [team] = (await client.listWorkspaces()).data
    const workspace_id = team!.id
    await client.updateWorkspace({ id: workspace_id, name: "Garden", plan: "team" })
    const [notebook] = (await client.listNotebooks()).data
    const note = await client.createNote({ notebook_id: notebook!.id, title: "Roses", body: "Cut in March." })
    const ines = { email: "ines@console.test", password: "correct horse battery" }
    await client.createInvitation({ workspace_id, email: ines.email, role: "editor" })
    const context = await given.browse()
    const page = await context.newPage()
    await given.sheaf.idle()
    await page.goto(given.sheaf.mails.filter(({ to }) => to === ines.email).flatMap(linksIn)[0]!)
    await page.fill("#register-name", "Inés")
    await page.fill("#register-password", ines.password)
    await page.click("text=Create account and join")
    const link = page.getByRole("link", { name: "Open Sheaf" })
    const address = await link.getAttribute("href")
    await link.click()
    await page.locator(".account strong", { hasText: "Garden" }).waitFor()
    await page.close()

    const pages = await ConsolePages.open(context, given.sheaf.url, address!.slice("/console/".length))
    await pages.page.locator(".account strong", { hasText: "Garden" }).waitFor()
    await pages.read("Roses")
    await pages.openDialog("Comments")
    const comments = pages.dialog("Comments")
    await comments.getByLabel("Write a comment").fill("Or in April?")
    await comments.getByRole("button", { name: "Comment", exact: true }).click()
    await comments.getByText("Or in April?").waitFor()
    const found = (await client.listComments({ note_id: note.id })).data
    expect(found.map(({ body }) => body)).toEqual(["Or in April?"])
    // Comments of others come as they are written.
    await client.createComment({ note_id: note.id, body: "In March.", parent_id: found[0]!.id })
    await comments.getByText("In March.").waitFor()
    await comments.getByRole("button", { name: "Resolve" }).click()
    await comments.getByRole("button", { name: "Reopen" }).waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("opens a note to strangers with its password, until the link ends", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who, { timezoneId: "UTC" })
    await pages.write("Recipe", "Flour, **water**, salt.")
    await pages.openDialog("Share")
    const shares = pages.dialog("Share")
    await shares.getByLabel("Password (optional)").fill("open sesame")
    await shares.getByLabel("Ends (optional)").fill("2026-03-02T12:00")
    await shares.getByRole("button", { name: "Create a link" }).click()
    const link = await shares.locator(".rows a").textContent()
    await shares.getByText("with a password").waitFor()
    await pages.page.evaluate(
      `navigator.clipboard.writeText = () => Promise.reject(new DOMException("", "NotAllowedError"))`
    )
    await shares.getByRole("button", { name: "Copy the link" }).click()
    await shares.getByText("The browser does not allow Sheaf to copy.").waitFor()
    expect(pages.seen()).toEqual([])

    const stranger = await (await given.browse()).newPage()
    expect((await stranger.goto(link!))!.status()).toBe(401)
    await stranger.fill("#password", "open sesame")
    await stranger.click("button")
    await stranger.locator(".text strong", { hasText: "water" }).waitFor()
    await given.sheaf.advance("25 hours")
    expect((await stranger.goto(link!))!.status()).toBe(410)
  })

  it("keeps a comment until it is sent, and sends it once", async () => {
    const who = await given.account()
    const { client } = who
    const [workspace] = (await client.listWorkspaces()).data
    await client.updateWorkspace({ id: workspace!.id, plan: "team" })
    const context = await given.browse()
    let pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(who)
    const note_id = await pages.write("Roses", "Cut in March.")
    const sent = async () => (await client.listComments({ note_id })).data.map(({ body }) => body).sort()
    const comments = () => pages.dialog("Comments")
    const field = () => comments().getByLabel("Write a comment")
    const send = () => comments().getByRole("button", { name: "Comment", exact: true })
    await pages.openDialog("Comments")
    await field().fill("In April?")
    await pages.page.keyboard.press("Escape")
    await pages.openDialog("Comments")
    expect(await field().inputValue()).toBe("In April?")
    await pages.page.close()

    pages = await ConsolePages.open(context, given.sheaf.url, `all/${note_id}`)
    await pages.openDialog("Comments")
    expect(await field().inputValue()).toBe("In April?")
    given.sheaf.faults.set({ lostResponses: 1 })
    await send().dblclick()
    await comments().getByRole("alert").getByText("The server cannot be reached").first().waitFor()
    given.sheaf.faults.clear()
    expect(await field().inputValue()).toBe("In April?")
    // Letters that are typed while the comment is sent are the next comment.
    await pages.page.route(
      "**/comments",
      async (route) => {
        await field().pressSequentially(" Or in May?")
        await route.continue()
      },
      { times: 1 }
    )
    await send().click()
    await comments().locator(".comment", { hasText: "In April?" }).waitFor()
    expect(await field().inputValue()).toBe("Or in May?")
    expect(await sent()).toEqual(["In April?"])
    await send().dblclick()
    await expect.poll(() => field().inputValue()).toBe("")
    expect(await sent()).toEqual(["In April?", "Or in May?"])
    await comments().getByRole("button", { name: "Reply" }).first().click()
    await comments().getByLabel("Reply").fill("Yes.")
    await pages.closeDialog("Comments")
    await pages.openDialog("Comments")
    await expect.poll(() => comments().getByLabel("Reply").inputValue()).toBe("Yes.")
    await pages.closeDialog("Comments")
    expect(pages.seen()).toEqual([])
  })

  it("makes one link and one reminder, however often the button is pressed and responses are lost", async () => {
    const who = await given.account()
    const { client } = who
    const pages = await given.signedIn(who)
    const note_id = await pages.write("Once", "Flour.")
    for (const [name, button, count] of [
      ["Share", "Create a link", async () => (await client.listShares({ filter: `note_id = ${note_id}` })).data.length],
      [
        "Reminders",
        "Add a reminder",
        async () => (await client.listReminders({ filter: `note_id = ${note_id}` })).data.length
      ]
    ] as const) {
      await pages.openDialog(name)
      const dialog = pages.dialog(name)
      if (name === "Reminders") await dialog.getByLabel("When").fill("2100-01-01T10:00")
      given.sheaf.faults.set({ lostResponses: 1 })
      await dialog.getByRole("button", { name: button }).dblclick()
      await dialog.getByRole("alert").getByText("The server cannot be reached").first().waitFor()
      given.sheaf.faults.clear()
      await dialog.getByRole("button", { name: button }).dblclick()
      await dialog.getByRole("listitem").first().getByRole("button").first().waitFor()
      expect(await count()).toBe(1)
      await pages.closeDialog(name)
    }
    expect(pages.seen()).toEqual([])
  })
})
