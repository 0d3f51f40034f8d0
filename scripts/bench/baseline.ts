/**
 * The hand-written server that Sheaf is compared with: `node:http`, `pg`, and one statement and commit per write. No
 * framework, no validation, no limits; requests are those of Sheaf, records have fewer members.
 *   node scripts/bench/baseline.ts SOCKET_DIRECTORY PORT USER DATABASE WORKSPACES
 * Listens on the PORT of its environment. Workspace n has the key `key-n`.
 */
import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import pg from "pg"

const [host, port, user, database, workspaces] = process.argv.slice(2)

const SCHEMA = `
CREATE TABLE IF NOT EXISTS heads (ws int PRIMARY KEY, seq bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS notes (
  ws int NOT NULL, id uuid NOT NULL, version int NOT NULL, title text NOT NULL, body text NOT NULL,
  deleted boolean NOT NULL DEFAULT false, created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(), seq bigint NOT NULL, PRIMARY KEY (ws, id));
CREATE INDEX IF NOT EXISTS notes_seq ON notes (ws, seq);
CREATE INDEX IF NOT EXISTS notes_updated ON notes (ws, updated_at DESC);
CREATE TABLE IF NOT EXISTS versions (
  ws int NOT NULL, id uuid NOT NULL, version int NOT NULL, title text NOT NULL, body text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (ws, id, version));
CREATE TABLE IF NOT EXISTS changes (
  ws int NOT NULL, seq bigint NOT NULL, id uuid NOT NULL, version int NOT NULL, op smallint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (ws, seq));
INSERT INTO heads (ws) SELECT generate_series(0, ${Number(workspaces) - 1}) ON CONFLICT DO NOTHING;`

const NOTE = "id, version, title, body, created_at, updated_at, seq"
const STATEMENTS = {
  create: `WITH s AS (UPDATE heads SET seq = seq + 1 WHERE ws = $1::int RETURNING seq),
    n AS (INSERT INTO notes (ws, id, version, title, body, seq)
      SELECT $1::int, $2::uuid, 1, $3::text, $4::text, seq FROM s RETURNING id, version, seq, updated_at),
    v AS (INSERT INTO versions (ws, id, version, title, body) VALUES ($1::int, $2::uuid, 1, $3::text, $4::text)),
    c AS (INSERT INTO changes (ws, seq, id, version, op) SELECT $1::int, seq, $2::uuid, 1, 1 FROM s)
    SELECT * FROM n`,
  update: `WITH s AS (UPDATE heads SET seq = seq + 1 WHERE ws = $1::int RETURNING seq),
    n AS (UPDATE notes SET version = version + 1, title = $4::text, body = $5::text, updated_at = now(), seq = s.seq FROM s
      WHERE ws = $1::int AND id = $2::uuid AND version = $3::int RETURNING id, version, notes.seq, updated_at),
    v AS (INSERT INTO versions (ws, id, version, title, body) SELECT $1::int, id, version, $4::text, $5::text FROM n),
    c AS (INSERT INTO changes (ws, seq, id, version, op) SELECT $1::int, seq, id, version, 2 FROM n)
    SELECT * FROM n`,
  /** Any number of new and changed notes; a note with an unexpected version is skipped. */
  push: `WITH input AS (SELECT *, row_number() OVER () AS nth FROM unnest($2::uuid[], $3::int[], $4::text[], $5::text[])
      AS t (id, expected, title, body)),
    s AS (UPDATE heads SET seq = seq + (SELECT count(*) FROM input) WHERE ws = $1::int
      RETURNING seq - (SELECT count(*) FROM input) AS before),
    n AS (INSERT INTO notes (ws, id, version, title, body, seq)
      SELECT $1::int, id, expected + 1, title, body, before + nth FROM input, s
      ON CONFLICT (ws, id) DO UPDATE SET version = excluded.version, title = excluded.title, body = excluded.body,
        updated_at = now(), seq = excluded.seq WHERE notes.version = excluded.version - 1
      RETURNING id, version, seq, title, body),
    v AS (INSERT INTO versions (ws, id, version, title, body) SELECT $1::int, id, version, title, body FROM n),
    c AS (INSERT INTO changes (ws, seq, id, version, op) SELECT $1::int, seq, id, version, 2 FROM n)
    SELECT id, version, seq FROM n`,
  get: `SELECT ${NOTE} FROM notes WHERE ws = $1 AND id = $2 AND NOT deleted`,
  list: `SELECT ${NOTE} FROM notes WHERE ws = $1 AND NOT deleted ORDER BY updated_at DESC LIMIT 25`,
  pull: `SELECT ${NOTE}, deleted FROM notes WHERE ws = $1 AND seq > $2 ORDER BY seq LIMIT $3`
}

