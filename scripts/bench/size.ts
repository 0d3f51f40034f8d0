/** Every operation that a client waits for, in a small and a large workspace in turns: what grows with the number of notes. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Connection, header, type Reply, requestText } from "./Connection.ts"
import { quantile } from "./load.ts"
import { memory } from "./processes.ts"
import { seed, type Started, startSheaf, type Workspace } from "./Target.ts"

const SMALL = 2_000
const ROUNDS = 21
const PUSH = 500
/** Words of notes: a few are in many notes, most in few. */
const VOCABULARY = 20_000

const wordOf = (seed: number): string => {
  let text = ""
  for (let left = (seed * 2_654_435_761) % 4_294_967_296; text.length < 7; left = Math.floor(left / 20) + 7)
    text += "aeiou"[left % 5]! + "bcdfghklmnprstvwxz"[left % 18]!
  return text
}
const anyWord = (): string => wordOf(Math.floor(VOCABULARY * Math.random() ** 3))
const prose = (words: number): string => Array.from({ length: words }, anyWord).join(" ")

interface Sized {
  readonly workspace: Workspace
  readonly notes: number
  /** Some of its notes. */
  readonly ids: ReadonlyArray<string>
  readonly cursor: string
}

const send = async (connection: Connection, { key }: Workspace, method: string, path: string, body?: unknown) => {
  const reply = await connection.exchange(requestText(key, method, `/v2${path}`, body))
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.head}\n\n${reply.body.toString().slice(0, 500)}`)
  return reply
}
const jsonOf = ({ body }: Reply): any => JSON.parse(body.toString())

const fill = async (port: number, workspace: Workspace, notes: number): Promise<Sized> => {
  const connection = new Connection(port)
  const ids: Array<string> = []
  for (let done = 0; done < notes; done += PUSH) {
    const changes = Array.from({ length: Math.min(PUSH, notes - done) }, (_, index) => ({
      type: "note",
      op: "upsert",
      data: {
        notebook_id: workspace.notebook_id,
        title: prose(4),
        body: prose(120),
        tags: [`t${(done + index) % 50}`]
      }
    }))
    const { results } = jsonOf(await send(connection, workspace, "POST", "/sync/push", { changes }))
    if (ids.length < 500) ids.push(...results.map(({ id }: any) => id))
    if (done % 50_000 === 0) console.error(`${done} of ${notes} notes`)
  }
  const { cursor } = jsonOf(await send(connection, workspace, "GET", "/sync/cursor"))
  connection.close()
  return { workspace, notes, ids, cursor }
}

type Operation = (sized: Sized, id: string) => readonly [method: string, path: string, body?: unknown]

const inNotebook = ({ workspace }: Sized) => ({ notebook_id: workspace.notebook_id, title: prose(4), body: prose(120) })
const listed =
  (filter: string): Operation =>
  () => ["GET", `/notes?limit=25&filter=${encodeURIComponent(filter)}`]
const found =
  (q: () => string): Operation =>
  () => ["POST", "/search", { query: q(), limit: 10 }]

const operations: Readonly<Record<string, Operation>> = {
  get: (_, id) => ["GET", `/notes/${id}`],
  rendered: (_, id) => ["GET", `/notes/${id}/rendered`],
  versions: (_, id) => ["GET", `/notes/${id}/versions?limit=10`],
  activity: (_, id) => ["GET", `/notes/${id}/activity?limit=10`],
  list: () => ["GET", "/notes?limit=25"],
  "list by title": () => ["GET", "/notes?limit=25&sort=title"],
  "list by words": () => ["GET", "/notes?limit=25&sort=-word_count"],
  "list of a tag": listed("tags=t7"),
  "list, filter that finds nothing": listed("title:nothingofthisname"),
  notebooks: () => ["GET", "/notebooks"],
  tags: () => ["GET", "/tags"],
  trash: () => ["GET", "/notes?limit=25&filter=deleted_at:*"],
  create: (sized) => ["POST", "/notes", inNotebook(sized)],
  update: (_, id) => ["PATCH", `/notes/${id}`, { body: prose(120) }],
  "push of 100": (sized) => [
    "POST",
    "/sync/push",
    { changes: Array.from({ length: 100 }, () => ({ type: "note", op: "upsert", data: inNotebook(sized) })) }
  ],
  "pull of the newest": ({ cursor }) => ["POST", "/sync/pull", { cursor, limit: 100 }],
  "pull from the beginning": () => ["POST", "/sync/pull", { limit: 100 }],
  "search, one word": found(anyWord),
  "search, two common words": found(() => `${wordOf(1)} ${wordOf(2)}`),
  "search, phrase": found(() => `"${wordOf(1)} ${wordOf(2)}"`),
  "search, typing error": found(() => anyWord().replace(/(.)(.)/, "$2$1")),
  suggest: () => ["GET", `/search/suggest?q=${anyWord().slice(0, 3)}`],
  events: () => ["GET", "/events?limit=25"],
  "events in order": () => ["GET", "/events?limit=25&sort=occurred_at"],
  "audit log": () => ["GET", "/audit-log?limit=25"],
  usage: () => ["GET", "/usage"]
}

/** Milliseconds of the first search that is complete, after a restart. */
const firstSearch = async (server: Started, { workspace }: Sized): Promise<number> => {
  const began = performance.now()
  const connection = new Connection(server.port, { timeout: 300_000 })
  for (let partial = true; partial;) {
    const reply = await send(connection, workspace, "POST", "/search", { query: anyWord(), limit: 10 })
    partial = jsonOf(reply).partial === true || header(reply.head, "warning") !== undefined
  }
  connection.close()
  return performance.now() - began
}

/** Prints a table of all operations: medians in milliseconds, the lowest in brackets. */
export const measureSizes = async (notes: number): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), "sheaf-size-"))
  let server = await startSheaf(dataDir)
  try {
    const workspaces = await seed(dataDir, 2)
    const sizes = [await fill(server.port, workspaces[0]!, SMALL), await fill(server.port, workspaces[1]!, notes)]
    const connection = new Connection(server.port)
    console.log(`| operation | ${sizes.map((each) => `${each.notes} notes`).join(" | ")} | growth |\n|---|---|---|---|`)
    for (const [name, requestOf] of Object.entries(operations)) {
      const times = sizes.map((): Array<number> => [])
      for (let round = -2; round < ROUNDS; round++) {
        for (const [index, sized] of sizes.entries()) {
          const request = requestOf(sized, sized.ids[(round + 2) % sized.ids.length]!)
          const began = performance.now()
          await send(connection, sized.workspace, ...request)
          if (round >= 0) times[index]!.push(performance.now() - began)
        }
      }
      const [medians, lowest] = [times.map((each) => quantile(each, 0.5)), times.map((each) => Math.min(...each))]
      const cells = medians.map((each, index) => `${each.toFixed(1)} (${lowest[index]!.toFixed(1)})`)
      const growth = [medians, lowest].map((each) => `×${(each[1]! / each[0]!).toFixed(1)}`)
      console.log(`| ${name} | ${cells.join(" | ")} | ${growth[0]} (${growth[1]}) |`)
    }
    connection.close()
    console.log(`\nmemory of the process: ${memory(server.pid).toFixed(0)} MB`)
    await server.stop()
    const began = performance.now()
    server = await startSheaf(dataDir, { key: workspaces[1]!.key })
    console.log(`restart to the first read: ${(performance.now() - began).toFixed(0)} ms`)
    console.log(`first complete search after it: ${(await firstSearch(server, sizes[1]!)).toFixed(0)} ms`)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
