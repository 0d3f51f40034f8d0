import { type Language, languages } from "./Languages.ts"

/** So many words are kept at most, those of two generations together. */
const MOST = 2_048

/**
 * The hashes of stems of words that were asked for lately, in each language in which they were: a query is stemmed in all
 * languages of the notes, and the same words come again and again.
 */
export class AskedStems {
  readonly #hashOf: (term: string, language: Language) => number
  /** By word the languages that are known as bits, then the hash in each language. */
  #young = new Map<string, Int32Array>()
  #old = new Map<string, Int32Array>()

  constructor(hashOf: (term: string, language: Language) => number) {
    this.#hashOf = hashOf
  }

  hashOf(term: string, language: Language): number {
    const hashes = this.#of(term)
    if ((hashes[0]! & (1 << language)) === 0) {
      hashes[language] = this.#hashOf(term, language)
      hashes[0]! |= 1 << language
    }
    return hashes[language]!
  }

  #of(term: string): Int32Array {
    const young = this.#young.get(term)
    if (young !== undefined) return young
    const hashes = this.#old.get(term) ?? new Int32Array(languages.length + 1)
    if (this.#young.size >= MOST / 2) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(term, hashes)
    return hashes
  }
}
