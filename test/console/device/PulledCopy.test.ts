import { afterAll, describe, expect, it, vi } from "vitest"
import { createClient } from "../../../src/clients/client/SheafClient.ts"
import { memoryStore } from "../../../src/clients/sync/SyncStore.ts"
import { useApp } from "../../support/useApp.ts"

// The console reads what is kept, and its words, from the page. Its types are those of a browser.
const marks: Record<string, unknown> = { getItem: (name: string) => marks[name] ?? null }
vi.stubGlobal("localStorage", marks)
vi.stubGlobal("document", { querySelector: () => null, documentElement: {}, cookie: "" })
const loaded = (name: string): Promise<any> =>
  import(new URL(`../../../src/clients/console/offline/${name}.ts`, import.meta.url).href)
const [{ copyName }, { OfflineNotes }, { PulledCopy }] = [
  await loaded("CopyMarks"),
  await loaded("OfflineNotes"),
  await loaded("PulledCopy")
]

interface Titled {
  readonly title: string
}

const { app } = useApp()
afterAll(() => void vi.unstubAllGlobals())

describe("the copy of notes on a device", () => {
  it("keeps the notes it has until a full pull ends, also over a reload, and only then shows what is missing", async () => {
    /** Pages that the network lets through, each with one record. */
    let pages = Infinity
    const send: typeof fetch = (input, init) => {
      if (pages-- <= 0) throw new TypeError("no network")
      return fetch(input, { ...init, body: JSON.stringify({ ...JSON.parse(init!.body as string), limit: 1 }) })
    }
    const plain = createClient({ url: app.url, key: app.key })
    const client = createClient({ url: app.url, key: app.key, fetch: send, retries: 0 })
    const account = { id: "one", workspace: app.workspace_id }
    const keep = (kept: ReadonlyArray<string>) => Object.assign(marks, { [copyName(account)]: JSON.stringify(kept) })
    const database = memoryStore()
    const pull = async (through = Infinity) => {
      pages = through
      const copy = new PulledCopy(database, await database.load())
      await copy.pull({ account, client }, new AbortController().signal)
      return copy.state.isWhole
    }
    const rows = async (id: string) =>
      new OfflineNotes(await database.load())
        .rows({ kind: "notebook", id }, (one: Titled, other: Titled) => one.title < other.title)
        ?.map(({ title }: Titled) => title)

    const [trips, work, empty] = [
      await plain.createNotebook({ name: "Trips" }),
      await plain.createNotebook({ name: "Work" }),
      await plain.createNotebook({ name: "Empty" })
    ]
    const gone = await plain.createNote({ notebook_id: trips.id, title: "Gone" })
    await plain.createNote({ notebook_id: trips.id, title: "Alps" })
    await plain.createNote({ notebook_id: work.id, title: "Report" })
    keep([trips.id, empty.id])
    expect(await pull(2)).toBe(false)
    expect(await rows(empty.id)).toBeUndefined()
    expect(await pull()).toBe(true)
    expect([await rows(trips.id), await rows(empty.id)]).toEqual([["Alps", "Gone"], []])

    keep([trips.id, work.id, empty.id])
    expect(await pull(1)).toBe(false)
    expect([await rows(trips.id), await rows(work.id)]).toEqual([["Alps", "Gone"], undefined])
    await plain.deleteNote({ id: gone.id })
    expect(await pull(2)).toBe(false)
    expect(await rows(empty.id)).toBeUndefined()
    expect(await pull()).toBe(true)
    expect(await Promise.all([trips, work, empty].map(({ id }) => rows(id)))).toEqual([["Alps"], ["Report"], []])

    // What the log has no deletion of is gone at the end of the next full pull.
    const entries = await database.load()
    const [id, lost] = [...entries].find(([, each]) => (each as any).data?.title === "Alps")!
    await database.write([
      ["cursor", undefined],
      [`${id}x`, { ...(lost as any), data: { ...(lost as any).data, id: `${id}x`, title: "Lost" } }]
    ])
    expect(await pull(1)).toBe(true)
    expect(await rows(trips.id)).toEqual(["Alps", "Lost"])
    expect(await pull()).toBe(true)
    expect(await rows(trips.id)).toEqual(["Alps"])
  })
})
