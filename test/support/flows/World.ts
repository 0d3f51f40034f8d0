import { isDeepStrictEqual } from "node:util"
import { syncTypes } from "../../../services/Resources.ts"
import type { Data } from "../../../services/records/Merge.ts"
import type { SyncEngine } from "../../../src/clients/sync/SyncEngine.ts"
import { fetchedHash } from "./Contents.ts"
import { call, listAll, type Server } from "./Wire.ts"

/** A change entry of pull, stream and push. */
export interface Entry {
  readonly type: string
  readonly id: string
  readonly op: "upsert" | "delete"
  readonly revision: number
  readonly data: Readonly<Record<string, any>> | null
  readonly changed_at: string
  readonly actor_id: string | null
  readonly device_id: string | null
}

export const keyOf = (entry: { readonly type: string; readonly id: string }): string => `${entry.type} ${entry.id}`

/** An edit of a note that the server acknowledged. */
export interface Acknowledged {
  readonly id: string
  readonly revision: number
  readonly sent: Readonly<Record<string, any>>
  /** The server made the id, so only the mutation_id identifies a second push of the edit. */
  readonly isNew: boolean
}

/** What all clients of a workspace have received, checked for contradictions. */
export class World {
  readonly servers: ReadonlyArray<Server>
  readonly acknowledged: Array<Acknowledged> = []
  readonly purged = new Set<string>()
  readonly counts: Record<string, number> = {}
  private readonly seen = new Map<string, Entry>()

  constructor(servers: ReadonlyArray<Server>) {
    this.servers = servers
  }

  /** Counts an occurrence, for the statistics of a run. */
  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  /** Records an entry. A revision of a record must always have the same content, however it is received. */
  see(entry: Entry, how: string): void {
    const key = `${keyOf(entry)} ${entry.revision}`
    const before = this.seen.get(key)
    if (before === undefined) this.seen.set(key, entry)
    else if (!isDeepStrictEqual(before, entry) && !this.isErased(before, entry)) {
      throw new Error(`${how} sends another ${key}: ${JSON.stringify(entry)}, before ${JSON.stringify(before)}`)
    }
  }

  /** An earlier change of a purged note is sent as its deletion, because its content no longer exists. */
  private isErased(...entries: ReadonlyArray<Entry>): boolean {
    return entries.some(({ id, op }) => op === "delete" && this.purged.has(id))
  }

  /** Whether this revision of a record is known and was not a deletion. */
  wasLive(type: string, id: string, revision: number): boolean {
    return this.seen.get(`${type} ${id} ${revision}`)?.op === "upsert"
  }

  /** Checks the base of a conflict against the known content of that revision. */
  seeBase(type: string, id: string, base: { readonly revision: number; readonly data: unknown }): void {
    const before = this.seen.get(`${type} ${id} ${base.revision}`)
    if (before === undefined || before.data === null || isDeepStrictEqual(before.data, base.data)) return
    throw new Error(`base of ${type} ${id}: ${JSON.stringify(base)}, it was ${JSON.stringify(before.data)}`)
  }
}

/** The records of a type that an engine shows, by id. */
const shownOf = (engine: SyncEngine, type: string) =>
  new Map(engine.all(type).map((data) => [String(data["id"]), data]))

/** All records that an engine shows, by id. */
export const shown = (engine: SyncEngine): ReadonlyMap<string, Data> =>
  new Map(syncTypes.flatMap((type) => [...shownOf(engine, type)]))

/**
 * Returns the differences between the records of an engine and the server's responses to plain reads, as text. `more` has
 * ids of notes that may exist on the server alone.
 */
export const differences = async (
  server: Server,
  engine: SyncEngine,
  more: Iterable<string> = []
): Promise<ReadonlyArray<string>> => {
  const dataOf = (type: string): ReadonlyMap<string, Readonly<Record<string, any>>> => shownOf(engine, type)
  const notes = dataOf("note")
  const found: Array<string> = []
  const compare = (type: string, truth: ReadonlyMap<string, unknown>, held: ReadonlyMap<string, unknown>) => {
    for (const id of new Set([...truth.keys(), ...held.keys()])) {
      if (isDeepStrictEqual(truth.get(id), held.get(id))) continue
      found.push(`${type} ${id}: server ${JSON.stringify(truth.get(id))}, replica ${JSON.stringify(held.get(id))}`)
    }
  }
  const byId = (items: ReadonlyArray<any>) => new Map<string, any>(items.map((item) => [item.id, item]))
  /** Adds the counts that change data does not contain, from the replica's notes. */
  const counted = (type: string, has: (note: Readonly<Record<string, any>>, record: any) => boolean) =>
    new Map(
      [...dataOf(type)].map(([id, data]) => {
        const note_count = [...notes.values()].filter((note) => has(note, data)).length
        return [id, { ...data, note_count }]
      })
    )
  const [notebooks, tags, reminders, files, listed] = await Promise.all([
    listAll(server, "/notebooks"),
    listAll(server, "/tags"),
    listAll(server, "/reminders", 41),
    listAll(server, "/attachments", 53),
    listAll(server, "/notes", 37)
  ])
  compare(
    "notebook",
    byId(notebooks),
    counted("notebook", (note, notebook) => note["notebook_id"] === notebook.id)
  )
  compare(
    "tag",
    byId(tags),
    counted("tag", (note, tag) => note["tags"].includes(tag.name))
  )
  compare("reminder", byId(reminders), dataOf("reminder"))
  const comments: Array<any> = []
  await inParallel([...notes.keys()], async (id) => {
    comments.push(...(await listAll(server, `/notes/${id}/comments`, 29)))
  })
  compare("comment", byId(comments), dataOf("comment"))
  compare("attachment", byId(files.map(({ url: _, ...file }) => file)), dataOf("attachment"))
  await inParallel(
    files.filter(({ status }) => status === "ready"),
    async ({ id, sha256 }) => {
      const fetched = await fetchedHash(server, id)
      if (fetched !== sha256) found.push(`the bytes of ${id} are ${fetched}, not ${sha256}`)
    }
  )
  compare("listed note", byId(listed), new Map([...notes].filter(([, note]) => !note["archived"])))
  const got = new Map<string, unknown>()
  await inParallel([...new Set([...notes.keys(), ...more])], async (id) => {
    const { body, status } = await call(server, "GET", `/notes/${id}`)
    if (status === 200) got.set(id, body)
    else if (status !== 404) found.push(`GET /notes/${id}: ${status}`)
  })
  compare("note", got, notes)
  return found
}

/** Runs `each` for all items, twelve at a time. */
export const inParallel = async <A>(items: ReadonlyArray<A>, each: (item: A) => Promise<void>): Promise<void> => {
  const queue = [...items]
  const work = async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await each(item)
  }
  await Promise.all(Array.from({ length: 12 }, work))
}
