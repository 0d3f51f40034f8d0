import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { readdir, readFile, truncate } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { Mailer, Undelivered } from "../../../services/mail/Mailer.ts"
import { createClient } from "../../../src/clients/client/SheafClient.ts"
import { missing } from "../../support/browser/Chromium.ts"
import type { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { taskTimes } from "../../support/browser/TaskTimes.ts"
import { useConsole } from "../../support/browser/useConsole.ts"
import * as FaultyBlobs from "../../support/FaultyBlobs.ts"
import { linksIn } from "../../support/people/FormPages.ts"
import { isSlow } from "../../support/Slow.ts"

const backupTo = mkdtempSync(join(tmpdir(), "sheaf-console-backups-"))
afterAll(() => rmSync(backupTo, { recursive: true, force: true }))

const files = new FaultyBlobs.BlobFaults()
/** Addresses that the receiving server of mail refuses. */
const refused = new Set<string>()
const refusing = Layer.effect(
  Mailer,
  Effect.map(Mailer, (mailer) =>
    Mailer.of({
      ...mailer,
      deliver: (mail) =>
        refused.has(mail.to) ? Effect.fail(new Undelivered({ code: "550", isPermanent: true })) : mailer.deliver(mail)
    })
  )
)

describe.skipIf(!isSlow || missing !== "")(`the server in the console${missing}`, () => {
  const given = useConsole({
    settings: { backupTo },
    layers: (real) => Layer.merge(Layer.provide(refusing, real), FaultyBlobs.layer(files)(real))
  })
  const confirm = (pages: ConsolePages, title: string, action = title) =>
    pages.dialog(title).getByRole("button", { name: action, exact: true }).click()

  it("shows in the morning what needs attention, with a link, and what it has measured", async () => {
    const pages = await given.signedIn(await given.operator())
    const { page } = pages
    const person = `refused-${Date.now()}@console.test`
    refused.add(person)
    await createClient({ url: given.sheaf.url }).signUp({ email: person, password: "correct horse battery" })
    await given.sheaf.advance("3 minutes")
    await page.clock.install()
    await pages.server("Overview")
    await page.getByText("Backups have no schedule.").waitFor()
    const concern = page.getByRole("listitem").filter({ hasText: "1 mail could not be sent." })
    await page.getByLabel("Time", { exact: true }).selectOption("Last day")
    const requests = page.getByRole("slider", { name: "Requests", exact: true })
    await requests.waitFor()
    expect(await page.getByRole("slider").count()).toBe(7)
    await expect.poll(() => requests.getAttribute("aria-valuetext")).toMatch(/All: \d+, Refused: /)

    // A failed mail is sent again after its cause is removed.
    await concern.getByRole("link", { name: "Mails" }).click()
    await pages.tableRow(person).getByText("failed 550").waitFor()
    refused.delete(person)
    await pages.button(`Send again to ${person}`).click()
    await page.getByText(`The mail to ${person} is sent again.`).waitFor()
    await given.sheaf.idle()
    expect(given.sheaf.mails.filter(({ to }) => to === person)).toHaveLength(1)
    await pages.button("Refresh").click()
    await page.getByText("No mail waits, and none has failed.").waitFor()
    await pages.server("Overview")
    await page.getByText("Backups have no schedule.").waitFor()
    expect(await concern.count()).toBe(0)
    await requests.waitFor()
    const again = ["server", "series"].map((name) =>
      page.waitForRequest((request) => request.url().includes(`/admin/${name}`))
    )
    await page.clock.fastForward("01:00")
    await Promise.all(again)
    expect(pages.seen()).toEqual([])
  })

  it("cancels an export that runs, and tries it again", async () => {
    const who = await given.account()
    const pages = await given.signedIn(await given.operator())
    const { page } = pages
    const stage = files.stall("stage")
    const { id } = await who.client.createExport({ scope: "workspace" })
    await stage.reached
    await pages.server("Jobs")
    const row = pages.tableRow("Export")
    await row.getByText("running").waitFor()
    await page.getByRole("button", { name: /^End: Export of / }).click()
    await confirm(pages, "End: Export of", "End it")
    await row.getByText("The operator of the server cancelled it").waitFor()
    await page.getByLabel("Show", { exact: true }).selectOption("failed")
    await page.getByRole("button", { name: /^Try again: Export of / }).click()
    await page.getByText("There are no such exports and imports.").waitFor()
    stage.release()
    await given.sheaf.idle()
    await page.getByLabel("Show", { exact: true }).selectOption("done")
    await row.waitFor()
    expect(await who.client.getExport({ id })).toMatchObject({ status: "ready" })
    expect(pages.seen()).toEqual([])
  })

  it("suspends a user, who is then refused, and ends the suspension", async () => {
    const who = await given.account()
    const theirs = await given.signedIn(who)
    const pages = await given.signedIn(await given.operator())
    const { page } = pages
    await pages.server("Users")
    await page.getByLabel("Address or name").fill(who.email)
    await pages.button("Search").click()
    await expect.poll(() => page.locator("table[aria-label='All users'] tbody tr").count()).toBe(1)
    await page.getByRole("link", { name: who.email }).click()
    await pages.button("Suspend…").click()
    await confirm(pages, "Suspend the user")
    await page.getByText("suspended", { exact: true }).waitFor()
    await theirs.page.getByText("Your session has ended.").waitFor()
    const signIn = () => createClient({ url: given.sheaf.url }).signIn(who)
    await expect(signIn()).rejects.toThrow("account_suspended")
    await pages.button("End the suspension").click()
    await page.getByText("suspended", { exact: true }).waitFor({ state: "detached" })
    await signIn()
    expect(pages.seen()).toEqual([])
  })

  it("creates, changes and deletes a user, but not the last owner of a workspace with other members", async () => {
    const operator = await given.operator()
    const pages = await given.signedIn(operator)
    const { page } = pages
    await pages.server("Users")
    const email = `made-${Date.now()}@console.test`
    await page.getByLabel("E-mail address").fill(email)
    await page.getByLabel("Password").fill("short")
    await pages.button("Create the user").click()
    await page.getByText("must be at least 10 characters").waitFor()
    await page.getByLabel("Password").fill("correct horse battery")
    await pages.button("Create the user").click()
    await page.getByRole("heading", { level: 2, name: email }).waitFor()
    const user = createClient({ url: given.sheaf.url })
    await user.signIn({ email, password: "correct horse battery" })
    await page.getByLabel("Name", { exact: true }).fill("Inés")
    await pages.button("Save").click()
    await page.getByText("Saved.").waitFor()
    expect(await user.getMe()).toMatchObject({ name: "Inés", email })

    // Some time after the sign-in, a link and the right of an operator need the password.
    await given.sheaf.advance("20 minutes")
    await pages.button("Link for a new password").click()
    const dialog = pages.dialog("Confirm that it is you")
    await dialog.getByLabel("Password").fill(operator.password)
    await dialog.getByRole("button", { name: "Continue" }).click()
    const link = await page.getByRole("textbox", { name: `Link for ${email}` }).inputValue()
    expect(new URL(link).searchParams.get("token")).toMatch(/^sfp_/)
    await pages.button("Done").click()
    await pages.button("Make an operator…").click()
    await pages.page.getByRole("dialog").getByRole("button", { name: "Make an operator" }).click()
    await pages.button("End the right of an operator").click()
    await pages.button("Make an operator…").waitFor()
    await pages.button("End all sessions…").click()
    await confirm(pages, "End all sessions")
    await page.getByText("1 session has ended.").waitFor()

    await user.signIn({ email, password: "correct horse battery" })
    const { id: workspace_id } = await user.createWorkspace({ name: "Shared garden" })
    await user.createInvitation({ workspace_id, email: operator.email, role: "viewer" })
    await given.sheaf.idle()
    const invitation = linksIn(given.sheaf.mails.filter(({ to }) => to === operator.email).at(-1)!)[0]!
    await operator.client.acceptInvitation({ token: new URL(invitation).searchParams.get("token")! })
    await pages.button("Delete…").click()
    await confirm(pages, "Delete the user")
    await pages.dialog("Delete the user").getByText("Shared garden").waitFor()
    const other = (await user.listMembers({ workspace_id })).data.find((member) => member.email === operator.email)!
    await user.updateMember({ workspace_id, id: other.id, role: "owner" })
    await confirm(pages, "Delete the user")
    await page.getByText(`${email} is deleted.`).waitFor()
    await page.getByRole("heading", { level: 1, name: "Users" }).waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("changes the plan of a workspace, deletes, restores and erases it", async () => {
    const who = await given.account()
    const { id, slug } = await who.client.createWorkspace({ name: "Orchard" })
    const operator = await given.operator()
    const pages = await given.signedIn(operator)
    const { page } = pages
    await pages.server("Workspaces")
    await page.getByLabel("Name or short name").fill("orchard")
    await pages.button("Search").click()
    await page.getByRole("link", { name: "Orchard" }).click()
    await page.getByLabel("Plan", { exact: true }).selectOption("Team")
    await page.getByLabel("Seats", { exact: true }).fill("7")
    await pages.button("Save").click()
    await page.getByText("Saved.").waitFor()
    expect(await who.client.getWorkspace({ id })).toMatchObject({ plan: "team", seats: 7 })
    await pages.button("Build the index again").click()
    await page.getByText("The next search builds the index again.").waitFor()

    await pages.button("Delete…").click()
    await confirm(pages, "Delete the workspace")
    await page.getByText("deleted", { exact: true }).waitFor()
    await expect(who.client.getWorkspace({ id })).rejects.toThrow()
    await pages.server("Workspaces")
    await page.getByLabel("Show", { exact: true }).selectOption("Deleted workspaces")
    await page.getByRole("link", { name: "Orchard" }).click()
    await page.getByLabel("Address of an owner (optional)").fill("no.person@console.test")
    await pages.button("Restore the workspace").click()
    await page.getByRole("alert").waitFor()
    const other = await given.account()
    // Another user can become an owner a day after the deletion.
    await given.sheaf.advance("25 hours")
    await page.getByLabel("Address of an owner (optional)").fill(other.email)
    await pages.button("Restore the workspace").click()
    const prove = async () => {
      const request = pages.dialog("Confirm that it is you")
      await request.getByLabel("Password").fill(operator.password)
      await request.getByRole("button", { name: "Continue" }).click()
    }
    await prove()
    await page.getByText("The workspace is restored.").waitFor()
    const members = (await who.client.listMembers({ workspace_id: id })).data
    expect(members).toHaveLength(2)
    expect(members.find(({ email }) => email === other.email)).toMatchObject({ role: "owner" })

    await given.sheaf.advance("20 minutes")
    await pages.button("Erase…").click()
    const dialog = pages.dialog("Erase the workspace")
    const erase = dialog.getByRole("button", { name: "Erase the workspace" })
    await dialog.getByLabel("Short name").fill("orchard!")
    expect(await erase.isDisabled()).toBe(true)
    await dialog.getByLabel("Short name").fill(slug)
    await erase.click()
    await prove()
    await page.getByText("The workspace is being erased. It cannot be restored.").waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("makes a backup, which is downloaded", async () => {
    const pages = await given.signedIn(await given.operator())
    const { page } = pages
    await pages.server("Backups")
    await page.getByText(backupTo, { exact: true }).waitFor()
    await pages.button("Make a backup now").click()
    const link = page.getByRole("button", { name: /^Download the backup of / })
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()])
    const bytes = await readFile(await download.path())
    // The magic number of Zstandard.
    expect(bytes.subarray(0, 4).toString("hex")).toBe("28b52ffd")
    await pages.tableRow("by hand").getByText("made").waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("checks the restore of a backup, and shows that one is damaged", async () => {
    const pages = await given.signedIn(await given.operator())
    const { page } = pages
    await pages.server("Backups")
    await pages.button("Check a restore now").click()
    await page.getByText("restored without a difference").waitFor()
    const [name] = await readdir(backupTo)
    await truncate(join(backupTo, name!), 1000)
    await given.sheaf.advance("1 minute")
    await pages.button("Check a restore now").click()
    await page.getByText(/^The backup is damaged|its beginning is damaged$/).waitFor()
    await pages.server("Overview")
    await page.getByText(/^The last restore drill has failed: /).waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("runs the checks, and shows what they have found", async () => {
    const { email } = await given.account()
    const miscount = (by: number) =>
      given.sql(
        "UPDATE heads SET notes = notes + $1::int WHERE workspace_id = (SELECT workspace_id FROM users WHERE email = $2)",
        [by, email]
      )
    await miscount(3)
    const pages = await given.signedIn(await given.operator())
    const { page } = pages
    await pages.server("Checks")
    await page.getByText("The server was not checked yet.").waitFor()
    await pages.button("Quick check").click()
    const counters = pages.tableRow("counters")
    await counters.getByText("The head of the workspace has 3 as notes, and 0 exist.").waitFor()
    await counters.getByText("Run sheaf doctor --repair, which counts again.").waitFor()
    await pages.server("Overview")
    const concern = page.getByRole("listitem").filter({ hasText: /The last checks found faults: .*counters/ })
    await concern.getByRole("link", { name: "Checks" }).click()
    await given.sheaf.advance("1 minute")
    await miscount(-3)
    await pages.button("Thorough check").click()
    await page.getByRole("heading", { name: "Earlier runs" }).waitFor()
    await counters.getByText("well", { exact: true }).waitFor()
    await page.getByRole("button", { name: /^Details: / }).click()
    await page.locator(".detail", { hasText: "counters" }).waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("names the versions during an upgrade, and what operators have done", async () => {
    const operator = await given.operator()
    const pages = await given.signedIn(operator)
    const { page } = pages
    await given.sql(
      `INSERT INTO nodes SELECT id, id, '127.0.0.1:4001', version, 1000000, '2026-03-01T10:00:00.000Z', '2026-04-01T12:00:00.000Z'
      FROM (VALUES ('notes-2', '0.0.8'), ('notes-3', '0.0.9')) AS node (id, version)`
    )
    await pages.server("Overview")
    const concern = page.getByRole("listitem").filter({ hasText: "The nodes have several versions: 0.0.8, 0.0.9" })
    await concern.getByRole("link", { name: "System" }).click()
    await pages.tableRow("notes-3").getByText("0.0.9").waitFor()
    await page.getByText("Changes by version").click()
    await page.getByText("# Changelog").waitFor()
    await given.sql("DELETE FROM nodes WHERE id IN ('notes-2', 'notes-3')")
    await page
      .getByRole("button", { name: /^Details: / })
      .first()
      .click()
    await page.locator(".detail", { hasText: '"by": "operator"' }).waitFor()
    await pages.server("Overview")
    await page.getByText("Backups have no schedule.").waitFor()
    expect(await concern.count()).toBe(0)
    expect(pages.seen()).toEqual([])
  })

  it("is not offered to other users", async () => {
    const pages = await given.signedIn(await given.account())
    await pages.page.getByText("No notes yet.").waitFor()
    await pages.button("Account and workspace").click()
    await pages.page.getByRole("menuitem", { name: "Settings" }).waitFor()
    expect(await pages.page.getByRole("menuitem", { name: "Server" }).count()).toBe(0)
    await pages.page.keyboard.press("Escape")
    await pages.follow("server/users")
    await pages.page.getByText("Only operators of the server can use this page.").waitFor()
    expect(await pages.page.getByRole("navigation").getByRole("listitem").count()).toBe(0)
    expect(pages.seen()).toEqual([])
  })

  it("stays fluent with 10 000 users", async () => {
    const operator = await given.operator()
    const { email } = await given.account()
    const copies = (table: string, changed: string) =>
      given.sql(
        `INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object('workspace_id', 'ws_many' || n, ${changed}))).*
        FROM ${table} t JOIN users u USING (workspace_id), generate_series(1, 10000) n WHERE u.email = $1`,
        [email]
      )
    await copies("workspaces", "'slug', 'many-' || n")
    await copies("heads", "'seq', 0")
    const address = "'many-' || n || '@console.test'"
    await given.sql(
      `INSERT INTO users SELECT (jsonb_populate_record(u, jsonb_build_object('id', 'us_many' || n,
        'workspace_id', 'ws_many' || n, 'email', ${address}, 'email_key', ${address}))).*
      FROM users u, generate_series(1, 10000) n WHERE u.email = $1`,
      [email]
    )
    const pages = await given.signedIn(operator)
    const { page } = pages
    const rows = page.locator("table[aria-label='All users'] tbody tr")
    await pages.server("Users")
    await expect.poll(() => rows.count()).toBe(100)
    const times = await taskTimes(page, async () => {
      for (let pagesRead = 2; pagesRead <= 20; pagesRead++) {
        await pages.button("Load more").click()
        await expect.poll(() => rows.count()).toBe(100 * pagesRead)
      }
    })
    console.log(`2,000 of 10,000 users: the longest task takes ${Math.max(...times)} ms`)
    expect(Math.max(...times)).toBeLessThan(200)
    await page.getByLabel("Address or name").fill("many-7777@")
    await pages.button("Search").click()
    await expect.poll(() => rows.count()).toBe(1)
    expect(pages.seen()).toEqual([])
  })
})
