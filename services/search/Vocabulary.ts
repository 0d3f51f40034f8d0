import type { Budget, Sliced } from "../budgets/Budget.ts"
import type { Word } from "./Query.ts"

/** How a term of the vocabulary relates to the word that was asked for; a smaller one is a better match. */
export const Kind = { exact: 0, prefix: 1, oneEdit: 2, twoEdits: 3 } as const
export type Kind = (typeof Kind)[keyof typeof Kind]

/** Most misspelt forms that one word stands for. The nearest and commonest are kept. */
const MAX_TYPOS = 64
/** Most continuations that a prefix stands for. */
const MAX_CONTINUATIONS = 10_000
/** Terms are looked through so many at a time. */
const CHUNK = 2_048
/** Steps of a comparison letter by letter; to pass over a term by its length and letters is a tenth of one. */
export const COMPARISON = 12

/** A set of letters as 32 bits, several letters to a bit: two words n edits apart differ in at most 2n of them. */
const letterSet = (term: string): number => {
  let letters = 0
  for (let i = 0; i < term.length; i++) letters |= 1 << (term.charCodeAt(i) & 31)
  return letters
}

const bitCount = (bits: number): number => {
  let n = bits - ((bits >>> 1) & 0x55555555)
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333)
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** The first two code units as one number, to compare before the string is touched. */
const headOf = (term: string): number => (term.charCodeAt(0) << 16) | (term.length > 1 ? term.charCodeAt(1) : 0)

/**
 * Edits between two words: insertions, deletions, substitutions and swaps of neighbours (optimal string alignment), in
 * UTF-16 code units. Any number above `max` stands for "more than `max`".
 */
export const editDistance = (a: string, b: string, max: number): number => {
  if (Math.abs(a.length - b.length) > max) return max + 1
  let beforeLast: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      let distance = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      ) {
        distance = Math.min(distance, beforeLast[j - 2]! + 1)
      }
      row.push(distance)
      if (distance < least) least = distance
    }
    if (least > max) return max + 1
    beforeLast = last
    last = row
  }
  return last[b.length]!
}

/** How `term` matches `word`, or undefined: the rule by which notes are found, and by which the found words are marked. */
export const kindOf = (word: Word, term: string): Kind | undefined => {
  if (term === word.term) return Kind.exact
  if (word.prefix && term.startsWith(word.term)) return Kind.prefix
  if (word.edits === 0) return undefined
  const distance = editDistance(word.term, term, word.edits)
  return distance > word.edits ? undefined : distance === 1 ? Kind.oneEdit : Kind.twoEdits
}

/**
 * The distinct terms of an index, numbered, and counted by the notes that contain them. A term that no note contains any
 * more gives its number back. Columns rather than objects: a misspelt word is compared with all of them.
 */
export class Vocabulary {
  readonly #numbers = new Map<string, number>()
  readonly #terms: Array<string> = []
  readonly #free: Array<number> = []
  #notes = new Int32Array(1024)
  #letters = new Int32Array(1024)
  #heads = new Int32Array(1024)
  /** In code units; 0 for what is never expanded: characters of scripts without spaces, numbers that are free. */
  #lengths = new Uint8Array(1024)
  #characters = 0

  get size(): number {
    return this.#numbers.size
  }

  /** About how much memory it takes, together with what the postings keep for each term. */
  get bytes(): number {
    return this.#numbers.size * 600 + this.#characters + this.#notes.length * 13
  }

  numberOf(term: string): number | undefined {
    return this.#numbers.get(term)
  }

  /** The term of a number that `intern` gave and `release` has not taken back. */
  termAt(number: number): string {
    return this.#terms[number]!
  }

