import { describe, expect, it } from "vitest"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"

/** Resolves when the service worker of a page handles its requests. */
const isControlled = `new Promise((resolve) =>
  navigator.serviceWorker.controller ? resolve() : navigator.serviceWorker.ready.then(resolve)
)`

/** The number of copies on the device. */
const copies = ({ page }: ConsolePages): Promise<number> =>
  page.evaluate(
    `indexedDB.databases().then((all) => all.filter(({ name }) => name.startsWith("sheaf-console-copy")).length)`
  )

const keep = "Keep the notes of this workspace on this device"

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
    await one.page.getByLabel(keep).check()
    await one.page.getByText("2 notes are on this device.").waitFor()
    await one.page.evaluate(isControlled)
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
    await tab.page.getByText("The night train leaves at 19:40.").last().waitFor()
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

  it("are removed when they are no longer wanted", async () => {
    const who = await given.account()
    const context = await given.browse()
    const pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(who)
    await pages.settings("Workspace")
    await pages.page.getByLabel(keep).check()
    await pages.page.getByText("0 notes are on this device.").waitFor()
    await pages.page.getByLabel(keep).uncheck()
    await expect.poll(() => copies(pages)).toBe(0)
    expect(pages.seen()).toEqual([])
  })
})
