import { Random } from "../../../src/testing/Random.ts"
import type { StreamEvent } from "../EventStream.ts"
import { call, type OpenStream, openStream, type Server } from "./Wire.ts"
import { type Entry, keyOf, type Replica, type World } from "./World.ts"

/** A change made offline that is not pushed yet. */
export interface Edit {
  readonly mutation_id: string
  readonly type: string
  readonly op: "upsert" | "delete"
  readonly id?: string
  readonly client_ref?: string
  readonly revision: number
  readonly data?: Readonly<Record<string, any>>
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
      (edit.type === "comment" && each.field === "data.resolved")
  ) === true

/** A device of a user: a replica, pending edits, and a cursor. It accesses the server only through the API. */
export class OfflineClient {
  readonly name: string
  readonly random: Random
  /** The last received state of each record, including tombstones. */
  readonly replica: Replica = new Map()
  pending: Array<Edit> = []
  cursor: string | undefined
  protected readonly world: World
  private readonly device: { readonly id: string; readonly name: string; readonly platform: string }
  /** A pushed batch without a response, which must be sent again unchanged. */
  private unacknowledged: ReadonlyArray<Edit> | undefined
  /** Records that the current pull from the beginning has returned. */
  private named: Set<string> | undefined = new Set()
  /** The last revision of each record received by pull or stream, since the last pull from the beginning. */
  private readonly received = new Map<string, number>()
  private stream: OpenStream | undefined
  private broken: unknown

  constructor(world: World, name: string, seed: number) {
    this.world = world
    this.name = name
    this.random = new Random(seed)
    this.device = { id: `sy_${name}_${this.random.text(16)}`.slice(0, 40), name, platform: "test" }
  }

  /** A random node for each request. */
  get server(): Server {
    return this.random.pick(this.world.servers)
  }

  get isLive(): boolean {
    return this.stream?.isOpen() === true
  }

  get isSettled(): boolean {
    return this.pending.length === 0 && this.unacknowledged === undefined
  }

  protected mutationId(): string {
    return `${this.name}-${this.random.text(12)}`
  }

  private learn(entry: Entry, how: string): void {
    this.world.see(entry, `${how} to ${this.name}`)
    const known = this.replica.get(keyOf(entry))
    if (known === undefined || known.revision < entry.revision) this.replica.set(keyOf(entry), entry)
  }

  /** Applies an entry of a pull or the stream, which must deliver each revision only once, in order. */
  private follow(entry: Entry, how: string): void {
    const key = keyOf(entry)
    const received = this.received.get(key) ?? 0
    if (entry.revision <= received)
      throw new Error(`${how} repeats to ${this.name}: ${key} ${entry.revision} after ${received}`)
    this.received.set(key, entry.revision)
    this.named?.add(key)
    this.learn(entry, how)
  }

  /** Deletes the cursor: the next pulls start from the beginning, and records that they do not return are deleted. */
  startOver(): void {
    this.cursor = undefined
    this.named = new Set()
    this.received.clear()
  }

  /** Pulls one page and returns whether there is more. */
  async pull(): Promise<boolean> {
    const limit = this.random.weighted({ few: 2, some: 2, usual: 1 })
    const { body, status } = await call(this.server, "POST", "/sync/pull", {
      device: this.device,
      ...(this.cursor === undefined ? {} : { cursor: this.cursor }),
      ...(limit === "usual" ? {} : { limit: limit === "few" ? this.random.between(1, 5) : this.random.between(6, 60) })
    })
    if (status !== 201) throw new Error(`pull: ${status} ${JSON.stringify(body)}`)
    // The response is lost: the next pull gets the same page, from the same cursor.
    if (this.random.chance(0.1)) return true
    for (const entry of body.changes) this.follow(entry, "pull")
    this.cursor = body.cursor
    if (!body.has_more && this.named !== undefined) {
      for (const key of [...this.replica.keys()]) if (!this.named.has(key)) this.replica.delete(key)
      this.named = undefined
    }
    this.world.count("pulls")
    return body.has_more
  }

  /** Pulls pages until there are no more. */
  async pullAll(): Promise<void> {
    while (await this.pull());
  }

  /** Opens the stream, if there is a cursor from which it can continue. */
  async goLive(server = this.server): Promise<void> {
    // During a pull from the beginning, the stream may replace the rest only if the pull has returned every known
    // record.
    if (this.isLive || this.cursor === undefined || (this.named !== undefined && this.named.size < this.replica.size))
      return
    this.named = undefined
    this.stream = await openStream(server, this.cursor, (event) => this.receive(event))
    this.stream.ended.catch((error) => (this.broken = error))
    this.world.count("streams")
  }

  /** Closes the stream; rejects if an event was wrong. */
  async goOff(): Promise<void> {
    await this.stream?.close()
    if (this.broken !== undefined) throw this.broken
  }

