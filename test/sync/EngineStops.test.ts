import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../../src/clients/client/SheafClient.ts"
import { openSync } from "../../src/clients/sync/SyncEngine.ts"
import { memoryStore, StoreError } from "../../src/clients/sync/SyncStore.ts"
import { SyncDevices } from "../support/devices/SyncDevices.ts"

let at: SyncDevices
beforeAll(async () => {
  at = await SyncDevices.start()
})
afterAll(() => at[Symbol.asyncDispose]())

describe("a stop", () => {
  it.each(["/sync/cursor", "/sync/push", "/sync/pull"])("at a request to %s of a sync ends that sync", async (path) => {
    const { id, one } = await at.shared()
    await one.engine.stop()
    await one.engine.edit("note", id, { body: "First. Typed." })
    const sent: Array<string> = []
    let stopped: Promise<void> | undefined
    one.network = async (url, send) => {
      sent.push(new URL(url).pathname.slice("/v2".length))
      if (url.endsWith(path)) stopped ??= one.engine.stop()
      return send()
    }
    await expect(one.engine.sync()).rejects.toMatchObject({ name: "AbortError" })
    await stopped
    expect(sent.at(-1)).toBe(path)
    expect(one.engine.state).toMatchObject({ status: "offline", error: undefined })
    one.network = undefined
    await one.engine.sync()
    expect((await at.client.getNote({ id })).body).toBe("First. Typed.")
  })

  it("that is running ends syncs that begin meanwhile, and a second one ends with it", async () => {
    const { one } = await at.shared()
    const sent: Array<string> = []
    one.network = (url, send) => (sent.push(url), send())
    const stops = [one.engine.stop(), one.engine.stop()]
    await expect(one.engine.sync()).rejects.toMatchObject({ name: "AbortError" })
    await Promise.all(stops)
    expect(sent).toEqual([])
    await one.engine.sync()
  })

  it("after a start during a stop ends too, and the last call decides whether changes are exchanged", async () => {
    await using engines = new AsyncDisposableStack()
    const [sent, reasons]: [Array<string>, Array<Error>] = [[], []]
    /** A server that responds to no pull. */
    const silent: typeof fetch = (url, init) => {
      sent.push(new URL(String(url)).pathname)
      if (!String(url).endsWith("/sync/pull")) return fetch(url, init)
      return new Promise((_, reject) => {
        const { signal } = init!
        signal!.addEventListener("abort", () => (reasons.push(signal!.reason), reject(signal!.reason)))
      })
    }
    const client = createClient({ url: at.sheaf.url, key: at.sheaf.key, fetch: silent, retries: 0 })
    const engine = await openSync({ client, store: memoryStore() })
    engines.defer(() => engine.close())
    const stops: Array<Promise<void>> = []
    for (let round = 0; round < 2; round++) {
      stops.push(engine.stop())
      engine.start()
    }
    await Promise.all(stops)
    await expect.poll(() => sent).toContain("/v2/sync/pull")
    const before = sent.length
    engine.start()
    await engine.stop()
    expect([sent.length, engine.state.status]).toEqual([before, "offline"])
    // The first stops have not waited until a request counted as lost.
    expect(reasons.map(({ name }) => name)).toEqual(["AbortError"])
  })

  it("by a close ends when the store is closed, also for a second call", async () => {
    const store = memoryStore()
    const [closing, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const close = async () => {
      closing.resolve()
      await closed.promise
      await store.close()
    }
    const { engine } = await at.device({ store: { ...store, close } })
    const ended: Array<number> = []
    const both = [1, 2].map((each) => engine.close().then(() => ended.push(each)))
    await closing.promise
    expect(ended).toEqual([])
    closed.resolve()
    await Promise.all(both)
    expect(ended).toEqual([1, 2])
  })
})

it("an engine shows that its store fails until all is stored, also while changes come live", async () => {
  const { id, other } = await at.shared()
  const store = memoryStore()
  let isFull = false
  const write: typeof store.write = (entries) =>
    isFull ? Promise.reject(new StoreError("The disk is full")) : store.write(entries)
  const { engine } = await at.device({ store: { ...store, write } })
  engine.start()
  await expect.poll(() => engine.state.status).toBe("synced")
  isFull = true
  await other.engine.edit("note", id, { body: "First. Theirs." })
  await other.engine.sync()
  await expect.poll(() => engine.state.error).toBeInstanceOf(StoreError)
  await expect(engine.sync()).rejects.toThrow("The disk is full")
  expect(engine.state).toMatchObject({ status: "syncing", error: { message: "The disk is full" } })
  isFull = false
  await engine.sync()
  expect(engine.state).toMatchObject({ status: "synced", error: undefined })
  expect([...(await store.load()).values()]).toContainEqual(
    expect.objectContaining({
      known: expect.objectContaining({ id, data: expect.objectContaining({ body: "First. Theirs." }) })
    })
  )
})
