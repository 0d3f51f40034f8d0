import { describe, expect, it } from "vitest"
import * as Restores from "../../services/writer/Restores.ts"
import type { Schemas } from "../../src/clients/client/SheafClient.ts"
import { linksIn } from "../support/people/FormPages.ts"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { shareFrom } from "../support/browser/SharedForm.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { VersionProxy } from "../support/browser/VersionProxy.ts"

/** Resolves when the service worker of a page handles its requests. */
const isControlled = `new Promise((resolve) =>
  navigator.serviceWorker.controller ? resolve() : navigator.serviceWorker.ready.then(resolve)
)`

describe.skipIf(!isSlow || missing !== "")(`the console and its connection${missing}`, () => {
  const given = useConsole()

  it("opens without a network, where a note is begun, which is saved when the network is back", async () => {
    const who = await given.account()
    const context = await given.browse()
    const online = await ConsolePages.open(context, given.sheaf.url)
    await online.signIn(who)
    await online.write("Known", "Words.")
    await online.page.evaluate(isControlled)
    await context.setOffline(true)
    await online.begin("Left", "Kept words.")
    await online.state("Offline: kept on this device")
    await online.page.close()

    // An address may end like that of a file.
    const offline = await ConsolePages.open(context, given.sheaf.url, "tag:v1.2")
    await offline.page.getByText("The server cannot be reached").waitFor()
    await offline.page.getByRole("link", { name: "All notes" }).click()
    await offline.page.getByText("1 text waits").waitFor()
    await offline.begin("Begun", "New words.")
    await offline.state("Offline: kept on this device")
    await context.setOffline(false)
    await offline.state("Saved")
    await offline.row("Known").waitFor()
    expect(await offline.page.getByText("The server cannot be reached").count()).toBe(0)
    await offline.row("Left").waitFor()
    const notes = await who.client.listNotes({ sort: ["title"] })
    expect(notes.data.map(({ body }) => body)).toEqual(["New words.", "Words.", "Kept words."])
    expect(offline.seen()).toEqual([])
  })

  it("saves the open text at sign-out, which other tabs follow", async () => {
    const who = await given.account()
    const context = await given.browse()
    const one = await ConsolePages.open(context, given.sheaf.url)
    await one.signIn(who)
    const other = await ConsolePages.open(context, given.sheaf.url)
    await other.begin("Other", "Of the other tab.")
    await other.state("Saved")
    await one.begin("Last", "Last words.")
    await one.button("Account and workspace").click()
    await one.page.getByRole("menuitem", { name: "Sign out" }).click()
    for (const tab of [one, other]) await tab.page.getByText("Your notes, on your server.").waitFor()
    await other.page.getByText("You have signed out in another tab.").waitFor()
    expect(await other.dialog("Your session has ended").count()).toBe(0)
    const notes = await who.client.listNotes({ sort: ["title"] })
    expect(notes.data.map(({ body }) => body)).toEqual(["Last words.", "Of the other tab."])
    expect([one.seen(), other.seen()]).toEqual([[], []])
  })

  it("keeps the text of a member who becomes a viewer and then is removed, and saves it in the own workspace", async () => {
    const { client } = given.sheaf
    const [{ id: workspace_id }] = (await client.listWorkspaces()).data as [Schemas["Workspace"]]
    await client.updateWorkspace({ id: workspace_id, name: "Garden" })
    const guest = await given.account()
    await client.createInvitation({ workspace_id, email: guest.email, role: "editor" })
    await given.sheaf.idle()
    const mail = given.sheaf.mails.filter(({ to }) => to === guest.email).at(-1)!
    await guest.client.acceptInvitation({ token: new URL(linksIn(mail)[0]!).searchParams.get("token")! })
    const pages = await given.signedIn(guest)
    await pages.openWorkspace("Garden")
    await pages.write("Shared note", "By the guest.")
    const members = await client.listMembers({ workspace_id })
    const member = members.data.find(({ email }) => email === guest.email)!
    await pages.beforeSave(() => client.updateMember({ workspace_id, id: member.id, role: "viewer" }))
    await pages.type(" Written as a viewer.")
    await pages.state("Not saved")
    await client.createNotebook({ name: "Later" })
    await pages.page.locator("button[aria-label=Pin]:disabled").waitFor()
    await pages.editor.getByText("Written as a viewer.").waitFor()
    await client.deleteMember({ workspace_id, id: member.id })
    await pages.page.getByText("You are not a member of this workspace any more").waitFor()
    await pages.type(" Written after the removal.")
    await pages.state("Not saved")
    await pages.button("Open my own workspace").click()
    await pages.page.getByText("No notes yet.").waitFor()
    await pages.write("Own note", "Here.")
    await pages.page.getByText("1 text waits").waitFor()
    await pages.button("Show").click()
    await pages.page.getByRole("button", { name: /^Open: / }).click()
    await pages.button("Save as a new note").click()
    await pages.row("Shared note").waitFor()
    await pages.state("Saved")
    const own = await guest.client.listNotes({ sort: ["-title"] })
    expect(own.data.map(({ body }) => body)).toEqual([
      "By the guest. Written as a viewer. Written after the removal.",
      "Here."
    ])
    expect(pages.seen()).toEqual([])
  })

  it("says that the server has another version, and still loads its own files, also while a proxy responds alone", async () => {
    const who = await given.account()
    const proxy = await VersionProxy.start(given.sheaf.url)
    try {
      const context = await given.browse()
      const pages = await ConsolePages.open(context, proxy.url)
      await pages.signIn(who)
      await pages.page.evaluate(isControlled)
      await pages.page.reload()
      proxy.version = "later"
      proxy.missing = /Editor-\w+\.js$/
      await pages.page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`)
      await pages.page.getByText("The server was updated.").waitFor()
      await pages.write("Written", "With the editor of before.")
      await pages.button("Reload").click()
      await pages.row("Written").waitFor()
      proxy.isAway = true
      await pages.page.reload()
      await pages.page.getByText("The server cannot be reached").first().waitFor()
      proxy.isAway = false
      await pages.row("Written").waitFor()
      expect(pages.seen()).toEqual([])
    } finally {
      await proxy.stop()
    }
  })

  it("opens and saves in the eighth tab, and a tab that is shown again has what happened meanwhile", async () => {
    const who = await given.account()
    const context = await given.browse()
    const show = (tab: ConsolePages, state: "visible" | "hidden") =>
      tab.page.evaluate(`{
        Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true })
        document.dispatchEvent(new Event("visibilitychange"))
      }`)
    const first = await ConsolePages.open(context, given.sheaf.url)
    await first.signIn(who)
    await show(first, "hidden")
    for (let count = 0; count < 6; count++) {
      const tab = await ConsolePages.open(context, given.sheaf.url)
      await tab.page.getByRole("link", { name: "All notes" }).waitFor()
      await show(tab, "hidden")
    }
    const last = await ConsolePages.open(context, given.sheaf.url)
    await last.write("Written", "In the eighth tab.")
    expect(await first.row("Written").count()).toBe(0)
    await show(first, "visible")
    await first.row("Written").waitFor()
    expect([first.seen(), last.seen()]).toEqual([[], []])
  })

  it("saves the text of a tab that was closed offline, while another tab has the same note open with a text of its own", async () => {
    const who = await given.account()
    const context = await given.browse()
    const one = await ConsolePages.open(context, given.sheaf.url)
    await one.signIn(who)
    await one.write("Shared", "base")
    const [note] = (await who.client.listNotes()).data
    const other = await ConsolePages.open(context, given.sheaf.url, `all/${note!.id}`)
    await other.button("Write").click()
    await other.editor.getByText("base").waitFor()
    await context.setOffline(true)
    await one.type("\nfrom tab one")
    await one.state("Offline: kept on this device")
    await other.type("\nfrom tab two")
    await other.state("Offline: kept on this device")
    await other.page.close()
    await context.setOffline(false)
    await expect
      .poll(async () => (await who.client.getNote({ id: note!.id })).body, { timeout: 20_000 })
      .toMatch(/^base(?=.*\nfrom tab one)(?=.*\nfrom tab two)/s)
    await one.editor.getByText("from tab two").waitFor()
    expect(one.seen()).toEqual([])
  })

  it("says that the server was restored, and saves over nothing that was not seen", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    await pages.write("Written", "Before.")
    await given.sheaf.run(Restores.reset)
    await pages.page.getByText("The server was restored from a backup.").waitFor()
    await pages.type(" After.")
    await pages.state("Saved")
    const [note] = (await who.client.listNotes()).data
    expect(note).toMatchObject({ body: "Before. After." })
    expect(note!.version).toBeGreaterThan(1_000_000)
    expect(pages.seen()).toEqual([])
  })

  it("makes notes of what other apps share, each once and only when the user confirms it", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    await pages.page.evaluate(isControlled)
    await pages.page.reload()
    const address = new URL("/console/", given.sheaf.url).href
    for (const title of ["First", "Second", "Third"]) {
      const file = { name: "first.txt", text: "first file" }
      const form = { title, text: `Text of ${title}`, url: "https://example.org/a", file }
      expect(await shareFrom(pages.page, address, form)).toBe("")
    }
    await pages.page.reload()
    const dialog = pages.dialog("Shared with Sheaf")
    await dialog.getByRole("heading", { name: "First" }).waitFor()
    expect((await who.client.listNotes()).data).toEqual([])
    const save = dialog.getByRole("button", { name: "Save as a note" })
    // The note is made when the server responds again.
    given.sheaf.faults.set({ lostResponses: 1 })
    await save.click()
    await dialog.getByRole("heading", { name: "Second" }).waitFor()
    given.sheaf.faults.clear()
    pages.page.removeAllListeners("dialog")
    pages.page.on("dialog", (asked) => void asked.accept())
    await dialog.getByRole("button", { name: "Discard" }).click()
    await dialog.getByRole("heading", { name: "Third" }).waitFor()
    await save.click()
    await dialog.waitFor({ state: "detached" })
    await pages.rendered.getByText("Text of Third").waitFor()
    const made = async () => {
      const { data } = await who.client.listNotes({ sort: ["title"] })
      return data.map(({ body, title }) => [title, body.replace(/at_\w+/, "at_1")])
    }
    await expect
      .poll(made, { timeout: 60_000 })
      .toEqual(
        ["First", "Third"].map((title) => [
          title,
          `Text of ${title}\n\nhttps://example.org/a\n\n[first.txt](attachment:at_1)`
        ])
      )
    await pages.page.reload()
    await pages.row("Third").waitFor()
    expect(await dialog.count()).toBe(0)
    expect(pages.seen()).toEqual([])
  })
})
