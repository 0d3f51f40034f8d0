import { type Duration, Effect } from "effect"
import { Unavailable } from "../Errors.ts"
import { type Key, RoundRobinQueue } from "./RoundRobinQueue.ts"

interface Limits {
  /** Maximum number of effects that run at a time: in all, of one group (default: half of all), and of one key. */
  readonly permits: number
  readonly permitsPerGroup?: number
  readonly permitsPerKey?: number
  /** Maximum number of effects that wait, in all and of one key. */
  readonly maxWaiting: number
  readonly maxWaitingPerKey: number
  /** The detail of the problem when an effect may not wait, or has waited too long. */
  readonly detail: string
}

/** While effects of several priorities wait, each lower one gets every eighth turn. Each has its own queue. */
const priorities = ["first", "normal", "low"] as const
export type Priority = (typeof priorities)[number]

/** The effects of one priority. */
interface Lane {
  readonly queue: RoundRobinQueue<Waiter>
  /** Turns in a row that lanes of higher priority have had while effects of this one wait. */
  passed: number
}

interface Waiter {
  readonly queue: RoundRobinQueue<Waiter>
  readonly key: Key
  state: "waiting" | "running" | "refused" | "ended"
  resume: (() => void) | undefined
}

/** Maximum time that an effect waits (contract 2). */
const maxWait: Duration.Input = "15 seconds"

/** Seconds after which a refused client may try again. */
const retryAfter = 2

/** Maximum number of turns in a row that are taken from keys of lower priority. */
const maxPassed = 7

/**
 * A semaphore whose permits are shared fairly (round-robin) between groups, such as users, and within a group between
 * its members, such as the workspaces of a user, however many effects of each wait. One group has at most half of the
 * permits. When too many effects wait in all, the newest of the group with the most is refused, so that groups with
 * many effects do not keep out a group with few. Effect's `PartitionedSemaphore` has no limit per key, and keys with
 * one waiter at a time starve keys with several.
 */
export class RoundRobinSemaphore {
  readonly #limits: Limits
  /** By falling priority. */
  readonly #lanes: ReadonlyArray<Lane>
  #running = 0

  constructor(limits: Limits) {
    const { permits, permitsPerGroup, permitsPerKey = permits } = limits
    this.#limits = limits
    this.#lanes = priorities.map(() => ({
      queue: new RoundRobinQueue({ permits, permitsPerGroup, permitsPerKey }),
      passed: 0
    }))
  }

  /** The number of effects that wait. */
  get waiting(): number {
    return this.#lanes.reduce((sum, { queue }) => sum + queue.waiting, 0)
  }

  /**
   * Runs an effect with a permit. Fails with `overloaded`. An interrupted effect leaves the queue. With `turnsTaken`, those
   * of the group until now, groups with the fewest go first.
   */
  withPermit<A, E, R>(
    key: Key,
    effect: Effect.Effect<A, E, R>,
    priority: Priority = "normal",
    turnsTaken?: number
  ): Effect.Effect<A, E | Unavailable, R> {
    return this.#run(priority, key, () => effect, turnsTaken)
  }

  /** The same for an effect that may release its permit before it ends. */
  withReleasablePermit<A, E, R>(
    key: Key,
    use: (release: () => void) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | Unavailable, R> {
    return this.#run("normal", key, use)
  }

  #run<A, E, R>(
    priority: Priority,
    key: Key,
    use: (release: () => void) => Effect.Effect<A, E, R>,
    turnsTaken?: number
  ): Effect.Effect<A, E | Unavailable, R> {
    const { queue } = this.#lanes[priorities.indexOf(priority)]!
    return Effect.acquireUseRelease(
      Effect.sync(() => this.#enter(queue, key, turnsTaken)),
      (waiter) => {
        const used = Effect.suspend(() => use(() => this.#leave(waiter)))
        return waiter.state === "running" ? used : Effect.andThen(this.#granted(waiter), used)
      },
      (waiter) => Effect.sync(() => this.#leave(waiter))
    )
  }

  #refusal(): Unavailable {
    return new Unavailable({ code: "overloaded", detail: this.#limits.detail, retry_after: retryAfter })
  }

  #enter(queue: RoundRobinQueue<Waiter>, key: Key, turnsTaken: number | undefined): Waiter {
    const waiter: Waiter = { queue, key, state: "waiting", resume: undefined }
    queue.add(key, waiter, turnsTaken)
    this.#grant()
    if (queue.waitingOf(key) > this.#limits.maxWaitingPerKey) this.#refuse(waiter)
    else if (queue.waiting > this.#limits.maxWaiting) this.#refuse(queue.newestOfLongest(key))
    return waiter
  }

  #refuse(waiter: Waiter): void {
    waiter.queue.remove(waiter.key, waiter)
    waiter.state = "refused"
    if (waiter.resume !== undefined) queueMicrotask(waiter.resume)
  }

  #granted(waiter: Waiter): Effect.Effect<void, Unavailable> {
    const granted = Effect.callback<void, Unavailable>((resume) => {
      waiter.resume = () => resume(waiter.state === "running" ? Effect.void : Effect.fail(this.#refusal()))
      if (waiter.state !== "waiting") waiter.resume()
    })
    return Effect.timeoutOrElse(granted, { duration: maxWait, orElse: () => Effect.fail(this.#refusal()) })
  }

  #leave(waiter: Waiter): void {
    const { key, queue, state } = waiter
    waiter.state = "ended"
    if (state === "waiting") queue.remove(key, waiter)
    if (state !== "running") return
    queue.release(key)
    this.#running--
    this.#grant()
  }

  #grant(): void {
    while (this.#running < this.#limits.permits) {
      const waiter = this.#next()
      if (waiter === undefined) return
      waiter.state = "running"
      this.#running++
      // Resumed in a new call stack: otherwise many short effects would be as many nested calls.
      if (waiter.resume !== undefined) queueMicrotask(waiter.resume)
    }
  }

  #next(): Waiter | undefined {
    if (this.waiting === 0) return undefined
    const lanes = this.#lanes
    const overdue = lanes.filter(({ passed }) => passed >= maxPassed)
    for (const lane of [...overdue, ...lanes]) {
      const waiter = lane.queue.take()
      if (waiter === undefined) continue
      lane.passed = 0
      for (const lower of lanes.slice(lanes.indexOf(lane) + 1)) {
        lower.passed = lower.queue.waiting > 0 ? lower.passed + 1 : 0
      }
      return waiter
    }
    return undefined
  }
}
