import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { type Column, grown } from "./Columns.ts"
import { HashTable } from "./HashTable.ts"
import { codesOf, hashIn, textOf } from "../text/Tokenizer.ts"
import { functionMask, type Language } from "../text/Languages.ts"
import { type Near, WordList } from "./WordList.ts"

/**
 * The sorts of terms. Terms of different sorts are different, even with the same letters. `joined`: consecutive words
 * or numbers of a text that may be meant as one.
 */
export const Sort = { word: 0, unspaced: 1, pair: 2, part: 3, joined: 4 } as const
export type Sort = (typeof Sort)[keyof typeof Sort]

const MAX_FUNCTION_WORD = 12

/** The hash of a term of a sort. */
const termHash = (codes: Uint16Array, from: number, until: number, sort: Sort): number => {
  const hash = Math.imul(hashIn(codes, from, until) ^ Math.imul(sort, 0x9e3779b9), 0x2c1b3c6d)
  return hash ^ (hash >>> 15)
}

/** The terms of a segment: columns, and the codes of all terms one after the other. */
export type TermColumns = Readonly<Record<"termSorts" | "termLengths" | "termLanguages" | "termCodes", Column>>

/** Minimum number of terms without notes before their numbers are freed. */
const MIN_DEAD_TERMS = 4_096

/**
 * The distinct terms of an index, each with a number and the number of notes that contain it. They are in columns
 * rather than objects, because a misspelt word is compared with all of them. A term without notes keeps its number
 * until `tidy` frees it.
 */
export class Vocabulary {
  #size = 0
  #codes = new Uint16Array(8192)
  #used = 0
  #starts = new Uint32Array(1024)
  #lengths = new Uint8Array(1024)
  #hashes = new Int32Array(1024)
  #sorts = new Uint8Array(1024)
  #notes = new Uint32Array(1024)
  /** The languages of the notes with a term, as bits; bit 0: notes of no known language. */
  #languages = new Uint16Array(1024)
  readonly #words = new WordList()
  /** The languages in which a term is a function word, as bits. */
  readonly #functions = new Map<number, number>()
  readonly #byHash = new HashTable((number) => this.#hashes[number]!)
  #live = 0
  /** Numbers without a term. */
  #free: Array<number> = []

  /** The number after the highest one that was used. */
  get size(): number {
    return this.#size
  }

  /** Number of terms with notes. */
  get live(): number {
    return this.#live
  }

  /** Number of terms without notes. */
  get dead(): number {
    return this.#size - this.#free.length - this.#live
  }

  /** Bytes of memory, approximately. */
  get bytes(): number {
    const columns = this.#codes.byteLength + this.#starts.length * 20
    return columns + this.#byHash.bytes + this.#words.bytes + this.#free.length * 8 + 65_536
  }

  notesOf(number: number): number {
    return this.#notes[number]!
  }

  /** The codes of all terms, one after the other. Valid until the next term is added. */
  get codes(): Uint16Array {
    return this.#codes
  }