interface Written {
  readonly id: string
  readonly version: number
  readonly seq: string
}

// Timestamps as text: a Date for each would only be formatted again.
pg.types.setTypeParser(1184, (text) => text)
const pool = new pg.Pool({ host: host!, port: Number(port), user: user!, database: database!, max: 10 })
// PostgreSQL may exit before this process at the end of the bench.
pool.on("error", () => {})
await pool.query(SCHEMA)
const query = async <Row>(name: keyof typeof STATEMENTS, ...values: ReadonlyArray<unknown>): Promise<Row[]> =>
  (await pool.query<Row>({ name, text: STATEMENTS[name], values })).rows

const digest = (text: string): string => createHash("sha256").update(text).digest("base64")
const workspaceOf = new Map(Array.from({ length: Number(workspaces) }, (_, ws) => [digest(`Bearer key-${ws}`), ws]))

const listeners = new Map<number, Set<ServerResponse>>()
const publish = (ws: number, rows: ReadonlyArray<Written>): void => {
  const changes = rows.map(({ id, seq, version }) => ({ type: "note", id, version, seq }))
  const event = Buffer.from(`event: change\ndata: ${JSON.stringify(changes)}\n\n`)
  for (const response of listeners.get(ws) ?? []) response.write(event)
}
const listen = (ws: number, response: ServerResponse): void => {
  const open = listeners.get(ws) ?? new Set()
  listeners.set(ws, open.add(response))
  response.on("close", () => open.delete(response))
  response.writeHead(200, { "content-type": "text/event-stream" }).write("event: ready\ndata: {}\n\n")
}

const push = async (ws: number, changes: ReadonlyArray<any>) => {
  const ids = changes.map(({ id }): string => id ?? randomUUID())
  const of = (member: "title" | "body") => changes.map(({ data }): string => data[member])
  const revisions = changes.map(({ revision = 0 }): number => revision)
  const rows = await query<Written>("push", ws, ids, revisions, of("title"), of("body"))
  publish(ws, rows)
  const versions = new Map(rows.map(({ id, version }) => [id, version]))
  const result = (id: string) =>
    versions.has(id) ? { id, status: "applied", revision: versions.get(id) } : { id, status: "conflict" }
  return { results: ids.map(result) }
}

const pull = async (ws: number, { cursor = "0", limit }: { readonly cursor?: string; readonly limit: number }) => {
  const changes = await query<Written>("pull", ws, cursor, limit)
  return { changes, cursor: changes.at(-1)?.seq ?? cursor, has_more: changes.length === limit }
}

const bodyOf = async (request: IncomingMessage): Promise<any> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const respond = (response: ServerResponse, status: number, value: unknown, headers = {}): void => {
  const text = JSON.stringify(value)
  const length = Buffer.byteLength(text)
  response.writeHead(status, { "content-type": "application/json", "content-length": length, ...headers }).end(text)
}

const respondNote = (request: IncomingMessage, response: ServerResponse, note: Written | undefined): void => {
  if (note === undefined) return respond(response, 404, { code: "not_found" })
  const etag = `"${note.version}"`
  if (request.headers["if-none-match"] === etag) response.writeHead(304, { etag }).end()
  else respond(response, 200, note, { etag })
}

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const ws = workspaceOf.get(digest(request.headers.authorization ?? ""))
  if (ws === undefined) return respond(response, 401, { code: "authentication_required" })
  const [path = ""] = request.url!.split("?")
  const [, , resource, id] = path.split("/")
  const { method } = request
  if (resource === "notes" && id === undefined && method === "GET") {
    respond(response, 200, { data: await query("list", ws) })
  } else if (resource === "notes" && id === undefined) {
    const { body, title } = await bodyOf(request)
    const rows = await query<Written>("create", ws, randomUUID(), title, body)
    publish(ws, rows)
    respond(response, 201, rows[0])
  } else if (resource === "notes" && method === "GET") {
    respondNote(request, response, (await query<Written>("get", ws, id))[0])
  } else if (resource === "notes") {
    const { body, title, version } = await bodyOf(request)
    const rows = await query<Written>("update", ws, id, version, title, body)
    publish(ws, rows)
    if (rows.length > 0) respond(response, 200, rows[0])
    else respond(response, 409, { code: "conflict" })
  } else if (id === "pull") respond(response, 201, await pull(ws, await bodyOf(request)))
  else if (id === "push") respond(response, 201, await push(ws, (await bodyOf(request)).changes))
  else if (id === "stream") listen(ws, response)
  else respond(response, 404, { code: "route_not_found" })
}

createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    console.error(error)
    respond(response, 500, { code: "internal_error" })
  })
}).listen(Number(process.env["PORT"]), "127.0.0.1")
process.once("SIGTERM", () => process.exit(0))