  private receive({ data, event, id }: StreamEvent): void {
    if (event === "ready") this.cursor = data.cursor
    if (id !== undefined) this.cursor = id
    if (event === "change") this.follow(data, "the stream")
  }

  /** Pushes pending edits, or repeats a push without a response. */
  async push(faults = true): Promise<void> {
    const batch = this.unacknowledged ?? this.takeBatch()
    if (batch.length === 0) return
    this.unacknowledged = batch
    const send = async (server: Server) => {
      const { body, status } = await call(server, "POST", "/sync/push", { device: this.device, changes: batch })
      if (status !== 201) throw new Error(`push: ${status} ${JSON.stringify(body)}`)
      return body
    }
    const fate = faults ? this.random.weighted({ well: 70, requestLost: 8, answerLost: 14, doubled: 8 }) : "well"
    this.world.count(`pushes: ${fate}`)
    if (fate === "requestLost") return
    // Doubled: sent again before the first response, to another node if there is one.
    const answers = await Promise.all(
      (fate === "doubled" ? this.world.servers.slice(0, 1) : []).concat(this.server).map(send)
    )
    if (fate === "answerLost") return
    this.unacknowledged = undefined
    this.pending = this.pending.filter((edit) => !batch.includes(edit))
    for (const [index, edit] of batch.entries()) {
      const done = answers.find(({ results }) => ["applied", "duplicate"].includes(results[index].status)) ?? answers[0]
      this.settle(edit, done.results[index], done)
    }
    const applied = answers.flatMap(({ results }) => results).filter(({ status }: any) => status === "applied")
    const twice = applied.filter(
      ({ mutation_id }, index) => applied.findIndex((each) => each.mutation_id === mutation_id) < index
    )
    if (twice.length > 0) throw new Error(`applied twice: ${JSON.stringify(twice)}`)
  }

  /** Takes all pending edits, or the first of them; an edit and the record that it refers to stay together. */
  private takeBatch(): ReadonlyArray<Edit> {
    let end = this.random.chance(0.7) ? this.pending.length : this.random.between(0, this.pending.length)
    while (end > 0 && this.pending[end - 1]!.client_ref !== undefined && end < this.pending.length) end++
    return this.pending.slice(0, end)
  }

  private settle(edit: Edit, result: any, answer: any): void {
    this.world.count(`results: ${result.status}`)
    if (result.mutation_id !== edit.mutation_id)
      throw new Error(`the result of another edit: ${JSON.stringify(result)}`)
    if (result.status === "rejected") {
      if (!isExpected(edit, result.error)) {
        throw new Error(`rejected: ${JSON.stringify(result)}, the edit was ${JSON.stringify(edit)}`)
      }
      return
    }
    if (result.status === "conflict") {
      const conflict = answer.conflicts.find((each: any) => each.mutation_id === edit.mutation_id)
      if (conflict.server !== null) this.learn(conflict.server, "a conflict")
      if (conflict.base !== null) this.world.seeBase(conflict.type, conflict.id, conflict.base)
      this.world.count(`conflicts: ${conflict.reason}`)
      this.resolve(edit, conflict.server)
      return
    }
    const stored = answer.changes.find((each: Entry) => each.id === result.id && each.revision >= result.revision)
    if (stored === undefined) throw new Error(`not among the changes: ${JSON.stringify(result)}`)
    this.learn(stored, "a push")
    if (result.status === "applied") {
      // No other edit came between: one revision more, or two when a deleted record is restored and edited in one step.
      const made = result.revision - edit.revision
      if (made !== 1 && !(made === 2 && !this.world.wasLive(edit.type, result.id, edit.revision))) {
        throw new Error(`applied onto another revision: ${JSON.stringify([edit, result])}`)
      }
    }
    if (edit.type === "note" && edit.op === "upsert") {
      this.world.acknowledged.push({
        id: result.id,
        revision: result.revision,
        sent: edit.data!,
        isNew: edit.id === undefined
      })
    }
  }

  /** Handles a conflict: accepts the server's state, or edits it again. */
  private resolve(edit: Edit, server: Entry | null): void {
    const way = this.random.weighted({ theirs: 5, mine: 3, merged: 3 })
    if (server === null || way === "theirs" || edit.id === undefined) return
    const again = { ...edit, mutation_id: this.mutationId(), revision: server.revision }
    if (edit.op === "delete") {
      if (server.op === "upsert") this.pending.push(again)
      return
    }
    if (server.op === "delete" && edit.type !== "note") return
    const merged =
      way === "merged" && server.data !== null && edit.data?.["body"] !== undefined
        ? { body: `${server.data["body"]}\n${edit.data["body"]}` }
        : {}
    this.pending.push({ ...again, data: { ...edit.data, ...merged } })
  }
}
