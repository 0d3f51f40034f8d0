import type { IndexStore } from "./IndexStore.ts"
import type { Sequence } from "./Query.ts"
import { eachTerm } from "./TokenRows.ts"
import { TokenReader } from "./Tokens.ts"
import { Sort } from "./Vocabulary.ts"

/**
 * Spellings of one word or number: as one (`wifi`, `0301234567`), with signs or markup between (`Wi-Fi`, `un**believ**able`),
 * or in groups (`030 123 4567`).
 */

/** Letters of a word that may be written apart, or of words that may be written as one. */
const [MIN_LETTERS, MAX_LETTERS] = [4, 40]
/** Most parts of a word. */
const MAX_PARTS = 4
/** Maximum number of ways to split a word that are tried. */
const MAX_WAYS = 8
/** Most words into which a run of characters is divided by spaces, and maximum number of ways to do so that are tried. */
const MAX_WORDS = { korean: 4, other: 2 } as const
const MAX_SPACED = 24

/** Characters of a number that is found however it is grouped: a shorter one is too common, a longer one is data. */
const [MIN_NUMBER, MAX_NUMBER] = [7, 34]
/** Most groups of a number. */
const MAX_GROUPS = 10
/** Characters between two groups, and most of them: `) `, ` / `, `-`. */
const BETWEEN = /^(?:[-./()*_ \u00a0\u2009\u2010-\u2013\u202f]{1,3}|[,'’])$/
/** How an IBAN begins. The groups behind its first one may be letters. */
const IBAN = /^[a-z]{2}\d{2}/

const HANGUL = /^\p{sc=Hang}/u
const isDigit = (code: number): boolean =>
  code < 0x80 ? code >= 0x30 && code <= 0x39 : /\p{Nd}/u.test(String.fromCharCode(code))

/** Whether a term is found however its digits are grouped. */
export const isGroupable = (term: string): boolean =>
  term.length >= MIN_NUMBER && term.length <= MAX_NUMBER && (isDigit(term.charCodeAt(0)) || IBAN.test(term))

const none: ReadonlyArray<never> = []

/** A word that a text has in several parts. */
export interface Whole {
  readonly text: string
  readonly parts: ReadonlyArray<string>
}

/** Reads groups of digits that follow each other in a text, such as those of a phone, card or account number. */
export class NumberGroups {
  readonly #text: string
  #groups: ReadonlyArray<string> = none
  /** Where the last group ends. */
  #end = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Takes the token that a reader has read. Returns each number that ends with it and has more than one group. */
  next(reader: TokenReader): ReadonlyArray<Whole> {
    const { codes, length, start } = reader
    const hasDigit = !reader.unspaced && isDigit(codes[0]!)
    if (!hasDigit && (length !== 4 || (this.#groups.length === 0 && !isDigit(codes[3]!)))) {
      this.#groups = none
      return none
    }
    const { term } = reader
    const before = BETWEEN.test(this.#text.slice(this.#end, start)) ? this.#groups : none
    const isGroup = hasDigit || IBAN.test(term) || before.some((group) => IBAN.test(group))
    const groups = isGroup ? [...before, term].slice(-MAX_GROUPS) : []
    this.#groups = groups
    this.#end = reader.end
    return groups
      .slice(0, -1)
      .map((_, from) => ({ text: groups.slice(from).join(""), parts: groups.slice(from) }))
      .filter(({ text }) => text.length >= MIN_NUMBER && text.length <= MAX_NUMBER)
  }
}

/**
 * The words that a query may mean as one: some that follow each other, and groups of digits. `chunks`: the words of each part
 * of the query that has no space in it; `text`: the query.
 */
export const wholesOf = (chunks: ReadonlyArray<ReadonlyArray<string>>, text: string): ReadonlyArray<Whole> => {
  const groups: Array<ReadonlyArray<string>> = chunks.filter((chunk) => chunk.length > MAX_PARTS)
  // Text without spaces divides the words.
  const words = chunks.flatMap((chunk) => (chunk.length === 0 ? [""] : chunk))
  for (let from = 0; from < words.length; from++) {
    // "a side" is not "aside".
    if (words[from] === "a") continue
    for (let until = from + 2; until <= Math.min(from + MAX_PARTS, words.length); until++) {
      groups.push(words.slice(from, until))
    }
  }
  const wholes = groups
    .filter((parts) => !parts.includes(""))
    .map((parts) => ({ text: parts.join(""), parts }))
    .filter((whole) => whole.text.length >= MIN_LETTERS && whole.text.length <= MAX_LETTERS)
  const reader = new TokenReader(text)
  const numbers = new NumberGroups(text)
  reader.read(Infinity, () => {
    wholes.push(...numbers.next(reader))
  })
  return wholes
}

/** The ways to cut `length` characters into `count` pieces that all are something, as what they are. */
export function* cuts<A>(
  length: number,
  count: number,
  pieceAt: (from: number, until: number) => A | undefined,
  from = 0
): Generator<ReadonlyArray<A>> {
  for (let until = count === 1 ? length : from + 1; until <= length - count + 1; until++) {
    const piece = pieceAt(from, until)
    if (piece === undefined) continue
    if (count === 1) yield [piece]
    else for (const rest of cuts(length, count - 1, pieceAt, until)) yield [piece, ...rest]
  }
}

/** The ways to write a word apart of which each part is a word that some note has; those of the fewest parts first. */
export const apart = ({ vocabulary }: IndexStore, term: string): ReadonlyArray<Sequence> => {
  if (term.length < MIN_LETTERS || term.length > MAX_LETTERS || !/^[\p{L}\p{M}\p{N}]+$/u.test(term)) return []
  // Grouped numbers are terms of their own: of digits alone very many ways are known.
  if (/^\p{N}+$/u.test(term) && isGroupable(term)) return []
  const isWord = vocabulary.numberOf(term, Sort.word) !== undefined
  const known = new Map<number, string | undefined>()
  const partAt = (from: number, until: number): string | undefined => {
    const place = from * 64 + until
    if (!known.has(place)) {
      const part = term.slice(from, until)
      // A letter alone begins words such as "e-mail". "a side" is not "aside", nor is "cat's" a spelling of "cats".
      const isLong =
        part.length > 1 || isDigit(part.charCodeAt(0)) || (from === 0 ? part !== "a" && part !== "i" : !isWord)
      known.set(place, isLong && vocabulary.numberOf(part, Sort.word) !== undefined ? part : undefined)
    }
    return known.get(place)
  }
  return [2, 3, 4]
    .values()
    .flatMap((count) => cuts(term.length, count, partAt))
    .take(MAX_WAYS)
    .map((parts): Sequence => ({ kind: "sequence", terms: parts.map((part) => ({ term: part, link: "none" })) }))
    .toArray()
}

/** The ways to write a word of a script without spaces with some in it, as Korean has them; those with the fewest first. */
export const spaced = ({ vocabulary }: IndexStore, { terms }: Sequence): ReadonlyArray<Sequence> => {
  if (terms.length < 3 || terms.length > MAX_LETTERS || terms.slice(1).some(({ link }) => link !== "glued")) return []
  /** The characters that some note has without a space, and a space before them. */
  const wordAt = (from: number, until: number): Sequence["terms"] | undefined => {
    const [first, ...rest] = terms.slice(from, until)
    const isKnown = rest.every(
      ({ term }, place) => vocabulary.numberOf(terms[from + place]!.term + term, Sort.pair) !== undefined
    )
    return isKnown ? [from === 0 ? first! : { ...first!, link: "gap" }, ...rest] : undefined
  }
  const most = MAX_WORDS[terms.some(({ term }) => HANGUL.test(term)) ? "korean" : "other"]
  return [2, 3, 4]
    .values()
    .filter((count) => count <= most)
    .flatMap((count) => cuts(terms.length, count, wordAt))
    .take(MAX_SPACED)
    .map((words): Sequence => ({ kind: "sequence", terms: words.flat() }))
    .toArray()
}

/** The terms that follow each other in a note and are a number together. */
export const groupsIn = ({ positions, vocabulary }: IndexStore, note: number, number: string): Sequence | undefined => {
  let open: Array<{ readonly length: number; readonly terms: ReadonlyArray<string> }> = []
  let found: ReadonlyArray<string> | undefined
  let last = 0
  eachTerm(positions.of(note), (term, field) => {
    if (found !== undefined) return
    const text = vocabulary.termAt(term)
    open = [...(field === last ? open : []), { length: 0, terms: [] }]
      .filter(({ length }) => number.startsWith(text, length))
      .map(({ length, terms }) => ({ length: length + text.length, terms: [...terms, text] }))
    last = field
    found = open.find(({ length, terms }) => length === number.length && terms.length > 1)?.terms
  })
  return found && { kind: "sequence", terms: found.map((term) => ({ term, link: "none" })) }
}
