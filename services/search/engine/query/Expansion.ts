import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import type { IndexStore } from "../index/IndexStore.ts"
import { COMPOUNDING, type Language, languagesIn, stemOf, UMLAUTED, UNKNOWN } from "../text/Languages.ts"
import type { Word } from "./Clauses.ts"
import { cuts } from "./Spellings.ts"
import { corrections, hasCodesAt, wordsBeginningWith } from "./SimilarWords.ts"
import { contracted } from "../text/Folding.ts"
import { prefixed } from "../text/ArabicPrefixes.ts"
import { otherZero } from "../text/JoinedWords.ts"
import { codesOf } from "../text/Tokenizer.ts"
import { Sort } from "../index/Vocabulary.ts"

/** How a term of the vocabulary matches a word of the query; a lower kind is a better match. */
export const Kind = { exact: 0, form: 1, part: 2, prefix: 3, typo: 4 } as const
export type Kind = (typeof Kind)[keyof typeof Kind]

/** A term that matches a word of the query. */
export interface Expanded {
  readonly term: number
  readonly kind: Kind
  /** 1; for a typing error less, the less likely it is. */
  readonly quality: number
  /** The languages of the notes in which the term counts, as bits; -1: all. */
  readonly languages: number
}

/** A word in at least this number and this share of the notes is complete: it is not expanded as a prefix. */
const COMMON = 500
const COMMON_SHARE = 0.2
/** A word shares all letters of its stem but the last (of a stem longer than `LONG`, two), at least `MIN_COMMON`. */
const MIN_COMMON = 2
const LONG = 5
/** Steps per stem. */
const STEM = 15
/** Minimum letters of a word that is part of a compound, and of the rest of the compound. */
const MIN_PART = 4
const MIN_REST = 3
/** Maximum letters of an ending by which the last part of a compound is longer than the word. */
const MAX_ENDING = 3
/** Minimum letters of the last part of a compound whose rest is unknown. */
const MIN_ENDING = 5

type Add = (term: number | undefined, kind: Kind, languages?: number) => void

/** The terms that match a word without typing errors, best kinds first. Each counts once in the notes of a language. */
export function* expand(store: IndexStore, word: Word, language: Language, budget: Budget): Sliced<Array<Expanded>> {
  const { vocabulary } = store
  const found: Array<Expanded> = []
  /** The languages in which each term counts already, as bits. */
  const counted = new Map<number, number>()
  const add: Add = (term, kind, languages = -1) => {
    if (term === undefined || vocabulary.notesOf(term) === 0) return
    const before = counted.get(term) ?? 0
    if ((languages & ~before) === 0) return
    counted.set(term, before | languages)
    found.push({ term, kind, quality: 1, languages: languages & ~before })
  }
  const addForms = function* (term: string, within: number): Sliced<void> {
    for (const [number, languages] of yield* formsOf(store, term, language, budget)) {
      add(number, Kind.form, languages & within)
    }
  }
  const addContinued = function* (term: string, languages: number): Sliced<void> {
    for (const number of yield* wordsBeginningWith(vocabulary, term, budget)) add(number, Kind.prefix, languages)
  }

  add(vocabulary.numberOf(word.term, Sort.word), Kind.exact)
  add(vocabulary.numberOf(word.term, Sort.joined), Kind.exact)
  for (const whole of word.wholes ?? []) {
    add(vocabulary.numberOf(whole, Sort.word), Kind.exact)
    add(vocabulary.numberOf(whole, Sort.part), Kind.exact)
    add(vocabulary.numberOf(whole, Sort.joined), Kind.exact)
  }
  for (const number of [word.term, ...(word.wholes ?? [])].flatMap(otherZero)) {
    add(vocabulary.numberOf(number, Sort.word), Kind.form)
    add(vocabulary.numberOf(number, Sort.joined), Kind.form)
  }
  // A known word (`guest`) has spellings with umlauts (`Güst`) only in languages with umlauts.
  const isUnknown = found.length === 0
  const umlauted = isUnknown ? -1 : UMLAUTED | (1 << UNKNOWN)
  const spellings = new Map(contracted(word.term).map((term) => [term, umlauted]))
  if (word.speltOut !== undefined) spellings.set(word.speltOut, -1)
  for (const [term, languages] of spellings) {
    add(vocabulary.numberOf(term, Sort.word), isUnknown ? Kind.exact : Kind.part, languages)
  }
  yield* addForms(word.term, -1)
  for (const form of prefixed(word.term)) add(vocabulary.numberOf(form, Sort.word), Kind.form)
  add(vocabulary.numberOf(word.term, Sort.part), Kind.part)
  yield* addCompounds(store, word.term, false, budget, add)
  let notes = 0
  for (const { kind, term } of found) if (kind <= Kind.form) notes += vocabulary.notesOf(term)
  const isTyped = word.prefix && notes < Math.max(COMMON, store.entries.size * COMMON_SHARE)
  if (isTyped) yield* addContinued(word.term, -1)
  for (const [term, languages] of spellings) {
    yield* addForms(term, languages)
    if (isTyped) yield* addContinued(term, languages)
  }
  if (found.length === 0) yield* addCompounds(store, word.term, true, budget, add)
  return found
}

