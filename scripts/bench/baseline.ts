/**
 * What Sheaf is measured against: plain `node:http` + `pg`, no framework, no validation, credentials in a Map.
 *   node scripts/bench/baseline.ts single|group <socket directory or host> <port> <user> <workspaces>
 * `single` (a): one statement and commit per write. `group` (b): all waiting writes share one statement and commit.
 * Makes its database anew (dropped on SIGTERM), then prints one line of JSON: {port, workspaces: [{workspace_id, notebook_id, key, token}]}.
 */
import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import pg from "pg"
import { CREATE, GET, LIST, PULL, SCHEMA, UPDATE, WRITE_MANY } from "./baselineStatements.ts"

interface Note {
  id: string
  notebook_id: string
  title: string
  body: string
  tags: string[]
  pinned: boolean
  archived: boolean
  version: number
  word_count: number
  created_at: string
  updated_at: string
}
type Fields = Partial<Pick<Note, "notebook_id" | "title" | "body" | "tags" | "pinned">>
/** Answers the note as stored, or undefined when there is none of that revision. `revision` 0: create; null: any. */
type Write = (workspace: string, id: string, fields: Fields, revision: number | null) => Promise<Note | undefined>

const [mode = "single", host = "127.0.0.1", port = "5432", user = "sheaf", count = "32"] = process.argv.slice(2)
/** Tried on two cores: 8 to 32 differ little, but more of them hurt when all write to one workspace. */
const POOL = Number(process.env["BENCH_POOL"] ?? 10)
const ROWS_PER_STATEMENT = 400
const AUTHOR = "us_baseline"
const database = `bench_baseline_${mode}`
const connection = { host, port: Number(port), user }

