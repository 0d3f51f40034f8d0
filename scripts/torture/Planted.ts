/**
 * Faults that a server could have, planted between the clients and the server. Each must be found by the checks: they show
 * that the torture sees what it is for.
 */
import type { Way } from "./Change.ts"
import { planOf, type Step } from "./Plan.ts"
import { bodyOf, type Reply, type Request, type Tamper, withBody } from "./Wire.ts"

const edits = ["note.create", "note.write"]

type Send = (request: Request) => Promise<Reply>

export interface Planted {
  readonly name: string
  /** Changes one request or reply, or returns undefined if the fault does not apply to it. */
  readonly tamper: (request: Request, send: Send) => Promise<Reply> | undefined
  /** It happens each time that it applies; else only the first time. */
  readonly isSteady?: true
  /** The kinds of operations, and the way, by which it is found. */
  readonly kinds: ReadonlyArray<string>
  readonly way?: Way
  /** Number of operations that are enough; by default 20. */
  readonly operations?: number
  /** The receiver of webhooks forgets a delivery that it has acknowledged. */
  readonly forgets?: true
}

const is = ({ method, path }: Request, wanted: string): boolean => {
  const [verb, pattern] = wanted.split(" ")
  return method === verb && new RegExp(`^/v2${pattern}(\\?.*)?$`).test(path)
}

const json = (request: Request): any => JSON.parse(String(request.body))
const withJson = (request: Request, body: unknown): Request => ({ ...request, body: JSON.stringify(body) })
const isDone = ({ status }: Reply): boolean => status < 300

/** Sends a request, and another one of the same caller after it. */
const thenAlso = async (
  request: Request,
  send: Send,
  next: (reply: Reply) => Pick<Request, "method" | "path"> & { body?: string }
) => {
  const reply = await send(request)
  if (isDone(reply)) {
    const { "idempotency-key": _, "if-match": __, ...headers } = request.headers
    await send({ headers: { ...headers, "content-type": "application/json" }, ...next(reply) })
  }
  return reply
}

/** Changes the body of a reply. */
const changing = async (request: Request, send: Send, change: (body: any) => void): Promise<Reply> => {
  const reply = await send(request)
  if (!isDone(reply)) return reply
  const body = bodyOf(reply)
  change(body)
  return withBody(reply, body)
}

const without = (request: Request, name: string): Request => {
  const { [name]: _, ...headers } = request.headers
  return { ...request, headers }
}

const itemOf = (path: string): string => path.split("?")[0]!.split("/").slice(0, 4).join("/")

/** The first entry of a list is one of another workspace. */
const foreign = (body: any): void => {
  const [first] = body.data
  if (first !== undefined) body.data.unshift({ ...first, id: `${first.id.slice(0, -3)}xyz`, body: "foreign" })
}

