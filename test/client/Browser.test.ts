import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { launch, missing as noBrowser } from "../support/browser/Chromium.ts"
import { modulesScript } from "../support/browser/ModulesPage.ts"
import { PackagedModules } from "../support/browser/PackagedModules.ts"
import { serveSite } from "../support/browser/SiteServer.ts"

describe.skipIf(noBrowser !== "")(`the modules in a browser${noBrowser}`, () => {
  let sheaf: Sheaf
  let site: Awaited<ReturnType<typeof serveSite>>
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let notebook_id: string
  beforeAll(async () => {
    using packaged = await PackagedModules.install()
    const files = {
      "/": `<!doctype html><script type="module" src="app.js"></script>`,
      "/app.js": await packaged.bundle(modulesScript)
    }
    site = await serveSite(files)
    sheaf = await Sheaf.start({ postgres: inject("postgres") })
    notebook_id = (await sheaf.client.listNotebooks()).data[0]!.id
    browser = await launch()
  })
  const newTab = async () => {
    const tab = await context.newPage()
    await tab.goto(site.url)
    return tab
  }
  beforeEach(async () => {
    sheaf.faults.clear()
    sheaf.faults.happened.splice(0)
    await context?.close()
    context = await browser.newContext()
    page = await newTab()
  })
  afterAll(async () => {
    await browser.close()
    await sheaf.stop()
    await site.stop()
  })

  const there = () => ({ url: sheaf.url, key: sheaf.key, notebook_id })

  it("call the API from another origin", async () => {
    const found = await page.evaluate(async ({ notebook_id, ...there }) => {
      const { createClient, isProblem } = modules.client
      const client = createClient({ ...there, device: `sy_${crypto.randomUUID()}` })
      const note = await client.createNote({ notebook_id, title: "Groceries", body: "milk" })
      await client.updateNote({ id: note.id, version: note.version, body: "milk, bread" })
      const tag = await client.createTag({ name: "urgent" })
      await client.updateTag({ id: tag.id, name: "important" }, { ifMatch: tag })
      const stale: unknown = await client
        .updateTag({ id: tag.id, name: "late" }, { ifMatch: tag })
        .catch((error) => error)
      const titles: Array<string> = []
      for await (const { body, title } of client.listNotes({ limit: 1 })) titles.push(`${title}: ${body}`)
      await client.deleteNote({ id: note.id })
      const refused: unknown = await client.createTag({ name: "two words" }).catch((error) => error)
      return {
        titles,
        isStale: isProblem(stale, "precondition_failed"),
        issues: isProblem(refused, "validation_failed") ? refused.problem.errors.map(({ field }) => field) : []
      }
    }, there())
    expect(found).toEqual({ titles: ["Groceries: milk, bread"], isStale: true, issues: ["name"] })
  })

  it("repeat requests whose response was lost", async () => {
    sheaf.faults.set({ seed: 3, lostResponses: 0.4, unavailable: 0.2 })
    const name = await page.evaluate(async (there) => {
      const client = modules.client.createClient({ ...there, retries: 20 })
      const { id } = await client.createNotebook({ name: "Once" })
      return (await client.getNotebook({ id })).name
    }, there())
    sheaf.faults.clear()
    expect(name).toBe("Once")
    const { data } = await sheaf.client.listNotebooks()
    expect(data.filter(({ name }) => name === "Once")).toHaveLength(1)
  })

  it("share a session between tabs, which refresh it once", async () => {
    const other = await newTab()
    let refreshes = 0
    context.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/auth/refresh")) refreshes++
    })
    /** Calls the API in a tab whose store is shared by all tabs. */
    const inTab = (tab: Page, calls: "signUp" | "getMe" | "signOut") =>
      tab.evaluate(
        async ({ calls, url }) => {
          const { createClient } = modules.client
          const client = createClient({ url, session: modules.session })
          if (calls === "signUp") await client.signUp({ email: "anna@example.org", password: "correct horse battery" })
          if (calls === "signOut") return client.signOut()
          const found = await Promise.all([1, 2, 3, 4].map(() => client.getMe().catch((error) => error.problem)))
          return found.map((me) => me.email ?? me.code)
        },
        { calls, url: sheaf.url }
      )
    const signedIn = Array(4).fill("anna@example.org")
    expect(await inTab(page, "signUp")).toEqual(signedIn)
    expect(await inTab(other, "getMe")).toEqual(signedIn)
    for (const round of [1, 2, 3]) {
      await sheaf.advance("2 hours")
      expect(await Promise.all([inTab(page, "getMe"), inTab(other, "getMe")])).toEqual([signedIn, signedIn])
      expect(refreshes).toBe(round)
    }
    await inTab(page, "signOut")
    expect(await inTab(other, "getMe")).toEqual(Array(4).fill("authentication_required"))
  })

  it("follow changes live, also when streams are cut", async () => {
    sheaf.faults.set({ seed: 1, cutStreams: 1 })
    const followed = page.evaluate(async (there) => {
      const { createClient, follow } = modules.client
      const ended = new AbortController()
      const found: Array<string> = []
      for await (const { changes } of follow(createClient(there), { types: ["tag"], signal: ended.signal })) {
        for (const { data, id } of changes) if (JSON.stringify(data).includes("live")) found.push(id)
        if (found.length === 5) ended.abort()
      }
      return found
    }, there())
    const streams = () => sheaf.faults.happened.filter(({ fault }) => fault === "cutStreams").length
    await expect.poll(streams).toBeGreaterThan(0)
    const created: Array<string> = []
    for (const name of ["live-1", "live-2", "live-3", "live-4", "live-5"]) {
      created.push((await sheaf.client.createTag({ name })).id)
    }
    expect(await followed).toEqual(created)
  })

  it("follow changes until the browser is offline, and at once when it is online again", async () => {
    // No timer fires: only the event of the browser ends the wait.
    await page.clock.install({ time: 0 })
    await page.clock.pauseAt(1_000)
    const states: Array<string> = []
    await page.exposeFunction("note", (state: string) => states.push(state))
    await page.evaluate((there) => {
      const { createClient, follow } = modules.client
      const onConnection = (error: unknown) => note(error === undefined ? "live" : "lost")
      const followed = follow(createClient({ ...there, retries: 0 }), { types: ["tag"], onConnection })
      void (async () => {
        for await (const { changes } of followed) for (const { id } of changes) note(id)
      })()
    }, there())
    await expect.poll(() => states).toContain("live")
    await context.setOffline(true)
    await expect.poll(() => states).toContain("lost")
    const { id } = await sheaf.client.createTag({ name: "meanwhile" })
    await context.setOffline(false)
    await expect.poll(() => states).toContain(id)
  })

  it("upload files, and report their progress, also when a request is lost", async () => {
    const sent: Array<string> = []
    await context.route("**/files/**", async (route, request) => {
      sent.push(request.method())
      await (sent.length === 1 ? route.abort() : route.continue())
    })
    const { attachment, progress } = await page.evaluate(async ({ notebook_id, ...there }) => {
      const { createClient, upload } = modules.client
      const client = createClient(there)
      const note = await client.createNote({ notebook_id, title: "With a file" })
      const progress: Array<number> = []
      const content = new Uint8Array(3_000_000).fill(65)
      const file = { note_id: note.id, filename: "a.txt", content }
      const attachment = await upload(client, file, { onProgress: (sent, total) => progress.push(sent / total) })
      return { attachment, progress }
    }, there())
    expect(attachment).toMatchObject({ status: "ready", size: 3_000_000, content_type: "text/plain" })
    expect(sent).toEqual(["PUT", "PUT"])
    expect(progress.at(-1)).toBe(1)
  })

  it("refuse a file that was damaged on the way", async () => {
    await context.route("**/files/**", (route) => route.continue({ postData: "jello" }))
    const code = await page.evaluate(async ({ notebook_id, ...there }) => {
      const { createClient, isProblem, upload } = modules.client
      const client = createClient(there)
      const note = await client.createNote({ notebook_id, title: "Damaged" })
      const file = { note_id: note.id, filename: "a.txt", content: new TextEncoder().encode("hello") }
      const error: unknown = await upload(client, file, { onProgress: () => {} }).catch((error) => error)
      return isProblem(error, "checksum_mismatch")
    }, there())
    expect(code).toBe(true)
  })

  it("end an upload with its signal", async () => {
    const reason = await page.evaluate(async ({ notebook_id, ...there }) => {
      const { createClient, upload } = modules.client
      const left = new AbortController()
      const client = createClient({
        ...there,
        // The user leaves before the bytes are sent.
        fetch: async (url, options) => {
          const response = await fetch(url, options)
          if (String(url).endsWith("/uploads")) left.abort(new Error("the user has left"))
          return response
        }
      })
      const note = await client.createNote({ notebook_id, title: "Ended" })
      const file = { note_id: note.id, filename: "a.txt", content: new TextEncoder().encode("goodbye") }
      const error = await upload(client, file, { onProgress: () => {}, signal: left.signal }).catch((error) => error)
      return error.message
    }, there())
    expect(reason).toBe("the user has left")
  })

  it("sync offline work", async () => {
    const found = await page.evaluate(async ({ notebook_id, ...there }) => {
      const client = modules.client.createClient(there)
      const engine = await modules.sync.openSync({ client, store: modules.sync.memoryStore() })
      const id = await engine.create("note", { notebook_id, title: "Vienna" })
      const attachment = await engine.attach(id, { filename: "a.txt", bytes: new TextEncoder().encode("hello") })
      await engine.edit("note", id, { body: "By train." })
      const { waiting } = engine.state
      await engine.sync()
      const [note, bytes] = [engine.get(id), await engine.bytes(attachment)]
      await engine.close()
      return { id, waiting, version: note?.["version"], text: new TextDecoder().decode(bytes) }
    }, there())
    expect(found).toMatchObject({ waiting: 3, version: 1, text: "hello" })
    expect(await sheaf.client.getNote({ id: found.id })).toMatchObject({ title: "Vienna", body: "By train." })
  })

  it("fill a collection of TanStack DB", async () => {
    const found = await page.evaluate(async ({ notebook_id, ...there }) => {
      const { memoryStore, newId, openSync } = modules.sync
      const engine = await openSync({ client: modules.client.createClient(there), store: memoryStore() })
      const notes = modules.createCollection(modules.tanstack.sheafCollectionOptions({ engine, type: "note" }))
      engine.start()
      await notes.preload()
      const id = newId("nt_")
      notes.insert({ id, notebook_id, title: "Prague" })
      notes.update(id, (note) => void (note.body = "By ship."))
      await engine.sync()
      const version = notes.get(id)?.version
      await engine.close()
      return { id, version }
    }, there())
    expect(found.version).toBeGreaterThan(0)
    expect(await sheaf.client.getNote({ id: found.id })).toMatchObject({ title: "Prague", body: "By ship." })
  })

  it("replicate a collection of RxDB, by one of two tabs", async () => {
    const started = async () => {
      const tab = await newTab()
      await tab.evaluate(async (there) => {
        const { recordConflicts, recordSchema, replicateSheaf } = modules.rxdb
        const database = await modules.createRxDatabase({ name: "notes", storage: modules.getRxStorageDexie() })
        const records = { schema: recordSchema, conflictHandler: recordConflicts }
        const { records: collection } = await database.addCollections({ records })
        const client = modules.client.createClient(there)
        replicateSheaf({ collection, client, onRefused: () => {} })
        globalThis.collection = collection
      }, there())
      return tab
    }
    const insert = (tab: Page, title: string) =>
      tab.evaluate(
        async ({ notebook_id, title }) => {
          const id = modules.rxdb.newId("nt_")
          await collection.insert({ id, type: "note", version: 0, data: { notebook_id, title } })
          return id
        },
        { notebook_id, title }
      )
    const titlesIn = (tab: Page) =>
      tab.evaluate(async () => {
        const notes = await collection.find({ selector: { type: "note" } }).exec()
        return notes
          .map(({ data, version }) => `${data["title"]} ${version > 0}`)
          .filter((title) => title.startsWith("Rx"))
      })
    const pulling = new Set<Page>()
    context.on("request", (request) => {
      if (request.url().endsWith("/sync/pull")) pulling.add(request.frame().page())
    })
    const first = await started()
    await expect.poll(() => pulling.size).toBe(1)
    const second = await started()
    await insert(second, "Rx second")
    await expect.poll(() => titlesIn(first)).toEqual(["Rx second true"])
    await expect.poll(() => titlesIn(second)).toEqual(["Rx second true"])
    await sheaf.client.createNote({ notebook_id, title: "Rx remote" })
    await expect.poll(() => titlesIn(second)).toHaveLength(2)
    expect(pulling).toEqual(new Set([first]))
    await first.close()
    const id = await insert(second, "Rx alone")
    await expect
      .poll(async () => (await titlesIn(second)).sort())
      .toEqual(["Rx alone true", "Rx remote true", "Rx second true"])
    expect(pulling).toEqual(new Set([first, second]))
    expect(await sheaf.client.getNote({ id })).toMatchObject({ title: "Rx alone" })
  })
})
