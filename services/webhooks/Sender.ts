import { type Line, Places } from "../budgets/Places.ts"
import type { Due, Tried } from "./Attempts.ts"
import { type Config, type Hook, places } from "./Hook.ts"

/** Deliveries that are begun in one turn of the main loop. */
const begunPerTurn = 4

/** Makes a try, and tells what came of it, later or at once; undefined: it could not be made. */
type Try = (config: Config, due: Due, ended: (tried: Tried | undefined) => void, hook: Hook) => void

interface Speed {
  readonly places: Places<Hook>
  readonly line: (hook: Hook) => Line<Hook>
}

/**
 * Sends what webhooks have in their queues, some in a turn of the main loop: requests that came meanwhile are looked at
 * in between. Workspaces take turns, and so do the webhooks of each. Endpoints that answer well do not wait for others.
 */
export class Sender {
  private readonly fast: Speed = {
    places: new Places(places.fast.ofAll, places.fast.ofOne),
    line: ({ workspace }) => workspace.fast
  }
  private readonly slow: Speed = {
    places: new Places(places.slow.ofAll, places.slow.ofOne),
    line: ({ workspace }) => workspace.slow
  }
  private readonly now: () => number
  private readonly attempt: Try
  private isDue = false
  private isSlowNext = false

  constructor(now: () => number, attempt: Try) {
    this.now = now
    this.attempt = attempt
  }

  /** A webhook may have something to send. */
  add(hook: Hook): void {
    if (hook.hasNext && hook.isDueAgain(this.now())) hook.wake.openUnsafe()
    if (!hook.isInLine && hook.maySend(this.now()) && hook.mayTakePlace) {
      const { line, places } = hook.isSlow ? this.slow : this.fast
      hook.isInLine = true
      places.wait(line(hook), hook)
    }
    this.arrange()
  }

  private arrange(): void {
    if (this.isDue) return
    this.isDue = true
    setImmediate(this.turn)
  }

  private readonly turn = () => {
    this.isDue = false
    for (let begun = 0; begun < begunPerTurn;) {
      const some = this.sendNext(begunPerTurn - begun)
      if (some === undefined) return
      begun += some
    }
    this.arrange()
  }

  /** Neither of the two speeds waits for the other. Undefined when nothing can be sent. */
  private sendNext(most: number): number | undefined {
    this.isSlowNext = !this.isSlowNext
    const [first, other] = this.isSlowNext ? [this.slow, this.fast] : [this.fast, this.slow]
    return this.sendOf(first, most) ?? this.sendOf(other, most)
  }

  /** Some of one webhook together: they are then stored together too. */
  private sendOf({ line, places }: Speed, most: number): number | undefined {
    // One that sends nothing goes before those that wait for another place.
    const hook = places.next(({ running }) => running.length === 0)
    if (hook === undefined) return undefined
    hook.isInLine = false
    const own = line(hook)
    const { config } = hook
    let count = 0
    for (let hasPlace = true; hasPlace; hasPlace = count < most && hook.mayTakePlace && places.more(own)) {
      if (config === undefined || !hook.maySend(this.now())) {
        places.leave(own)
        // Whoever works on it sees why, such as a hold that has lapsed.
        if (hook.hasNext && hook.running.length === 0) hook.wake.openUnsafe()
        break
      }
      count++
      const due = hook.next()
      const ended = (tried: Tried | undefined) => {
        places.leave(own)
        hook.ended(due, tried)
        this.add(hook)
      }
      this.attempt(config, due, ended, hook)
    }
    this.add(hook)
    return count
  }
}
