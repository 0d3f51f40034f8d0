interface Kept<A> {
  readonly value: A
  readonly size: number
}

/**
 * Keeps what was used lately, up to a size, in two generations: when the younger one is full, it becomes the older one, and
 * what was not used since is forgotten. Nothing moves when it is used again: V8 copies a map that is filled and emptied all
 * the time.
 */
export class RecentlyUsed<A> {
  readonly #most: number
  #young = new Map<string, Kept<A>>()
  #old = new Map<string, Kept<A>>()
  #youngSize = 0
  #oldSize = 0

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#youngSize + this.#oldSize
  }

  get(key: string): A | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young.value
    const old = this.#old.get(key)
    if (old === undefined) return undefined
    this.#old.delete(key)
    this.#oldSize -= old.size
    this.#put(key, old)
    return old.value
  }

  /** Larger ones than a sixteenth of all are not kept. */
  set(key: string, value: A, size: number): void {
    this.delete(key)
    if (size <= this.#most / 16) this.#put(key, { value, size })
  }

  delete(key: string): void {
    const young = this.#young.get(key)
    if (young !== undefined && this.#young.delete(key)) this.#youngSize -= young.size
    const old = this.#old.get(key)
    if (old !== undefined && this.#old.delete(key)) this.#oldSize -= old.size
  }

  #put(key: string, kept: Kept<A>): void {
    if (this.#youngSize + kept.size > this.#most / 2) {
      this.#old = this.#young
      this.#oldSize = this.#youngSize
      this.#young = new Map()
      this.#youngSize = 0
    }
    this.#young.set(key, kept)
    this.#youngSize += kept.size
  }
}
