import { describe, expect, it } from "vitest"
import { missing } from "../../support/browser/Chromium.ts"
import { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"
import { VersionProxy } from "../../support/browser/VersionProxy.ts"

const isWaiting = ({ page }: ConsolePages): Promise<boolean> =>
  page.evaluate(`navigator.serviceWorker.getRegistration().then(({ waiting }) => waiting !== null)`)

const show = ({ page }: ConsolePages, state: "visible" | "hidden"): Promise<void> =>
  page.evaluate(`{
    Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true })
    document.dispatchEvent(new Event("visibilitychange"))
  }`)

/** Resolves when the waiting worker has responded to earlier messages. */
const responded = `navigator.serviceWorker.getRegistration().then(({ waiting }) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => resolve()
  waiting.postMessage("ask", [port2])
}))`

describe.skipIf(missing !== "")(`an update of the console${missing}`, () => {
  const given = useConsole()

  it("takes over when the page is hidden and nothing is written, and keeps a text that waits and other tabs", async () => {
    const who = await given.account()
    const note = await who.client.createNote({ notebook_id: who.notebook_id, title: "Diary", body: "Begun." })
    const proxy = await VersionProxy.start(given.sheaf.url)
    try {
      const context = await given.browse()
      const pages = await ConsolePages.open(context, proxy.url)
      const { page } = pages
      const mark = () => page.evaluate("window.mark = 1")
      const isMarked = () => page.evaluate("window.mark === 1").catch(() => true)
      /** The server gets another version, whose worker waits. */
      const update = async (version: string) => {
        await mark()
        proxy.version = version
        await show(pages, "visible")
        await expect.poll(() => isWaiting(pages)).toBe(true)
      }
      await pages.signIn(who)
      await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
      await page.reload()
      await pages.read("Diary")
      await pages.edit()
      proxy.isLosingChanges = true
      await pages.type(" Unsent.")
      await pages.state("Offline: kept on this device")
      await update("2")
      await show(pages, "hidden")
      expect([await isMarked(), await isWaiting(pages)]).toEqual([true, true])

      await show(pages, "visible")
      await pages.button("Read").click()
      await page.locator(".reading").getByText("Begun. Unsent.").waitFor()
      await show(pages, "hidden")
      await expect.poll(isMarked).toBe(false)
      await page.locator(".reading").getByText("Begun. Unsent.").waitFor()
      await expect.poll(() => isWaiting(pages)).toBe(false)
      expect((await who.client.getNote({ id: note.id })).body).toBe("Begun.")
      proxy.isLosingChanges = false
      await expect.poll(async () => (await who.client.getNote({ id: note.id })).body).toBe("Begun. Unsent.")

      // Another tab needs the files of its version.
      const other = await ConsolePages.open(context, proxy.url)
      await other.row("Diary").waitFor()
      await update("3")
      await show(pages, "hidden")
      await expect.poll(isMarked).toBe(false)
      await pages.row("Diary").waitFor()
      expect(await isWaiting(pages)).toBe(true)
      // Loaded again, it would be the same.
      await mark()
      await show(pages, "hidden")
      await page.evaluate(responded)
      expect(await isMarked()).toBe(true)
      await other.page.close()

      // A secret is shown only once.
      await pages.settings("API keys")
      await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor()
      await show(pages, "hidden")
      expect([await isMarked(), await isWaiting(pages)]).toEqual([true, true])
      await pages.follow("all")
      await pages.row("Diary").waitFor()
      await mark()
      await show(pages, "hidden")
      await expect.poll(isMarked).toBe(false)
      await pages.row("Diary").waitFor()
      await expect.poll(() => isWaiting(pages)).toBe(false)
      expect(pages.seen()).toEqual([])
    } finally {
      await proxy.stop()
    }
  })
})
