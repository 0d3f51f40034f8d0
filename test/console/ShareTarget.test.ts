import type { BrowserContext, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages, type Credentials } from "../support/browser/ConsolePages.ts"
import { shareFrom } from "../support/browser/SharedForm.ts"
import { serveSite } from "../support/browser/SiteServer.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { VersionProxy } from "../support/browser/VersionProxy.ts"

/** What a database of the console has. */
const storedIn = (page: Page, database: string, store: string): Promise<ReadonlyArray<{ readonly text?: string }>> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const opening = indexedDB.open("sheaf-console-${database}")
    opening.onupgradeneeded = () => opening.result.createObjectStore("${store}")
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const reading = opening.result.transaction("${store}").objectStore("${store}").getAll()
      reading.onsuccess = () => resolve(reading.result.map(({ text }) => ({ text })))
      reading.onerror = () => reject(reading.error)
      opening.result.close()
    }
  })`)

/** The texts that wait in the browser. */
const waiting = async (page: Page): Promise<ReadonlyArray<string | undefined>> =>
  (await storedIn(page, "shared", "waiting")).map(({ text }) => text)

const readyWorker = "navigator.serviceWorker.ready.then(() => undefined)"

/** The server is back: the tab connects at once. */
const reconnect = ({ page }: ConsolePages): Promise<void> => page.evaluate(`dispatchEvent(new Event("online"))`)

/** Loses the responses to the first requests to a path: those of a call with its repetitions. The server has processed them. */
const loseResponses = (context: BrowserContext, path: string): Promise<unknown> => {
  let left = 3
  return context.route(new RegExp(`/v2/${path}$`), async (route) => {
    if (left-- <= 0) return route.continue()
    await route.fetch()
    await route.abort("connectionreset")
  })
}

describe.skipIf(missing !== "")(`the share target of the console${missing}`, () => {
  const given = useConsole()

  it("takes what this device shares, up to a limit of bytes, and nothing from a page of another origin", async () => {
    const pages = await given.signedIn(await given.account())
    const { page } = pages
    const console = new URL("/console/", given.sheaf.url).href
    await page.evaluate(readyWorker)
    await page.reload()
    expect(await shareFrom(page, console, { text: "own" })).toBe("")
    const dialog = pages.dialog("Shared with Sheaf")
    await dialog.getByText("Another app on this device has shared this").waitFor()
    expect(await waiting(page)).toEqual(["own"])

    const site = await serveSite({ "/": "<!doctype html><title>Another site</title>" })
    try {
      const { port } = new URL(site.url)
      for (const url of [site.url, `http://localhost:${port}/`]) {
        const other = await page.context().newPage()
        await other.goto(url)
        expect([url, await shareFrom(other, console, { text: "planted" })]).toEqual([url, "?shared=foreign"])
        await other.getByText("A page of another site has sent something to Sheaf").waitFor()
        // The address to which the server sends browsers is of no use without the key.
        await other.goto(url)
        await other.evaluate(`location.href = "${console}share/kept?key=1-2-3-4"`)
        await other.waitForURL(`${console}?shared=lost`)
        await other.close()
      }
    } finally {
      await site.stop()
    }
    // A browser that no page has sent there.
    await page.goto(`${console}share/check?key=1-2-3-4`)
    expect(page.url()).toBe(`${console}?shared=lost`)

    const large = [
      { text: "a".repeat(1_048_577) },
      { text: "file", file: { name: "a.txt", text: "a".repeat(33_000_000) } }
    ]
    for (const form of large) expect(await shareFrom(page, console, form)).toBe("?shared=large")
    await page.getByText("a text has at most 1 MB").waitFor()
    expect(await waiting(page)).toEqual(["own"])
  })

  it("makes a note with a valid title of a long text with an emoji, and of a blank title", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { page } = pages
    const console = new URL("/console/", given.sheaf.url).href
    await page.evaluate(readyWorker)
    await page.reload()
    const long = `${"a".repeat(199)}\u{1f600}${"\u{1f600}".repeat(9)}`
    for (const form of [{ text: `${long}\nmore` }, { title: " \n ", text: "\n  Words\tof a page" }]) {
      expect(await shareFrom(page, console, form)).toBe("")
      await pages.dialog("Shared with Sheaf").waitFor()
      await pages.button("Save as a note").click()
      await pages.dialog("Shared with Sheaf").waitFor({ state: "detached" })
    }
    const titles = (await who.client.listNotes({ sort: ["-title"] })).data.map(({ title }) => title)
    expect(titles).toEqual(["Words of a page", `${"a".repeat(199)}\u{1f600}`])
    expect(pages.seen()).toEqual([])
  })

  /** Runs a test in a browser whose console comes through a proxy, with the service worker. */
  const behindProxy = async (
    test: (proxy: VersionProxy, console: string, open: (who?: Credentials) => Promise<ConsolePages>) => Promise<void>
  ): Promise<void> => {
    const proxy = await VersionProxy.start(given.sheaf.url)
    const context = await given.browse()
    try {
      await test(proxy, new URL("/console/", proxy.url).href, async (who) => {
        const pages = await ConsolePages.open(context, proxy.url)
        if (who !== undefined) await pages.signIn(who)
        await pages.page.evaluate(readyWorker)
        await pages.page.reload()
        // Then the pages open without the server.
        if (who !== undefined) await expect.poll(() => storedIn(pages.page, "lists", "lists")).not.toEqual([])
        return pages
      })
    } finally {
      await context.close()
      await proxy.stop()
    }
  }
  const dialog = (pages: ConsolePages) => pages.dialog("Shared with Sheaf")

  it("keeps what comes while the server is away, and makes one note when it is back, by two tabs and repetitions", () =>
    behindProxy(async (proxy, console, open) => {
      const who = await given.account()
      const one = await open(who)
      proxy.isAway = true
      const form = { text: "Away", url: "https://example.org/a", file: { name: "a.txt", text: "file" } }
      expect(await shareFrom(one.page, console, form)).toBe("?shared=kept")
      await dialog(one).getByText("This device keeps what was shared").waitFor()
      await dialog(one).getByText("The server has not checked where this comes from.").waitFor()
      await one.button("Save as a note").click()
      await one.page.getByText("The note is made as soon as the server can be reached").waitFor()
      await dialog(one).waitFor({ state: "detached" })
      const other = await ConsolePages.open(one.page.context(), proxy.url)
      await other.page.locator(".shell").waitFor()
      expect([await dialog(other).count(), await waiting(other.page)]).toEqual([0, ["Away"]])

      for (const path of ["sync/push", "attachments/at_\\w+"]) await loseResponses(one.page.context(), path)
      proxy.isAway = false
      await Promise.all([one, other].map(reconnect))
      await expect.poll(() => waiting(one.page), { timeout: 60_000 }).toEqual([])
      const { data } = await who.client.listNotes()
      expect(data.map(({ body, title }) => [title, body.replace(/at_\w+/, "at_1")])).toEqual([
        ["Away", "Away\n\nhttps://example.org/a\n\n[a.txt](attachment:at_1)"]
      ])
      expect((await who.client.listAttachments()).data).toHaveLength(1)
      // Files are sent to the address of the server itself.
      expect([one, other].flatMap((pages) => pages.seen()).filter((each) => !each.includes("/files/uploads/"))).toEqual(
        []
      )
    }))

  it("asks again where to make the note if the server refuses the notebook", () =>
    behindProxy(async (proxy, console, open) => {
      const who = await given.account()
      const { id } = await who.client.createNotebook({ name: "Trips" })
      const pages = await open(who)
      proxy.isAway = true
      expect(await shareFrom(pages.page, console, { text: "Refused once" })).toBe("?shared=kept")
      await dialog(pages).getByLabel("Notebook").selectOption({ label: "Trips" })
      await pages.button("Save as a note").click()
      await dialog(pages).waitFor({ state: "detached" })
      await who.client.deleteNotebook({ id })
      proxy.isAway = false
      // A page in the middle of it does not matter.
      await pages.page.reload()
      await dialog(pages).getByText("Refused once").last().waitFor()
      expect((await who.client.listNotes()).data).toEqual([])
      await pages.button("Save as a note").click()
      await dialog(pages).waitFor({ state: "detached" })
      expect((await who.client.listNotes()).data.map(({ notebook_id, title }) => [notebook_id, title])).toEqual([
        [who.notebook_id, "Refused once"]
      ])
    }))

  it("belongs to the account that the console shows, and without one to the next that signs in", () =>
    behindProxy(async (proxy, console, open) => {
      const [first, second] = [await given.account(), await given.account()]
      const pages = await open()
      const signOut = async () => {
        await pages.button("Account and workspace").click()
        await pages.page.getByRole("menuitem", { name: "Sign out" }).click()
        await pages.page.getByLabel("Password").waitFor()
      }
      proxy.isAway = true
      expect(await shareFrom(pages.page, console, { text: "Of the next" })).toBe("?shared=kept")
      await pages.page.getByText("This device keeps what was shared").waitFor()
      proxy.isAway = false
      await pages.signIn(first)
      await dialog(pages).getByText("Of the next").last().waitFor()
      await pages.button("Save as a note").click()
      await dialog(pages).waitFor({ state: "detached" })

      expect(await shareFrom(pages.page, console, { text: "Of the first" })).toBe("")
      await dialog(pages).getByText("Of the first").last().waitFor()
      await dialog(pages).locator("header").getByRole("button", { name: "Close" }).click()
      await signOut()
      await pages.signIn(second)
      await pages.page.getByText("No notes yet").waitFor()
      await reconnect(pages)
      expect([await dialog(pages).count(), await waiting(pages.page)]).toEqual([0, ["Of the first"]])
      await signOut()
      await pages.signIn(first)
      await dialog(pages).getByText("Of the first").last().waitFor()
      await pages.button("Save as a note").click()
      await dialog(pages).waitFor({ state: "detached" })
      const titles = async ({ client }: typeof first) =>
        (await client.listNotes({ sort: ["title"] })).data.map(({ title }) => title)
      expect([await titles(first), await titles(second)]).toEqual([["Of the first", "Of the next"], []])
    }))

  it("says so if the browser has no room", () =>
    behindProxy(async (_, console, open) => {
      const { page } = await open(await given.account())
      await page.context().serviceWorkers()[0]!.evaluate(`IDBObjectStore.prototype.put = () => {
        throw new DOMException("full", "QuotaExceededError")
      }`)
      expect(await shareFrom(page, console, { text: "Large" })).toBe("?shared=full")
      await page.getByText("This browser has no room for what was shared").waitFor()
      expect(await waiting(page)).toEqual([])
    }))
})