/**
 * The inflected forms of a term, including itself, each with the languages of the notes in which it is a form, as bits.
 * Notes of no known language count as notes in the language of the query.
 */
function* formsOf(store: IndexStore, term: string, asked: Language, budget: Budget): Sliced<Map<number, number>> {
  const { entries, vocabulary } = store
  const all = [...new Set([...entries.languages.keys(), asked])].filter((language) => language !== UNKNOWN)
  const stems = all.map((language) => {
    const stem = stemOf(term, language)
    return {
      language,
      stem,
      mask: (1 << language) | (language === asked ? 1 << UNKNOWN : 0),
      // A stemmer may replace the end of a word.
      common: stem.slice(0, Math.max(MIN_COMMON, stem.length - (stem.length > LONG ? 2 : 1)))
    }
  })
  const common = term.slice(0, Math.min(...stems.map(({ common }) => common.length)))
  const forms = new Map<number, number>()
  yield* vocabulary.eachBeginning(codesOf(common), budget, (number) => {
    const languages = vocabulary.languagesOf(number)
    const text = vocabulary.termAt(number)
    for (const { common, language, mask, stem } of stems) {
      if ((languages & mask) === 0 || !text.startsWith(common)) continue
      budget.spend(STEM)
      if (stemOf(text, language) === stem) forms.set(number, (forms.get(number) ?? 0) | (languages & mask))
    }
  })
  return forms
}

/** Letters that join the parts of a compound. */
const joints = ["", "s", "n"]

/**
 * Adds compounds that contain a form of the word as a part and whose rest is a known word: `dampfschiffe` for `schiff`.
 * `withUnknown`: adds compounds that end with a form of the word, whatever their rest.
 */
