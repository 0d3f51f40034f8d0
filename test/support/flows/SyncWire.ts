import type { Random } from "../../../src/program/testing/Random.ts"
import { eventIn } from "./Wire.ts"
import { type Entry, keyOf, type World } from "./World.ts"

/** An entry of a push. */
interface Edit {
  readonly mutation_id: string
  readonly type: string
  readonly op: "upsert" | "delete"
  readonly id: string
  readonly revision: number
  readonly data: Readonly<Record<string, any>>
}

/** Errors of edits that were valid on the client when they were made. */
const expectedRejections = new Set([
  "already_exists",
  "not_found",
  "unresolved_reference",
  "notebook_cycle",
  "notebook_depth_exceeded",
  // For a comment that was deleted but is kept for its replies.
  "invalid_state"
])
const isExpected = (edit: Edit, { code, errors }: any): boolean =>
  expectedRejections.has(code) ||
  errors?.every(
    (each: any) =>
      // A record that was purged is created again, and needs all required fields.
      (edit.revision > 0 && each.code === "required") ||
      // Only the first comment of a thread can be resolved, not a reply.
      (edit.type === "comment" && each.field === "data.resolved") ||
      // A comment that was deleted in its thread has no text with which it could be created again.
      (edit.type === "comment" && (edit.data as any).deleted === true && each.field === "data.body")
  ) === true

/** A change that was received, and the cursor after it. */
interface Received {
  readonly cursor: string
  readonly revision: number
}

/** A pull or a stream. */
interface Reading {
  readonly how: string
  /** The cursors that the client had before, and those that were received since. */
  readonly passed: Set<string>
  last: string | undefined
}

const lost = () => new TypeError("the network is gone")

/**
 * The network of a client: it sends each request to a random node, loses and doubles some, and checks the responses. A
 * response that contradicts what was received before is an error of `check`.
 */
export class SyncWire {
  private readonly world: World
  private readonly name: string
  private readonly random: Random
  /** Whether requests and responses are lost, and pushes doubled. */
  isFaulty: boolean
  /** Loses every request. */
  isDown = false
  private broken: unknown
  /** The cursor before each cursor. */
  private readonly before = new Map<string, string | undefined>()
  private readonly received = new Map<string, Array<Received>>()

  constructor(world: World, name: string, random: Random, isFaulty = false) {
    this.world = world
    this.name = name
    this.random = random
    this.isFaulty = isFaulty
  }

  /** Throws if a response was wrong. */
  check(): void {
    if (this.broken !== undefined) throw this.broken
  }

  /** The client has another cursor for the same position. */
  rename(cursor: string, other: string): void {
    this.before.set(other, cursor)
  }

  readonly fetch: typeof fetch = async (url, init) => {
    const { servers } = this.world
    const path = String(url).slice(servers[0]!.url.length)
    // Without its idempotency key, a push is recognized by its mutation ids.
    const headers = new Headers(init?.headers)
    headers.delete("idempotency-key")
    const send = async (server = this.random.pick(servers), body = init?.body) => {
      if (this.isDown) throw lost()
      return fetch(server.url + path, { ...init, headers, ...(body === undefined ? {} : { body }) })
    }
    try {
      if (path === "/sync/pull") return await this.pull(JSON.parse(String(init?.body)), send)
      if (path === "/sync/push") return await this.push(JSON.parse(String(init?.body)).changes, send)
      if (path.startsWith("/sync/stream")) return await this.stream(headers, send)
    } catch (error) {
      if (!(error instanceof TypeError) && (error as Error).name !== "AbortError") this.broken ??= error
      throw error
    }
    return send()
  }

  private async pull(sent: any, send: (server: undefined, body: string) => Promise<Response>): Promise<Response> {
    const limit = this.random.weighted({ few: 2, some: 2, usual: 1 })
    const most = limit === "few" ? this.random.between(1, 5) : limit === "some" ? this.random.between(6, 60) : 500
    const response = await send(undefined, JSON.stringify({ ...sent, limit: most }))
    const body: any = await response.clone().json()
    if (response.status === 410 && body.resync_cursor !== null) this.rename(sent.cursor, body.resync_cursor)
    if (response.status !== 201) return response
    // The next pull gets the same page, from the same cursor.
    if (this.isFaulty && this.random.chance(0.1)) throw lost()
    const reading = this.readingFrom(sent.cursor, "pull")
    for (const entry of body.changes) this.follow(entry, body.cursor, reading)
    this.pass(body.cursor, reading)
    this.world.count("pulls")
    return response
  }

