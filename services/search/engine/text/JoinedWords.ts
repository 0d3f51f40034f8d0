import { TokenReader } from "./Tokenizer.ts"

/** Words and numbers that a text has in several parts and may mean as one: `Wi-Fi`, `030 123 4567`. */

/** Minimum and maximum letters of a word that may be written in parts, or of words that may be written as one. */
export const [MIN_LETTERS, MAX_LETTERS] = [4, 40]
/** Maximum number of parts of a word. */
const MAX_PARTS = 4

/** Characters of a number that is found in any grouping: a shorter number is too common, a longer one is data. */
const [MIN_NUMBER, MAX_NUMBER] = [7, 34]
/** Maximum number of groups of a number. */
const MAX_GROUPS = 10
/** The characters between two groups: `) `, ` / `, `-`. */
const BETWEEN = /^(?:[-./()*_ \u00a0\u2009\u2010-\u2013\u202f]{1,3}|[,'’])$/
/** The beginning of an IBAN. The groups after its first one may be letters. */
const IBAN = /^[a-z]{2}\d{2}/

export const isDigit = (code: number): boolean =>
  code < 0x80 ? code >= 0x30 && code <= 0x39 : /\p{Nd}/u.test(String.fromCharCode(code))

/** Whether a term is found in any grouping of its digits. */
export const isGroupable = (term: string): boolean =>
  term.length >= MIN_NUMBER && term.length <= MAX_NUMBER && (isDigit(term.charCodeAt(0)) || IBAN.test(term))

const none: ReadonlyArray<never> = []

/** A word or number that a text has in several parts. */
export interface Whole {
  readonly text: string
  readonly parts: ReadonlyArray<string>
}

/** Reads consecutive groups of digits in a text, such as those of a phone, card or account number. */
export class NumberGroups {
  readonly #text: string
  #groups: ReadonlyArray<string> = none
  /** The end of the last group. */
  #end = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Processes the token that a reader has read. Returns each number of several groups that ends with this token. */
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
 * The words that a query may mean as one: consecutive words, and groups of digits. `chunks`: the words of each part of
 * the query without spaces. `text`: the query.
 */
export const wholesOf = (chunks: ReadonlyArray<ReadonlyArray<string>>, text: string): ReadonlyArray<Whole> => {
  const groups: Array<ReadonlyArray<string>> = chunks.filter((chunk) => chunk.length > MAX_PARTS)
  // Text without spaces separates the words.
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