function* addCompounds(store: IndexStore, term: string, withUnknown: boolean, budget: Budget, add: Add): Sliced<void> {
  if (term.length < (withUnknown ? MIN_ENDING : MIN_PART) || !/^\p{L}+$/u.test(term)) return
  const { vocabulary } = store
  const languages = compoundingOf(store) | (withUnknown ? 1 << UNKNOWN : 0)
  if (languages === 0) return
  const stems = stemsIn(term)
  // The stem of a misspelt word begins many other words.
  const shortest = stems.reduce(
    (one, { stem }) => (!withUnknown && term.startsWith(stem) && stem.length < one.length ? stem : one),
    term
  )
  const part = codesOf(shortest)
  const { codes } = vocabulary
  /** The candidates, each with the position of the word, from the end for the last part. */
  const around: Array<readonly [number: number, at: number]> = []
  yield* vocabulary.eachWord(part, { least: part.length + MIN_REST }, budget, (number, start, length) => {
    if ((vocabulary.languagesOf(number) & languages) === 0) return
    if (hasCodesAt(codes, start, part)) around.push([number, 0])
    const last = length - part.length
    for (let at = Math.max(MIN_REST, length - term.length - MAX_ENDING); at <= last; at++) {
      if (hasCodesAt(codes, start + at, part)) around.push([number, at])
    }
  })
  const isKnown = (rest: string): boolean =>
    rest.length >= MIN_REST && vocabulary.numberOf(rest, Sort.word) !== undefined
  const isForm = (text: string, own: number): boolean =>
    text === term ||
    stems.some(
      ({ language, stem }) => (own & ((1 << language) | (1 << UNKNOWN))) > 0 && stemOf(text, language) === stem
    )
  for (const [number, at] of around) {
    const text = vocabulary.termAt(number)
    const own = vocabulary.languagesOf(number) & languages
    const [head, tail] = [text.slice(0, at), text.slice(shortest.length)]
    if (budget.spend(STEM)) yield
    const isCompound =
      at === 0
        ? joints.some((joint) => tail.startsWith(joint) && isKnown(tail.slice(joint.length)))
        : isForm(text.slice(at), own) &&
          (withUnknown ||
            joints.some((joint) => head.endsWith(joint) && isKnown(head.slice(0, head.length - joint.length))))
    if (isCompound) add(number, Kind.part, own)
  }
}

/** The stems of a word in the languages that write compounds, if they are long enough to be a part of one. */
const stemsIn = (term: string): ReadonlyArray<{ readonly language: Language; readonly stem: string }> =>
  (term.length < MIN_PART ? [] : languagesIn(COMPOUNDING)).flatMap((language) => {
    const stem = stemOf(term, language)
    return stem.length < MIN_PART ? [] : [{ language, stem }]
  })

/** The terms that a misspelt word may mean, likeliest first. */
export function* misspelt(store: IndexStore, word: Word, budget: Budget): Sliced<Array<Expanded>> {
  const found = yield* corrections(store.vocabulary, word.term, word.edits, false, budget)
  return found.map(({ cost, term }) => ({
    term,
    kind: Kind.typo,
    quality: 1 / (1.6 + Math.max(0, cost)),
    languages: -1
  }))
}

/** Languages of the notes that write compounds as one word, as bits. Unknown languages count as the most common one. */
const compoundingOf = ({ languagesOfNotes: { all, most } }: IndexStore): number =>
  (all & COMPOUNDING) | ((COMPOUNDING & (1 << most)) > 0 ? 1 << UNKNOWN : 0)

/**
 * The parts of a word: as typed (`camelCase`), or by the vocabulary if its languages write compounds (`kinder` and
 * `buch`). Undefined when it has none.
 */
export const partsOf = (store: IndexStore, word: Word): ReadonlyArray<string> | undefined => {
  if (word.parts.length > 0) return word.parts
  const compounding = compoundingOf(store)
  if (compounding === 0) return undefined
  const { term } = word
  if (term.length < 2 * MIN_PART - 1 || term.length > 40 || !/^\p{L}+$/u.test(term)) return undefined
  // A word that only notes of other languages have is no part: misspelt words could be cut into such words.
  const isPart = (part: string): boolean => {
    const number = part.length >= MIN_PART ? store.vocabulary.numberOf(part, Sort.word) : undefined
    return number !== undefined && (store.vocabulary.languagesOf(number) & compounding) > 0
  }
  const endings = new Map<number, string | undefined>()
  const partAt = (from: number, until: number): string | undefined => {
    const piece = term.slice(from, until)
    if (until === term.length) {
      if (!endings.has(from)) endings.set(from, [piece, ...stemsIn(piece).map(({ stem }) => stem)].find(isPart))
      return endings.get(from)
    }
    return joints
      .filter((joint) => piece.endsWith(joint))
      .map((joint) => piece.slice(0, piece.length - joint.length))
      .find(isPart)
  }
  const [fewest] = [2, 3]
    .values()
    .flatMap((count) => cuts(term.length, count, partAt))
    .take(1)
  return fewest
}