export const planted: ReadonlyArray<Planted> = [
  {
    name: "an acknowledged note is dropped",
    kinds: edits,
    way: "api",
    isSteady: true,
    tamper: (request, send) =>
      is(request, "POST /notes")
        ? thenAlso(request, send, (reply) => ({
            method: "DELETE",
            path: `/v2/notes/${bodyOf(reply).id}?permanent=true`
          }))
        : undefined
  },
  {
    name: "an acknowledged edit is not stored",
    kinds: edits,
    way: "api",
    isSteady: true,
    tamper: (request, send) => {
      if (!is(request, "PATCH /notes/[\\w-]+") || json(request).body === undefined) return undefined
      return (async () => {
        const reply = await send({ method: "GET", path: request.path, headers: without(request, "if-match").headers })
        if (!isDone(reply)) return reply
        const note = bodyOf(reply)
        return withBody(reply, { ...note, ...json(request), version: note.version + 1 })
      })()
    }
  },
  {
    name: "a retry is carried out twice",
    kinds: edits,
    way: "api",
    tamper: (request, send) =>
      is(request, "POST /notes") && request.headers["idempotency-key"] !== undefined
        ? send(request).then(() => send(without(request, "idempotency-key")))
        : undefined
  },
  {
    name: "an edit of an old version is accepted",
    kinds: ["note.create", "note.write", "note.stale"],
    operations: 60,
    way: "api",
    isSteady: true,
    tamper: (request, send) =>
      request.headers["if-match"] === undefined ? undefined : send(without(request, "if-match"))
  },
  {
    name: "an event is missing in the log",
    kinds: edits,
    way: "api",
    isSteady: true,
    tamper: (request, send) =>
      is(request, "GET /events")
        ? changing(request, send, (page) => page.data.length > 9 && page.data.splice(7, 1))
        : undefined
  },
  {
    name: "two events are in the wrong order",
    kinds: edits,
    way: "api",
    isSteady: true,
    tamper: (request, send) =>
      is(request, "GET /events")
        ? changing(request, send, ({ data }) => data.length > 9 && data.splice(7, 2, data[8], data[7]))
        : undefined
  },
  {
    name: "a tombstone is lost",
    kinds: ["note.create", "note.delete", "sync"],
    operations: 40,
    isSteady: true,
    tamper: (request, send) =>
      is(request, "POST /sync/pull")
        ? changing(request, send, (page) => void (page.changes = page.changes.filter(({ op }: any) => op !== "delete")))
        : undefined
  },
  {
    name: "a cursor skips a change",
    kinds: ["note.create", "sync"],
    operations: 30,
    way: "replica",
    isSteady: true,
    tamper: (request, send) =>
      is(request, "POST /sync/pull") && json(request).device !== undefined
        ? changing(request, send, (page) => page.changes.length > 1 && page.changes.shift())
        : undefined
  },
  {
    name: "a push is acknowledged and not stored",
    kinds: edits,
    way: "push",
    tamper: (request, send) => {
      if (!is(request, "POST /sync/push")) return undefined
      const { changes, ...rest } = json(request)
      const [change] = changes
      if (change.type !== "note" || change.op !== "upsert" || change.data?.body === undefined) return undefined
      return (async () => {
        const reply = await send(withJson(request, { ...rest, changes: changes.slice(1) }))
        if (!isDone(reply)) return reply
        const body = bodyOf(reply)
        const result = { index: 0, mutation_id: change.mutation_id, type: "note", id: change.id, status: "applied" }
        const others = body.results.map((each: any) => ({ ...each, index: each.index + 1 }))
        return withBody(reply, { ...body, results: [{ ...result, revision: change.revision + 1 }, ...others] })
      })()
    }
  },
  {
    name: "the losing side of a conflict is dropped",
    kinds: ["note.create", "note.write", "sync"],
    operations: 60,
    isSteady: true,
    tamper: (request, send) =>
      is(request, "POST /sync/push")
        ? changing(request, send, (body) => {
            for (const result of body.results) if (result.status === "conflict") result.status = "duplicate"
            body.conflicts = []
          })
        : undefined
  },
  {
    name: "the bytes of a file are those of another one",
    kinds: ["note.create", "attachment.create", "bytes"],
    way: "api",
    isSteady: true,
    tamper: (request, send) =>
      request.method === "GET" && request.path.startsWith("/files/")
        ? send(request).then((reply) => ({ ...reply, bytes: reply.bytes.map((byte) => byte ^ 1) }))
        : undefined
  },
  {
    name: "a list has a record of another workspace",
    kinds: edits,
    way: "api",
    isSteady: true,
    tamper: (request, send) => (is(request, "GET /notes") ? changing(request, send, foreign) : undefined)
  },
  {
    name: "a delivery is lost",
    kinds: edits,
    way: "api",
    tamper: () => undefined,
    forgets: true
  },
  {
    name: "a counter is off by one",
    kinds: edits,
    way: "api",
    isSteady: true,
    tamper: (request, send) =>
      is(request, "GET /notebooks")
        ? changing(request, send, ({ data }) => void (data[0] !== undefined && data[0].note_count++))
        : undefined
  },
  {
    name: "a version is missing in the history",
    kinds: edits,
    way: "api",
    isSteady: true,
    tamper: (request, send) =>
      is(request, "GET /notes/[^/]+/versions")
        ? changing(request, send, ({ data }) => data.length > 2 && data.splice(1, 1))
        : undefined
  },
  {
    name: "a version in the history has another text",
    kinds: edits,
    way: "api",
    isSteady: true,
    tamper: (request, send) =>
      is(request, "GET /notes/[^/]+/versions")
        ? changing(request, send, ({ data }) => data.length > 1 && (data.at(-1).body = data[0].body))
        : undefined
  },
  {
    name: "a deletion is undone",
    kinds: ["note.create", "note.delete"],
    way: "api",
    isSteady: true,
    tamper: (request, send) =>
      is(request, "DELETE /notes/[\\w-]+")
        ? thenAlso(request, send, () => ({ method: "POST", path: `${itemOf(request.path)}/restore`, body: "{}" }))
        : undefined
  },
  {
    name: "a change of one member drops that of another one",
    kinds: ["note.create", "note.label"],
    way: "api",
    isSteady: true,
    tamper: (request, send) => {
      if (!is(request, "PATCH /notes/[\\w-]+") || json(request).tags === undefined) return undefined
      return send(withJson(request, { ...json(request), title: "Former title" }))
    }
  }
]

/** A plan of few operations, which is enough to find the fault. */
export const planOfPlanted = ({ kinds, operations = 20, way }: Planted, seed: number): ReadonlyArray<Step> =>
  planOf({
    seed,
    operations,
    nodes: 1,
    replicas: 2,
    faults: {},
    batchesPerFault: 1,
    kinds,
    ...(way === undefined ? {} : { ways: [way] })
  })

/** A tamper of a planted fault, and how often it has happened. */
export const plant = ({ isSteady, tamper }: Planted): { readonly tamper: Tamper; readonly happened: () => number } => {
  let happened = 0
  return {
    tamper: (request, send) => {
      const changed = isSteady !== true && happened > 0 ? undefined : tamper(request, send)
      if (changed !== undefined) happened++
      return changed ?? send(request)
    },
    happened: () => happened
  }
}