const admin = new pg.Pool({ ...connection, database: "postgres", max: 1 })
const drop = () => admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
await drop()
await admin.query(`CREATE DATABASE ${database}`)
// timestamptz as text in RFC 3339, not as Date: pulls run 1.4 times as fast.
pg.types.setTypeParser(1184, (text) => `${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
const pool = new pg.Pool({ ...connection, database, max: POOL, options: "-c TimeZone=UTC" })
// At the end of the bench PostgreSQL may be gone first.
pool.on("error", () => {})
await pool.query(SCHEMA)

const workspaces = Array.from({ length: Number(count) }, (_, index) => ({
  workspace_id: `ws_${String(index).padStart(20, "0")}`,
  notebook_id: `nb_${String(index).padStart(20, "0")}`,
  key: `sfk_${randomBytes(18).toString("hex")}`,
  token: `sfa_${randomBytes(18).toString("hex")}`
}))
const workspaceOf = new Map(
  workspaces.flatMap((it) => [it.key, it.token].map((credential) => [`Bearer ${credential}`, it.workspace_id]))
)
await pool.query({
  text: "INSERT INTO heads (workspace_id) SELECT unnest($1::text[])",
  values: [workspaces.map((it) => it.workspace_id)]
})

const newId = (): string => `nt_${Date.now().toString(36)}${randomBytes(8).toString("hex")}`
const words = (body: string): number => body.match(/\S+/g)?.length ?? 0

const created = (id: string, fields: Fields, now: string): Note => ({
  id,
  notebook_id: fields.notebook_id ?? "",
  title: fields.title ?? "",
  body: fields.body ?? "",
  tags: fields.tags ?? [],
  pinned: fields.pinned ?? false,
  archived: false,
  version: 1,
  word_count: words(fields.body ?? ""),
  created_at: now,
  updated_at: now
})

/** (a) One statement, one commit. */
const writeOne: Write = async (workspace, id, fields, revision) => {
  const now = new Date().toISOString()
  const write = (name: string, text: string, it: Fields, more: readonly unknown[]) =>
    pool.query<Note>({
      name,
      text,
      values: [
        ...[workspace, id, it.notebook_id, it.title, it.body, it.tags, it.pinned],
        ...[it.body === undefined ? null : words(it.body), now, AUTHOR, ...more]
      ]
    })
  if (revision !== 0) return (await write("update", UPDATE, fields, [revision])).rows[0]
  const note = created(id, fields, now)
  await write("create", CREATE, note, [])
  return note
}

/** (b) What waits while a statement runs goes together into the next one; a note at most once in each. */
type Waiting = {
  readonly row: Fields & { workspace_id: string; id: string; nth: number; word_count?: number; revision: number | null }
  readonly note: Note | undefined
  readonly resolve: (note: Note | undefined) => void
  readonly reject: (error: unknown) => void
}
let waiting: Waiting[] = []
let flushing = false

const flush = async (): Promise<void> => {
  flushing = true
  while (waiting.length > 0) {
    const batch = new Map<string, Waiting>()
    const later: Waiting[] = []
    const taken = new Map<string, number>()
    for (const write of waiting) {
      const key = `${write.row.workspace_id} ${write.row.id}`
      if (batch.size === ROWS_PER_STATEMENT || batch.has(key)) {
        later.push(write)
        continue
      }
      write.row.nth = (taken.get(write.row.workspace_id) ?? 0) + 1
      taken.set(write.row.workspace_id, write.row.nth)
      batch.set(key, write)
    }
    waiting = later
    const writes = [...batch.values()]
    const now = new Date().toISOString()
    for (const { note } of writes) if (note) note.created_at = note.updated_at = now
    try {
      const { rows } = await pool.query<Note & { workspace_id?: string }>({
        name: "write-many",
        text: WRITE_MANY,
        values: [JSON.stringify(writes.map((it) => it.row)), now, AUTHOR]
      })
      for (const { workspace_id, ...note } of rows) {
        const key = `${workspace_id} ${note.id}`
        batch.get(key)?.resolve(note)
        batch.delete(key)
      }
      for (const write of batch.values()) write.resolve(write.note)
    } catch (error) {
      for (const write of writes) write.reject(error)
    }
  }
  flushing = false
}

const writeShared: Write = (workspace, id, fields, revision) =>
  new Promise((resolve, reject) => {
    const note = revision === 0 ? created(id, fields, "") : undefined
    const { notebook_id, title, body, tags, pinned, word_count } = note ?? {
      ...fields,
      word_count: fields.body === undefined ? undefined : words(fields.body)
    }
    const row = { workspace_id: workspace, id, nth: 0, notebook_id, title, body, tags, pinned, word_count, revision }
    waiting.push({ row: row as Waiting["row"], note, resolve, reject })
    if (!flushing) {
      flushing = true
      setImmediate(() => void flush())
    }
  })

const store = mode === "group" ? writeShared : writeOne

const listeners = new Map<string, Set<ServerResponse>>()
/** After the commit, to everyone who listens to the workspace. */
const write: Write = async (workspace, id, fields, revision) => {
  const note = await store(workspace, id, fields, revision)
  const heard = listeners.get(workspace)
  if (note && heard) {
    const event = `event: change\ndata: ${JSON.stringify(note)}\n\n`
    for (const response of heard) response.write(event)
  }
  return note
}
const listen = (workspace: string, response: ServerResponse): void => {
  const heard = listeners.get(workspace) ?? new Set()
  listeners.set(workspace, heard.add(response))
  response.on("close", () => heard.delete(response))
  response.writeHead(200, { "content-type": "text/event-stream" }).write("event: ready\ndata: {}\n\n")
}

const entry = ({ actor_id, ...note }: Note & { actor_id: string; seq?: string }) => ({
  ...{ type: "note", id: note.id, op: "upsert", revision: note.version, data: note },
  ...{ changed_at: note.updated_at, actor_id, device_id: null }
})
const cursorAt = (seq: unknown): string => Buffer.from(String(seq)).toString("base64url")
const seqOf = (cursor: string | undefined): number =>
  cursor === undefined ? 0 : Number(Buffer.from(cursor, "base64url").toString())

type PushedChange = { id?: string; revision?: number; data: Fields }

/** The records of a push in their order; each is a write of its own, so (b) lets all of them wait at once. */
const push = async (workspace: string, pushed: readonly PushedChange[]) => {
  const apply = async ({ id = newId(), revision = 0, data }: PushedChange, index: number) => {
    const note = await write(workspace, id, data, revision)
    const status = note ? "applied" : "conflict"
    return { note, result: { index, mutation_id: null, type: "note", id, status, revision: note?.version ?? revision } }
  }
  const applied: Array<Awaited<ReturnType<typeof apply>>> = []
  if (mode === "group") applied.push(...(await Promise.all(pushed.map(apply))))
  else for (const [index, change] of pushed.entries()) applied.push(await apply(change, index))
  return {
    cursor: cursorAt(applied.length),
    changes: applied.flatMap(({ note }) => (note ? [entry({ ...note, actor_id: AUTHOR })] : [])),
    has_more: false,
    conflicts: applied.flatMap(({ note, result }) => (note ? [] : [{ ...result, reason: "stale_revision" }])),
    results: applied.map(({ result }) => result)
  }
}

const pull = async (workspace: string, { cursor, limit = 100 }: { cursor?: string; limit?: number }) => {
  const values = [workspace, seqOf(cursor), limit + 1]
  const { rows } = await pool.query<Note & { seq: string; actor_id: string }>({ name: "pull", text: PULL, values })
  const page = rows.slice(0, limit)
  const next = cursorAt(page.at(-1)?.seq ?? seqOf(cursor))
  const changes = page.map(({ seq: _, ...note }) => entry(note))
  return { cursor: next, changes, has_more: rows.length > limit, conflicts: [] }
}

const list = async (workspace: string, limit: number) => {
  const { rows } = await pool.query<Note>({ name: "list", text: LIST, values: [workspace, limit + 1] })
  const data = rows.slice(0, limit)
  const has_more = rows.length > limit
  return { data, has_more, next_cursor: has_more ? cursorAt(data.at(-1)?.id) : null }
}

const bodyOf = async (request: IncomingMessage): Promise<any> => {
  const chunks: Buffer[] = []
  await new Promise((resolve, reject) => {
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", resolve)
      .on("error", reject)
  })
  return JSON.parse(Buffer.concat(chunks).toString())
}

const answer = (response: ServerResponse, status: number, value: unknown, etag?: string): void => {
  const text = JSON.stringify(value)
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) }
  response.writeHead(status, etag === undefined ? headers : { ...headers, etag }).end(text)
}

const etagOf = (note: Note): string => `"${note.id}.${note.version}"`
const answerNote = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  note: Note | undefined
): void => {
  if (!note) return answer(response, 404, { status: 404, code: "not_found" })
  const etag = etagOf(note)
  if (request.headers["if-none-match"] === etag) response.writeHead(304, { etag }).end()
  else answer(response, status, note, etag)
}

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method, url = "", headers } = request
  const workspace = workspaceOf.get(headers.authorization ?? "")
  if (workspace === undefined) return answer(response, 401, { status: 401, code: "authentication_required" })
  const mark = url.indexOf("?")
  const path = mark < 0 ? url : url.slice(0, mark)
  if (path === "/v2/notes" && method === "POST") {
    answerNote(request, response, 201, await write(workspace, newId(), await bodyOf(request), 0))
  } else if (path === "/v2/notes" && method === "GET") {
    const limit = Number(new URLSearchParams(mark < 0 ? "" : url.slice(mark)).get("limit") ?? 25)
    answer(response, 200, await list(workspace, limit))
  } else if (path.startsWith("/v2/notes/") && method === "GET") {
    const { rows } = await pool.query<Note>({ name: "get", text: GET, values: [workspace, path.slice(10)] })
    answerNote(request, response, 200, rows[0])
  } else if (path.startsWith("/v2/notes/") && method === "PATCH") {
    answerNote(request, response, 200, await write(workspace, path.slice(10), await bodyOf(request), null))
  } else if (path === "/v2/sync/stream") {
    listen(workspace, response)
  } else if (path === "/v2/sync/pull" && method === "POST") {
    answer(response, 201, await pull(workspace, await bodyOf(request)))
  } else if (path === "/v2/sync/push" && method === "POST") {
    answer(response, 201, await push(workspace, (await bodyOf(request)).changes))
  } else answer(response, 404, { status: 404, code: "route_not_found" })
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    console.error(String(error))
    answer(response, 500, { status: 500, code: "internal_error" })
  })
})
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, workspaces }))
})
process.once(
  "SIGTERM",
  () =>
    void pool
      .end()
      .then(drop)
      .finally(() => process.exit(0))
)
// The bench holds the other end: without it nothing is left to stop this process.
process.stdin.on("close", () => process.exit(0)).resume()
