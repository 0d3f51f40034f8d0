import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { missing } from "../support/browser/Chromium.ts"
import { shareFrom } from "../support/browser/SharedForm.ts"
import { serveSite } from "../support/browser/SiteServer.ts"
import { useConsole } from "../support/browser/useConsole.ts"

/** The texts that wait in the browser. */
const waiting = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const opening = indexedDB.open("sheaf-console-shared")
    opening.onupgradeneeded = () => opening.result.createObjectStore("waiting")
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const reading = opening.result.transaction("waiting").objectStore("waiting").getAll()
      reading.onsuccess = () => resolve(reading.result.map(({ text }) => text))
      reading.onerror = () => reject(reading.error)
      opening.result.close()
    }
  })`)

describe.skipIf(missing !== "")(`the share target of the console${missing}`, () => {
  const given = useConsole()

  it("takes what this device shares, up to a limit of bytes, and nothing from a page of another origin", async () => {
    const pages = await given.signedIn(await given.account())
    const { page } = pages
    const console = new URL("/console/", given.sheaf.url).href
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
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
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
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
})
