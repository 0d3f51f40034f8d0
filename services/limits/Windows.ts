/** How often something happened in a window of time that began with the first of it. */
export interface Counted {
  readonly count: number
  /** Milliseconds until the window ends, and the count with it. */
  readonly left: number
}

interface Window {
  count: number
  readonly ends: number
}

/**
 * Counts by key, each in a window of the same length, in memory. There is no sweep to do it good: what is young becomes
 * old after the length of a window, and what was old is let go of whole, for each of its windows has ended. At most
 * `capacity` keys are young; above it the oldest are forgotten early, which refuses nobody.
 */
export class Windows {
  private young = new Map<string, Window>()
  private old = new Map<string, Window>()
  private turned = -Infinity
  private readonly length: number
  private readonly capacity: number

  constructor(length: number, capacity = 100_000) {
    this.length = length
    this.capacity = capacity
  }

  /** Counts `by` more, or fewer; nothing is taken back from a window that has ended. */
  add(key: string, by: number, now: number): Counted {
    const known = this.young.get(key) ?? this.old.get(key)
    // One that would end later than it could was begun before the clock was set back.
    if (known !== undefined && known.ends > now && known.ends - now <= this.length) {
      known.count += by
      return { count: known.count, left: known.ends - now }
    }
    if (by <= 0) return { count: 0, left: this.length }
    if (now - this.turned >= this.length || this.young.size >= this.capacity) {
      this.old = this.young
      this.young = new Map()
      this.turned = now
    }
    this.young.set(key, { count: by, ends: now + this.length })
    return { count: by, left: this.length }
  }

  /** How many keys are held. */
  get size(): number {
    return this.young.size + this.old.size
  }
}
