import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { memory, maxMemory } from "../processes.ts"
import { seed, type Started, startSheaf, type Workspace } from "../Target.ts"
import { Client, Refused } from "./Client.ts"
import { milliseconds } from "./Figures.ts"
import { numbers } from "./Quality.ts"
import { type ShortNote, shortNotes } from "./ShortNotes.ts"

type Figure = readonly [row: string, figure: string]

const PER_PUSH = 500
const PUSHERS = 2
const QUERIES = 200
const EDITS = 20
/** Number of edits per second, and of connections that send them. */
const WRITES = 200
const WRITERS = 8
const BUSY_MS = 10_000
/** Number of notes from which queries and edits are made. */
const SAMPLE = 5_000
/** Maximum `Retry-After` in seconds; a longer one ends the measurement. */
const SOON = 60
const RETRY_MS = 1_000
const LONGEST_SEARCH = 14 * 60_000

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`

const sizeOf = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
    : 0

/** Pushes notes, and keeps a sample of them with their ids. */
const fill = async (port: number, { key, notebook_id }: Workspace, count: number) => {
  const notes = shortNotes()
  const sample: Array<{ readonly id: string; readonly note: ShortNote }> = []
  const next = numbers(5)
  let left = count
  const push = async () => {
    const client = new Client(port, key)
    while (left > 0) {
      const some = Array.from({ length: Math.min(PER_PUSH, left) }, () => notes.next().value)
      left -= some.length
      const changes = some.map((note) => ({ type: "note", op: "upsert", data: { notebook_id, ...note } }))
      const { results } = await client.call("POST", "/sync/push", { changes })
      for (const [place, result] of results.entries()) {
        if (result.status !== "applied") throw new Error(`a note was not stored: ${JSON.stringify(result)}`)
        if (next() < SAMPLE / count) sample.push({ id: result.id, note: some[place]! })
      }
    }
    client.close()
  }
  await Promise.all(Array.from({ length: PUSHERS }, push))
  return sample
}

/** Milliseconds until a search covers all notes. */
const searchWhole = async (client: Client): Promise<number> => {
  const begun = performance.now()
  while (true) {
    const found = await client.call("POST", "/search", { query: "memory allocation" }).catch((error: unknown) => {
      if (error instanceof Refused && error.status === 503 && (error.retryAfter ?? Infinity) <= SOON) return undefined
      throw error
    })
    if (found !== undefined && found.partial !== true) return performance.now() - begun
    if (performance.now() - begun > LONGEST_SEARCH) throw new Error("a search does not cover all notes")
    await delay(RETRY_MS)
  }
}

/** Edits random notes at a steady rate while `continues` returns true; each edit creates a version. */
const write = async (
  port: number,
  key: string,
  sample: Awaited<ReturnType<typeof fill>>,
  continues: () => boolean
): Promise<number> => {
  const begun = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const client = new Client(port, key)
      // Each writer has its own notes, so that edits do not conflict.
      const own = sample.filter((_, place) => place % WRITERS === writer).map(({ id, note }) => ({ id, note }))
      for (let edit = 0; continues(); edit++) {
        const due = begun + ((edit * WRITERS + writer) * 1000) / WRITES
        await delay(Math.max(0, due - performance.now()))
        const { id, note } = own[edit % own.length]!
        const { body } = own[(edit * 7 + 1) % own.length]!.note
        await client.call("PATCH", `/notes/${id}`, { body: `${body}\n\n${note.title}` })
        count++
      }
      client.close()
    })
  )
  return (count * 1000) / (performance.now() - begun)
}

/** Measures a checkout's built Sheaf on a new database, with many short notes in one workspace. */
export async function* measureScale(count: number, checkout: string): AsyncGenerator<Figure> {
  const dataDir = mkdtempSync(join(tmpdir(), "sheaf-scale-"))
  let server: Started | undefined
  try {
    server = await startSheaf(dataDir, { checkout })
    const [workspace] = await seed(dataDir, 1, { checkout })
    const { key } = workspace!
    const filling = performance.now()
    const sample = await fill(server.port, workspace!, count)
    const filled = performance.now() - filling
    yield ["pushed", `${seconds(filled)}, ${Math.round((count / filled) * 1000)} notes/s`]
    const before = memory(server.pid)
    let client = new Client(server.port, key)
    const first = await searchWhole(client)
    yield ["indexed with the first search", `${seconds(first)}, ${Math.round((count / first) * 1000)} notes/s`]
    const indexed = memory(server.pid)

    const next = numbers(3)
    const query = (): string => {
      const { body } = sample[Math.floor(next() * sample.length)]!.note
      const words = body.match(/[A-Za-z]{3,}/g) ?? ["word"]
      const from = Math.floor(next() * Math.max(1, words.length - 3))
      return words.slice(from, from + 1 + Math.floor(next() * 3)).join(" ")
    }
    const prefixes = Array.from({ length: QUERIES }, () => {
      const words = sample[Math.floor(next() * sample.length)]!.note.title.match(/\p{L}{3,}/gu) ?? ["note"]
      const from = Math.floor(next() * words.length)
      const last = words.at(from)!
      const typed = last.slice(0, 2 + Math.floor(next() * (last.length - 2)))
      return [...words.slice(Math.max(0, from - 1), from), typed].join(" ")
    })
    /** Milliseconds of successive searches, each for different words. */
    const searches = async (leastMs = 0): Promise<Array<number>> => {
      const begun = performance.now()
      const times: Array<number> = []
      while (times.length < QUERIES || performance.now() - begun < leastMs) times.push(await client.search(query()))
      return times
    }
    // As in a server that has run for a while: V8 has compiled the code.
    await searches()
    yield ["search of 1 to 3 words, p50 / p95", milliseconds(await searches())]
    const suggestions: Array<number> = []
    for (const prefix of prefixes) {
      suggestions.push(await client.timed("GET", `/search/suggest?q=${encodeURIComponent(prefix)}`))
    }
    yield ["suggest, p50 / p95", milliseconds(suggestions)]

    const edits: Array<number> = []
    for (const [edit, { id, note }] of sample.slice(0, EDITS).entries()) {
      const begun = performance.now()
      const word = `edited${edit}word`
      await client.call("PATCH", `/notes/${id}`, { body: `${note.body} ${word}` })
      const { hits } = await client.call("POST", "/search", { query: word })
      if (hits[0]?.id !== id) throw new Error("an edit is not found immediately")
      edits.push(performance.now() - begun)
    }
    yield ["an edit, and a search that finds it", milliseconds(edits)]

    const quiet = await searches()
    let isOver = false
    const [busy, rate] = await Promise.all([
      searches(BUSY_MS).finally(() => (isOver = true)),
      write(server.port, key, sample, () => !isOver)
    ])
    yield ["search, quiet", milliseconds(quiet)]
    yield [
      `search while notes are edited (${WRITES} a second wanted)`,
      `${milliseconds(busy)}, ${Math.round(rate)} a second`
    ]
    yield [
      "memory before / indexed / now / most",
      `${[before, indexed, memory(server.pid), maxMemory(server.pid)].map((each) => each.toFixed(0)).join(" / ")} MB`
    ]

    client.close()
    await server.stop()
    yield ["DATA_DIR/search", `${(sizeOf(join(dataDir, "search")) / 1e6).toFixed(0)} MB`]
    const stopped = performance.now()
    server = await startSheaf(dataDir, { checkout })
    const ready = performance.now() - stopped
    client = new Client(server.port, key)
    const began = performance.now()
    const { partial } = await client.call("POST", "/search", { query: "memory allocation" })
    const responded = performance.now() - began
    yield [
      "restart: ready, then the first search",
      `${ready.toFixed(0)} ms, ${responded.toFixed(0)} ms${partial === true ? ", partial" : ""}`
    ]
    yield ["memory after the restart", `${memory(server.pid).toFixed(0)} MB`]
    client.close()
  } finally {
    await server?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