  /** Visits words with notes that may be similar to a word, the shortest first, until the budget is spent. */
  eachWord(
    word: Uint16Array,
    near: Near,
    budget: Budget,
    visit: (number: number, start: number, length: number) => void
  ): Sliced<void> {
    return this.#words.near(word, near, budget, (number, length) => {
      if (this.#notes[number]! > 0) visit(number, this.#starts[number]!, length)
    })
  }

  /** Visits words with notes that begin with a prefix or equal it, until the budget is spent. */
  eachBeginning(prefix: Uint16Array, budget: Budget, visit: (number: number, length: number) => void): Sliced<void> {
    const look = (number: number): void => {
      const start = this.#starts[number]!
      const length = this.#lengths[number]!
      if (this.#notes[number] === 0 || length < prefix.length) return
      for (let i = 0; i < prefix.length; i++) if (this.#codes[start + i] !== prefix[i]) return
      visit(number, length)
    }
    return this.#words.beginning(prefix, budget, look)
  }

  functionMaskOf(number: number): number {
    return this.#functions.get(number) ?? 0
  }

  sortOf(number: number): Sort {
    return this.#sorts[number] as Sort
  }

  termAt(number: number): string {
    const start = this.#starts[number]!
    return textOf(this.#codes, start, start + this.#lengths[number]!)
  }

  /** Whether a term is at a position of a text. */
  isAt(number: number, text: string, at: number): boolean {
    const start = this.#starts[number]!
    const length = this.#lengths[number]!
    if (at + length > text.length) return false
    for (let i = 0; i < length; i++) if (this.#codes[start + i] !== text.charCodeAt(at + i)) return false
    return true
  }

  /** The number of a term with notes. */
  numberOf(term: string, sort?: Sort): number | undefined {
    const codes = codesOf(term)
    for (const each of sort === undefined ? [Sort.word, Sort.unspaced] : [sort]) {
      const number = this.find(codes, 0, codes.length, each)
      if (number >= 0 && this.#notes[number]! > 0) return number
    }
    return undefined
  }

  /** The number of a term, or -1. */
  find(codes: Uint16Array, from: number, until: number, sort: Sort): number {
    return this.#find(codes, from, until, termHash(codes, from, until, sort), sort)
  }

  /** The number of a term, which is added if it is new. Does not count a note: see `retain`. */
  intern(codes: Uint16Array, from: number, until: number, sort: Sort): number {
    const hash = termHash(codes, from, until, sort)
    const known = this.#find(codes, from, until, hash, sort)
    if (known >= 0) return known
    const number = this.#free.pop() ?? this.#size++
    this.#write(number, codes, from, until, hash, sort)
    this.#describe(number)
    return number
  }

  /** The columns of some terms for a segment. */
  columnsOf(numbers: ReadonlyArray<number>): TermColumns {
    const termSorts = Uint8Array.from(numbers, (number) => this.#sorts[number]!)
    const termLengths = Uint8Array.from(numbers, (number) => this.#lengths[number]!)
    const termLanguages = Uint16Array.from(numbers, (number) => this.#languages[number]!)
    const termCodes = new Uint16Array(termLengths.reduce((sum, length) => sum + length, 0))
    let at = 0
    for (const number of numbers) {
      const start = this.#starts[number]!
      termCodes.set(this.#codes.subarray(start, start + this.#lengths[number]!), at)
      at += this.#lengths[number]!
    }
    return { termSorts, termLengths, termLanguages, termCodes }
  }

  /** Adds terms from the columns of `columnsOf`, each with its number of notes. `tidy` must follow at the end. */
  restore(numbers: Int32Array, notes: Uint32Array, read: (name: keyof TermColumns) => ArrayBuffer): void {
    const sorts = new Uint8Array(read("termSorts"))
    const lengths = new Uint8Array(read("termLengths"))
    const languages = new Uint16Array(read("termLanguages"))
    const codes = new Uint16Array(read("termCodes"))
    let from = 0
    for (const [place, number] of numbers.entries()) {
      const until = from + lengths[place]!
      if (notes[place]! > 0) {
        if (number >= this.#size) this.#size = number + 1
        if (number >= this.#lengths.length || this.#lengths[number] === 0) {
          const sort = sorts[place] as Sort
          this.#write(number, codes, from, until, termHash(codes, from, until, sort), sort)
        }
        this.#languages[number]! |= languages[place]!
        this.retain(number, notes[place]!)
      }
      from = until
    }
  }

  /** Counts notes with the term. */
  retain(number: number, notes = 1): void {
    if (this.#notes[number] === 0) this.#live++
    this.#notes[number]! += notes
  }

  /** Counts one note fewer with the term. */
  release(number: number): void {
    if (--this.#notes[number]! === 0) this.#live--
  }

  /** Records that words occur in a note of a language. */
  addLanguage(terms: ReadonlyArray<number>, language: Language): void {
    for (const term of terms) if (this.#sorts[term] === Sort.word) this.#languages[term]! |= 1 << language
  }

  /** The languages of the notes with a term, as bits; bit 0: notes of no known language. */
  languagesOf(number: number): number {
    return this.#languages[number]!
  }

  /** Frees the numbers of terms without notes when these are many. */
  tidyIfMany(minDead = MIN_DEAD_TERMS): void {
    if (this.dead >= Math.max(minDead, this.live)) this.tidy()
  }

  /** Frees the numbers of terms without notes. The other terms keep their numbers. */
  tidy(): void {
    const { length } = this.#codes
    const before = this.#codes
    let used = 0
    for (let number = 0; number < this.#size; number++) if (this.#notes[number]! > 0) used += this.#lengths[number]!
    this.#codes = new Uint16Array(Math.max(8192, Math.min(length, Math.ceil(used * 1.2))))
    this.#used = 0
    this.#words.clear()
    this.#functions.clear()
    this.#free = []
    for (let number = this.#size - 1; number >= 0; number--) {
      if (this.#notes[number] === 0) {
        if (this.#lengths[number]! > 0) this.#byHash.remove(number)
        this.#lengths[number] = 0
        this.#free.push(number)
        continue
      }
      const start = this.#starts[number]!
      const end = start + this.#lengths[number]!
      this.#starts[number] = this.#used
      for (let i = start; i < end; i++) this.#codes[this.#used++] = before[i]!
      this.#describe(number)
    }
  }

  #write(number: number, codes: Uint16Array, from: number, until: number, hash: number, sort: Sort): void {
    if (number >= this.#starts.length) this.#grow(number + 1)
    const end = this.#used + until - from
    this.#codes = grown(this.#codes, end)
    for (let i = from; i < until; i++) this.#codes[this.#used + i - from] = codes[i]!
    this.#starts[number] = this.#used
    this.#lengths[number] = until - from
    this.#used = end
    this.#hashes[number] = hash
    this.#sorts[number] = sort
    this.#notes[number] = 0
    this.#languages[number] = 0
    this.#byHash.add(number)
  }

  #describe(number: number): void {
    if (this.#sorts[number] !== Sort.word) return
    const start = this.#starts[number]!
    const length = this.#lengths[number]!
    this.#words.add(number, this.#codes, start, length)
    const mask = length <= MAX_FUNCTION_WORD ? functionMask(this.termAt(number)) : 0
    if (mask > 0) this.#functions.set(number, mask)
  }

  #find(codes: Uint16Array, from: number, until: number, hash: number, sort: Sort): number {
    const length = until - from
    return this.#byHash.find(hash, (number) => {
      if (this.#hashes[number] !== hash || this.#sorts[number] !== sort || this.#lengths[number] !== length)
        return false
      const start = this.#starts[number]!
      for (let i = 0; i < length; i++) if (this.#codes[start + i] !== codes[from + i]) return false
      return true
    })
  }

  #grow(size: number): void {
    this.#starts = grown(this.#starts, size)
    this.#lengths = grown(this.#lengths, size)
    this.#hashes = grown(this.#hashes, size)
    this.#sorts = grown(this.#sorts, size)
    this.#notes = grown(this.#notes, size)
    this.#languages = grown(this.#languages, size)
  }
}
