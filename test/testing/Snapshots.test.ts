import { Clock, Effect } from "effect"
import { readdirSync } from "node:fs"
import { afterEach, expect, inject, it } from "vitest"
import { epoch, Sheaf } from "../../src/program/testing/Sheaf.ts"
import type { SheafOptions } from "../../src/program/testing/TestRun.ts"
import { Database } from "../../services/database/Database.ts"
import { call, given, noteIn } from "./KitClient.ts"

const postgres = inject("postgres")
const running: Array<Sheaf> = []
afterEach(async () => {
  for (const sheaf of running.splice(0).toReversed()) await sheaf.stop()
})

const start = async (options: SheafOptions = {}): Promise<Sheaf> => {
  const sheaf = await Sheaf.start({ postgres, ...options })
  running.push(sheaf)
  return sheaf
}

const titles = async (sheaf: Sheaf): Promise<ReadonlyArray<string>> =>
  (await given(sheaf, "GET", "/notes?sort=title")).data.map(({ title }: { readonly title: string }) => title)

const now = (sheaf: Sheaf): Promise<number> => sheaf.run(Clock.currentTimeMillis)

const attach = async (sheaf: Sheaf, note_id: string, filename: string): Promise<string> => {
  const { id, upload_url } = await sheaf.client.createUpload({ note_id, filename })
  expect((await fetch(upload_url!, { method: "PUT", body: filename })).ok).toBe(true)
  return id
}

it("goes back to a snapshot, several times, with records, files, clock, faults and what was sent", async () => {
  const sheaf = await start()
  await given(sheaf, "POST", "/webhooks", { url: "https://hooks.example/in", events: ["note.created"] })
  const note = await noteIn(sheaf, "Before")
  const file = await attach(sheaf, note, "before.txt")
  await sheaf.advance("1 hour")
  sheaf.faults.set({ seed: 7, unavailable: 0.5 })
  const back = await sheaf.snapshot()
  const { url } = sheaf
  const before = { mails: [...sheaf.mails], deliveries: [...sheaf.deliveries], events: await sheaf.events() }
  const statuses: Array<ReadonlyArray<number>> = []
  for (let time = 0; time < 3; time++) {
    const seen: Array<number> = []
    for (let each = 0; each < 8; each++) seen.push((await call(sheaf, "GET", "/notebooks")).status)
    statuses.push(seen)
    sheaf.faults.clear()
    await noteIn(sheaf, "After")
    await given(sheaf, "PATCH", `/notes/${note}`, { title: "Renamed" })
    await attach(sheaf, note, `after-${time}.txt`)
    await sheaf.advance("3 days")
    expect(await titles(sheaf)).toEqual(["After", "Renamed"])
    expect(sheaf.deliveries.length).toBeGreaterThan(before.deliveries.length)
    await back()
    expect(sheaf.url).toBe(url)
    expect(sheaf.faults.current).toMatchObject({ seed: 7, unavailable: 0.5 })
    expect(sheaf.faults.happened).toEqual([])
    sheaf.faults.clear()
    expect(await titles(sheaf)).toEqual(["Before"])
    expect(await now(sheaf)).toBe(epoch + 3_600_000)
    expect({ mails: sheaf.mails, deliveries: sheaf.deliveries, events: await sheaf.events() }).toEqual(before)
    const { url: address } = await given(sheaf, "GET", `/attachments/${file}`)
    expect(await (await fetch(address)).text()).toBe("before.txt")
    const files = readdirSync(sheaf.dataDir, { recursive: true, encoding: "utf8" }).filter((name) =>
      /[0-9a-f]{64}$/.test(name)
    )
    expect(files).toHaveLength(1)
    await back()
  }
  // The chances of faults continue from the same place.
  expect(statuses[1]).toEqual(statuses[0])
  expect(new Set(statuses[0])).toEqual(new Set([200, 503]))
  expect(statuses[2]).toEqual(statuses[0])
})

it("keeps several snapshots", async () => {
  const sheaf = await start()
  const toNone = await sheaf.snapshot()
  await noteIn(sheaf, "First")
  const toOne = await sheaf.snapshot()
  await noteIn(sheaf, "Second")
  await toOne()
  expect(await titles(sheaf)).toEqual(["First"])
  await toNone()
  expect(await titles(sheaf)).toEqual([])
  await Promise.all([toNone(), toOne()])
  expect(await titles(sheaf)).toEqual(["First"])
})

it("deletes all databases and files of its snapshots with the instance", async () => {
  const witness = await start()
  const names = () =>
    witness.run(
      Effect.flatMap(Database, ({ read }) =>
        read.unsafe<{ readonly datname: string }>("SELECT datname FROM pg_database WHERE datname LIKE 'test_%'")
      )
    )
  const sheaf = await start()
  const back = await sheaf.snapshot()
  await Promise.all([back(), sheaf.snapshot()])
  const left = sheaf.database
  expect((await names()).map(({ datname }) => datname)).toContain(left)
  // The instance stops while the server starts again.
  const again = back()
  await Promise.resolve()
  await Promise.all([sheaf.stop(), again])
  expect((await names()).map(({ datname }) => datname)).not.toContain(left)
  await expect(back()).rejects.toThrow("this Sheaf has stopped")
  await expect(sheaf.snapshot()).rejects.toThrow("this Sheaf has stopped")
})

it("refuses a snapshot of a database that two instances use, and continues", async () => {
  const sheaf = await start()
  const second = await start({ databaseOf: sheaf })
  await expect(second.snapshot()).rejects.toThrow("this Sheaf uses the database of another one")
  await expect(sheaf.snapshot()).rejects.toThrow()
  await noteIn(sheaf, "Still here")
  expect(await titles(second)).toEqual(["Still here"])
  expect(await titles(sheaf)).toEqual(["Still here"])
})
