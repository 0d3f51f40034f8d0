import { describe, expect, it } from "vitest"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

/** Resolves when the service worker of a page handles its requests. */
const isControlled = `new Promise((resolve) =>
  navigator.serviceWorker.controller ? resolve() : navigator.serviceWorker.ready.then(resolve)
)`

/** The number of copies on the device. */
const copies = ({ page }: ConsolePages): Promise<number> =>
  page.evaluate(
    `indexedDB.databases().then((all) => all.filter(({ name }) => name.startsWith("sheaf-console-copy")).length)`
  )

const [none, all] = ["No notes", "The notes of all notebooks"]

/** Shows changes of other tabs in the storage of a page half a second late, as a browser may. */
const lateStorage = `{
  const real = localStorage
  let seen = { ...real }
  const write = (name) => (...given) => {
    real[name](...given)
    seen = { ...real }
  }
  const members = { getItem: (key) => seen[key] ?? null, setItem: write("setItem"), removeItem: write("removeItem") }
  const late = new Proxy(seen, {
    has: (_, key) => key in seen,
    get: (_, key) => members[key] ?? seen[key],
    ownKeys: () => Object.keys(seen),
    getOwnPropertyDescriptor: (_, key) => ({ value: seen[key], enumerable: true, configurable: true })
  })
  Object.defineProperty(window, "localStorage", { value: late })
  addEventListener("storage", (event) => {
    if (!event.isTrusted) return
    event.stopImmediatePropagation()
    const { key, newValue, oldValue } = event
    setTimeout(() => {
      seen = { ...real }
      dispatchEvent(new StorageEvent("storage", { key, newValue, oldValue }))
      window.isStorageRead = true
    }, 500)
  })
}`

/** Waits until the service worker has the renderer of notes. */
const hasRenderer = ({ page }: ConsolePages): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate(`caches.keys().then(async (names) => {
        const stored = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
        return stored.flat().filter(({ url }) => url.includes("/NoteRenderer-")).length
      })`)
    )
    .toBe(1)

/** Keeps all notes in two tabs, and ends that in one. */
const endInOne = async (one: ConsolePages, other: ConsolePages): Promise<void> => {
  for (const pages of [one, other]) await pages.settings("Workspace")
  await one.page.getByLabel(all).check()
  await one.page.getByText("0 notes are on this device.").waitFor()
  await other.page.reload()
  await other.page.getByText("0 notes are on this device.").waitFor()
  await one.page.getByLabel(none).check()
}

