import { fold } from "./Fold.ts"
import { functionMask } from "./Languages.ts"
import { tokenize } from "./Tokens.ts"

/** Longest title that is compared, in UTF-16 code units. */
const MAX_TITLE = 200
/** UTF-16 code units that function words may add to the same words. */
const MAX_MORE = 12

const textOf = (text: string): string =>
  fold(text)
    .replace(/[.?!\s]+$/, "")
    .replace(/\s+/g, " ")
    .trim()

/** The text without what joins or separates words, which is written in several ways (`pre-compiled`). */
const joinedOf = (text: string): string => text.replace(/(?<=[\p{L}\p{N}])[-_.\s]+(?=[\p{L}\p{N}])/gu, "")

/** The words that say something, in no order. */
const wordsOf = (text: string): string => {
  const terms = tokenize(text).map(({ term }) => term)
  const telling = terms.filter((term) => functionMask(term) === 0)
  return (telling.length > 0 ? telling : terms).sort().join(" ")
}

const SIGN = /[^\p{L}\p{M}\p{N}\s]/u
const LETTER = /[\p{L}\p{M}\p{N}]/u
/** Signs that are no punctuation, as they stand together: `<<`, `++`, `/`. */
const OPERATORS = /[[^\p{L}\p{M}\p{N}\s]--[.,:;!?'"\(\)\[\]\-]]+/gv

/** Compares titles with what was typed: a title that is typed means its note. */
export class TypedTitle {
  /** Length of the longest title to which `rankOf` gives a rank, in UTF-16 code units. */
  readonly longest: number
  readonly #text: string
  /** Length of the longest title that can have the same words. */
  readonly #longestSame: number
  readonly #joined: string
  readonly #words: string
  readonly #operators: ReadonlyArray<string>
  /** Whether signs of any kind were typed. */
  readonly hasSigns: boolean

  constructor(typed: string) {
    this.#text = textOf(typed)
    this.#longestSame = Math.min(MAX_TITLE, this.#text.length + MAX_MORE)
    this.#joined = joinedOf(this.#text)
    this.#words = wordsOf(this.#text)
    this.#operators = this.#text.match(OPERATORS) ?? []
    this.hasSigns = SIGN.test(this.#text)
    this.longest = this.hasSigns ? MAX_TITLE : this.#longestSame
  }

  /**
   * The rank of a title with all words of the query. 4: it was typed as it is. 3: it has the same words and operators. 2: what
   * was typed, with its signs, is a part of it. 1: it has the same operators. 0: none of these.
   */
  rankOf(title: string): 0 | 1 | 2 | 3 | 4 {
    if (title.length > this.longest) return 0
    const text = textOf(title)
    if (text === this.#text) return 4
    const hasOperators = this.#operators.every((each) => text.includes(each))
    if (title.length <= this.#longestSame) {
      if (joinedOf(text) === this.#joined || (hasOperators && wordsOf(text) === this.#words)) return 3
    }
    if (this.hasSigns && text.includes(this.#text)) return 2
    return hasOperators && this.#operators.length > 0 ? 1 : 0
  }

  /** Whether a title begins with a name with signs with which the query begins, as `/std` of `/std:c++20`. */
  isBegun(title: string): boolean {
    const [name = ""] = textOf(title).split(" ", 1)
    const next = this.#text.charAt(name.length)
    return name.length < this.#text.length && SIGN.test(name) && this.#text.startsWith(name) && !LETTER.test(next)
  }
}
