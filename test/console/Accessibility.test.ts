import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { audit } from "../support/browser/Audit.ts"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { shareFrom } from "../support/browser/SharedForm.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { isSlow } from "../support/Slow.ts"

/** The folder for screenshots, if any. */
const screenshots = process.env["SCREENSHOTS"]

const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }
const wide = { width: 1920, height: 1080 }
/** Windows in which pages have to fit, from the narrowest to the widest. */
const windows = [
  { width: 360, height: 640 },
  { width: 768, height: 1024 },
  { width: 960, height: 700 },
  { width: 3840, height: 2160 }
]

const body = `# Route

By train, with **two** bags, see [[Lisbon]] and [the table](https://example.org).

- [ ] tickets
- [x] hotel

| City | Days |
|---|---|
| Vienna | 2 |

> [!tip] Early
> The first train has seats.

\`\`\`ts
const days = 2 // in Vienna
\`\`\`
`

describe.skipIf(!isSlow || missing !== "")(`pages of the console${missing}`, () => {
  const given = useConsole()
  let pages: ConsolePages
  let wrong: Record<string, ReadonlyArray<string>>

  beforeAll(() => {
    if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true })
  })
  afterAll(() => pages?.page.close())

  const shoot = async (name: string) => {
    if (screenshots !== undefined) await pages.page.screenshot({ path: join(screenshots, `${name}.png`) })
  }

  /** Notes what is wrong with the open page in each window and colour scheme. */
  const check = async (name: string): Promise<void> => {
    const { page } = pages
    const found: Array<string> = []
    const checkWidth = async ({ width }: { readonly width: number }) => {
      // The settings scroll by themselves.
      const content = await page.evaluate<number>(
        `Math.max(...[...document.querySelectorAll("html, .settings > main")].map((each) => each.offsetLeft + each.scrollWidth))`
      )
      if (content > width) found.push(`wider than the window of ${width}: ${content}`)
    }
    for (const size of windows) {
      await page.setViewportSize(size)
      await checkWidth(size)
    }
    for (const [device, size] of Object.entries(sizes)) {
      await page.setViewportSize(size)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        await checkWidth(size)
        // Audits take most of the time, so npm test only audits light pages on a desktop and dark pages on a phone.
        if (isSlow || (device === "desktop") === (colorScheme === "light")) {
          found.push(...(await audit(page)).map((each) => `${device}, ${colorScheme}: ${each}`))
        }
        await shoot(`${name}-${device}-${colorScheme}`)
      }
    }
    if (screenshots !== undefined) {
      await page.setViewportSize(wide)
      await page.emulateMedia({ colorScheme: "light" })
      await shoot(`${name}-wide-light`)
    }
    await page.setViewportSize(sizes.desktop)
    if (found.length > 0) wrong[name] = found
  }

  it("are accessible, light and dark, on a phone and a desktop, and fit in the window: accounts", async () => {
    wrong = {}
    pages = await ConsolePages.open(await given.browse(), given.sheaf.url)
    await pages.button("Create an account").waitFor()
    await check("sign-in")
    await pages.button("Create an account").click()
    await check("sign-up")
    await pages.button("Forgot the password?").click()
    await check("forgot")
    await pages.button("Sign in").click()
    await pages.page.getByLabel("E-mail address").fill("no.person@console.test")
    await pages.page.getByLabel("Password").fill("wrong password")
    await pages.page.locator("form button[type=submit]").click()
    await pages.page.getByRole("alert").waitFor()
    await check("sign-in-refused")
    const who = await given.account()
    await pages.signIn(who)
    await pages.page.getByText("No notes yet.").waitFor()
    await check("empty")
    await pages.button("Account and workspace").click()
    await check("account-menu")
    await pages.page.getByRole("menuitem", { name: "Add an account" }).click()
    await check("add-account")
    await pages.closeDialog("Add an account")
    await who.client.createNote({ notebook_id: who.notebook_id, title: "Session", body })
    await pages.read("Session")
    await who.client.revokeOtherSessions()
    await pages.page.getByText("Your session has ended.").waitFor()
    await check("session-has-ended")
    await pages.page.getByRole("alert").getByRole("button", { name: "Sign in" }).click()
    await pages.dialog("Your session has ended").waitFor()
    await check("session-ended")
    await pages.signInAgain(who.password)
    await pages.page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    await pages.page.reload()
    await pages.row("Session").waitFor()
    await shareFrom(pages.page, new URL("/console/", given.sheaf.url).href, {
      text: "A text that another app has shared, with a line that is longer than the dialog is on a phone.",
      url: "https://example.org/a/page",
      file: { name: "notes-of-the-meeting.txt", text: "words" }
    })
    await pages.dialog("Shared with Sheaf").waitFor()
    await check("shared")
    await pages.button("Save as a note").click()
    await pages.dialog("Shared with Sheaf").waitFor({ state: "detached" })
    given.sheaf.faults.set({ unavailable: 1 })
    await pages.begin("Not saved", "Kept in this browser.")
    await pages.state("Offline: kept on this device")
    await pages.page.reload()
    await pages.page.getByText("1 text waits").waitFor()
    await pages.page.getByText("The server is busy.").first().waitFor()
    await check("offline")
    await pages.button("Show").click()
    await pages.dialog("Texts on this device").waitFor()
    await check("waiting")
    given.sheaf.faults.clear()
    expect(wrong).toEqual({})
  })

  it("are accessible, light and dark, on a phone and a desktop, and fit in the window: notes", async () => {
    wrong = {}
    const who = await given.account()
    const { client, notebook_id } = who
    const [workspace] = (await client.listWorkspaces()).data
    await client.updateWorkspace({ id: workspace!.id, plan: "team" })
    const trips = await client.createNotebook({ name: "Trips", color: "#2f7d5b" })
    await client.createNotebook({ name: "A very long name of a notebook that does not fit", parent_id: trips.id })
    for (let each = 0; each < 30; each++) {
      const tags = each % 3 === 0 ? ["trip", "a-long-tag-of-a-note-that-fills-the-line"] : []
      await client.createNote({
        notebook_id,
        title: `Note ${each} with a title that is long`,
        body: `Text ${each}`,
        tags
      })
    }
    const trashed = await client.createNote({ notebook_id, title: "In the trash", body })
    await client.deleteNote({ id: trashed.id })
    const vienna = await client.createNote({
      notebook_id: trips.id,
      title: "Vienna",
      body,
      tags: ["trip"],
      pinned: true
    })
    const { id } = vienna
    await client.updateNote({ id, body: `${body}\nBack on Sunday.` })
    const comment = await client.createComment({ note_id: id, body: "By night train?" })
    await client.createComment({ note_id: id, body: "By day.", parent_id: comment.id })
    await client.createShare({ note_id: id, password: "open sesame" })
    await client.createReminder({ note_id: id, remind_at: "2026-05-01T08:00:00Z", channel: "email" })
    pages = await given.signedIn(who)
    await pages.row("Vienna").waitFor()
    await check("list")
    await pages.read("Vienna")
    await pages.rendered.getByText("Back on Sunday.").waitFor()
    await check("reading")
    await pages.page.keyboard.press("l")
    await pages.page.getByRole("button", { name: "Lisbon" }).waitFor()
    await check("links")
    await pages.page.keyboard.press("t")
    await pages.page.getByRole("link", { name: "All open" }).click()
    await pages.page.getByRole("checkbox", { name: "tickets" }).waitFor()
    await check("tasks")
    await pages.follow(`all/${id}`)
    await pages.edit()
    await check("writing")
    await pages.editor.focus()
    await pages.page.keyboard.press("Control+f")
    await pages.page.locator(".cm-search").waitFor()
    await check("find")
    await pages.page.keyboard.press("Escape")
    for (const name of ["History", "Share", "Reminders", "Comments"]) {
      await pages.openDialog(name)
      await check(name.toLowerCase())
      await pages.closeDialog(name)
    }
    await pages.button("More").click()
    await check("note-menu")
    await pages.page.getByRole("menuitem", { name: "What happened" }).click()
    await pages.dialog("What happened").getByText("created the note").waitFor()
    await check("what-happened")
    await pages.closeDialog("What happened")
    await pages.button("New notebook").click()
    await check("new-notebook")
    await pages.closeDialog("New notebook")
    await pages.button("More: Trips").click()
    await pages.page.getByRole("menuitem", { name: "Move to…" }).click()
    await check("move-notebook")
    await pages.closeDialog("Move to…")
    await pages.search("train")
    await pages.page.locator(".row mark").first().waitFor()
    await check("search")
    await pages.search("nothing has this")
    await pages.page.getByText("No note matches.").first().waitFor()
    await check("nothing-found")
    await pages.follow(`tag:trip`)
    await pages.row("Vienna").waitFor()
    await check("tag")
    await pages.follow("trash")
    await pages.row("In the trash").waitFor()
    await check("trash")
    await pages.row("In the trash").click()
    await pages.page.getByText("This note is in the trash.").waitFor()
    await check("trashed-note")
    await pages.follow("archive")
    await pages.page.getByText("Archived notes are here, out of the way.").waitFor()
    await check("archive")
    await pages.follow("all/nt_0000000000000000000000")
    await pages.page.getByText("The note nt_0000000000000000000000 is not here.").waitFor()
    await check("not-found")
    await pages.follow(`all/${id}`)
    await pages.edit()
    await pages.beforeSave(() => client.updateNote({ id, body: "Their text." }))
    await pages.retype("My text.")
    await pages.button("Compare").click()
    await pages.dialog("Merged with another change").waitFor()
    await check("merged")
    await pages.closeDialog("Merged with another change")
    await pages.state("Saved")
    await pages.beforeSave(() => client.updateNote({ id, title: "Their title" }))
    await pages.page.getByRole("textbox", { name: "Title" }).fill("My title")
    await pages.dialog("You and someone else changed the same title").waitFor()
    await check("conflict")
    await pages.button("Use your version").click()
    await pages.state("Saved")
    await client.deleteNote({ id })
    await pages.type(" More.")
    await pages.page.getByText("The note was deleted while you were writing.").waitFor()
    await check("gone")
    expect(wrong).toEqual({})
  })

  it("are accessible, light and dark, on a phone and a desktop, and fit in the window: labels and imports", async () => {
    wrong = {}
    const who = await given.account()
    const { client, notebook_id } = who
    await client.createNotebook({ name: "Trips", color: "#3f8f63", icon: "plane" })
    await client.createTemplate({
      name: "A visit with a name that is rather long",
      body: "# {{title}}\n\nWith {{client}}."
    })
    await client.createNote({
      notebook_id,
      title: "Vienna",
      tags: ["trip", "a-long-tag-of-a-note-that-fills-the-line"]
    })
    await client.createTag({ name: "yellow", color: "#b99a1d" })
    pages = await given.signedIn(who)
    const { page } = pages
    const menu = async (name: string, item: string) => {
      await pages.button(name).click()
      await page.getByRole("menuitem", { name: item, exact: true }).click()
    }
    await pages.button("More: #trip").waitFor()
    await check("labels")
    await menu("More: Trips", "Edit…")
    await pages.dialog("Edit the notebook").getByText("Icon: plane").click()
    await check("edit-notebook")
    await pages.closeDialog("Edit the notebook")
    await pages.button("More: #trip").click()
    await check("tag-menu")
    await page.keyboard.press("Escape")
    for (const [item, title] of [
      ["Name and colour…", "#trip"],
      ["Merge into…", "Merge #trip"],
      ["Delete…", "Delete #trip"]
    ] as const) {
      await menu("More: #trip", item)
      await pages.dialog(title).waitFor()
      await check(`tag-${item.split(/\W/)[0]!.toLowerCase()}`)
      await pages.closeDialog(title)
    }
    await pages.button("All tags").click()
    await pages.dialog("All tags").getByText("yellow").waitFor()
    await check("all-tags")
    await pages.closeDialog("All tags")

    await menu("New note from a template", "Manage templates…")
    const templates = pages.dialog("Templates")
    await templates.waitFor()
    await check("templates")
    await templates.getByRole("button", { name: "New template" }).click()
    await templates.getByText("Placeholders").click()
    await check("template")
    await templates.getByRole("button", { name: "Back" }).click()
    await templates.getByRole("button", { name: /^Delete/ }).click()
    await templates.getByText("is deleted.").waitFor()
    await check("template-deleted")
    await pages.closeDialog("Templates")

    await menu("Account and workspace", "Import notes…")
    const dialog = pages.dialog("Import notes")
    const choose = (name: string, text: string) =>
      dialog
        .getByLabel("File", { exact: true })
        .setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) })
    await dialog.waitFor()
    await check("import")
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route("**/files/imports/**", async (route) => {
      await held
      await route.continue()
    })
    await choose("A long name of a file that does not fit into the line of a phone.md", "![[gone.png]] [[Nowhere]]")
    await check("import-file")
    await dialog.getByRole("button", { name: "Import", exact: true }).click()
    await dialog.getByText("Sending A long name").waitFor()
    await check("import-sending")
    release()
    await dialog.getByText("1 note imported.").waitFor()
    await check("import-done")
    await dialog.getByRole("button", { name: "Import another file" }).click()
    await choose("broken.zip", "no archive")
    await dialog.getByRole("button", { name: "Import", exact: true }).click()
    await dialog.getByText("The import has failed.").waitFor()
    await check("import-failed")
    expect(wrong).toEqual({})
  })

  it("are accessible, light and dark, on a phone and a desktop, and fit in the window: settings", async () => {
    wrong = {}
    const who = await given.account()
    const { client, notebook_id } = who
    await client.createWorkspace({ name: "A workspace with a name that is rather long for a phone" })
    await client.createApiKey({ name: "A script with a name that is rather long for a phone" })
    const url = "https://hooks.example.org/a/path/that/is/longer/than/the/line/of/a/phone"
    const webhook = await client.createWebhook({ url, events: ["note.created", "notebook.*", "comment.resolved"] })
    given.sheaf.faults.set({ failedDeliveries: 1 })
    await client.createNote({ notebook_id, title: "Vienna", body })
    await given.sheaf.idle()
    given.sheaf.faults.clear()
    await client.createExport({ scope: "workspace" })
    await given.sheaf.idle()
    pages = await given.signedIn(who)
    const { page } = pages
    for (const [name, text] of [
      ["Account", "Save the profile"],
      ["Sessions and devices", "End all other sessions…"],
      ["Workspace", "Save the workspace"],
      ["People", "There are no invitations."],
      ["API keys", "A script with a name that is rather long for a phone"],
      ["Folder", "Make the key"],
      ["Webhooks", url],
      ["Imports and exports", "Download"],
      ["Usage", "Requests a minute, for each session and key"],
      ["Audit log", "auth.logged_in"]
    ] as const) {
      await pages.settings(name)
      await page.getByText(text, { exact: true }).first().waitFor()
      await check(`settings-${name.toLowerCase().replaceAll(" ", "-")}`)
    }
    await page
      .getByRole("button", { name: /^Details:/ })
      .first()
      .click()
    await check("settings-audit-entry")
    await page.goto(new URL(`/console/settings/webhooks/${webhook.id}`, given.sheaf.url).href)
    await page.getByRole("button", { name: /^Details: attempt 1/ }).click()
    await check("settings-deliveries")
    await pages.button("New secret").click()
    await page.getByLabel("Secret for signatures").last().waitFor()
    await page.getByText("All events, also those of later versions").scrollIntoViewIfNeeded()
    await check("settings-webhook")
    await pages.button("Delete…").click()
    await check("settings-question")
    await pages.closeDialog("Delete the webhook")
    await pages.settings("API keys")
    await page.getByLabel("Name", { exact: true }).fill("Another")
    await given.sheaf.advance("16 minutes")
    await pages.button("Make the key").click()
    await pages.dialog("Confirm that it is you").waitFor()
    await check("settings-password")
    await pages.closeDialog("Confirm that it is you")
    await page.getByText("This needs a confirmation that it is you.").waitFor()
    await check("settings-refused")
    await client.createImport({ source: "markdown", filename: "waiting.md" })
    await pages.settings("Imports and exports")
    const file = { name: "broken.zip", mimeType: "application/zip", buffer: Buffer.from("no archive") }
    await page.getByLabel("File", { exact: true }).setInputFiles(file)
    await pages.button("Import").click()
    await page.getByRole("button", { name: "Details: broken.zip" }).click()
    await page.getByText("The import has failed.").last().waitFor()
    await check("settings-imports")
    expect(wrong).toEqual({})
  })

  it("are accessible, light and dark, on a phone and a desktop, and fit in the window: first start", async () => {
    wrong = {}
    pages = await ConsolePages.open(
      await given.browse(),
      given.sheaf.url,
      "start#email=ada.long-name@botanical-garden.example"
    )
    const { page } = pages
    expect(await page.getByLabel("E-mail address").inputValue()).toBe("ada.long-name@botanical-garden.example")
    await check("start-sign-in")
    await pages.signIn(await given.account())
    await page.getByRole("heading", { name: "Bring your notes" }).waitFor()
    await check("start-import")
    const file = { name: "note.md", mimeType: "text/markdown", buffer: Buffer.from("[[Nowhere]]") }
    await page.getByLabel("File", { exact: true }).setInputFiles(file)
    await pages.button("Import").click()
    await page.getByText("1 note imported.").waitFor()
    await check("start-imported")
    await pages.button("Connect a client (optional)").click()
    await page.getByRole("heading", { name: "Connect a client" }).waitFor()
    await check("start-connect")
    await pages.button("Make the key").click()
    await page.getByLabel("Key “Assistant”").last().waitFor()
    await page.getByLabel("Configuration for").selectOption("Claude")
    await check("start-key")
    await page.getByLabel("Configuration for").selectOption("VS Code")
    await check("start-other-client")
    expect(wrong).toEqual({})
  })

  it("are accessible, light and dark, on a phone and a desktop, and fit in the window: server", async () => {
    wrong = {}
    const who = await given.account()
    const operator = await given.operator()
    const workspace = await who.client.createWorkspace({
      name: "Shared with many people under a name that is long"
    })
    await who.client.createExport({ scope: "workspace" })
    await who.client.createImport({ source: "markdown", filename: "waiting.md" })
    await given.sql(
      `INSERT INTO failed_mails (workspace_id, id, recipient, sealed, attempts, error, created_at, failed_at)
      VALUES ($1, 'lost', 'a.person.with.a.long.address@mail.example.org', '', 7, '550', $2, $2)`,
      [workspace.id, "2026-03-01T12:00:00.000Z"]
    )
    await given.sheaf.advance("30 minutes")
    pages = await given.signedIn(operator)
    const { page } = pages
    await pages.button("Account and workspace").click()
    await check("operator-menu")
    await page.keyboard.press("Escape")
    await pages.server("Overview")
    await page.getByRole("slider", { name: "Memory" }).waitFor()
    await check("server-overview")
    await page.getByText("As a table").first().click()
    await check("server-chart-table")
    await pages.server("Users")
    await page.getByRole("link", { name: operator.email }).waitFor()
    await check("server-users")
    await page.getByRole("link", { name: who.email }).click()
    await pages.button("Link for a new password").click()
    await page.getByRole("textbox", { name: `Link for ${who.email}` }).waitFor()
    await check("server-user")
    await pages.button("Delete…").click()
    await check("server-question")
    await pages.closeDialog("Delete the user")
    await pages.server("Workspaces")
    await page.getByRole("link", { name: workspace.name }).waitFor()
    await check("server-workspaces")
    await page.getByRole("link", { name: workspace.name }).click()
    await pages.button("Erase…").waitFor()
    await check("server-workspace")
    await pages.button("Erase…").click()
    await check("server-erase")
    await pages.closeDialog("Erase the workspace")
    await who.client.deleteWorkspace({ id: workspace.id, confirm: workspace.slug, current_password: who.password })
    await pages.server("Workspaces")
    await page.getByRole("link", { name: workspace.name }).click()
    await pages.button("Restore the workspace").waitFor()
    await check("server-workspace-deleted")
    for (const [name, text] of [
      ["Jobs", "waits for its file"],
      ["Backups", "There are no backups. Set BACKUP_TO and BACKUP_EVERY, and start the server again."],
      ["Mails", "failed 550"],
      ["System", "What operators have done"]
    ] as const) {
      await pages.server(name)
      await page.getByText(text, { exact: true }).last().waitFor()
      await check(`server-${name.toLowerCase()}`)
    }
    await page.getByText("Changes by version").click()
    await check("server-changes")
    await pages.server("Checks")
    await pages.button("Quick check").click()
    await page.getByText(/: ended, /).waitFor()
    await check("server-checks")
    expect(wrong).toEqual({})
  })
})
