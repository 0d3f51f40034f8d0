/**
 * Faults that a server could have, planted between the clients and the server. Each must be found by the checks: they show
 * that the torture sees what it is for.
 */
import type { Way } from "./Change.ts"
import { planOf, type Step } from "./Plan.ts"
import { bodyOf, type Reply, type Request, type Tamper, withBody } from "./Wire.ts"

type Send = (request: Request) => Promise<Reply>

export interface Planted {
  readonly name: string
  /** The requests to which it applies, as a pattern of the method and the path, and a condition. */
  readonly at: string
  readonly if?: (request: Request) => boolean
  /** Sends something else, or changes the body of the reply. */
  readonly send?: (request: Request, send: Send) => Promise<Reply>
  readonly reply?: (body: any) => unknown
  /** It happens only the first time. */
  readonly isOnce?: true
  /** The kinds of operations, and the way, by which it is found; by default edits of notes by the API. */
  readonly kinds?: ReadonlyArray<string>
  readonly way?: Way | "any"
  /** Number of operations that are enough; by default 20. */
  readonly operations?: number
  /** The receiver of webhooks forgets a delivery that it has acknowledged. */
  readonly forgets?: true
}

const json = (request: Request): any => JSON.parse(String(request.body))
const withJson = (request: Request, body: unknown): Request => ({ ...request, body: JSON.stringify(body) })
const isDone = ({ status }: Reply): boolean => status < 300
const sets = (member: string) => (request: Request) => json(request)[member] !== undefined
const has = (name: string) => (request: Request) => request.headers[name] !== undefined

const without = (request: Request, ...names: ReadonlyArray<string>): Request => ({
  ...request,
  headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !names.includes(name)))
})

/** Sends a request, and another one of the same caller after it. */
const thenAlso =
  (next: (request: Request, reply: Reply) => readonly [method: string, path: string]) =>
  async (request: Request, send: Send): Promise<Reply> => {
    const reply = await send(request)
    const [method, path] = next(request, reply)
    const { headers } = without(request, "idempotency-key", "if-match", "content-type")
    if (isDone(reply)) await send({ method, path, headers })
    return reply
  }

/** Removes an entry of the list that a reply is, if it is long enough. */
const dropping = (at: number, least: number) => (page: any) => page.data.length >= least && page.data.splice(at, 1)

const oneNote = "PATCH /notes/[\\w-]+"

