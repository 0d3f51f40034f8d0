/** A hash table of numbers, with linear probing. A map of strings would take four times the memory. */
export class HashTable {
  /** Each number plus one; 0 for an empty place. */
  #places = new Int32Array(1024)
  #size = 0
  readonly #hashOf: (number: number) => number

  constructor(hashOf: (number: number) => number) {
    this.#hashOf = hashOf
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#places.byteLength
  }

  /** Returns the number with this hash for which `isSame` is true, or -1. */
  find(hash: number, isSame: (number: number) => boolean): number {
    const mask = this.#places.length - 1
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const number = this.#places[place]! - 1
      if (number < 0 || isSame(number)) return number
    }
  }

  /** Adds a new number. */
  add(number: number): void {
    this.reserve(++this.#size)
    this.#put(number)
  }

  /** Removes a number of the table. */
  remove(number: number): void {
    const mask = this.#places.length - 1
    let gap = this.#hashOf(number) & mask
    while (this.#places[gap] !== number + 1) gap = (gap + 1) & mask
    this.#size--
    // Moves a number after the gap into it, unless the gap is before the place of its hash.
    for (let place = (gap + 1) & mask; this.#places[place] !== 0; place = (place + 1) & mask) {
      const home = this.#hashOf(this.#places[place]! - 1) & mask
      if (((place - home) & mask) < ((place - gap) & mask)) continue
      this.#places[gap] = this.#places[place]!
      gap = place
    }
    this.#places[gap] = 0
  }

  /** Reserves room for a number of entries. */
  reserve(size: number): void {
    if (size * 4 <= this.#places.length * 3) return
    const before = this.#places
    this.#places = new Int32Array(2 ** Math.ceil(Math.log2(size * 1.4)))
    for (const each of before) if (each > 0) this.#put(each - 1)
  }

  #put(number: number): void {
    const mask = this.#places.length - 1
    let place = this.#hashOf(number) & mask
    while (this.#places[place] !== 0) place = (place + 1) & mask
    this.#places[place] = number + 1
  }
}
