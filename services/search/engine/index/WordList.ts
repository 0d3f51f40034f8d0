import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { grown } from "./Columns.ts"
import { MAX_TERM } from "../text/Folding.ts"

const HEADS = 2048
const headPlace = (first: number, second: number): number => (Math.imul(first, 31) + second * 7) & (HEADS - 1)

/** Number of words per step of a scan. Steps to skip a word, to follow a chain, and to visit a word. */
const CHUNK = 4_096
const COST = { pass: 1 / 40, link: 1 / 4, visit: 6 } as const

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
 * Which words may be similar to a word: the minimum and maximum number of codes, and the maximum number of its letters
 * that they lack, and of other letters that they have.
 */
export interface Near {
  readonly least: number
  readonly most?: number
  readonly missing?: number
  readonly others?: number
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
  /** Words with the same first two codes form a chain: the last word of each, and the one before each word, plus 1. */
  readonly #heads = new Int32Array(HEADS)
  #before = new Int32Array(1024)

  /** Bytes of memory, approximately. */
  get bytes(): number {
    return this.#byLength.reduce((sum, { numbers }) => sum + numbers.length * 8, this.#before.length * 4)
  }

  /** Adds a new word. */
  add(number: number, codes: Uint16Array, start: number, length: number): void {
    const place = headPlace(codes[start]!, length > 1 ? codes[start + 1]! : 0)
    this.#before = grown(this.#before, number + 1)
    this.#before[number] = this.#heads[place]!
    this.#heads[place] = number + 1
    while (this.#byLength.length <= length) this.#byLength.push(new WordsOfLength())
    this.#byLength[length]!.push(number, lettersOf(codes, start, start + length))
  }

  clear(): void {
    this.#byLength.length = 0
    this.#heads.fill(0)
  }

  /** Visits words that may be similar to a word, the shortest first, until the budget is spent. */
  *near(
    word: Uint16Array,
    { least, missing = 0, most = MAX_TERM, others = 32 }: Near,
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
          if (bitCount(wanted & ~own) > missing || (others < 32 && bitCount(own & ~wanted) > others)) continue
          visited++
          visit(numbers[place]!, length)
        }
        if (budget.spend((until - from) * COST.pass + visited * COST.visit)) yield
      }
    }
  }

  /** Visits words that may begin with a prefix of two codes or more, until the budget is spent. */
  *beginning(prefix: Uint16Array, budget: Budget, visit: (number: number) => void): Sliced<void> {
    let links = 0
    let number = this.#heads[headPlace(prefix[0]!, prefix[1]!)]! - 1
    for (; number >= 0 && !budget.isSpent; number = this.#before[number]! - 1) {
      visit(number)
      if (++links % CHUNK === 0 && budget.spend(CHUNK * COST.link)) yield
    }
    if (budget.spend((links % CHUNK) * COST.link)) yield
  }
}
