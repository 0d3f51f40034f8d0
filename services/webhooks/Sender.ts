import { RoundRobinQueue } from "../concurrency/RoundRobinQueue.ts"
import type { Due, Tried } from "./Attempts.ts"
import { type PermitKey, permits } from "./Permits.ts"
import type { Config, WebhookState } from "./WebhookState.ts"

/** Maximum number of deliveries that start in one turn of the event loop. */
const begunPerTurn = 4

/** Makes an attempt and reports its result, at once or later; undefined if it could not be made. */
type Try = (config: Config, due: Due, ended: (tried: Tried | undefined) => void, hook: WebhookState) => void

/** Whether its URL has changed since it began to wait, so that it shares the permits of another origin. */
const hasMoved = ({ key }: WebhookState, [, place]: PermitKey): boolean => key?.[1] !== place

/**
 * Sends the deliveries that webhooks have in memory, some per turn of the event loop, so that requests are served in
 * between. Round-robin by owner, then by workspace and origin, then by webhook. Fast endpoints do not wait for slow ones.
 */
export class Sender {
  /** Webhooks that may send another delivery, by `permitKey`. Each is in a queue at most once. */
  readonly #fast = new RoundRobinQueue<WebhookState>(permits.fast)
  readonly #slow = new RoundRobinQueue<WebhookState>(permits.slow)
  readonly #now: () => number
  readonly #attempt: Try
  #isDue = false
  #isSlowNext = false

  constructor(now: () => number, attempt: Try) {
    this.#now = now
    this.#attempt = attempt
  }

  /** Queues a webhook if it may send a delivery. */
  add(hook: WebhookState): void {
    const { key, waitsFor } = hook
    if (hook.hasNext && hook.isDueAgain(this.#now())) hook.wake.openUnsafe()
    if (waitsFor !== undefined && hasMoved(hook, waitsFor)) {
      for (const queue of [this.#fast, this.#slow]) queue.remove(waitsFor, hook)
      hook.waitsFor = undefined
    }
    if (key !== undefined && hook.waitsFor === undefined && hook.maySend(this.#now()) && this.#mayTake(hook)) {
      hook.waitsFor = key
      const queue = hook.isSlow ? this.#slow : this.#fast
      queue.add(key, hook)
    }
    this.#arrange()
  }

  /**
   * A slow webhook sends a second delivery only while permits remain for all webhooks of its workspace, and for all of
   * those to its origin, that send none.
   */
  #mayTake({ isSlow, key, running, workspace }: WebhookState): boolean {
    if (!isSlow || running.length === 0) return true
    let needed = 0
    let neededByOrigin = 0
    for (const other of workspace.hooks.values()) {
      const count = other.running.length === 0 ? 1 : other.isSlow ? other.running.length : 0
      needed += count
      if (other.key?.[1] === key?.[1]) neededByOrigin += count
    }
    return needed < permits.slow.permitsPerGroup && neededByOrigin < permits.slow.permitsPerKey
  }

  #arrange(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(this.#turn)
  }

  readonly #turn = () => {
    this.#isDue = false
    for (let left = begunPerTurn; left > 0;) {
      // Fast and slow webhooks alternate.
      this.#isSlowNext = !this.#isSlowNext
      const [first, other] = this.#isSlowNext ? [this.#slow, this.#fast] : [this.#fast, this.#slow]
      const begun = this.#sendFrom(first, left) ?? this.#sendFrom(other, left)
      if (begun === undefined) return
      left -= begun
    }
    this.#arrange()
  }

  /**
   * Starts deliveries of the next webhook, several at once so that their results are stored together. Returns their
   * number; undefined if no webhook can be taken.
   */
  #sendFrom(queue: RoundRobinQueue<WebhookState>, most: number): number | undefined {
    // A webhook that sends nothing has priority over those that wait for another permit.
    const hook = queue.take(({ running }) => running.length === 0)
    if (hook === undefined) return undefined
    const key = hook.waitsFor!
    hook.waitsFor = undefined
    const { config } = hook
    let begun = 0
    if (config === undefined || hasMoved(hook, key) || !hook.maySend(this.#now())) {
      queue.release(key)
      // Its fiber handles the cause, such as a hold that has expired.
      if (hook.hasNext && hook.running.length === 0) hook.wake.openUnsafe()
    } else {
      do {
        this.#begin(queue, key, hook, config)
        begun++
      } while (begun < most && hook.maySend(this.#now()) && this.#mayTake(hook) && queue.takeMore(key))
    }
    this.add(hook)
    return begun
  }

  #begin(queue: RoundRobinQueue<WebhookState>, key: PermitKey, hook: WebhookState, config: Config): void {
    const due = hook.next()
    const ended = (tried: Tried | undefined) => {
      queue.release(key)
      hook.ended(due, tried)
      this.add(hook)
    }
    this.#attempt(config, due, ended, hook)
  }
}
