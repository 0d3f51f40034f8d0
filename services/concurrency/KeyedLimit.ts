interface Limits {
  readonly perKey: number
  readonly total?: number
}

/** Limits what each key holds, and what all keys hold together, such as open streams or bytes of memory. */
export class KeyedLimit {
  readonly #perKey: number
  readonly #total: number
  readonly #heldOf = new Map<string, number>()
  #heldOfAll = 0

  constructor({ perKey, total = Infinity }: Limits) {
    this.#perKey = perKey
    this.#total = total
  }

  get held(): number {
    return this.#heldOfAll
  }

  /** Returns false, and counts nothing, when the amount would exceed a limit. */
  tryAcquire(key: string, amount = 1): boolean {
    const held = (this.#heldOf.get(key) ?? 0) + amount
    if (held > this.#perKey || this.#heldOfAll + amount > this.#total) return false
    this.#heldOf.set(key, held)
    this.#heldOfAll += amount
    return true
  }

  /** Releases what was acquired. */
  release(key: string, amount = 1): void {
    const held = this.#heldOf.get(key)! - amount
    if (held === 0) this.#heldOf.delete(key)
    else this.#heldOf.set(key, held)
    this.#heldOfAll -= amount
  }
}
