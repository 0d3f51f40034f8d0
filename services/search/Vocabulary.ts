import { HASH_SEED, hashStep, textOf } from "./Tokens.ts"
import { functionMask } from "./Languages.ts"
import { soundOf } from "./Sounds.ts"

/** What a term is; each is a term of its own, also where the letters are the same. */
export const Sort = { word: 0, unspaced: 1, pair: 2, part: 3 } as const
export type Sort = (typeof Sort)[keyof typeof Sort]

const MAX_FUNCTION_WORD = 12
const HEADS = 2048
const headPlace = (first: number, second: number): number => (Math.imul(first, 31) + second * 7) & (HEADS - 1)

/** Each sort has its own hashes. */
const mixed = (hash: number, sort: Sort): number => {
  const h = Math.imul(hash ^ (sort === Sort.part ? 0x9e3779b9 : sort === Sort.pair ? 0x85ebca6b : 0), 0x2c1b3c6d)
  return h ^ (h >>> 15)
}

/** A set of letters as 32 bits, several letters to a bit: two words n edits apart differ in at most 2n of them. */
export const lettersOf = (codes: ArrayLike<number>, from: number, until: number): number => {
  let letters = 0
  for (let i = from; i < until; i++) letters |= 1 << (codes[i]! & 31)
  return letters
}

type Column = Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

const grownBy = <A extends Column>(column: A, size: number): A => {
  const larger = new (column.constructor as new (size: number) => A)(size)
  larger.set(column)
  return larger
}

/** Words of one length with their letters, side by side: what is compared with a misspelt word is passed over quickly. */
export class WordsOfLength {
  count = 0
  numbers = new Int32Array(16)
  letters = new Int32Array(16)

  push(number: number, letters: number): void {
    if (this.count === this.numbers.length) {
      this.numbers = grownBy(this.numbers, this.count * 2)
      this.letters = grownBy(this.letters, this.count * 2)
    }
    this.numbers[this.count] = number
    this.letters[this.count++] = letters
  }
}

/** The columns of a vocabulary, as a snapshot keeps them. */
export interface VocabularyColumns {
  readonly codes: Uint16Array<ArrayBuffer>
  readonly ends: Uint32Array<ArrayBuffer>
  readonly sorts: Uint8Array<ArrayBuffer>
  readonly notes: Uint32Array<ArrayBuffer>
}

/**
 * The distinct terms of an index, numbered in the order in which they came, and counted by the notes that contain them.
 * Columns rather than objects: a misspelt word is compared with all of them, and a snapshot is read as it was written.
 */
export class Vocabulary {
  #size = 0
  #codes = new Uint16Array(8192)
  /** Where the codes of each term end. */
  #ends = new Uint32Array(1024)
  #hashes = new Int32Array(1024)
  #sorts = new Uint8Array(1024)
  /** Notes that contain it; of 0 none finds it. */
  #notes = new Uint32Array(1024)
  /** The words by their lengths. */
  readonly #words: Array<WordsOfLength> = []
  #letters = new Int32Array(1024)
  #sounds = new Int32Array(1024)
  /** The languages in which it is a function word, as bits. */
  #functions = new Int32Array(1024)
  /** Words that begin with the same two letters are a chain: the last of each, and the one before, plus one. */
  readonly #heads = new Int32Array(HEADS)
  #before = new Int32Array(1024)
  /** Numbers of terms, plus one, by their hashes. */
  #table = new Int32Array(2048)
  #live = 0

  /** Terms that have a number, those that no note contains any more among them. */
  get size(): number {
    return this.#size
  }

  /** Terms that some note contains. */
  get live(): number {
    return this.#live
  }

  get bytes(): number {
    return this.#codes.byteLength + this.#ends.length * 39 + this.#table.byteLength
  }

  /** Rows of all columns, to be scanned. Valid until the next term comes. */
  get scan() {
    return {
      size: this.#size,
      codes: this.#codes,
      ends: this.#ends,
      sorts: this.#sorts,
      notes: this.#notes,
      letters: this.#letters,
      sounds: this.#sounds
    }
  }

