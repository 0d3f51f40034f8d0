import { readFile } from "node:fs/promises"
import type { IncomingMessage, ServerResponse } from "node:http"
import { describe, expect, it, onTestFinished } from "vitest"
import { planDefaults } from "../../services/workspaces/Plans.ts"
import { createClient } from "../../src/clients/client/SheafClient.ts"
import { missing } from "../support/browser/Chromium.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { linksIn } from "../support/people/FormPages.ts"
import { HttpServer } from "../support/servers/HttpServer.ts"
import { isSlow } from "../support/Slow.ts"

const limits = { ...planDefaults, free: { ...planDefaults.free, notes: 2 } }

describe.skipIf(!isSlow || missing !== "")(`settings in the console${missing}`, () => {
  const given = useConsole({ settings: { policies: { limits } } })

  /** The link of the last mail to an address. */
  const lastLink = async (email: string): Promise<string> => {
    await given.sheaf.idle()
    return given.sheaf.mails
      .filter(({ to }) => to === email)
      .flatMap(linksIn)
      .at(-1)!
  }
  const invitationFor = async (email: string): Promise<string> =>
    new URL(await lastLink(email)).searchParams.get("token")!

  /** An account with a confirmed address, which may invite. */
  const inviter = async () => {
    const who = await given.account()
    const page = await (await given.browse()).newPage()
    await page.goto(await lastLink(who.email))
    await page.getByRole("button").click()
    await page.getByText("is confirmed").first().waitFor()
    await page.context().close()
    return who
  }

  it("show the deliveries of a failing webhook by attempt, and send one again", async () => {
    let isBroken = true
    const receiver = await HttpServer.start((request: IncomingMessage, response: ServerResponse) => {
      request.resume()
      response.writeHead(isBroken ? 500 : 200, { "content-type": "text/plain" }).end(isBroken ? "broken pipe" : "fine")
    })
    onTestFinished(() => receiver.stop())
    const url = `http://127.0.0.1:${receiver.port}/hook`
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { page } = pages
    await pages.settings("Webhooks")
    await page.getByLabel("Address").fill("ftp://example.org")
    await pages.button("Add the webhook").click()
    await page.getByRole("alert").first().waitFor()
    await page.getByLabel("Address").fill(url)
    await page.getByLabel("All events, also those of later versions").uncheck()
    await page.getByText("Events of note", { exact: true }).click()
    await page.getByLabel("note.created").check()
    await pages.button("Add the webhook").click()
    expect(await page.getByLabel("Secret for signatures", { exact: true }).last().inputValue()).toMatch(/^whsec_/)
    await pages.button("Done").click()
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Webhooks")
    const [webhook] = (await who.client.listWebhooks()).data
    expect(webhook).toMatchObject({ url, events: ["note.created"] })

    await who.client.createNote({ notebook_id: who.notebook_id, title: "Roses" })
    await given.sheaf.idle()
    await given.sheaf.advance("1 minute")
    await page.getByRole("link", { name: url }).click()
    const failed = page.locator("tbody tr", { hasText: "failed 500" })
    await failed.nth(1).waitFor()
    expect(await failed.count()).toBe(
      (await who.client.listDeliveries({ id: webhook!.id, filter: "status = failed" })).data.length
    )
    await page.getByRole("button", { name: "Details: attempt 1 of note.created" }).click()
    await page.getByRole("region", { name: "Response: Body" }).getByText("broken pipe").waitFor()
    await page.getByRole("region", { name: "Request: Body" }).getByText("Roses").waitFor()

    isBroken = false
    await page.getByRole("button", { name: "Send again: attempt 1 of note.created" }).click()
    await page.locator(".notice").first().waitFor()
    await given.sheaf.idle()
    await pages.button("Refresh").click()
    await page.locator("tbody tr", { hasText: "succeeded 200" }).waitFor()
    await page.getByLabel("Show", { exact: true }).selectOption("Succeeded")
    await expect.poll(() => page.locator("table[aria-label=Deliveries] tbody tr").count()).toBe(1)

    await pages.button("Send a test").click()
    await page.getByText("The receiver has accepted it (200).").last().waitFor()
    await page.getByLabel("Show", { exact: true }).selectOption("All")
    await page.locator("tbody tr", { hasText: "ping" }).waitFor()
    await pages.button("Pause").click()
    await page.getByText("paused", { exact: true }).waitFor()
    expect(await who.client.getWebhook({ id: webhook!.id })).toMatchObject({ active: false })
    await pages.button("Delete…").click()
    await pages.dialog("Delete the webhook").getByRole("button", { name: "Delete the webhook" }).click()
    await page.getByText("There are no webhooks.").waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("invite a person, change the role of the member, and remove the member", async () => {
    const who = await inviter()
    const [workspace] = (await who.client.listWorkspaces()).data
    const workspace_id = workspace!.id
    const pages = await given.signedIn(who)
    const { page } = pages
    const ines = { email: "ines@settings.test", password: "correct horse battery", name: "Inés" }
    await pages.settings("People")
    await page.getByLabel("E-mail address").fill(ines.email)
    await pages.button("Send the invitation").click()
    await page.locator("table[aria-label=Invitations] tr", { hasText: ines.email }).getByText("open").waitFor()
    await pages.button(`Send again to ${ines.email}`).click()
    await page.getByText(`The invitation to ${ines.email} is sent.`).nth(1).waitFor()
    const invitation_token = await invitationFor(ines.email)
    const client = createClient({ url: given.sheaf.url })
    await client.signUp({ ...ines, invitation_token })
    await page.evaluate("dispatchEvent(new Event('focus'))")
    const member = page.locator("table[aria-label=Members] tr", { hasText: ines.email })
    await member.waitFor()
    await page.locator("table[aria-label=Invitations] tr", { hasText: ines.email }).getByText("accepted").waitFor()
    await page.getByLabel("Role of Inés").selectOption("Viewer")
    await page.getByText("Inés has the role Viewer now.").waitFor()
    const roleOf = async () =>
      (await who.client.listMembers({ workspace_id })).data.find(({ email }) => email === ines.email)?.role
    expect(await roleOf()).toBe("viewer")

    // Some time after the sign-in, the password is needed to make another owner.
    await given.sheaf.advance("20 minutes")
    await page.getByLabel("Role of Inés").selectOption("Owner")
    const dialog = pages.dialog("Confirm that it is you")
    await dialog.getByLabel("Password").fill("wrong password")
    await dialog.getByRole("button", { name: "Continue" }).click()
    await dialog.getByText("The password is wrong.").waitFor()
    await dialog.getByLabel("Password").fill(who.password)
    await dialog.getByRole("button", { name: "Continue" }).click()
    await page.getByText("Inés has the role Owner now.").waitFor()
    expect(await roleOf()).toBe("owner")

    await pages.button("Remove Inés").click()
    await pages.dialog("Remove Inés").getByRole("button", { name: "Remove", exact: true }).click()
    await member.waitFor({ state: "detached" })
    expect(await roleOf()).toBeUndefined()
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("People")
    expect(pages.seen()).toEqual([])
  })

  it("make an API key that works, rotate it and revoke it", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { page } = pages
    await pages.settings("API keys")
    await page.getByLabel("Name").fill("Backup script")
    await page.getByLabel("write notes").check()
    await pages.button("Make the key").click()
    const secretField = page.getByRole("textbox", { name: "Secret of “Backup script”" })
    const first = await secretField.inputValue()
    const works = (key: string) =>
      createClient({ url: given.sheaf.url, key })
        .listNotes()
        .then(
          () => true,
          () => false
        )
    expect(await works(first)).toBe(true)
    await pages.button("Done").click()
    await given.sheaf.idle()
    expect(await pages.tableRow("Backup script").textContent()).toContain("notes:read, notes:write")

    // A second rotation would end the first secret.
    await pages.button("New secret for Backup script").dblclick()
    await page.getByText("The secret before works until").waitFor()
    const second = await secretField.inputValue()
    expect([await works(first), await works(second), first === second]).toEqual([true, true, false])
    await pages.button("Done").click()
    await pages.settings("Usage")
    await pages.settings("API keys")
    await pages.tableRow("Backup script").getByText("2026").first().waitFor()

    await pages.button("Revoke Backup script").click()
    await pages.dialog("Revoke Backup script").getByRole("button", { name: "Revoke the key" }).click()
    await pages.dialog("Revoke Backup script").waitFor({ state: "detached" })
    expect([await works(first), await works(second)]).toEqual([false, false])
    expect(pages.seen()).toEqual([])
  })

  it("show a quota that is full", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    for (const title of ["one", "two"]) await client.createNote({ notebook_id, title })
    const pages = await given.signedIn(who)
    await pages.settings("Usage")
    const meter = pages.page.getByRole("meter", { name: "Notes", exact: true })
    expect(await meter.getAttribute("aria-valuetext")).toBe("2 of 2: full")
    expect(await meter.getAttribute("aria-valuenow")).toBe("2")
    await pages.page.getByText("2 of 2: full").waitFor()
    const notebooks = pages.page.getByRole("meter", { name: "Notebooks" })
    expect(await notebooks.getAttribute("aria-valuetext")).toBe("1 of 2,000")
    expect(pages.seen()).toEqual([])
  })

  it("end the session of another browser", async () => {
    const who = await given.account()
    const other = await given.signedIn(who)
    const pages = await given.signedIn(who)
    await pages.settings("Sessions and devices")
    const others = pages.page.getByRole("button", { name: /^End the session on/ })
    await others.first().waitFor()
    await pages.button("End all other sessions…").click()
    await pages.dialog("End all other sessions").getByRole("button", { name: "End all other sessions" }).click()
    await others.first().waitFor({ state: "detached" })
    expect(await others.count()).toBe(0)
    await other.page.getByText("Your session has ended.").waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("filter the audit log, page through it, and save it", async () => {
    const who = await given.account()
    const { client } = who
    for (let each = 0; each < 60; each++) {
      const { id } = await client.createApiKey({ name: `Key ${each}`, scopes: ["notes:read"] })
      await client.deleteApiKey({ id })
    }
    const strange = createClient({
      url: given.sheaf.url,
      fetch: (input, init) => {
        const headers = new Headers(init?.headers)
        headers.set("user-agent", "=1+1")
        return fetch(input, { ...init, headers })
      }
    })
    await strange.signIn(who)
    const { id } = await strange.createApiKey({ name: "Strange", scopes: ["notes:read"] })
    await strange.deleteApiKey({ id })
    const pages = await given.signedIn(who)
    const { page } = pages
    const rows = page.locator("table[aria-label=Entries] tbody tr")
    await pages.settings("Audit log")
    await page.getByLabel("Action").fill("api_key.*")
    await pages.button("Filter").click()
    await expect.poll(() => rows.count()).toBe(100)
    await pages.button("Load more").click()
    await expect.poll(() => rows.count()).toBe(122)
    await page.getByLabel("Action").fill("api_key.deleted")
    await pages.button("Filter").click()
    await expect.poll(() => rows.count()).toBe(61)
    const saved = async (name: string) => {
      const [download] = await Promise.all([page.waitForEvent("download"), pages.button(name).click()])
      return readFile(await download.path(), "utf8")
    }
    const entries = JSON.parse(await saved("JSON"))
    expect(entries).toHaveLength(61)
    expect(entries[0]).toMatchObject({ action: "api_key.deleted" })
    const lines = (await saved("CSV")).trimEnd().split("\r\n")
    expect(lines).toHaveLength(62)
    expect(lines[0]).toBe("occurred_at,action,actor_id,ip,resource_type,resource_id,user_agent,metadata,id")
    // A program for tables would compute a text that begins like this.
    expect(lines[1]).toContain(",'=1+1,")
    expect(pages.seen()).toEqual([])
  })

  it("offer a viewer only the pages that the role allows", async () => {
    const owner = await inviter()
    const viewer = await given.account()
    const [workspace] = (await owner.client.listWorkspaces()).data
    await owner.client.updateWorkspace({ id: workspace!.id, name: "Garden" })
    await owner.client.createInvitation({ workspace_id: workspace!.id, email: viewer.email, role: "viewer" })
    await viewer.client.acceptInvitation({ token: await invitationFor(viewer.email) })
    const pages = await given.signedIn(viewer)
    await pages.openWorkspace("Garden")
    await pages.settings("Workspace")
    const links = pages.page.getByRole("navigation", { name: "Settings" }).getByRole("listitem")
    expect(await links.allTextContents()).toEqual([
      "Account",
      "Sessions and devices",
      "Connected apps",
      "Workspace",
      "People",
      "Imports and exports",
      "Usage"
    ])
    await pages.follow("settings/audit")
    await pages.page.getByText("Your role in this workspace does not allow this page.").waitFor()
    await pages.settings("Workspace")
    await pages.button("Leave…").click()
    await pages.dialog("Leave the workspace").getByRole("button", { name: "Leave the workspace" }).click()
    await pages.page.getByText("No notes yet.").waitFor()
    expect((await owner.client.listMembers({ workspace_id: workspace!.id })).data).toHaveLength(1)
    expect(pages.seen()).toEqual([])
  })

  it("change the profile, the address and the password, and delete the account", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { page } = pages
    const part = (name: string) => page.getByRole("region", { name, exact: true })
    await pages.settings("Account")
    await part("Profile").getByLabel("Name").fill("Ada")
    await part("Profile").getByLabel("Time zone").fill("Nowhere/At all")
    await pages.button("Save the profile").click()
    await part("Profile").locator(".field .error").waitFor()
    await part("Profile").getByLabel("Time zone").fill("Europe/Vienna")
    await part("Profile").getByRole("checkbox").uncheck()
    await pages.button("Save the profile").click()
    await page.getByText("Saved.").waitFor()
    expect(await who.client.getMe()).toMatchObject({ name: "Ada", timezone: "Europe/Vienna", security_mails: false })

    const email = `new-${who.email}`
    const address = part("E-mail address")
    await address.getByLabel("New address").fill(email)
    await address.getByLabel("Current password").fill("wrong password")
    await pages.button("Change the address").click()
    await address.getByRole("alert").getByText("The password is wrong.").waitFor()
    await address.getByLabel("Current password").fill(who.password)
    await pages.button("Change the address").click()
    await address.getByText(email, { exact: true }).waitFor()

    const password = part("Password")
    await password.getByLabel("Current password").fill(who.password)
    await password.getByLabel("New password").fill("short")
    await pages.button("Change the password").click()
    await password.getByText("must be at least 10 characters").waitFor()
    await password.getByLabel("New password").fill("another horse battery")
    await pages.button("Change the password").click()
    await page.getByText("The password is changed.").waitFor()
    await page.getByRole("link", { name: "Back to the notes" }).click()
    await page.locator(".account .hint", { hasText: email }).waitFor()

    await pages.settings("Account")
    await pages.button("Delete my account…").click()
    const dialog = pages.dialog("Delete the account")
    await dialog.getByLabel("Current password").fill(who.password)
    await dialog.getByRole("button", { name: "Delete my account" }).click()
    await dialog.getByText("The password is wrong.").waitFor()
    await dialog.getByLabel("Current password").fill("another horse battery")
    await dialog.getByRole("button", { name: "Delete my account" }).click()
    await page.getByText("Your notes, on your server.").waitFor()
    const again = createClient({ url: given.sheaf.url }).signIn({ email, password: "another horse battery" })
    await expect(again).rejects.toThrow("invalid_credentials")
    expect(pages.seen()).toEqual([])
  })

  it("import a file that is dropped, and make an export that can be downloaded", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { page } = pages
    await pages.settings("Imports and exports")
    await page.getByText("Choose a file, or drop it here").waitFor()
    await page.evaluate(`{
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(["# Dropped\\n\\n[[Nowhere]]"], "dropped.md", { type: "text/markdown" }))
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
    }`)
    await page.getByText("dropped.md").waitFor()
    await pages.button("Preview").click()
    await page.getByText("Preview of the import:").waitFor()
    expect(await page.getByRole("row", { name: "dropped.md" }).count()).toBe(0)
    await pages.button("Import").click()
    await pages.tableRow("dropped.md").getByText("done", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Details: dropped.md" }).click()
    await page.getByRole("region", { name: "Remarks" }).getByText("Nowhere").waitFor()
    await page.getByLabel("Form", { exact: true }).selectOption("JSON, which an import reads back without loss")
    await pages.button("Make the export").click()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /^Download the export/ }).click()
    ])
    const bytes = await readFile(await download.path())
    expect(bytes.subarray(0, 2).toString()).toBe("PK")
    expect(pages.seen()).toEqual([])
  })

  it("create a workspace, rename it, and delete it after its short name was typed", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { page } = pages
    await pages.settings("Workspace")
    await page.getByText("This is your personal workspace.").waitFor()
    await page.getByRole("region", { name: "New workspace" }).getByLabel("Name").fill("Orchard")
    await pages.button("Create the workspace").click()
    await page.getByRole("button", { name: "Open Orchard" }).click()
    await page.locator(".account strong", { hasText: "Orchard" }).waitFor()
    await pages.settings("Workspace")
    const form = page.getByRole("region", { name: "Name and plan" })
    await form.getByLabel("Short name in addresses").fill("Not A Slug")
    await pages.button("Save the workspace").click()
    await form.locator(".field .error").waitFor()
    const slug = `garden-${Date.now()}`
    await form.getByLabel("Short name in addresses").fill(slug)
    await form.getByLabel("Name", { exact: true }).fill("Garden")
    await form.getByLabel("Plan").selectOption("Team")
    await form.getByLabel("Seats").fill("7")
    await pages.button("Save the workspace").click()
    await pages.tableRow(slug).getByText("Team").waitFor()
    const known = async () => (await who.client.listWorkspaces()).data.find((workspace) => workspace.slug === slug)
    expect(await known()).toMatchObject({ name: "Garden", plan: "team", seats: 7 })
    await pages.button("Delete…").click()
    const dialog = pages.dialog("Delete the workspace")
    await dialog.getByLabel("Short name of the workspace").fill("garden")
    await dialog.getByRole("button", { name: "Delete the workspace" }).click()
    await dialog.getByText("This is not the short name.").waitFor()
    await dialog.getByLabel("Short name of the workspace").fill(slug)
    await dialog.getByRole("button", { name: "Delete the workspace" }).click()
    await page.locator(".account strong", { hasText: "Personal" }).waitFor()
    expect(await known()).toBeUndefined()
    expect(pages.seen()).toEqual([])
  })
})
