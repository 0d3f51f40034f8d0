import { type Line, Places } from "../budgets/Places.ts"
import type { Due, Tried } from "./Attempts.ts"
import type { Config, Hook } from "./Hook.ts"

/** Deliveries that are begun in one turn of the main loop. */
const begunPerTurn = 4

/** Makes a try, and tells what came of it, later or at once; undefined: it could not be made. */
type Try = (config: Config, due: Due, ended: (tried: Tried | undefined) => void) => void

interface Speed {
  readonly places: Places<Hook>
  readonly line: (hook: Hook) => Line<Hook>
}

/**
 * Sends what webhooks have in their queues, some in a turn of the main loop: requests that came meanwhile are looked at
 * in between. Workspaces take turns, and so do the webhooks of each. Endpoints that answer well do not wait for others.
 */
export class Sender {
  private readonly fast: Speed = { places: new Places(64, 48), line: ({ workspace }) => workspace.fast }
  private readonly slow: Speed = { places: new Places(256, 200), line: ({ workspace }) => workspace.slow }
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
    if (!hook.isInLine && hook.maySend(this.now())) {
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
    for (let begun = 0; begun < begunPerTurn; begun++) if (!this.sendNext()) return
    this.arrange()
  }

  /** Neither of the two speeds waits for the other. */
  private sendNext(): boolean {
    this.isSlowNext = !this.isSlowNext
    return this.isSlowNext
      ? this.sendOf(this.slow) || this.sendOf(this.fast)
      : this.sendOf(this.fast) || this.sendOf(this.slow)
  }

  private sendOf({ line, places }: Speed): boolean {
    const hook = places.next()
    if (hook === undefined) return false
    hook.isInLine = false
    const own = line(hook)
    const { config } = hook
    if (config === undefined || !hook.maySend(this.now())) {
      places.leave(own)
      return true
    }
    const due = hook.next()
    this.add(hook)
    this.attempt(config, due, (tried) => {
      places.leave(own)
      hook.ended(due, tried)
      this.add(hook)
    })
    return true
  }
}
