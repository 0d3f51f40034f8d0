import { MAX_TERM } from "./Folding.ts"
import { TokenReader } from "./Tokenizer.ts"

/** Words and numbers that a text has in several parts and may mean as one: `Wi-Fi`, `030 123 4567`, `U.S.A.`. */

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

const DOT = 0x2e

export const isDigit = (code: number): boolean =>
  code < 0x80 ? code >= 0x30 && code <= 0x39 : /\p{Nd}/u.test(String.fromCharCode(code))

/** Whether a term is found in any grouping of its digits. */
export const isGroupable = (term: string): boolean =>
  term.length >= MIN_NUMBER && term.length <= MAX_NUMBER && (isDigit(term.charCodeAt(0)) || IBAN.test(term))

/** A number without its leading 0, or with one: after a country code it has none (`0711 …`, `+49 711 …`). */
export const otherZero = (number: string): ReadonlyArray<string> => {
  if (!/^\d+$/.test(number) || !isGroupable(number)) return []
  const other = number.startsWith("0") ? number.slice(1) : `0${number}`
  return isGroupable(other) && !other.startsWith("00") ? [other] : []
}

/** The characters that may begin a joint. */
const JOINTS = new Set([..."_*~=`<[]!."].map((character) => character.charCodeAt(0)))
/**
 * What joins a part of a word to the next one: `_` of identifiers, marks of Markdown and HTML, the beginning of a link, or
 * its end with its target.
 */
const JOINT =
  /(?:_{1,3}|\*{1,3}|~~|==|`|<\/?(?:a|b|code|del|em|font|i|ins|kbd|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]{0,200})?>|!?\[\[(?:[^[\]|\n]{1,200}\|)?|\]\]|\[(?=[^[\]\n]{1,200}\]\()|\]\([^()\s]{0,500}\)){1,3}(?=[\p{L}\p{N}])/uy
/** The dot between two letters of an abbreviation: `e.g.`, `U.S.A.`, `z. B.`. */
const ABBREVIATED = /\.(?:[ \u00a0\u202f](?=\p{L}\.)|(?=\p{L}(?![\p{L}\p{N}])))/uy
const ABBREVIATION =
  /(?<![\p{L}\p{M}\p{N}.:"“_@/\\-])\p{L}(?:\.\p{L}(?![\p{L}\p{M}\p{N}])|\.[ \u00a0\u202f]\p{L}(?=\.))+\.?|"[^"]*"|“[^“]*“/gu

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

/** Reads the words of a text that are in parts without a space: `get_user`, `doc**umen**tation`, `U.S.A.`. */
export class WordParts {
  readonly #text: string
  #joined = ""
  /** The beginning of the word. */
  start = 0
  /** The beginning of the next part of the word. Tokens before it belong to the target of a link. */
  #next = -1

  constructor(text: string) {
    this.#text = text
  }

  /** Processes the token that a reader has read. Returns the word of several parts that ends with this token. */
  next(reader: TokenReader): string | undefined {
    const { end, length, start } = reader
    if (start < this.#next) return undefined
    const isPart = start === this.#next && !reader.unspaced
    this.#next = -1
    const code = this.#text.charCodeAt(end)
    if (JOINTS.has(code) && !reader.unspaced) {
      const joint = code !== DOT ? JOINT : length === 1 && !isDigit(reader.codes[0]!) ? ABBREVIATED : undefined
      if (joint !== undefined) {
        joint.lastIndex = end
        if (joint.test(this.#text)) this.#next = joint.lastIndex
      }
    }
    if (!isPart) {
      this.#joined = ""
      this.start = start
    }
    if (isPart || this.#next >= 0) this.#joined += reader.term
    return isPart && this.#next < 0 && this.#joined.length <= MAX_TERM ? this.#joined : undefined
  }
}

/** A query with its abbreviations as words (`usa` for `U.S.A.`), except in phrases. */
export const withoutDots = (query: string): string =>
  query.replace(ABBREVIATION, (found) => (/^["“]/.test(found) ? found : found.replace(/[^\p{L}]/gu, "").toLowerCase()))

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
