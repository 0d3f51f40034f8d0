import { Random } from "./Random.ts"
import type { StreamEvent } from "../EventStream.ts"
import { call, type OpenStream, openStream, type Server } from "./Wire.ts"
import { type Entry, keyOf, type Replica, type World } from "./World.ts"

/** A change that a client made on its own and has still to push. */
export interface Edit {
  readonly mutation_id: string
  readonly type: string
  readonly op: "upsert" | "delete"
  readonly id?: string
  readonly client_ref?: string
  readonly revision: number
  readonly data?: Readonly<Record<string, any>>
}

/** What may be wrong with an edit that was right where it was made. */
const expectedRejections = new Set([
  "already_exists",
  "not_found",
  "unresolved_reference",
  "notebook_cycle",
  "notebook_depth_exceeded",
  // Of a comment that was deleted, and stays for its replies.
  "invalid_state"
])
const isExpected = (edit: Edit, { code, errors }: any): boolean =>
  expectedRejections.has(code) ||
  errors?.every(
    (each: any) =>
      // What is not even in the trash begins anew, and needs what any new record needs.
      (edit.revision > 0 && each.code === "required") ||
      // A reply is resolved with its thread.
      (edit.type === "comment" && each.field === "data.resolved")
  ) === true

/** A device of a user: a replica, edits that wait, and a cursor. It knows the server by the wire alone. */
export class OfflineClient {
  readonly name: string
  readonly random: Random
  /** What the server told last of each record; tombstones too. */
  readonly replica: Replica = new Map()
  pending: Array<Edit> = []
  cursor: string | undefined
  protected readonly world: World
  private readonly device: { readonly id: string; readonly name: string; readonly platform: string }
  /** Pushed, and no answer came: to be sent again just so. */
  private unanswered: ReadonlyArray<Edit> | undefined
  /** Records that the pull from nothing under way has named. */
  private named: Set<string> | undefined = new Set()
  /** The revision that each record had when pull or stream last told of it, since the pull from nothing. */
  private readonly told = new Map<string, number>()
  private stream: OpenStream | undefined
  private broken: unknown

  constructor(world: World, name: string, seed: number) {
    this.world = world
    this.name = name
    this.random = new Random(seed)
    this.device = { id: `sy_${name}_${this.random.text(16)}`.slice(0, 40), name, platform: "test" }
  }

  /** Any node will do, each time. */
  get server(): Server {
    return this.random.pick(this.world.servers)
  }

  get isLive(): boolean {
    return this.stream?.isOpen() === true
  }

  get isSettled(): boolean {
    return this.pending.length === 0 && this.unanswered === undefined
  }

  protected mutationId(): string {
    return `${this.name}-${this.random.text(12)}`
  }

  private learn(entry: Entry, how: string): void {
    this.world.see(entry, `${how} to ${this.name}`)
    const known = this.replica.get(keyOf(entry))
    if (known === undefined || known.revision < entry.revision) this.replica.set(keyOf(entry), entry)
  }

  /** What comes in the server's order, by pull or stream, comes once. */
  private follow(entry: Entry, how: string): void {
    const key = keyOf(entry)
    const told = this.told.get(key) ?? 0
    if (entry.revision <= told)
      throw new Error(`${how} tells ${this.name} twice: ${key} ${entry.revision} after ${told}`)
    this.told.set(key, entry.revision)
    this.named?.add(key)
    this.learn(entry, how)
  }

  /** Forgets its cursor: the next pulls are from nothing, and what they don't name is gone. */
  startAnew(): void {
    this.cursor = undefined
    this.named = new Set()
    this.told.clear()
  }

  /** One page. Answers whether there is more. */
  async pull(): Promise<boolean> {
    const limit = this.random.weighted({ few: 2, some: 2, usual: 1 })
    const { body, status } = await call(this.server, "POST", "/sync/pull", {
      device: this.device,
      ...(this.cursor === undefined ? {} : { cursor: this.cursor }),
      ...(limit === "usual" ? {} : { limit: limit === "few" ? this.random.between(1, 5) : this.random.between(6, 60) })
    })
    if (status !== 201) throw new Error(`pull: ${status} ${JSON.stringify(body)}`)
    // The answer was lost: the same page again, from the same cursor.
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

  async pullAll(): Promise<void> {
    while (await this.pull());
  }

  async goLive(server = this.server): Promise<void> {
    // Before the first pull is through, only who had nothing before may leave the rest of it to the stream.
    if (this.isLive || this.cursor === undefined || (this.named !== undefined && this.named.size < this.replica.size))
      return
    this.named = undefined
    this.stream = await openStream(server, this.cursor, (event) => this.hear(event))
    this.stream.ended.catch((error) => (this.broken = error))
    this.world.count("streams")
  }

  async goOff(): Promise<void> {
    await this.stream?.close()
    if (this.broken !== undefined) throw this.broken
  }

  private hear({ data, event, id }: StreamEvent): void {
    if (event === "ready") this.cursor = data.cursor
    if (id !== undefined) this.cursor = id
    if (event === "change") this.follow(data, "the stream")
  }

  /** Sends what waits, or again what was not answered. */
  async push(faults = true): Promise<void> {
    const batch = this.unanswered ?? this.takeBatch()
    if (batch.length === 0) return
    this.unanswered = batch
    const send = async (server: Server) => {
      const { body, status } = await call(server, "POST", "/sync/push", { device: this.device, changes: batch })
      if (status !== 201) throw new Error(`push: ${status} ${JSON.stringify(body)}`)
      return body
    }
    const fate = faults ? this.random.weighted({ well: 70, requestLost: 8, answerLost: 14, doubled: 8 }) : "well"
    this.world.count(`pushes: ${fate}`)
    if (fate === "requestLost") return
    // Doubled: sent again before the answer to the first came, to another node if there is one.
    const answers = await Promise.all(
      (fate === "doubled" ? this.world.servers.slice(0, 1) : []).concat(this.server).map(send)
    )
    if (fate === "answerLost") return
    this.unanswered = undefined
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

  /** All that waits, or its beginning; what is referred to goes along. */
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
    if (result.status === "applied") {
      const stored = answer.changes.find((each: Entry) => each.id === result.id && each.revision === result.revision)
      if (stored === undefined) throw new Error(`applied, and not among the changes: ${JSON.stringify(result)}`)
      // Nobody came between: one revision, or two for what comes back and is edited at once.
      const made = result.revision - edit.revision
      if (made !== 1 && !(made === 2 && !this.world.wasLive(edit.type, result.id, edit.revision))) {
        throw new Error(`applied onto another revision: ${JSON.stringify([edit, result])}`)
      }
      this.learn(stored, "a push")
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

  /** The server has moved on: takes its state, or edits that anew. */
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