export const planted: ReadonlyArray<Planted> = [
  {
    name: "an acknowledged note is dropped",
    at: "POST /notes",
    send: thenAlso((_, reply) => ["DELETE", `/v2/notes/${bodyOf(reply).id}?permanent=true`])
  },
  {
    name: "an acknowledged edit is not stored",
    at: oneNote,
    if: sets("body"),
    send: async (request, send) => {
      const reply = await send({ method: "GET", path: request.path, headers: without(request, "if-match").headers })
      const note = bodyOf(reply)
      return isDone(reply) ? withBody(reply, { ...note, ...json(request), version: note.version + 1 }) : reply
    }
  },
  {
    name: "a retry is carried out twice",
    at: "POST /notes",
    if: has("idempotency-key"),
    isOnce: true,
    send: (request, send) => send(request).then(() => send(without(request, "idempotency-key")))
  },
  {
    name: "an edit of an old version is accepted",
    at: ".*",
    if: has("if-match"),
    kinds: ["note.create", "note.write", "note.stale"],
    operations: 60,
    send: (request, send) => send(without(request, "if-match"))
  },
  { name: "an event is missing in the log", at: "GET /events", reply: dropping(7, 10) },
  {
    name: "two events are in the wrong order",
    at: "GET /events",
    reply: ({ data }) => data.length > 9 && data.splice(7, 2, data[8], data[7])
  },
  {
    name: "a tombstone is lost",
    at: "POST /sync/pull",
    kinds: ["note.create", "note.delete", "sync"],
    way: "any",
    operations: 40,
    reply: (page) => (page.changes = page.changes.filter(({ op }: any) => op !== "delete"))
  },
  {
    name: "a cursor skips a change",
    at: "POST /sync/pull",
    if: sets("device"),
    kinds: ["note.create", "sync"],
    way: "replica",
    operations: 30,
    reply: (page) => page.changes.length > 1 && page.changes.shift()
  },
  {
    name: "a push is acknowledged and not stored",
    at: "POST /sync/push",
    if: (request) => {
      const [{ data, op, type }] = json(request).changes
      return type === "note" && op === "upsert" && data?.body !== undefined
    },
    way: "push",
    isOnce: true,
    send: async (request, send) => {
      const { changes, ...rest } = json(request)
      const [{ id, mutation_id, revision }, ...others] = changes
      const reply = await send(withJson(request, { ...rest, changes: others }))
      if (!isDone(reply)) return reply
      const body = bodyOf(reply)
      const result = { index: 0, mutation_id, type: "note", id, status: "applied", revision: revision + 1 }
      const results = body.results.map((each: any) => ({ ...each, index: each.index + 1 }))
      return withBody(reply, { ...body, results: [result, ...results] })
    }
  },
  {
    name: "the losing side of a conflict is dropped",
    at: "POST /sync/push",
    kinds: ["note.create", "note.write", "sync"],
    way: "any",
    operations: 60,
    reply: (body) => {
      for (const result of body.results) if (result.status === "conflict") result.status = "duplicate"
      body.conflicts = []
    }
  },
  {
    name: "the bytes of a file are those of another one",
    at: "GET /files/.*",
    kinds: ["note.create", "attachment.create", "bytes"],
    send: (request, send) => send(request).then((reply) => ({ ...reply, bytes: reply.bytes.map((byte) => byte ^ 1) }))
  },
  {
    name: "a list has a record of another workspace",
    at: "GET /notes",
    reply: ({ data }) =>
      data.length > 0 && data.unshift({ ...data[0], id: `${data[0].id.slice(0, -3)}xyz`, body: "foreign" })
  },
  { name: "a delivery is lost", at: "never", forgets: true },
  {
    name: "a counter is off by one",
    at: "GET /notebooks",
    reply: ({ data }) => data.length > 0 && data[0].note_count++
  },
  { name: "a version is missing in the history", at: "GET /notes/[^/]+/versions", reply: dropping(1, 3) },
  {
    name: "a version in the history has another text",
    at: "GET /notes/[^/]+/versions",
    reply: ({ data }) => data.length > 1 && (data.at(-1).body = data[0].body)
  },
  {
    name: "a deletion is undone",
    at: "DELETE /notes/[\\w-]+",
    kinds: ["note.create", "note.delete"],
    send: thenAlso(({ path }) => ["POST", `${path.split("?")[0]}/restore`])
  },
  {
    name: "a change of one member drops that of another one",
    at: oneNote,
    if: sets("tags"),
    kinds: ["note.create", "note.label"],
    send: (request, send) => send(withJson(request, { ...json(request), title: "Former title" }))
  }
]

/** A plan of few operations, which is enough to find the fault. */
export const planOfPlanted = (
  { kinds = ["note.create", "note.write"], operations = 20, way = "api" }: Planted,
  seed: number
): ReadonlyArray<Step> => {
  const ways = way === "any" ? {} : { ways: [way] }
  return planOf({ seed, operations, nodes: 1, replicas: 2, faults: {}, batchesPerFault: 1, kinds, ...ways })
}

/** A tamper of a planted fault, and how often it has happened. */
export const plant = (each: Planted): { readonly tamper: Tamper; readonly happened: () => number } => {
  const pattern = new RegExp(`^${each.at}(\\?.*)?$`)
  let happened = 0
  return {
    tamper: async (request, send) => {
      const applies = pattern.test(`${request.method} ${request.path.replace(/^\/v2/, "")}`)
      if (!applies || each.if?.(request) === false || (each.isOnce === true && happened > 0)) return send(request)
      happened++
      const reply = await (each.send ?? ((request) => send(request)))(request, send)
      if (each.reply === undefined || !isDone(reply)) return reply
      const body = bodyOf(reply)
      each.reply(body)
      return withBody(reply, body)
    },
    happened: () => happened
  }
}
