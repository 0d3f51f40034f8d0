import type { IndexStore } from "./IndexStore.ts"
import { isGroupable, NumberGroups } from "./NumberGroups.ts"
import { eachTerm } from "./TokenRows.ts"
import type { Sequence } from "./Query.ts"
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
/** Most spaces that a run of characters may have when it is written otherwise, and how many ways are tried. */
const MAX_SPACES = { korean: 3, other: 1 } as const
const MAX_SPACED = 24

const HANGUL = /^\p{sc=Hang}/u
const hasDigit = (text: string): boolean => /\p{N}/u.test(text)

/** Words of a query that notes may have as one. */
export interface Whole {
  readonly text: string
  readonly terms: ReadonlySet<string>
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
    .filter((terms) => !terms.includes(""))
    .map((terms) => ({ text: terms.join(""), terms: new Set(terms) }))
    .filter((whole) => whole.text.length >= MIN_LETTERS && whole.text.length <= MAX_LETTERS)
  const reader = new TokenReader(text)
  const numbers = new NumberGroups()
  numbers.begin(text)
  reader.read(Infinity, () => {
    for (const each of numbers.next(reader.codes, reader.length, reader.start, reader.end)) {
      wholes.push({ text: each.number, terms: new Set(each.groups) })
    }
  })
  return wholes
}

/** The ways to write a word apart of which each part is a word that some note has; those of the fewest parts first. */
export const apart = ({ vocabulary }: IndexStore, term: string): ReadonlyArray<Sequence> => {
  if (term.length < MIN_LETTERS || term.length > MAX_LETTERS || !/^[\p{L}\p{M}\p{N}]+$/u.test(term)) return []
  // Grouped numbers are terms of their own: of digits alone very many ways are known.
  if (/^\p{N}+$/u.test(term) && isGroupable(term)) return []
  const isKnown = vocabulary.numberOf(term, Sort.word) !== undefined
  const parts = new Map<number, boolean>()
  const isPart = (from: number, until: number): boolean => {
    const place = from * 64 + until
    let known = parts.get(place)
    if (known === undefined) {
      const text = term.slice(from, until)
      // A letter alone begins words such as "e-mail". "a side" is not "aside", nor is "cat's" a spelling of "cats".
      const isLong = until - from > 1 || hasDigit(text) || (from === 0 ? text !== "a" && text !== "i" : !isKnown)
      const number = isLong ? vocabulary.numberOf(text, Sort.word) : undefined
      known = number !== undefined && vocabulary.notesOf(number) > 0
      parts.set(place, known)
    }
    return known
  }
  const splits = new Map<number, boolean>()
  /** Whether the rest can be split into exactly `count` parts. */
  const isSplit = (from: number, count: number): boolean => {
    if (count === 1) return isPart(from, term.length)
    const place = from * 64 + count
    let known = splits.get(place)
    if (known === undefined) {
      known = false
      for (let until = from + 1; !known && until <= term.length - count + 1; until++) {
        known = isPart(from, until) && isSplit(until, count - 1)
      }
      splits.set(place, known)
    }
    return known
  }
  const ways: Array<ReadonlyArray<string>> = []
  const collect = (from: number, count: number, before: ReadonlyArray<string>): void => {
    if (ways.length === MAX_WAYS || !isSplit(from, count)) return
    if (count === 1) {
      ways.push([...before, term.slice(from)])
      return
    }
    for (let until = from + 1; until <= term.length - count + 1; until++) {
      if (isPart(from, until)) collect(until, count - 1, [...before, term.slice(from, until)])
    }
  }
  for (let count = 2; count <= MAX_PARTS; count++) collect(0, count, [])
  return ways.map((terms) => ({ kind: "sequence", terms: terms.map((term) => ({ term, link: "none" })) }))
}

/** The ways to write a word of a script without spaces with some in it, as Korean has them; those with the fewest first. */
export const spaced = ({ vocabulary }: IndexStore, { terms }: Sequence): ReadonlyArray<Sequence> => {
  if (terms.length < 3 || terms.length > MAX_LETTERS || terms.slice(1).some(({ link }) => link !== "glued")) return []
  /** Whether some note has a character right behind the one before it. */
  const isGlued = terms.map(
    ({ term }, place) => place > 0 && vocabulary.numberOf(terms[place - 1]!.term + term, Sort.pair) !== undefined
  )
  const ways: Array<Sequence> = []
  const collect = (from: number, left: number, spaces: ReadonlySet<number>): void => {
    if (ways.length === MAX_SPACED) return
    if (left === 0) {
      if (isGlued.includes(false, from)) return
      ways.push({
        kind: "sequence",
        terms: terms.map((each, place) => (spaces.has(place) ? { ...each, link: "gap" } : each))
      })
      return
    }
    for (let place = from; place < terms.length; place++) {
      collect(place + 1, left - 1, new Set([...spaces, place]))
      if (isGlued[place] === false) return
    }
  }
  const most = MAX_SPACES[terms.some(({ term }) => HANGUL.test(term)) ? "korean" : "other"]
  for (let count = 1; count <= most; count++) collect(1, count, new Set())
  return ways
}

/** The terms that follow each other in a note and are a number together. */
export const groupsIn = ({ positions, vocabulary }: IndexStore, note: number, number: string): Sequence | undefined => {
  let open: Array<{ readonly length: number; readonly terms: ReadonlyArray<string> }> = []
  let found: ReadonlyArray<string> | undefined
  eachTerm(positions.of(note), (term) => {
    if (found !== undefined) return
    const text = term < 0 ? "" : vocabulary.termAt(term)
    open = [...open, { length: 0, terms: [] }]
      .filter(({ length }) => text !== "" && number.startsWith(text, length))
      .map(({ length, terms }) => ({ length: length + text.length, terms: [...terms, text] }))
    found = open.find(({ length, terms }) => length === number.length && terms.length > 1)?.terms
  })
  return found && { kind: "sequence", terms: found.map((term) => ({ term, link: "none" })) }
}
