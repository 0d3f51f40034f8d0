import { describe, expect, it } from "vitest"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import { linksIn } from "../support/FormPages.ts"
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
    await page.locator("a[href*='/console']").first().waitFor()
    await context.close()

    const pages = await given.signedIn(ines)
    await pages.openWorkspace("Garden")
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
    expect(pages.seen()).toEqual([])

    const stranger = await (await given.browse()).newPage()
    expect((await stranger.goto(link!))!.status()).toBe(401)
    await stranger.fill("#password", "open sesame")
    await stranger.click("button")
    await stranger.locator(".text strong", { hasText: "water" }).waitFor()
    await given.sheaf.advance("25 hours")
    expect((await stranger.goto(link!))!.status()).toBe(410)
  })
})
