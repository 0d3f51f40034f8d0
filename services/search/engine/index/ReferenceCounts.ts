/** Distinct values by their places in a list, each with its number of uses. Places without uses are reused. */
export class ReferenceCounts<A> {
  readonly #places = new Map<string, number>()
  readonly #all: Array<{ readonly key: string; readonly value: A; uses: number } | undefined> = []
  readonly #free: Array<number> = []

  get size(): number {
    return this.#places.size
  }

  at(place: number): A {
    return this.#all[place]!.value
  }

  /** The place of the value with a key, which is added if it is new. `retain` must follow. */
  place(key: string, make: () => A): number {
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const place = this.#free.pop() ?? this.#all.length
    this.#all[place] = { key, value: make(), uses: 0 }
    this.#places.set(key, place)
    return place
  }

  /** Counts a use. */
  retain(place: number): void {
    this.#all[place]!.uses++
  }

  /** Counts one use fewer. */
  release(place: number): void {
    const each = this.#all[place]!
    if (--each.uses > 0) return
    this.#places.delete(each.key)
    this.#all[place] = undefined
    this.#free.push(place)
  }
}
