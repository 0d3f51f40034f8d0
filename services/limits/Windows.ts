/** The number of events in a window of time that began with the first event. */
export interface Counted {
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly left: number
}

interface Window {
  count: number
  readonly ends: number
}

/**
 * Counters in memory: per key, a window of the same length. No sweep is needed: after the length of a window, `young`
 * becomes `old` and the previous `old`, whose windows have all ended, is dropped. `young` has at most `capacity` keys;
 * above that, the oldest counts are dropped early, which refuses no request.
 */
export class Windows {
  #young = new Map<string, Window>()
  #old = new Map<string, Window>()
  #turned = -Infinity
  readonly #length: number
  readonly #capacity: number

  constructor(length: number, capacity = 100_000) {
    this.#length = length
    this.#capacity = capacity
  }

  /** Adds `by`, which may be negative. A window that has ended is not changed. */
  add(key: string, by: number, now: number): Counted {
    const known = this.#young.get(key) ?? this.#old.get(key)
    // A window that ends later than possible began before the clock was set back.
    if (known !== undefined && known.ends > now && known.ends - now <= this.#length) {
      known.count += by
      return { count: known.count, left: known.ends - now }
    }
    if (by <= 0) return { count: 0, left: this.#length }
    if (now - this.#turned >= this.#length || this.#young.size >= this.#capacity) {
      this.#old = this.#young
      this.#young = new Map()
      this.#turned = now
    }
    this.#young.set(key, { count: by, ends: now + this.#length })
    return { count: by, left: this.#length }
  }

  /** The number of keys in memory. */
  get size(): number {
    return this.#young.size + this.#old.size
  }
}
