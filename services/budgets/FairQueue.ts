import { type Duration, Effect } from "effect"
import { Unavailable } from "../Errors.ts"

interface Options {
  /** How much is done at a time. */
  readonly concurrency: number
  /** How much of one key is done at a time; else as much as of all. */
  readonly concurrencyPerKey?: number
  /** How much of one key waits at most; more is refused. */
  readonly maxWaitingPerKey: number
  /** How much waits in all at most. */
  readonly maxWaiting: number
  /** Whose turn has not come by then is refused. */
  readonly maxWait: Duration.Input
  /** What those who are refused are told. */
  readonly detail: string
}

interface Turn {
  readonly key: string
  state: "waiting" | "running" | "refused" | "left"
  resume: (() => void) | undefined
}

/** Keys by whose turn it is: the first is next, and then goes to the end. */
type Ring = Map<string, Array<Turn>>

/** So many turns in a row go past those who wait last. */
const maxPassed = 7

/** After so many seconds there may be room again. */
const retryAfter = 2

const longest = (ring: Ring): Array<Turn> | undefined => {
  let found: Array<Turn> | undefined
  for (const row of ring.values()) if (found === undefined || row.length > found.length) found = row
  return found
}

/**
 * Shares what is dear between keys, such as networks or workspaces: they take turns, however much each of them asks for,
 * and what one key asks is done in order. Keys that wait last get every eighth turn while others wait. When all room is
 * taken, whoever waits for less than the longest row takes the last place of that row.
 */
export class FairQueue {
  private readonly options: Options
  private readonly first: Ring = new Map()
  private readonly last: Ring = new Map()
  private passed = 0
  private running = 0
  private readonly runningOf = new Map<string, number>()
  private waitingCount = 0

  constructor(options: Options) {
    this.options = options
  }

  /** How much waits for its turn. */
  get waiting(): number {
    return this.waitingCount
  }

  /**
   * Runs an effect when its key's turn has come. An interrupted effect leaves the queue. The effect may give its place to
   * the next one before it ends, by `leave`.
   */
  run<A, E, R>(
    key: string,
    { last = false }: { readonly last?: boolean },
    effect: Effect.Effect<A, E, R> | ((leave: () => void) => Effect.Effect<A, E, R>)
  ): Effect.Effect<A, E | Unavailable, R> {
    return Effect.acquireUseRelease(
      Effect.suspend(() => this.enter(key, last)),
      (turn) => {
        const use = typeof effect === "function" ? Effect.suspend(() => effect(() => this.leave(turn))) : effect
        return turn.state === "running" ? use : Effect.andThen(this.come(turn), use)
      },
      (turn) => Effect.sync(() => this.leave(turn))
    )
  }

  private refusal(): Unavailable {
    return new Unavailable({ code: "overloaded", detail: this.options.detail, retry_after: retryAfter })
  }

  private enter(key: string, isLast: boolean): Effect.Effect<Turn, Unavailable> {
    const turn: Turn = { key, state: "waiting", resume: undefined }
    if (this.running < this.options.concurrency && this.mayRun(key)) {
      this.begin(turn)
      return Effect.succeed(turn)
    }
    const row = this.first.get(key) ?? this.last.get(key) ?? []
    if (row.length >= this.options.maxWaitingPerKey) return Effect.fail(this.refusal())
    if (this.waitingCount >= this.options.maxWaiting && !this.makeRoom(row.length, isLast)) {
      return Effect.fail(this.refusal())
    }
    const [ring, other] = isLast ? [this.last, this.first] : [this.first, this.last]
    // The key stands where its newest turn belongs, so that its order is kept.
    other.delete(key)
    row.push(turn)
    ring.set(key, row)
    this.waitingCount++
    return Effect.succeed(turn)
  }

  /** Refuses the newest turn of the longest row, among those who wait last first; false when none is to give way. */
  private makeRoom(own: number, isLast: boolean): boolean {
    const behind = longest(this.last)
    const row = isLast ? behind : (behind ?? longest(this.first))
    if (row === undefined) return false
    const givesWay = (row === behind && !isLast) || row.length > own + 1
    if (!givesWay) return false
    const turn = row.at(-1)!
    this.remove(turn)
    turn.state = "refused"
    if (turn.resume !== undefined) queueMicrotask(turn.resume)
    return true
  }

  private come(turn: Turn): Effect.Effect<void, Unavailable> {
    const come = Effect.callback<void, Unavailable>((resume) => {
      turn.resume = () => resume(turn.state === "running" ? Effect.void : Effect.fail(this.refusal()))
      if (turn.state !== "waiting") turn.resume()
    })
    return Effect.timeoutOrElse(come, { duration: this.options.maxWait, orElse: () => Effect.fail(this.refusal()) })
  }

  private leave(turn: Turn): void {
    if (turn.state === "waiting") return this.remove(turn)
    if (turn.state !== "running") return
    turn.state = "left"
    this.end(turn)
    const next = this.next()
    if (next === undefined) return
    this.begin(next)
    // Not from within whoever leaves: many short turns would be as many calls inside each other.
    if (next.resume !== undefined) queueMicrotask(next.resume)
  }

  private mayRun(key: string): boolean {
    return (this.runningOf.get(key) ?? 0) < (this.options.concurrencyPerKey ?? this.options.concurrency)
  }

  private begin(turn: Turn): void {
    this.running++
    this.runningOf.set(turn.key, (this.runningOf.get(turn.key) ?? 0) + 1)
    turn.state = "running"
  }

  private end({ key }: Turn): void {
    this.running--
    const left = this.runningOf.get(key)! - 1
    left === 0 ? this.runningOf.delete(key) : this.runningOf.set(key, left)
  }

  private remove(turn: Turn): void {
    const ring = this.first.has(turn.key) ? this.first : this.last
    const row = ring.get(turn.key)!
    row.splice(row.indexOf(turn), 1)
    if (row.length === 0) ring.delete(turn.key)
    this.waitingCount--
  }

  private next(): Turn | undefined {
    const isLast = this.last.size > 0 && (this.first.size === 0 || this.passed >= maxPassed)
    this.passed = isLast || this.last.size === 0 ? 0 : this.passed + 1
    return this.nextOf(isLast ? this.last : this.first) ?? this.nextOf(isLast ? this.first : this.last)
  }

  private nextOf(ring: Ring): Turn | undefined {
    for (const [key, row] of ring) {
      if (!this.mayRun(key)) continue
      ring.delete(key)
      const turn = row.shift()!
      if (row.length > 0) ring.set(key, row)
      this.waitingCount--
      return turn
    }
    return undefined
  }
}
