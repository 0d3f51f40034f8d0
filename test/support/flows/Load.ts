import { eventually } from "./eventually.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { call, type Server } from "./Wire.ts"

/** The expected state of a note, according to the responses of the server. */
export interface Expected {
  readonly revision: number
  readonly title: string
  readonly body: string
  readonly deleted: boolean
}

interface Planned {
  readonly entry: { readonly mutation_id: string; readonly [member: string]: unknown }
  readonly id: string
  readonly after: Expected
}

/** A device that pushes one batch after the other: new notes, and edits and deletions of its notes. */
class Pusher {
  readonly notes = new Map<string, Expected>()
  unacknowledged: ReadonlyArray<Planned> | undefined
  readonly failures: Record<string, number> = {}
  private readonly random: Random
  private readonly device: { readonly id: string; readonly name: string; readonly platform: string }
  private readonly notebook: string

  constructor(name: string, notebook: string, seed: number) {
    this.random = new Random(seed)
    this.device = { id: `sy_${name}_${this.random.text(16)}`, name, platform: "test" }
    this.notebook = notebook
  }

  private plan(): ReadonlyArray<Planned> {
    const { random } = this
    const planned = new Map<string, Planned>()
    for (let left = random.between(1, 20); left > 0; left--) {
      const mutation_id = random.text(16)
      const old = random.chance(0.4) && this.notes.size > 0 ? random.pick([...this.notes.keys()]) : undefined
      const id = old ?? `nt_${random.text(20)}`
      // At most one edit of a note per push, so that the result is known in advance.
      if (planned.has(id)) continue
      const before = this.notes.get(id)
      const revision = before?.revision ?? 0
      if (before !== undefined && !before.deleted && random.chance(0.15)) {
        planned.set(id, {
          id,
          after: { ...before, revision: revision + 1, deleted: true },
          entry: { mutation_id, type: "note", op: "delete", id, revision }
        })
        continue
      }
      if (before?.deleted === true) continue
      const title = random.text(10)
      const body = random.text(random.between(0, 2000))
      planned.set(id, {
        id,
        after: { revision: revision + 1, title, body, deleted: false },
        entry: {
          mutation_id,
          type: "note",
          op: "upsert",
          id,
          revision,
          data: { notebook_id: this.notebook, title, body, tags: [random.pick(["a", "b", "c"])] }
        }
      })
    }
    return [...planned.values()]
  }

  /** Pushes a batch, or retries the batch without a response. Returns false when there is no response. */
  async push(server: Server): Promise<boolean> {
    const isRetry = this.unacknowledged !== undefined
    const batch = (this.unacknowledged ??= this.plan())
    if (batch.length === 0) {
      this.unacknowledged = undefined
      return true
    }
    const answer = await call(server, "POST", "/sync/push", {
      device: this.device,
      changes: batch.map((each) => each.entry)
    }).catch((error) => {
      const code = error.cause?.code ?? error.message
      this.failures[code] = (this.failures[code] ?? 0) + 1
      return undefined
    })
    if (answer?.status === 503) this.failures["503"] = (this.failures["503"] ?? 0) + 1
    if (answer === undefined || answer.status === 503) return false
    if (answer.status !== 201) throw new Error(`push: ${answer.status} ${JSON.stringify(answer.body)}`)
    for (const [index, { after, entry, id }] of batch.entries()) {
      const { revision, status } = answer.body.results[index]
      if (revision !== after.revision || !(status === "applied" || (isRetry && status === "duplicate"))) {
        throw new Error(
          `not applied exactly once: ${JSON.stringify([entry, answer.body.results[index], answer.body.conflicts])}`
        )
      }
      this.notes.set(id, after)
    }
    this.unacknowledged = undefined
    return true
  }
}

/** Pushers that run until they are stopped. */
export class Load {
  acknowledged = 0
  private readonly server: Server
  private readonly pushers: ReadonlyArray<Pusher>
  private stopping = false
  private work: Promise<unknown> = Promise.resolve()
  private onAcknowledged: (() => void) | undefined

  constructor(server: Server, notebook: string, seed: number) {
    this.server = server
    this.pushers = Array.from({ length: 3 }, (_, index) => new Pusher(`p${index}`, notebook, seed * 10 + index))
  }

  start(): void {
    this.stopping = false
    this.work = Promise.all(
      this.pushers.map(async (pusher) => {
        while (!this.stopping) {
          if (await pusher.push(this.server)) {
            this.acknowledged++
            this.onAcknowledged?.()
          } else await new Promise((resolve) => setTimeout(resolve, 10))
        }
      })
    )
    // `stop` reports the failure.
    this.work.catch(() => this.onAcknowledged?.())
  }

  /** Waits until `count` more pushes are acknowledged. Returns the milliseconds that this took. */
  async further(count: number): Promise<number> {
    const since = performance.now()
    const until = this.acknowledged + count
    const reached = new Promise<void>((resolve) => {
      this.onAcknowledged = () => this.acknowledged >= until && resolve()
    })
    await Promise.race([reached, this.work])
    return performance.now() - since
  }

  /** Stops; a push without a response is not retried. */
  async stop(): Promise<void> {
    this.stopping = true
    await this.work
  }

  /** Stops after every push got a response. A push may be retried, for example when the database has just come back. */
  async finish(): Promise<void> {
    await this.stop()
    for (const pusher of this.pushers) {
      await eventually("the last pushes got a response", async () => {
        return pusher.unacknowledged === undefined || (await pusher.push(this.server))
      })
    }
  }

  /** The expected notes, according to the acknowledged pushes. */
  get notes(): ReadonlyMap<string, Expected> {
    return new Map(this.pushers.flatMap((pusher) => [...pusher.notes]))
  }

  /** The number of pushes without a response per pusher, by cause. */
  get failures(): ReadonlyArray<Readonly<Record<string, number>>> {
    return this.pushers.map((pusher) => pusher.failures)
  }

  /** Pushes without a response: the revisions of their notes before and after. */
  get open(): ReadonlyArray<ReadonlyArray<{ readonly id: string; readonly before: number; readonly after: number }>> {
    return this.pushers.map((pusher) =>
      (pusher.unacknowledged ?? []).map(({ after, id }) => ({
        id,
        before: pusher.notes.get(id)?.revision ?? 0,
        after: after.revision
      }))
    )
  }
}