describe.skipIf(missing !== "")(`the notes on a device${missing}`, () => {
  const given = useConsole()

  it("are read, searched and edited without a network, in every tab, and are gone after a sign-out", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const other = (await client.createNotebook({ name: "Journeys" })).id
    const [vienna] = [
      await client.createNote({ notebook_id: other, title: "Vienna", body: "The night train leaves at 19:40." }),
      await client.createNote({ notebook_id, title: "Groceries", body: "Brot, Käse", tags: ["home"] })
    ]
    const context = await given.browse()
    const one = await ConsolePages.open(context, given.sheaf.url)
    await one.signIn(who)
    await one.settings("Workspace")
    await one.page.getByLabel(all).check()
    await one.page.getByText("2 notes are on this device.").waitFor()
    await one.page.evaluate(isControlled)
    await hasRenderer(one)
    // A later note comes with the changes.
    await client.createNote({ notebook_id, title: "Later", body: "Came later." })
    await one.page.getByText("3 notes are on this device.").waitFor()

    await context.setOffline(true)
    const tab = await ConsolePages.open(context, given.sheaf.url)
    for (const title of ["Vienna", "Groceries", "Later"]) await tab.row(title).waitFor()
    await tab.follow(`search?q=kase`)
    await tab.row("Groceries").waitFor()
    expect(await tab.page.locator(".row").count()).toBe(1)
    await tab.follow(other)
    await tab.read("Vienna")
    await tab.rendered.getByText("The night train leaves at 19:40.").waitFor()
    await tab.edit()
    await tab.type("\nPlatform 9.")
    await tab.state("Offline: kept on this device")
    expect(tab.seen()).toEqual([])

    // Meanwhile another client changes the note.
    await client.updateNote({ id: vienna!.id, version: 1, body: "The last night train leaves at 19:40." })
    await context.setOffline(false)
    await tab.state("Saved")
    const { body } = await client.getNote({ id: vienna!.id })
    expect(body).toBe("The last night train leaves at 19:40.\nPlatform 9.")

    expect(await copies(one)).toBe(1)
    await tab.button("Account and workspace").click()
    await tab.page.getByRole("menuitem", { name: "Sign out" }).click()
    await tab.page.getByLabel("Password").waitFor()
    await expect.poll(() => copies(one)).toBe(0)
  })

  it("are rendered as on the server, under the same rules, also with text that waits", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const hut = await client.createNote({ notebook_id, title: "Hut", body: "---\naliases: [Cabin]\n---\nAt 2000 m." })
    const body = [
      "# Plan\n\n**Bold**, `code`, $x^2$, [[hut]], [[Cabin#Plan|the cabin]], [[Nowhere]] and [out](https://example.test).",
      "```js\nconst a = 1\n```\n\n- [ ] Pack\n- [x] Book\n\n| a | b |\n|---|---|\n| 1 | 2 |",
      "<script>parent.ran = 1</script><img src=x onerror='parent.ran = 1'><b>kept</b> <a href='javascript:parent.ran = 1'>no</a>"
    ].join("\n\n")
    const note = await client.createNote({ notebook_id, title: "Plans", body })
    const { html, lang } = await client.renderNote({ id: note.id })
    const pages = await given.signedIn(who)
    const { page } = pages
    await pages.settings("Workspace")
    await page.getByLabel(all).check()
    await page.getByText("2 notes are on this device.").waitFor()
    await page.evaluate(isControlled)
    await hasRenderer(pages)
    await page.context().setOffline(true)
    await pages.follow(`all/${note.id}`)
    await pages.rendered.getByText("Bold").waitFor()
    const frame = page.locator("iframe.note-html")
    expect(await frame.getAttribute("srcdoc")).toContain(`<main class="text">${html}</main>`)
    expect(await frame.getAttribute("srcdoc")).toContain(`<html lang="${lang ?? ""}">`)
    expect(await page.evaluate("window.ran")).toBeUndefined()
    // The style of the server, too.
    const ofPre = `getComputedStyle(document.querySelector("iframe.note-html").contentDocument.querySelector("pre"))`
    await expect.poll(() => page.evaluate(`${ofPre}.paddingInlineStart`)).toBe("17.6px")

    await pages.rendered.getByRole("checkbox", { name: "Pack" }).check()
    await pages.edit()
    await pages.type("\n\nAnd *then* home. ![[map.png]] ![map](attachment:at_0123456789abcdef)")
    await pages.state("Offline: kept on this device")
    await pages.button("Read").click()
    await pages.rendered.locator("em", { hasText: "then" }).waitFor()
    expect(await pages.rendered.locator(".missing").getAttribute("title")).toBe("File not on this device")
    expect(await pages.rendered.getByRole("checkbox", { name: "Pack" }).isChecked()).toBe(true)
    await pages.rendered.getByRole("link", { name: "the cabin" }).click()
    await pages.rendered.getByText("At 2000 m.").waitFor()
    expect(pages.noteId).toBe(hut.id)
    await page.context().setOffline(false)
    await expect.poll(async () => (await client.getNote({ id: note.id })).body).toContain("- [x] Pack")
    expect(pages.seen()).toEqual([])
  })

  it("give way to those of the server when it is reached, in each order, also where a note is gone", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const made = ["Alps", "Berlin", "Cork"].map((title) => client.createNote({ notebook_id, title, body: "Seen." }))
    const [alps, berlin] = await Promise.all(made)
    const old = await client.createNote({ notebook_id, title: "Zermatt", body: "\u{1f600}".repeat(300), tags: ["old"] })
    await client.updateNote({ id: old.id, version: 1, archived: true })
    const pages = await given.signedIn(who)
    const { page } = pages
    const context = page.context()
    await pages.settings("Workspace")
    await page.getByLabel(all).check()
    await page.getByText("4 notes are on this device.").waitFor()
    await page.evaluate(isControlled)
    await pages.follow("all")
    await page.getByRole("button", { name: "Order and rows of the list" }).click()
    await page.getByRole("menuitemradio", { name: "Title", exact: true }).click()
    await context.setOffline(true)
    // The page is opened without a network, so that no change reaches it by the stream.
    await page.close()
    const tab = await ConsolePages.open(context, given.sheaf.url, `all/${berlin!.id}`)
    const titles = () => tab.page.locator(".windowed .row-title").allTextContents()
    await expect.poll(titles).toEqual(["Alps", "Berlin", "Cork"])
    await tab.page.locator(".pane.note").getByRole("heading", { name: "Berlin" }).waitFor()
    await client.deleteNote({ id: berlin!.id })
    await client.updateNote({ id: alps!.id, version: 1, title: "Dublin" })
    await context.setOffline(false)
    await expect.poll(titles).toEqual(["Cork", "Dublin"])
    await tab.page.getByText("This note was deleted, or moved to the trash.").waitFor()
    expect(tab.seen()).toEqual([])
  })

  it("are removed when they are no longer wanted", async () => {
    const who = await given.account()
    const context = await given.browse()
    const pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(who)
    await pages.settings("Workspace")
    await pages.page.getByLabel(all).check()
    await pages.page.getByText("0 notes are on this device.").waitFor()
    await pages.page.getByLabel(none).check()
    await expect.poll(() => copies(pages)).toBe(0)
    expect(pages.seen()).toEqual([])
  })

  it("are kept by another tab too after the choice was ended and made again", async () => {
    const who = await given.account()
    const one = await given.signedIn(who)
    const context = one.page.context()
    const other = await ConsolePages.open(context, given.sheaf.url)
    await endInOne(one, other)
    await expect.poll(() => copies(one)).toBe(0)
    await one.page.getByLabel(all).check()
    await one.page.getByText("0 notes are on this device.").waitFor()
    await one.page.close()
    await who.client.createNote({ notebook_id: who.notebook_id, title: "Later" })
    await other.page.getByText("1 note is on this device.").waitFor()
    expect(other.seen()).toEqual([])
  })

  it("are removed too if another tab learns of the choice before its storage has it", async () => {
    const who = await given.account()
    const one = await given.signedIn(who)
    const context = one.page.context()
    await context.addInitScript(lateStorage)
    const other = await ConsolePages.open(context, given.sheaf.url)
    await endInOne(one, other)
    await expect.poll(() => other.page.evaluate("window.isStorageRead")).toBe(true)
    await expect.poll(() => copies(one)).toBe(0)
    expect([...one.seen(), ...other.seen()]).toEqual([])
  })

  it("are removed with the right to read them, in the open workspace and in others", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const keep = async () => {
      await pages.settings("Workspace")
      await pages.page.getByLabel(all).check()
      await pages.page.getByText("0 notes are on this device.").waitFor()
    }
    const remove = async ({ id, slug }: { readonly id: string; readonly slug: string }) =>
      who.client.deleteWorkspace({ id, confirm: slug, current_password: who.password })
    const [open, closed] = [
      await who.client.createWorkspace({ name: "Garden" }),
      await who.client.createWorkspace({ name: "Kitchen" })
    ]
    await pages.page.reload()
    for (const name of ["Kitchen", "Garden"]) {
      await pages.follow("all")
      await pages.openWorkspace(name)
      await keep()
    }
    expect(await copies(pages)).toBe(2)
    await remove(closed)
    await pages.page.reload()
    await expect.poll(() => copies(pages)).toBe(1)
    await remove(open)
    await pages.page.reload()
    await pages.page.getByText("You are not a member of this workspace any more").waitFor()
    await expect.poll(() => copies(pages)).toBe(0)
  })

  it("are those of chosen notebooks with the ones inside, as notes and notebooks move and the choice changes", async () => {
    const who = await given.account()
    const { client, notebook_id: inbox } = who
    const [trips, work] = [
      await client.createNotebook({ name: "Trips" }),
      await client.createNotebook({ name: "Work" })
    ]
    const alps = await client.createNotebook({ name: "Alps", parent_id: trips.id })
    const plans = await client.createNotebook({ name: "Plans", parent_id: work.id })
    const note = (title: string, notebook_id: string) =>
      client.createNote({ title, notebook_id, body: `About ${title}.` })
    const [packing, hut, report] = [
      await note("Packing", trips.id),
      await note("Hut", alps.id),
      await note("Report", work.id),
      await note("Roadmap", plans.id)
    ]
    const pages = await given.signedIn(who)
    const { page } = pages
    const context = page.context()
    const box = (name: string) => page.getByRole("checkbox", { name, exact: true })
    const have = (count: string) => page.getByText(`${count} on this device.`).waitFor()
    /** The titles that a list has without a network. */
    const offline = async (path: string, ...titles: ReadonlyArray<string>) => {
      await pages.follow(path)
      for (const title of titles) await pages.row(title).waitFor()
      await expect.poll(() => page.locator(".row").count()).toBe(titles.length)
    }
    const withoutNetwork = async (look: () => Promise<void>) => {
      await context.setOffline(true)
      await look()
      await context.setOffline(false)
      await pages.settings("Workspace")
    }
    const kept = "Offline. This is not kept on this device."
    await pages.settings("Workspace")
    // By the keyboard alone.
    await page.getByLabel(none).focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    // All top notebooks are chosen at first, so that nothing leaves the device.
    await have("4 notes are")
    expect([await box("Trips").isChecked(), await box("Work").isChecked()]).toEqual([true, true])
    await box("Inbox").uncheck()
    await have("4 notes are")
    await box("Work").focus()
    await page.keyboard.press("Space")
    await have("2 notes are")
    expect([await box("Alps").isChecked(), await box("Alps").isDisabled()]).toEqual([true, true])
    expect(await audit(page)).toEqual([])
    await page.evaluate(isControlled)
    await withoutNetwork(async () => {
      await offline("all", "Packing", "Hut")
      await offline(alps.id, "Hut")
      await offline("search?q=in:trips", "Packing", "Hut")
      await pages.follow(work.id)
      await page.getByText(kept).waitFor()
      await pages.follow(`all/${report.id}`)
      await page.locator(".pane.note").getByText(kept).waitFor()
      await pages.follow("search?q=about")
      await page.locator(".row").nth(1).waitFor()
      expect(await page.locator(".row").count()).toBe(2)
    })

    // One note moves out of the choice, another one into it.
    await client.updateNote({ id: packing!.id, version: 1, notebook_id: inbox })
    await client.updateNote({ id: report!.id, version: 1, notebook_id: alps.id })
    await client.createNote({ title: "Later", notebook_id: inbox })
    await client.createNote({ title: "Ropes", notebook_id: alps.id })
    await have("3 notes are")
    // A notebook moves into it with the notes that were not pulled, and out again.
    await client.moveNotebook({ id: work.id, parent_id: trips.id })
    await have("4 notes are")
    await client.moveNotebook({ id: alps.id, parent_id: null })
    await have("1 note is")
    await withoutNetwork(() => offline("all", "Roadmap"))

    await box("Alps").check()
    await have("4 notes are")
    await box("Trips").uncheck()
    await have("3 notes are")
    await withoutNetwork(() => offline("all", "Hut", "Report", "Ropes"))
    await page.getByLabel(all).check()
    await have("6 notes are")
    await page.getByLabel(none).check()
    await expect.poll(() => copies(pages)).toBe(0)
    expect(hut).toBeDefined()
    expect(pages.seen()).toEqual([])
  })
})
