import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { grown } from "./Columns.ts"
import { MAX_TERM } from "../text/Folding.ts"

/** A key has the first letters of a word, five bits each, and the number of the word. */
const KEY_LETTERS = 5
const NUMBERS = 2 ** 28
/** Minimum number of words that are sorted by their keys together. */
const MIN_SORTED = 1_024

/** The first letters of a word as a number, filled up with `rest`. */
const firstLetters = (codes: ArrayLike<number>, start: number, length: number, rest: 0 | 31): number => {
  let letters = 0
  for (let i = 0; i < KEY_LETTERS; i++) letters = (letters << 5) | (i < length ? codes[start + i]! & 31 : rest)
  return letters
}

/** Number of words per step of a scan. Steps to skip a word, to visit one by its first letters, and by its letters. */
const CHUNK = 4_096
const COST = { pass: 1 / 40, begin: 1 / 4, visit: 6 } as const

/** The set of letters as 32 bits, with several letters per bit. */
const lettersOf = (codes: ArrayLike<number>, from: number, until: number): number => {
  let letters = 0
  for (let i = from; i < until; i++) letters |= 1 << (codes[i]! & 31)
  return letters
}

/** The number of bits that are set. */
const bitCount = (bits: number): number => {
  let n = bits - ((bits >>> 1) & 0x55555555)
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333)
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/**
 * Which words may be similar to a word: the minimum and maximum number of codes, the maximum number of its letters that
 * they lack, and of other letters that they have, and the letters of which they consist, as bits of the last five bits
 * of their codes.
 */
export interface Near {
  readonly least: number
  readonly most?: number
  readonly missing?: number
  readonly others?: number
  readonly among?: number
}

/** The words of one length with their letters. */
class WordsOfLength {
  count = 0
  numbers = new Int32Array(16)
  letters = new Int32Array(16)

  push(number: number, letters: number): void {
    this.numbers = grown(this.numbers, this.count + 1)
    this.letters = grown(this.letters, this.count + 1)
    this.numbers[this.count] = number
    this.letters[this.count++] = letters
  }
}

/** The numbers of words by length and first letters: a misspelt or incomplete word is compared with few of them. */
export class WordList {
  readonly #byLength: Array<WordsOfLength> = []
  /** The keys of all words. Those of the last words are not sorted yet. */
  #keys = new Float64Array(MIN_SORTED)
  #count = 0
  #sorted = 0

  /** Bytes of memory, approximately. */
  get bytes(): number {
    return this.#byLength.reduce((sum, { numbers }) => sum + numbers.length * 8, this.#keys.byteLength)
  }

  /** Adds a new word. */
  add(number: number, codes: Uint16Array, start: number, length: number): void {
    this.#keys = grown(this.#keys, this.#count + 1)
    this.#keys[this.#count++] = firstLetters(codes, start, length, 0) * NUMBERS + number
    while (this.#byLength.length <= length) this.#byLength.push(new WordsOfLength())
    this.#byLength[length]!.push(number, lettersOf(codes, start, start + length))
  }

  clear(): void {
    this.#byLength.length = 0
    this.#keys = new Float64Array(MIN_SORTED)
    this.#count = 0
    this.#sorted = 0
  }

  /** Visits words that may be similar to a word, the shortest first, until the budget is spent. */
  *near(
    word: Uint16Array,
    { among = -1, least, missing = 0, most = MAX_TERM, others = 32 }: Near,
    budget: Budget,
    visit: (number: number, length: number) => void
  ): Sliced<void> {
    const wanted = lettersOf(word, 0, word.length)
    for (let length = Math.max(1, least); length <= Math.min(most, this.#byLength.length - 1); length++) {
      const { count, letters, numbers } = this.#byLength[length]!
      for (let from = 0; from < count && !budget.isSpent; from += CHUNK) {
        const until = Math.min(from + CHUNK, count)
        let visited = 0
        for (let place = from; place < until; place++) {
          const own = letters[place]!
          const lacks = wanted & ~own
          if ((own & ~among) !== 0 || (lacks !== 0 && (missing === 0 || bitCount(lacks) > missing))) continue
          if (others < 32 && bitCount(own & ~wanted) > others) continue
          visited++
          visit(numbers[place]!, length)
        }
        if (budget.spend((until - from) * COST.pass + visited * COST.visit)) yield
      }
    }
  }

  /** Visits words that may begin with a prefix, until the budget is spent. */
  *beginning(prefix: Uint16Array, budget: Budget, visit: (number: number) => void): Sliced<void> {
    if (this.#count - this.#sorted > Math.max(MIN_SORTED, this.#sorted / 4)) {
      // A copy: other searches are paused within these keys.
      this.#keys = this.#keys.slice(0, this.#count).sort()
      this.#sorted = this.#count
    }
    const least = firstLetters(prefix, 0, prefix.length, 0) * NUMBERS
    const end = (firstLetters(prefix, 0, prefix.length, 31) + 1) * NUMBERS
    const [keys, count, sorted] = [this.#keys, this.#count, this.#sorted]
    let from = 0
    for (let until = sorted; from < until;) {
      const middle = (from + until) >>> 1
      if (keys[middle]! < least) from = middle + 1
      else until = middle
    }
    let visited = 0
    for (let place = from; place < count && !budget.isSpent; place++) {
      const key = keys[place]!
      if (key >= least && key < end) {
        visit(key - Math.floor(key / NUMBERS) * NUMBERS)
        if (++visited % CHUNK === 0 && budget.spend(CHUNK * COST.begin)) yield
      } else if (place < sorted) place = sorted - 1
    }
    if (budget.spend((visited % CHUNK) * COST.begin)) yield
  }
}