  private async stream(headers: Headers, send: () => Promise<Response>): Promise<Response> {
    const response = await send()
    if (response.status !== 200) return response
    const reading = this.readingFrom(headers.get("last-event-id") ?? undefined, "the stream")
    const decoder = new TextDecoder()
    let text = ""
    this.world.count("streams")
    const read = (bytes: Uint8Array) => {
      text += decoder.decode(bytes, { stream: true })
      const blocks = text.split("\n\n")
      text = blocks.pop()!
      for (const { data, event, id } of blocks.flatMap((block) => eventIn(block) ?? [])) {
        if (id === undefined) continue
        if (event === "change") this.follow(data, id, reading)
        this.pass(id, reading)
      }
    }
    const checked = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (bytes, controller) => {
        try {
          read(bytes)
        } catch (error) {
          this.broken ??= error
        }
        controller.enqueue(bytes)
      }
    })
    return new Response(response.body!.pipeThrough(checked), response)
  }

  private readingFrom(cursor: string | undefined, how: string): Reading {
    const passed = new Set<string>()
    for (let each = cursor; each !== undefined; each = this.before.get(each)) passed.add(each)
    return { how, passed, last: cursor }
  }

  private pass(cursor: string, reading: Reading): void {
    if (!this.before.has(cursor)) this.before.set(cursor, reading.last)
    reading.passed.add(cursor)
    reading.last = cursor
  }

  /** Checks a change of a pull or a stream, which must send each revision after a cursor only once, in order. */
  private follow(entry: Entry, cursor: string, { how, passed }: Reading): void {
    this.world.see(entry, `${how} to ${this.name}`)
    const before = this.received.get(keyOf(entry)) ?? []
    const repeated = before.find((each) => each.revision >= entry.revision && passed.has(each.cursor))
    if (repeated !== undefined)
      throw new Error(`${how} repeats to ${this.name}: ${keyOf(entry)} ${entry.revision} after ${repeated.revision}`)
    this.received.set(keyOf(entry), [...before, { cursor, revision: entry.revision }])
  }

  private async push(
    edits: ReadonlyArray<Edit>,
    send: (server?: World["servers"][number]) => Promise<Response>
  ): Promise<Response> {
    const fate = this.isFaulty
      ? this.random.weighted({ well: 70, requestLost: 8, responseLost: 14, doubled: 8 })
      : "well"
    this.world.count(`pushes: ${fate}`)
    if (fate === "requestLost") throw lost()
    // Doubled: sent again before the first response, to another node if there is one.
    const responses = await Promise.all([...(fate === "doubled" ? [send(this.world.servers[0])] : []), send()])
    if (fate === "responseLost") throw lost()
    const replies: ReadonlyArray<any> = await Promise.all(
      responses.filter(({ status }) => status === 201).map((each) => each.clone().json())
    )
    const applied = replies.flatMap(({ results }) => results).filter(({ status }: any) => status === "applied")
    if (new Set(applied.map(({ mutation_id }) => mutation_id)).size < applied.length)
      throw new Error(`applied twice: ${JSON.stringify(applied)}`)
    for (const reply of replies)
      for (const [index, edit] of edits.entries()) this.settle(edit, reply.results[index], reply)
    return responses.at(-1)!
  }

  private settle(edit: Edit, result: any, reply: any): void {
    this.world.count(`results: ${result.status}`)
    if (result.mutation_id !== edit.mutation_id)
      throw new Error(`the result of another edit: ${JSON.stringify(result)}`)
    if (result.status === "rejected") {
      if (isExpected(edit, result.error)) return
      throw new Error(`rejected: ${JSON.stringify(result)}, the edit was ${JSON.stringify(edit)}`)
    }
    if (result.status === "conflict") {
      const conflict = reply.conflicts.find((each: any) => each.mutation_id === edit.mutation_id)
      if (conflict.server !== null) this.world.see(conflict.server, `a conflict to ${this.name}`)
      if (conflict.base !== null) this.world.seeBase(conflict.type, conflict.id, conflict.base)
      this.world.count(`conflicts: ${conflict.reason}`)
      return
    }
    const stored = reply.changes.find((each: Entry) => each.id === result.id && each.revision >= result.revision)
    if (stored === undefined) throw new Error(`not among the changes: ${JSON.stringify(result)}`)
    this.world.see(stored, `a push to ${this.name}`)
    if (result.status === "applied") {
      // No other edit came between: one revision more, or two when a deleted record is restored and edited in one step.
      const made = result.revision - edit.revision
      if (made !== 1 && !(made === 2 && !this.world.wasLive(edit.type, result.id, edit.revision)))
        throw new Error(`applied onto another revision: ${JSON.stringify([edit, result])}`)
    }
    if (edit.type === "note" && edit.op === "upsert")
      this.world.acknowledged.push({ id: result.id, revision: result.revision, sent: edit.data, isNew: false })
  }
}
