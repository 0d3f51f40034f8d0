import type { IndexStore } from "./IndexStore.ts"
import type { Sequence } from "./Query.ts"
import { Sort } from "./Vocabulary.ts"

/**
 * Spellings of one word or number: as one (`wifi`, `0301234567`), with signs or markup between (`Wi-Fi`, `un**believ**able`),
 * or in groups (`030 123 4567`).
 */

/** Letters of a word that may be written apart, or of words that may be written as one. */
const [MIN_LETTERS, MAX_LETTERS] = [4, 40]
/** Most parts of a word, and of a number, which may be written in groups of four, such as an IBAN. */
const MAX_PARTS = { word: 3, number: 10 } as const
/** Maximum number of ways to split a word that are tried. */
const MAX_WAYS = 8

const hasDigit = (text: string): boolean => /\p{N}/u.test(text)

/** Words of a query that notes may have as one. */
export interface Whole {
  readonly text: string
  readonly terms: ReadonlySet<string>
}

/**
 * The words that a query may mean as one: those that were typed without a space between, groups of digits that follow each
 * other, and in a short query two words. `chunks`: the words of each part of the query that has no space in it.
 */
export const wholesOf = (chunks: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Whole> => {
  const groups = chunks.filter((chunk) => chunk.length > 1)
  let run: Array<ReadonlyArray<string>> = []
  for (const chunk of [...chunks, []]) {
    if (chunk.length > 0 && chunk.every(hasDigit)) run.push(chunk)
    else {
      if (run.length > 1) groups.push(run.flat())
      run = []
    }
  }
  if (chunks.length <= MAX_PARTS.word) {
    for (const [index, [one, ...more]] of chunks.entries()) {
      const [other, ...others] = chunks[index + 1] ?? []
      if (one === undefined || other === undefined || more.length + others.length > 0) continue
      groups.push([one, other])
    }
  }
  return groups
    .map((terms) => ({ text: terms.join(""), terms: new Set(terms) }))
    .filter(({ text }) => text.length >= MIN_LETTERS && text.length <= MAX_LETTERS)
}

/** The ways to write a word apart of which each part is a word that some note has; those of the fewest parts first. */
export const apart = ({ vocabulary }: IndexStore, term: string): ReadonlyArray<Sequence> => {
  if (term.length < MIN_LETTERS || term.length > MAX_LETTERS || !/^[\p{L}\p{M}\p{N}]+$/u.test(term)) return []
  const isNumber = hasDigit(term)
  const parts = new Map<number, boolean>()
  const isPart = (from: number, until: number): boolean => {
    const place = from * 64 + until
    let known = parts.get(place)
    if (known === undefined) {
      const text = term.slice(from, until)
      // A letter alone begins words such as "e-mail". "a side" is not "aside".
      const isLong = until - from > 1 || hasDigit(text) || (from === 0 && text !== "a" && text !== "i")
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
  for (let count = 2; count <= MAX_PARTS[isNumber ? "number" : "word"]; count++) collect(0, count, [])
  return ways.map((terms) => ({ kind: "sequence", terms: terms.map((term) => ({ term, link: "none" })) }))
}

/** The ways to write a word of a script without spaces with one space in it, as Korean has them. */
export const spaced = ({ terms }: Sequence): ReadonlyArray<Sequence> =>
  terms.length < 3 || terms.length > MAX_LETTERS || terms.slice(1).some(({ link }) => link !== "glued")
    ? []
    : terms.slice(1).map((_, place) => ({
        kind: "sequence",
        terms: terms.map((each, index) => (index === place + 1 ? { ...each, link: "gap" } : each))
      }))
