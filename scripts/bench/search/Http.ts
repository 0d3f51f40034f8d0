import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Connection, requestText } from "../Connection.ts"
import { cpuSeconds, memory, parentOf } from "../processes.ts"
import { seed, startSheaf, type Target } from "../Target.ts"
import { Client } from "./Client.ts"
import { notesOf } from "./Corpora.ts"
import { milliseconds, quantile } from "./Figures.ts"
import { numbers, typosOf, wordsIn } from "./Quality.ts"

type Figure = readonly [row: string, figure: string]
type Started = Omit<Target, "workspaces">

const perPush = 250
const seconds = 4

/** The postmaster: the PostgreSQL process below the server whose parent is not a PostgreSQL process. */
const postmasterOf = (server: number): number => {
  const isPostgres = (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("postgres")
    } catch {
      return false
    }
  }
  const isBelow = (pid: number): boolean => pid > 1 && (pid === server || isBelow(parentOf(pid)))
  const all = readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .map(Number)
  const found = all.find((pid) => isPostgres(pid) && !isPostgres(parentOf(pid)) && isBelow(pid))
  if (found === undefined) throw new Error("the server has no PostgreSQL")
  return found
}

/** Sends requests over a number of connections while `continues` returns true; returns the milliseconds of each. */
const load = async (
  port: number,
  connections: number,
  next: () => string,
  continues: () => boolean
): Promise<Array<number>> => {
  const times: Array<number> = []
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = new Connection(port)
      while (continues()) {
        const begun = performance.now()
        const { status } = await connection.exchange(next())
        if (status >= 300 && status !== 503) throw new Error(`status ${status}`)
        times.push(performance.now() - begun)
      }
      connection.close()
    })
  )
  return times
}

const cpuOf = (from: ReturnType<typeof cpuSeconds>, to: ReturnType<typeof cpuSeconds>, count: number): string => {
  const [server, stores] = [to.server - from.server, to.stores - from.stores].map((each) =>
    ((each * 1000) / count).toFixed(1)
  )
  return `CPU: ${server} ms of Sheaf, ${stores} ms of PostgreSQL`
}

const until = (end: number) => () => performance.now() < end

/** Measures the built Sheaf on a new database, with the notes of one workspace. */
export async function* measureHttp(count: number): AsyncGenerator<Figure> {
  const dataDir = mkdtempSync(join(tmpdir(), "sheaf-search-"))
  let server: Started | undefined
  try {
    server = await startSheaf(dataDir)
    const [workspace, other] = await seed(dataDir, 2)
    const { key } = workspace!
    let client = new Client(server.port, key)
    const source = notesOf("notes14k")
    const pusher = async (by: Client) => {
      const notebook_id = (await by.call("POST", "/notebooks", { name: "Bench" })).id as string
      return async (notes: ReadonlyArray<{ title: string; body: string; tags: ReadonlyArray<string> }>) => {
        const changes = notes.map(({ body, tags, title }) => ({
          type: "note",
          op: "upsert",
          data: { notebook_id, title: title.slice(0, 200) || "Untitled", body, tags }
        }))
        const { results } = await by.call("POST", "/sync/push", { changes })
        const applied = results.filter(({ status }: { readonly status: string }) => status === "applied")
        return applied.map(({ id }: { readonly id: string }) => id) as Array<string>
      }
    }
    const fill = async (push: Awaited<ReturnType<typeof pusher>>): Promise<Array<string>> => {
      const ids: Array<string> = []
      for (let from = 0; from < count; from += perPush) {
        const notes = Array.from(
          { length: Math.min(perPush, count - from) },
          (_, each) => (from + each) % source.length
        )
        ids.push(...(await push(notes.map((note) => source[note]!))))
      }
      return ids
    }
    const push = await pusher(client)
    const ids = await fill(push)
    const random = numbers(3)
    const get = () => requestText(key, "GET", `/v2/notes/${ids[Math.floor(random() * ids.length)]!}`)
    await load(server.port, 4, get, until(performance.now() + 1_000))
    const quiet = await load(server.port, 4, get, until(performance.now() + 1_000 * seconds))
    const before = memory(server.pid)
    let isIndexed = false
    const indexing = client.search("heap memory allocation").finally(() => (isIndexed = true))
    const busy = await load(server.port, 4, get, () => !isIndexed)
    const took = await indexing
    yield [
      "indexed with the first search",
      `${(took / 1000).toFixed(1)} s, ${Math.round((count / took) * 1000)} notes/s, during gets on 4 connections`
    ]
    yield [
      "gets p99, quiet and while indexing",
      `${quantile(quiet, 0.99).toFixed(1)} / ${quantile(busy, 0.99).toFixed(1)} ms`
    ]
    const after = memory(server.pid)

    const phrases = Array.from({ length: 400 }, () => {
      const words = source[Math.floor(random() * source.length)]!.body.match(/[A-Za-z]{3,}/g) ?? ["word"]
      const from = Math.floor(random() * Math.max(1, words.length - 3))
      return words.slice(from, from + 1 + Math.floor(random() * 3)).join(" ")
    })
    const wrong = typosOf(wordsIn(source.slice(0, 3000)), 200).one.map(([typo]) => typo)
    const processes = { servers: [server.pid], postmaster: postmasterOf(server.pid) }
    const costs = async (queries: ReadonlyArray<string>) => {
      for (const query of queries.slice(0, 100)) await client.search(query)
      const from = cpuSeconds(processes)
      const times: Array<number> = []
      for (const query of queries) times.push(await client.search(query))
      const to = cpuSeconds(processes)
      return `${cpuOf(from, to, queries.length)}, ${milliseconds(times)}`
    }
    const getsFrom = cpuSeconds(processes)
    for (const id of ids.slice(0, 400)) await client.call("GET", `/notes/${id}`)
    const getsTo = cpuSeconds(processes)
    yield ["a get", cpuOf(getsFrom, getsTo, 400)]
    yield ["a search, p50 / p95", await costs(phrases)]
    yield ["a search for a misspelt word", await costs(wrong)]
    yield [
      "memory: before, indexed, after use",
      `${before.toFixed(0)} / ${after.toFixed(0)} / ${memory(server.pid).toFixed(0)} MB`
    ]

    const ask = () => requestText(key, "POST", "/v2/search", { query: phrases[Math.floor(random() * phrases.length)] })
    const gets = await load(server.port, 32, get, until(performance.now() + 1_000 * seconds))
    const searches = await load(server.port, 32, ask, until(performance.now() + 1_000 * seconds))
    yield [
      "32 connections: gets, searches",
      `${Math.round(gets.length / seconds)} / ${Math.round(searches.length / seconds)} a second`
    ]

    const quietly = new Client(server.port, other!.key)
    await fill(await pusher(quietly))
    const alone = await quietly.search("heap memory allocation")
    yield [
      "another workspace, without other load",
      `${(alone / 1000).toFixed(1)} s, ${Math.round((count / alone) * 1000)} notes/s`
    ]

    const behind: Array<number> = []
    for (let round = 0; round < 8; round++) {
      await push(Array.from({ length: 500 }, (_, each) => source[(round * 500 + each) % source.length]!))
      behind.push(await client.search(phrases[round]!))
    }
    yield ["a search right after a push of 500", milliseconds(behind)]

    await server.stop()
    const begun = performance.now()
    server = await startSheaf(dataDir)
    const ready = performance.now() - begun
    client = new Client(server.port, key)
    const first = await client.search("heap memory allocation")
    yield ["restart: ready, then the first search", `${ready.toFixed(0)} ms, ${first.toFixed(0)} ms`]
  } finally {
    await server?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
