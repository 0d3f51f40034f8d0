import * as fc from "fast-check"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { launch, missing as noBrowser } from "../support/browser/Chromium.ts"
import { modulesScript } from "../support/browser/ModulesPage.ts"
import { PackagedModules } from "../support/browser/PackagedModules.ts"
import { serveSite } from "../support/browser/SiteServer.ts"
import { rounds } from "../support/Slow.ts"

type Changes = ReadonlyArray<readonly [key: string, value: unknown]>

describe.skipIf(noBrowser !== "")(`a store in IndexedDB${noBrowser}`, () => {
  let sheaf: Sheaf
  let site: Awaited<ReturnType<typeof serveSite>>
  let browser: Browser
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    using packaged = await PackagedModules.install()
    site = await serveSite({
      "/": `<!doctype html><script type="module" src="app.js"></script>`,
      "/app.js": await packaged.bundle(modulesScript)
    })
    sheaf = await Sheaf.start({ postgres: inject("postgres") })
    browser = await launch()
  })
  const newTab = async () => {
    const tab = await context.newPage()
    await tab.goto(site.url)
    return tab
  }
  beforeEach(async () => {
    await context?.close()
    context = await browser.newContext()
    page = await newTab()
  })
  afterAll(async () => {
    await browser.close()
    await sheaf.stop()
    await site.stop()
  })

  const read = (tab: Page): Promise<Changes> =>
    tab.evaluate(async () => {
      const store = modules.indexeddb.indexedDbStore("notes")
      const entries = await store.load()
      await store.close()
      return [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1))
    })

  const write = (tab: Page, all: ReadonlyArray<Changes>): Promise<void> =>
    tab.evaluate(async (all) => {
      const store = modules.indexeddb.indexedDbStore("notes")
      await store.load()
      // A page gets no undefined from a test.
      for (const changes of all) await store.write(changes.map(([key, value]) => [key, value ?? undefined]))
      await store.close()
    }, all)

  it("has what was written, in whatever order entries are set and removed", async () => {
    const value = fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: null })
    const changes = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "ü"), value), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { maxLength: 6 }), async (all) => {
        await page.evaluate(() => modules.indexeddb.eraseIndexedDbStore("notes"))
        await write(page, all)
        const expected = new Map<string, unknown>()
        for (const [key, value] of all.flat()) value === null ? expected.delete(key) : expected.set(key, value)
        const sorted = [...expected].toSorted(([one], [other]) => (one < other ? -1 : 1))
        expect(await read(page)).toEqual(JSON.parse(JSON.stringify(sorted)))
      }),
      { numRuns: rounds(10, 300), seed: 1 }
    )
  })

  it("keeps files by their names", async () => {
    const found = await page.evaluate(async () => {
      const store = modules.indexeddb.indexedDbStore("notes")
      await store.load()
      await store.writeFile("one", new Uint8Array([1, 2, 3]))
      await store.writeFile("two", new Uint8Array(0))
      await store.writeFile("gone", new Uint8Array(5))
      await store.removeFile("gone")
      await store.close()
      await store.load()
      const lost: unknown = await store.readFile("gone").catch((error) => error)
      return { names: await store.files(), one: [...(await store.readFile("one"))], lost: String(lost) }
    })
    expect(found).toEqual({ names: ["one", "two"], one: [1, 2, 3], lost: "StoreError: There is no file gone" })
  })

  it("sends edits that were made offline, after any number of reloads", async () => {
    const there = { url: sheaf.url, key: sheaf.key }
    const open = (edit: string) =>
      page.evaluate(
        async ({ edit, there }) => {
          const { createClient } = modules.client
          const store = modules.indexeddb.indexedDbStore("engine")
          const engine = await modules.sync.openSync({ client: createClient(there), store, device: { name: "tab" } })
          if (edit === "sync") await engine.sync()
          else if (edit === "") {
            const notebook_id = engine.all("notebook")[0]!.id
            await engine.create("note", { notebook_id, title: "Written on a train", body: "" })
          } else {
            const note = engine.all("note").find(({ title }) => title === "Written on a train")!
            await engine.edit("note", note.id, { body: `${note.body}${edit}\n` })
          }
        },
        { edit, there }
      )
    await open("sync")
    await page.reload()
    await open("")
    const lines = Array.from({ length: rounds(5, 1_000) }, (_, index) => `line ${index}`)
    for (const line of lines) {
      // The tab ends without closing the engine.
      await page.reload()
      await open(line)
    }
    await page.reload()
    await open("sync")
    const { data } = await sheaf.client.listNotes({ filter: 'title="Written on a train"' })
    expect(data.map(({ body }) => body)).toEqual([lines.map((line) => `${line}\n`).join("")])
  })

  const opening = (tab: Page, wait: boolean): Promise<string> =>
    tab.evaluate(async (wait) => {
      const options = wait ? { waitUntil: new AbortController().signal } : {}
      try {
        await modules.indexeddb.indexedDbStore("notes", options).load()
        return "open"
      } catch (error) {
        return String(error)
      }
    }, wait)

  it("is open in one tab at a time: another one is refused, or waits until that tab ends", async () => {
    const other = await newTab()
    expect(await opening(page, false)).toBe("open")
    expect(await opening(other, false)).toBe("StoreError: notes is open in another tab")
    const waiting = opening(other, true)
    await page.close()
    expect(await waiting).toBe("open")
  })

  it("can be read while another tab has it open, and is erased for all of them", async () => {
    await page.evaluate(async () => {
      const store = modules.indexeddb.indexedDbStore("notes")
      await store.load()
      await store.write([["a", 1]])
      Object.assign(globalThis, { store })
    })
    const other = await newTab()
    const copied = await other.evaluate(async () => {
      const copy = modules.indexeddb.indexedDbCopy("notes")
      const entries = [...(await copy.load())]
      await copy.write([["a", 2]])
      await copy.close()
      return entries
    })
    expect(copied).toEqual([["a", 1]])
    await other.evaluate(() => modules.indexeddb.eraseIndexedDbStore("notes"))
    const refused = await page.evaluate(() => {
      const { store } = globalThis as unknown as { store: ReturnType<typeof modules.indexeddb.indexedDbStore> }
      return store.write([["b", 2]]).catch((error) => String(error))
    })
    expect(refused).toBe("StoreError: notes is not open")
    expect(await read(other)).toEqual([])
  })

  it("writes nothing of a write with a value that cannot be stored", async () => {
    await write(page, [[["a", 1]]])
    const refused = await page.evaluate(async () => {
      const store = modules.indexeddb.indexedDbStore("notes")
      await store.load()
      const changes = [
        ["a", 2],
        ["b", () => 1]
      ] as const
      const refused = await store.write(changes).catch((error) => String(error))
      await store.close()
      return refused
    })
    expect(refused).toMatch(/^StoreError: notes cannot be written: /)
    expect(await read(page)).toEqual([["a", 1]])
  })

  it("is not made by reading a copy of it", async () => {
    expect(await page.evaluate(async () => [...(await modules.indexeddb.indexedDbCopy("notes").load())])).toEqual([])
    const names = await page.evaluate("indexedDB.databases().then((all) => all.map(({ name }) => name))")
    expect(names).not.toContain("notes")
  })

  it("rejects a write without room, writes nothing of it, and writes when there is room", async () => {
    const session = await context.newCDPSession(page)
    const limit = (quotaSize?: number) =>
      session.send("Storage.overrideQuotaForOrigin", {
        origin: new URL(site.url).origin,
        ...(quotaSize === undefined ? {} : { quotaSize })
      })
    await limit(5_000_000)
    await write(page, [[["a", 1]]])
    const refused = await page.evaluate(async () => {
      const store = modules.indexeddb.indexedDbStore("notes")
      await store.load()
      // The browser compresses what it stores.
      const random = () => Array.from(crypto.getRandomValues(new Uint8Array(60_000))).join(" ")
      const refused = await store
        .write([["a", 2], ...Array.from({ length: 100 }, (_, index) => [`large ${index}`, random()] as const)])
        .catch((error) => String(error))
      await store.close()
      return refused
    })
    expect(refused).toMatch(/^StoreError: notes cannot be written: /)
    expect(await read(page)).toEqual([["a", 1]])
    await limit()
    await write(page, [[["a", 2]]])
    expect(await read(page)).toEqual([["a", 2]])
  })

  it("rejects after the data of the page were removed, and opens again without them", async () => {
    const session = await context.newCDPSession(page)
    await page.evaluate(async () => {
      const store = modules.indexeddb.indexedDbStore("notes")
      await store.load()
      await store.write([["a", 1]])
      Object.assign(globalThis, { store })
    })
    const origin = new URL(site.url).origin
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" })
    const refused = await page.evaluate(async () => {
      const { store } = globalThis as unknown as { store: ReturnType<typeof modules.indexeddb.indexedDbStore> }
      const refused = await store.write([["b", 2]]).catch((error) => String(error))
      // The other tabs, and this one, can open it.
      const again = modules.indexeddb.indexedDbStore("notes")
      await again.load()
      await again.close()
      return refused
    })
    expect(refused).toMatch(/^StoreError: notes /)
    expect(await read(page)).toEqual([])
  })
})
