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

/** Compares titles with what was typed: a title that is typed means its note. */
export class TypedTitle {
  readonly #text: string
  /** Length of the longest title to which `rankOf` gives a rank, in UTF-16 code units. */
  readonly longest: number
  readonly #longest: number
  readonly #joined: string
  readonly #words: string
  readonly #hasSigns: boolean

  constructor(typed: string) {
    this.#text = textOf(typed)
    this.#longest = Math.min(MAX_TITLE, this.#text.length + MAX_MORE)
    this.#joined = joinedOf(this.#text)
    this.#words = wordsOf(this.#text)
    this.#hasSigns = /[^\p{L}\p{M}\p{N}\s]/u.test(this.#text)
    this.longest = this.#hasSigns ? MAX_TITLE : this.#longest
  }

  /** 3: the title was typed as it is. 2: it has the same words. 1: what was typed, with its signs, is a part of it. 0: none. */
  rankOf(title: string): 0 | 1 | 2 | 3 {
    if (title.length > this.longest) return 0
    const text = textOf(title)
    if (text === this.#text) return 3
    if (title.length <= this.#longest && (joinedOf(text) === this.#joined || wordsOf(text) === this.#words)) return 2
    return this.#hasSigns && text.includes(this.#text) ? 1 : 0
  }
}
