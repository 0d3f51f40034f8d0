import type { Budget, Sliced } from "../concurrency/Budget.ts"
import type { IndexStore } from "./IndexStore.ts"
import { compounding, type Language, stemOf, UMLAUTED, UNKNOWN } from "./Languages.ts"
import { eachBeginning, wordsAround, wordsBeginningWith, wordsEndingWith } from "./PartialWords.ts"
import type { Word } from "./Query.ts"
import { corrections } from "./Typos.ts"
import { contracted } from "./Fold.ts"
import { Sort, type Vocabulary } from "./Vocabulary.ts"

/** How a term of the vocabulary relates to the word that was asked for; a smaller one is a better match. */
export const Kind = { exact: 0, form: 1, part: 2, prefix: 3, typo: 4 } as const
export type Kind = (typeof Kind)[keyof typeof Kind]

/** A term that a word stands for. */
export interface Expanded {
  readonly term: number
  readonly kind: Kind
  /** 1, and less for a typing error the less likely it is. */
  readonly quality: number
  /** The languages of the notes in which it counts, as bits; -1: all. */
  readonly languages: number
}

/** A word in at least this number and this share of the notes is complete: it is not continued as a prefix. */
const COMMON = 500
const COMMON_SHARE = 0.2
/** Letters that a word has in common with its stem: all but the last one or, of a longer stem, two. */
const MIN_COMMON = 2
const LONG = 5
/** Steps of a stem. */
const STEM = 15
/** Minimum letters of a word that is a part of a compound, and of the rest of the compound. */
const MIN_PART = 4
const MIN_REST = 3
/** Letters of the last part of a compound of which the rest is unknown. */
const MIN_ENDING = 5
/** Most compounds of one word. */
const MAX_COMPOUNDS = 256

/** The terms that a word stands for but for typing errors, best kinds first; each once. */
export function* expand(store: IndexStore, word: Word, language: Language, budget: Budget): Sliced<Array<Expanded>> {
  const { vocabulary } = store
  const found: Array<Expanded> = []
  const seen = new Set<number>()
  const add = (term: number | undefined, kind: Kind, languages = -1) => {
    if (term === undefined || vocabulary.notesOf(term) === 0 || seen.has(term)) return
    seen.add(term)
    found.push({ term, kind, quality: 1, languages })
  }
  add(vocabulary.numberOf(word.term, Sort.word), Kind.exact)
  yield* formsOf(store, word.term, language, budget, add)
  add(vocabulary.numberOf(word.term, Sort.part), Kind.part)
  for (const whole of word.wholes ?? []) {
    add(vocabulary.numberOf(whole, Sort.word), Kind.exact)
    add(vocabulary.numberOf(whole, Sort.part), Kind.exact)
  }
  yield* compoundsWith(store, word.term, budget, add)
  let notes = 0
  for (const { kind, term } of found) if (kind <= Kind.form) notes += vocabulary.notesOf(term)
  const isTyped = word.prefix && notes < Math.max(COMMON, store.entries.size * COMMON_SHARE)
  if (isTyped) {
    for (const term of yield* wordsBeginningWith(vocabulary, word.term, budget)) add(term, Kind.prefix)
  }
  yield* withUmlauts(store, word, isTyped, language, budget, found.length === 0, add)
  if (found.length === 0) yield* compoundsEndingWith(store, word.term, budget, add)
  return found
}

/** Compounds of which the word is the last part, whatever stands before it. */
function* compoundsEndingWith(
  store: IndexStore,
  term: string,
  budget: Budget,
  add: (term: number, kind: Kind, languages: number) => void
): Sliced<void> {
  if (term.length < MIN_ENDING || !/^\p{L}+$/u.test(term)) return
  const isAnyKnown = store.entries.languages.keys().some((language) => language !== UNKNOWN)
  const languages = compoundingOf(store) | (isAnyKnown ? 0 : 1 << UNKNOWN)
  if (languages === 0) return
  for (const number of yield* wordsEndingWith(store.vocabulary, term, MIN_REST, budget)) {
    add(number, Kind.part, languages)
  }
}

/**
 * The words that a word spells otherwise by `ae`, `oe` and `ue` for umlauts, or by umlauts for these. Where the word itself is
 * known (`guest`), they only count in languages with umlauts (`Güst`).
 */
function* withUmlauts(
  store: IndexStore,
  word: Word,
  isTyped: boolean,
  language: Language,
  budget: Budget,
  isUnknown: boolean,
  add: (term: number | undefined, kind: Kind, languages?: number) => void
): Sliced<void> {
  const { vocabulary } = store
  const languages = isUnknown ? -1 : UMLAUTED | (1 << UNKNOWN)
  const spellings = contracted(word.term).map((term) => ({ term, languages }))
  if (word.speltOut !== undefined) spellings.push({ term: word.speltOut, languages: -1 })
  for (const { languages, term } of spellings) {
    add(vocabulary.numberOf(term, Sort.word), Kind.part, languages)
    yield* formsOf(store, term, language, budget, (number, _, own) => add(number, Kind.part, own & languages))
    if (!isTyped) continue
    for (const number of yield* wordsBeginningWith(vocabulary, term, budget)) add(number, Kind.prefix, languages)
  }
}

