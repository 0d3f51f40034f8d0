import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { grown } from "./Columns.ts"
import { type Language, UNKNOWN } from "./Languages.ts"
import { Stems } from "./Stems.ts"
import { Sort, type Vocabulary } from "./Vocabulary.ts"

/** A language in which a term occurs, with the hash of its stem. */
export interface Inflected {
  readonly term: number
  readonly language: Language
  readonly hash: number
}

/** The languages in which the terms of an index occur, and their inflected forms by language. */
export class TermLanguages {
  readonly forms = new Map<Language, Stems>()
  readonly #vocabulary: Vocabulary
  /** The languages of the notes with a term, as bits; bit 0: notes of no known language. */
  #languagesOf = new Uint16Array(1024)
  /** The languages whose `forms` contain the term. */
  #formsOf = new Uint16Array(1024)
  /** Terms of notes of no known language, in the order in which `forms` takes them in. */
  #unclear: Array<number> = []
  readonly #unclearTaken = new Map<Language, number>()
  #inflected: Array<Inflected> = []

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** Bytes of memory, approximately. */
  get bytes(): number {
    let all = this.#languagesOf.length * 4 + this.#unclear.length * 8
    for (const forms of this.forms.values()) all += forms.bytes
    return all
  }

  /** In which languages a term occurs, as bits. */
  of(term: number): number {
    return this.#languagesOf[term]!
  }

  /** Forgets terms that no note contains. */
  tidy(): void {
    const isLive = (term: number) => this.#vocabulary.notesOf(term) > 0
    this.#unclear = this.#unclear.filter(isLive)
    this.#inflected = this.#inflected.filter(({ term }) => isLive(term))
    for (const forms of this.forms.values()) forms.keep(isLive)
    for (let term = 0; term < this.#vocabulary.size; term++) {
      if (isLive(term)) continue
      this.#languagesOf[term] = 0
      this.#formsOf[term] = 0
    }
    // Terms before a place have moved: which of them are taken is known by `#formsOf`.
    this.#unclearTaken.clear()
  }

  /** Adds a language of a term that was saved. */
  restore(term: number, language: Language, hash: number): void {
    this.#reserveTerms(term + 1)
    this.#languagesOf[term]! |= 1 << language
    if (language === UNKNOWN) this.#unclear.push(term)
    else {
      this.#formsOf[term]! |= 1 << language
      this.#formsIn(language).restore(term, hash)
    }
  }

  /** Languages of terms that were added since the last call. */
  takeAdded(): ReadonlyArray<Inflected> {
    const all = this.#inflected
    this.#inflected = []
    return all
  }

  /** The languages of all terms. */
  *all(): Generator<Inflected> {
    for (const term of this.#unclear) yield { term, language: UNKNOWN, hash: 0 }
    for (const [language, forms] of this.forms) {
      for (const { hash, term } of forms.all()) {
        // Terms that are only taken for the language are left out.
        if ((this.#languagesOf[term]! & (1 << language)) > 0) yield { term, language, hash }
      }
    }
  }

  /**
   * The forms of a language with the terms of notes of which the language is not known: these count as terms of the
   * language that is searched in.
   */
  *formsOf(language: Language, withUnclear: boolean, budget: Budget): Sliced<Stems | undefined> {
    if (!withUnclear) return this.forms.get(language)
    const forms = this.#formsIn(language)
    for (let taken = this.#unclearTaken.get(language) ?? 0; taken < this.#unclear.length && !budget.isSpent;) {
      const term = this.#unclear[taken++]!
      this.#unclearTaken.set(language, taken)
      if ((this.#formsOf[term]! & (1 << language)) > 0) continue
      this.#formsOf[term]! |= 1 << language
      forms.add(term, this.#vocabulary.termAt(term))
      if (budget.spend(20)) yield
    }
    return forms
  }

  #formsIn(language: Language): Stems {
    let forms = this.forms.get(language)
    if (forms === undefined) this.forms.set(language, (forms = new Stems(language)))
    return forms
  }

  #reserveTerms(size: number): void {
    this.#languagesOf = grown(this.#languagesOf, size)
    this.#formsOf = grown(this.#formsOf, size)
  }

  /** Adds the terms of a note. */
  add(terms: ReadonlyArray<number>, language: Language): void {
    const bit = 1 << language
    this.#reserveTerms(this.#vocabulary.size)
    for (const term of terms) {
      if ((this.#languagesOf[term]! & bit) > 0 || this.#vocabulary.sortOf(term) !== Sort.word) continue
      this.#languagesOf[term]! |= bit
      if (language === UNKNOWN) {
        this.#unclear.push(term)
        this.#inflected.push({ term, language, hash: 0 })
        continue
      }
      const forms = this.#formsIn(language)
      const text = this.#vocabulary.termAt(term)
      const hash = (this.#formsOf[term]! & bit) > 0 ? forms.hashOf(text) : forms.add(term, text)
      this.#formsOf[term]! |= bit
      this.#inflected.push({ term, language, hash })
    }
  }
}
