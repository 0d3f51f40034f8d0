import { fold } from "../text/Folding.ts"

/** Maximum UTF-16 code units of a title that is compared. */
const MAX_TITLE = 200
/** Maximum UTF-16 code units by which a title with the same letters is longer than the typed text. */
const MAX_JOINTS = 12

const textOf = (text: string): string =>
  fold(text)
    .replace(/[.?!\s]+$/, "")
    .replace(/\s+/g, " ")
    .trim()

/** The text without the characters that join or separate words, which vary between spellings (`pre-compiled`). */
const joinedOf = (text: string): string => text.replace(/(?<=[\p{L}\p{N}])[-_.\s]+(?=[\p{L}\p{N}])/gu, "")

const SIGN = /[^\p{L}\p{M}\p{N}\s]/u
const LETTER = /[\p{L}\p{M}\p{N}]/u
/** Consecutive signs other than punctuation: `<<`, `++`, `/`. */
const OPERATORS = /[[^\p{L}\p{M}\p{N}\s]--[.,:;!?'"\(\)\[\]\-]]+/gv

/** Compares titles with the typed text: a title that is typed in full means its note. */
export class TypedTitle {
  /** Length of the longest title to which `rankOf` gives a rank, in UTF-16 code units. */
  readonly longest: number
  /** Whether any signs were typed. */
  readonly hasSigns: boolean
  readonly #text: string
  readonly #joined: string
  readonly #operators: ReadonlyArray<string>

  constructor(typed: string) {
    this.#text = textOf(typed)
    this.#joined = joinedOf(this.#text)
    this.#operators = this.#text.match(OPERATORS) ?? []
    this.hasSigns = SIGN.test(this.#text)
    this.longest = this.hasSigns ? MAX_TITLE : Math.min(MAX_TITLE, this.#text.length + MAX_JOINTS)
  }

  /**
   * The rank of a title. 3: equal to the typed text. 2: the same words, joined differently. 1: it has all words and
   * operators, or is a name with signs at the beginning of the query (`/std` of `/std:c++20`). 0: none of these.
   */
  rankOf(title: string, hasAllWords: boolean): 0 | 1 | 2 | 3 {
    const text = textOf(title)
    if (text === this.#text) return 3
    if (joinedOf(text) === this.#joined) return 2
    const operators = this.#operators
    const isLike = hasAllWords && operators.length > 0 && operators.every((each) => text.includes(each))
    return isLike || this.#isBegun(text) ? 1 : 0
  }

  #isBegun(text: string): boolean {
    const [name = ""] = text.split(" ", 1)
    const next = this.#text.charAt(name.length)
    return name.length < this.#text.length && SIGN.test(name) && this.#text.startsWith(name) && !LETTER.test(next)
  }
}
