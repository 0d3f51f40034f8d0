import { Effect } from "effect"
import { expect, inject, it } from "vitest"
import { Database } from "../../services/database/Database.ts"
import {
  type Batch,
  type Change,
  createClient,
  follow,
  isProblem,
  type SheafClient
} from "../../src/clients/client/SheafClient.ts"
import { Random } from "../../src/program/testing/Random.ts"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { CuttingProxy } from "../support/servers/CuttingProxy.ts"
import { rounds } from "../support/Slow.ts"

/** Characters of several bytes, and those that end lines somewhere. */
const characters = ["a", "ž", "日本", "🐎", "\u2028", "\n\n", "\r\n", "data: ", "\u0085", "\u{1F469}\u200D\u{1F680}"]

const textOf = (random: Random): string =>
  Array.from({ length: random.between(0, random.pick([30, 300, 3_000])) }, () => random.pick(characters)).join("")

/** Writes notes until it is ended. */
const write = async (client: SheafClient, notebook_id: string, random: Random, isEnded: () => boolean) => {
  const ids: Array<string> = []
  while (!isEnded()) {
    const id = random.pick(ids)
    const kind = id === undefined ? "create" : random.weighted({ create: 4, update: 6, trash: 2, restore: 2, purge: 1 })
    try {
      if (kind === "create") {
        const note = await client.createNote({ notebook_id, title: `Note ${ids.length}`, body: textOf(random) })
        ids.push(note.id)
      } else if (kind === "update") await client.updateNote({ id, body: textOf(random) })
      else if (kind === "restore") await client.restoreNote({ id })
      else await client.deleteNote({ id, permanent: kind === "purge" })
    } catch (error) {
      // The note is in the trash already, is not in it, or was purged.
      if (!isProblem(error, "not_found", "invalid_state", "restore_window_expired")) throw error
    }
  }
}

/** An app that follows. It notes each change that comes after a later one of its record. */
class Follower {
  readonly records = new Map<string, Change>()
  readonly broken: Array<string> = []
  /** The changes until each expiry of the cursor: only a resync may repeat states. */
  readonly received: Array<Array<Change>> = [[]]
  readonly ended: Promise<void>
  isLive = false
  private readonly ending = new AbortController()
  private waiting: { readonly id: string; readonly resolve: () => void } | undefined

  constructor(client: SheafClient) {
    const onConnection = (error: unknown) => {
      this.isLive = error === undefined
    }
    this.ended = this.run(follow(client, { signal: this.ending.signal, onConnection }))
  }

  /** Resolves when a record has come. */
  has(id: string): Promise<void> {
    if (this.records.has(`note ${id}`)) return Promise.resolve()
    return new Promise((resolve) => (this.waiting = { id, resolve }))
  }

  resynced(): void {
    this.received.push([])
  }

  end(): Promise<void> {
    this.ending.abort()
    return this.ended
  }

  private async run(batches: AsyncIterable<Batch>): Promise<void> {
    for await (const { changes, isFirst } of batches) {
      if (isFirst) this.records.clear()
      for (const change of changes) this.take(change)
    }
  }

  private take(change: Change): void {
    const key = `${change.type} ${change.id}`
    const known = this.records.get(key)?.revision ?? 0
    if (change.revision < known) this.broken.push(`${key} ${change.revision} comes after ${known}`)
    this.records.set(key, change)
    this.received.at(-1)!.push(change)
    if (change.id === this.waiting?.id) this.waiting.resolve()
  }
}

const shown = (records: ReadonlyMap<string, Change>) =>
  new Map(
    [...records].filter(([, { op }]) => op === "upsert").map(([key, { data, revision }]) => [key, { revision, data }])
  )

/** Adds the position in the log of each state of a record. */
const notePositions = async (sheaf: Sheaf, positions: Map<string, number>): Promise<void> => {
  const text = "SELECT resource_id, version, seq::float8 AS seq FROM changes ORDER BY seq"
  const rows = await sheaf.run(Effect.flatMap(Database, ({ read }) => read.unsafe<any>(text)))
  for (const { resource_id, seq, version } of rows) positions.set(`${resource_id} ${version}`, seq)
}

/** `CUTS_SEEDS=10 SLOW_TESTS=1 npx vitest run test/client/FollowCuts.test.ts` runs more. */
const seeds = Array.from({ length: Number(process.env["CUTS_SEEDS"] ?? rounds(1, 5)) }, (_, index) => index + 1)
const cutsOfSeed = rounds(30, 1_000)
/** A restart or an expired cursor after each of these. */
const chapters = rounds(4, 12)

it.each(seeds)("no change is missed or comes out of order, however connections are cut (seed %i)", async (seed) => {
  const random = new Random(seed)
  await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
  const positions = new Map<string, number>()
  let days = 0
  const nodeStarted = async () => {
    const node = await Sheaf.start({ postgres: inject("postgres"), databaseOf: sheaf })
    await node.move(`${days} days`)
    node.faults.set({ seed: random.between(1, 1_000), cutStreams: 0.2, unavailable: 0.1, lostResponses: 0.1 })
    proxy.target = node.url
    return node
  }
  const proxy = await CuttingProxy.start(random)
  let node = await nodeStarted()
  let isEnded = false
  try {
    const [notebook] = (await sheaf.client.listNotebooks()).data
    const writers = Promise.all(
      [1, 2].map((each) => write(sheaf.client, notebook!.id, new Random(seed * 10 + each), () => isEnded))
    )
    const follower = new Follower(createClient({ url: proxy.url, key: sheaf.key, retries: 1, longestWait: 5 }))
    proxy.isCutting = true
    for (let chapter = 0; chapter < chapters; chapter++) {
      // A writer that fails ends the test.
      await Promise.race([proxy.further(Math.ceil(cutsOfSeed / chapters)), writers])
      proxy.refuse()
      // After 91 days everything comes again, also what was missed: this is not the last.
      const kind = ["91 days", "restart", "2 days", "restart"][chapter % 4]
      if (kind === "restart") {
        await node.stop()
        node = await nodeStarted()
      } else {
        // Old entries of the log are deleted as the time passes.
        await notePositions(sheaf, positions)
        await sheaf.move(kind as "2 days")
        await node.move(kind as "2 days")
        days += Number.parseInt(kind!)
        follower.resynced()
        proxy.target = node.url
      }
    }
    proxy.isCutting = false
    node.faults.clear()
    await expect.poll(() => follower.isLive).toBe(true)
    isEnded = true
    await writers
    const last = await sheaf.client.createNote({ notebook_id: notebook!.id, title: "The last one" })
    await follower.has(last.id)
    await follower.end()

    const fresh = new Map<string, Change>()
    for await (const { changes } of follow(sheaf.client, { isOnce: true })) {
      for (const change of changes) fresh.set(`${change.type} ${change.id}`, change)
    }
    expect(shown(follower.records)).toEqual(shown(fresh))
    expect(follower.broken).toEqual([])
    await notePositions(sheaf, positions)
    for (const changes of follower.received) {
      // Some entries were deleted by the passing of time before the test has read them.
      const seqs = changes.flatMap(({ id, revision }) => positions.get(`${id} ${revision}`) ?? [])
      expect(seqs).toEqual(seqs.toSorted((one, other) => one - other))
      expect(new Set(seqs).size).toBe(seqs.length)
    }
    expect(proxy.cuts).toBeGreaterThanOrEqual(cutsOfSeed)
  } finally {
    await proxy.stop()
    await node.stop()
  }
})