  notesOf(number: number): number {
    return this.#notes[number]!
  }

  /** The words of so many codes, removed ones among them. */
  wordsOf(length: number): WordsOfLength | undefined {
    return this.#words[length]
  }

  /** The last word of the chain in which those lie that begin with two letters, or -1; others lie in it too. */
  headOf(first: number, second: number): number {
    return this.#heads[headPlace(first, second)]! - 1
  }

  /** The last words of all chains. */
  get heads(): Array<number> {
    return Array.from(this.#heads, (number) => number - 1).filter((number) => number >= 0)
  }

  /** The word before in the same chain, or -1. */
  nextOf(number: number): number {
    return this.#before[number]! - 1
  }

  functionMaskOf(number: number): number {
    return this.#functions[number]!
  }

  sortOf(number: number): Sort {
    return this.#sorts[number] as Sort
  }

  startOf(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1]!
  }

  lengthOf(number: number): number {
    return this.#ends[number]! - this.startOf(number)
  }

  termAt(number: number): string {
    return textOf(this.#codes, this.startOf(number), this.#ends[number]!)
  }

  /** The number of a term that a note contains. */
  numberOf(term: string, sort?: Sort): number | undefined {
    let hash = HASH_SEED
    const codes = new Uint16Array(term.length)
    for (let i = 0; i < term.length; i++) {
      codes[i] = term.charCodeAt(i)
      hash = hashStep(hash, codes[i]!)
    }
    for (const each of sort === undefined ? [Sort.word, Sort.unspaced] : [sort]) {
      const number = this.find(codes, 0, codes.length, hash, each)
      if (number >= 0 && this.#notes[number]! > 0) return number
    }
    return undefined
  }

  /** The number of a term, or -1. */
  find(codes: Uint16Array, from: number, until: number, hash: number, sort: Sort): number {
    const place = this.#place(codes, from, until, mixed(hash, sort), sort)
    return this.#table[place]! - 1
  }

  /** The number of a term, new or known. Does not count: see `retain`. */
  intern(codes: Uint16Array, from: number, until: number, hash: number, sort: Sort): number {
    const own = mixed(hash, sort)
    const place = this.#place(codes, from, until, own, sort)
    const known = this.#table[place]!
    if (known > 0) return known - 1
    const number = this.#size++
    if (number === this.#ends.length) this.#grow()
    const start = this.startOf(number)
    const end = start + until - from
    if (end > this.#codes.length) this.#codes = grownBy(this.#codes, this.#codes.length * 2)
    for (let i = from; i < until; i++) this.#codes[start + i - from] = codes[i]!
    this.#ends[number] = end
    this.#hashes[number] = own
    this.#sorts[number] = sort
    this.#notes[number] = 0
    this.#describe(number)
    this.#table[place] = number + 1
    if (this.#size * 2 > this.#table.length) this.#rehash(this.#table.length * 2)
    return number
  }

  /** One more note contains the term. */
  retain(number: number): void {
    if (this.#notes[number]!++ === 0) this.#live++
  }

  /** One note less contains the term. Its number stays its own until the index is made anew. */
  release(number: number): void {
    if (--this.#notes[number]! === 0) this.#live--
  }

  /** This one without the terms that no note contains, and the new number of each term, or -1. Their order stays. */
  compacted(): { readonly vocabulary: Vocabulary; readonly numbers: Int32Array } {
    const vocabulary = new Vocabulary()
    const numbers = new Int32Array(this.#size).fill(-1)
    for (let number = 0; number < this.#size; number++) {
      if (this.#notes[number] === 0) continue
      const start = this.startOf(number)
      let hash = HASH_SEED
      for (let i = start; i < this.#ends[number]!; i++) hash = hashStep(hash, this.#codes[i]!)
      const own = vocabulary.intern(this.#codes, start, this.#ends[number]!, hash, this.sortOf(number))
      vocabulary.#notes[own] = this.#notes[number]!
      vocabulary.#live++
      numbers[number] = own
    }
    return { vocabulary, numbers }
  }

  columns(): VocabularyColumns {
    return {
      codes: this.#codes.subarray(0, this.startOf(this.#size)),
      ends: this.#ends.subarray(0, this.#size),
      sorts: this.#sorts.subarray(0, this.#size),
      notes: this.#notes.subarray(0, this.#size)
    }
  }

  /** Of the columns of another one, which are copied. */
  static of({ codes, ends, notes, sorts }: VocabularyColumns): Vocabulary {
    const made = new Vocabulary()
    const size = ends.length
    const room = Math.max(1024, Math.ceil(size * 1.1))
    made.#size = size
    made.#codes = grownBy(codes, Math.max(8192, Math.ceil(codes.length * 1.1)))
    made.#ends = grownBy(ends, room)
    made.#sorts = grownBy(sorts, room)
    made.#notes = grownBy(notes, room)
    made.#hashes = new Int32Array(room)
    made.#letters = new Int32Array(room)
    made.#sounds = new Int32Array(room)
    made.#functions = new Int32Array(room)
    made.#before = new Int32Array(room)
    let start = 0
    for (let number = 0; number < size; number++) {
      const end = ends[number]!
      let hash = HASH_SEED
      for (let i = start; i < end; i++) hash = hashStep(hash, codes[i]!)
      made.#hashes[number] = mixed(hash, sorts[number] as Sort)
      made.#describe(number)
      if (notes[number]! > 0) made.#live++
      start = end
    }
    let places = 2048
    while (places < size * 2) places *= 2
    made.#rehash(places)
    return made
  }

  #wordsOf(length: number): WordsOfLength {
    while (this.#words.length <= length) this.#words.push(new WordsOfLength())
    return this.#words[length]!
  }

  #describe(number: number): void {
    if (this.#sorts[number] !== Sort.word) return
    const start = this.startOf(number)
    const end = this.#ends[number]!
    const place = headPlace(this.#codes[start]!, end - start > 1 ? this.#codes[start + 1]! : 0)
    this.#before[number] = this.#heads[place]!
    this.#heads[place] = number + 1
    this.#letters[number] = lettersOf(this.#codes, start, end)
    this.#wordsOf(end - start).push(number, this.#letters[number]!)
    this.#sounds[number] = soundOf(this.#codes, start, end)
    if (end - start <= MAX_FUNCTION_WORD) this.#functions[number] = functionMask(this.termAt(number))
  }

  /** Where in the table a term stands, or would. */
  #place(codes: Uint16Array, from: number, until: number, hash: number, sort: Sort): number {
    const mask = this.#table.length - 1
    const length = until - from
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const number = this.#table[place]! - 1
      if (number < 0) return place
      if (this.#hashes[number] !== hash || this.#sorts[number] !== sort) continue
      const start = this.startOf(number)
      if (this.#ends[number]! - start !== length) continue
      let i = 0
      while (i < length && this.#codes[start + i] === codes[from + i]) i++
      if (i === length) return place
    }
  }

  #rehash(places: number): void {
    this.#table = new Int32Array(places)
    const mask = places - 1
    for (let number = 0; number < this.#size; number++) {
      let place = this.#hashes[number]! & mask
      while (this.#table[place] !== 0) place = (place + 1) & mask
      this.#table[place] = number + 1
    }
  }

  #grow(): void {
    const size = this.#ends.length * 2
    this.#ends = grownBy(this.#ends, size)
    this.#hashes = grownBy(this.#hashes, size)
    this.#sorts = grownBy(this.#sorts, size)
    this.#notes = grownBy(this.#notes, size)
    this.#letters = grownBy(this.#letters, size)
    this.#sounds = grownBy(this.#sounds, size)
    this.#functions = grownBy(this.#functions, size)
    this.#before = grownBy(this.#before, size)
  }
}