/** The inflected forms, by the language of each note; of notes of no known language by that of the query. */
function* formsOf(
  store: IndexStore,
  term: string,
  asked: Language,
  budget: Budget,
  add: (term: number, kind: Kind, languages: number) => void
): Sliced<void> {
  const { entries, vocabulary } = store
  const found = new Map<number, number>()
  for (const language of new Set([...entries.languages.keys(), asked])) {
    if (language === UNKNOWN) continue
    const stem = stemOf(term, language)
    const spoken = (1 << language) | (language === asked ? 1 << UNKNOWN : 0)
    // A stemmer may replace the end of a word.
    const common = stem.slice(0, Math.max(MIN_COMMON, stem.length - (stem.length > LONG ? 2 : 1)))
    let stems = 0
    yield* eachBeginning(vocabulary, common, budget, (number) => {
      const languages = vocabulary.languagesOf(number) & spoken
      if (languages === 0) return
      stems++
      if (stemOf(vocabulary.termAt(number), language) === stem) found.set(number, (found.get(number) ?? 0) | languages)
    })
    if (budget.spend(stems * STEM)) yield
  }
  // In an order that does not depend on when the terms came.
  const ordered = [...found].map(([number, mask]) => ({ number, mask, text: vocabulary.termAt(number) }))
  ordered.sort((a, b) => (a.text < b.text ? -1 : 1))
  for (const { mask, number } of ordered) add(number, Kind.form, mask)
}

/** What joins the parts of a compound in the languages that write it as one word. */
const joints = ["", "s", "es", "n", "en", "er", "e"]

const isKnown = (vocabulary: Vocabulary, term: string): boolean =>
  term.length >= MIN_REST && vocabulary.numberOf(term, Sort.word) !== undefined

const beforeJoint = (vocabulary: Vocabulary, head: string): boolean =>
  joints.some((joint) => head.endsWith(joint) && isKnown(vocabulary, head.slice(0, head.length - joint.length)))
const behindJoint = (vocabulary: Vocabulary, tail: string): boolean =>
  joints.some((joint) => tail.startsWith(joint) && isKnown(vocabulary, tail.slice(joint.length)))

/** Compounds of which the word is one part and the rest is known: `dampfschiff` for `schiff`. */
function* compoundsWith(
  store: IndexStore,
  term: string,
  budget: Budget,
  add: (term: number, kind: Kind, languages: number) => void
): Sliced<void> {
  if (term.length < MIN_PART || !/^\p{L}+$/u.test(term)) return
  const { entries, vocabulary } = store
  const writing = entries.languages.keys().reduce((bits, each) => bits | (compounding.has(each) ? 1 << each : 0), 0)
  if (writing === 0) return
  const found = new Map<string, { readonly number: number; readonly mask: number }>()
  for (const number of yield* wordsAround(vocabulary, term, MIN_REST, budget)) {
    const mask = vocabulary.languagesOf(number) & writing
    const text = vocabulary.termAt(number)
    if (mask === 0 || found.size >= MAX_COMPOUNDS) continue
    if (
      (text.startsWith(term) && behindJoint(vocabulary, text.slice(term.length))) ||
      (text.endsWith(term) && beforeJoint(vocabulary, text.slice(0, -term.length)))
    )
      found.set(text, { number, mask })
  }
  for (const [, { mask, number }] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) add(number, Kind.part, mask)
}

/** The terms that a misspelt word may stand for, likeliest first. */
export function* misspelt(store: IndexStore, word: Word, bySound: boolean, budget: Budget): Sliced<Array<Expanded>> {
  const found = yield* corrections(store.vocabulary, word.term, word.edits, bySound, budget)
  return found.map(({ cost, term }) => ({
    term,
    kind: Kind.typo,
    quality: 1 / (1.6 + Math.max(0, cost)),
    languages: -1
  }))
}

/** Languages of the notes that write compounds as one word, as bits; notes of no known language are of the commonest one. */
const compoundingOf = ({ entries, spoken }: IndexStore): number => {
  let all = compounding.has(spoken.most) ? 1 << UNKNOWN : 0
  for (const language of entries.languages.keys()) if (compounding.has(language)) all |= 1 << language
  return all
}

/**
 * The parts of a word that no note has as one: as they were typed (`camelCase`), or by the vocabulary, where its
 * languages write compounds (`kinder` and `buch`). Undefined where it has none.
 */
export const partsOf = (store: IndexStore, word: Word): ReadonlyArray<string> | undefined => {
  if (word.parts.length > 0) return word.parts
  const spoken = compoundingOf(store)
  if (spoken === 0) return undefined
  const { vocabulary } = store
  // What only notes of other languages have is no part: misspelt words could be cut into such.
  const isPart = (part: string): boolean => {
    const number = part.length >= MIN_REST ? vocabulary.numberOf(part, Sort.word) : undefined
    return number !== undefined && (vocabulary.languagesOf(number) & spoken) > 0
  }
  const { term } = word
  if (term.length < 2 * MIN_PART - 1 || term.length > 40 || !/^\p{L}+$/u.test(term)) return undefined
  // The fewest parts, from the longest first one on; three at most.
  const split = (rest: string, most: number): Array<string> | undefined => {
    if (rest.length >= MIN_PART && isPart(rest)) return [rest]
    if (most === 1) return undefined
    for (let end = rest.length - MIN_PART; end >= MIN_REST + 1; end--) {
      const head = rest.slice(0, end)
      const own = joints
        .map((joint) => (head.endsWith(joint) ? head.slice(0, end - joint.length) : ""))
        .find((each) => each.length >= MIN_REST + 1 && isPart(each))
      if (own === undefined) continue
      const others = split(rest.slice(end), most - 1)
      if (others !== undefined) return [own, ...others]
    }
    return undefined
  }
  const parts = split(term, 3)
  return parts === undefined || parts.length < 2 ? undefined : parts
}