  /** The number of a term, new or known. Does not count: see `retain`. */
  intern(term: string, unspaced: boolean): number {
    const known = this.#numbers.get(term)
    if (known !== undefined) return known
    const number = this.#free.pop() ?? this.#terms.length
    if (number === this.#notes.length) this.#grow()
    // A copy: a piece of a string keeps the whole alive, which here is a note's body.
    const own = Buffer.from(term).toString()
    this.#numbers.set(own, number)
    this.#terms[number] = own
    this.#notes[number] = 0
    this.#letters[number] = letterSet(own)
    this.#heads[number] = headOf(own)
    this.#lengths[number] = unspaced ? 0 : own.length
    this.#characters += own.length
    return number
  }

  /** One more note contains the term. */
  retain(number: number): void {
    this.#notes[number]!++
  }

  /** One note less contains the term. */
  release(number: number): void {
    if (--this.#notes[number]! > 0) return
    const term = this.termAt(number)
    this.#numbers.delete(term)
    this.#characters -= term.length
    this.#terms[number] = ""
    this.#lengths[number] = 0
    this.#free.push(number)
  }

  /** Whether a term is known. */
  has(term: string): boolean {
    return this.#numbers.has(term)
  }

  /**
   * The terms that `word` stands for: itself, its continuations if it is a prefix, and at most 64 misspelt forms. With a
   * budget that is spent, those found so far.
   */
  *expand(word: Word, budget: Budget): Sliced<Array<{ readonly term: string; readonly kind: Kind }>> {
    const found: Array<{ readonly term: string; readonly kind: Kind }> = []
    if (this.#numbers.has(word.term)) found.push({ term: word.term, kind: Kind.exact })
    if (word.prefix) yield* this.#continuations(word.term, found, budget)
    if (word.edits > 0) yield* this.#typos(word, found, budget)
    return found
  }

  *#continuations(
    prefix: string,
    found: Array<{ readonly term: string; readonly kind: Kind }>,
    budget: Budget
  ): Sliced<void> {
    const shift = prefix.length > 1 ? 0 : 16
    const head = headOf(prefix) >>> shift
    const most = found.length + MAX_CONTINUATIONS
    for (let from = 0; from < this.#terms.length && !budget.isSpent; from += CHUNK) {
      const until = Math.min(from + CHUNK, this.#terms.length)
      let compared = 0
      for (let number = from; number < until; number++) {
        if (this.#heads[number]! >>> shift !== head || this.#lengths[number]! <= prefix.length) continue
        const term = this.#terms[number]!
        compared++
        if (term.startsWith(prefix)) found.push({ term, kind: Kind.prefix })
        if (found.length >= most) return
      }
      if (budget.spend((until - from) / 10 + compared)) yield
    }
  }

  *#typos(word: Word, found: Array<{ readonly term: string; readonly kind: Kind }>, budget: Budget): Sliced<void> {
    const letters = letterSet(word.term)
    const least = word.term.length - word.edits
    const most = word.term.length + word.edits
    const typos: Array<{ term: string; kind: Kind; notes: number }> = []
    for (let from = 0; from < this.#terms.length && !budget.isSpent; from += CHUNK) {
      const until = Math.min(from + CHUNK, this.#terms.length)
      let compared = 0
      for (let number = from; number < until; number++) {
        const length = this.#lengths[number]!
        if (length < least || length > most || bitCount(this.#letters[number]! ^ letters) > 2 * word.edits) continue
        compared++
        const term = this.#terms[number]!
        const kind = kindOf(word, term)
        if (kind === Kind.oneEdit || kind === Kind.twoEdits) typos.push({ term, kind, notes: this.#notes[number]! })
      }
      if (budget.spend((until - from) / 10 + compared * COMPARISON)) yield
    }
    typos.sort((a, b) => a.kind - b.kind || b.notes - a.notes || (a.term < b.term ? -1 : 1))
    found.push(...typos.slice(0, MAX_TYPOS))
  }

  #grow(): void {
    const size = this.#notes.length * 2
    const grown = (column: Int32Array) => {
      const larger = new Int32Array(size)
      larger.set(column)
      return larger
    }
    this.#notes = grown(this.#notes)
    this.#letters = grown(this.#letters)
    this.#heads = grown(this.#heads)
    const lengths = new Uint8Array(size)
    lengths.set(this.#lengths)
    this.#lengths = lengths
  }
}
