import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { MAX_TERM } from "../text/Folding.ts"
import { best, byText } from "./Comparators.ts"
import { codesOf } from "../text/Tokenizer.ts"
import type { Vocabulary } from "../index/Vocabulary.ts"
import type { Near } from "../index/WordList.ts"

/** Maximum number of words that match a part of a word; of more, the most common ones. */
const MAX_WORDS = 1_000
/** Maximum number of corrections of a word. */
const MAX_CORRECTIONS = 24

/** Whether the codes at a position equal a part of a word. */
export const hasCodesAt = (codes: Uint16Array, at: number, part: Uint16Array): boolean => {
  for (let i = 0; i < part.length; i++) if (codes[at + i] !== part[i]) return false
  return true
}

/** The most common words, if there are very many. */
const commonest = (vocabulary: Vocabulary, words: Array<number>): Array<number> =>
  words.length <= MAX_WORDS
    ? words
    : best(
        words,
        MAX_WORDS,
        (a, b) => vocabulary.notesOf(b) - vocabulary.notesOf(a) || byText(vocabulary.termAt(a), vocabulary.termAt(b))
      )

/** The words that may be similar to a part of a word, and that fit. */
function* wordsThat(
  vocabulary: Vocabulary,
  part: Uint16Array,
  near: Near,
  budget: Budget,
  fits: (codes: Uint16Array, start: number, length: number) => boolean
): Sliced<Array<number>> {
  const { codes } = vocabulary
  const found: Array<number> = []
  yield* vocabulary.eachWord(part, near, budget, (number, start, length) => {
    if (fits(codes, start, length)) found.push(number)
  })
  return commonest(vocabulary, found)
}

/** Longer words that begin with a prefix. */
export function* wordsBeginningWith(vocabulary: Vocabulary, prefix: string, budget: Budget): Sliced<Array<number>> {
  const found: Array<number> = []
  yield* vocabulary.eachBeginning(codesOf(prefix), budget, (number, length) => {
    if (length > prefix.length) found.push(number)
  })
  return commonest(vocabulary, found)
}

/** Words that contain a text. */
export const wordsContaining = (vocabulary: Vocabulary, text: string, budget: Budget) => {
  const part = codesOf(text)
  return wordsThat(vocabulary, part, { least: part.length }, budget, (codes, start, length) => {
    for (let at = start; at <= start + length - part.length; at++) if (hasCodesAt(codes, at, part)) return true
    return false
  })
}

/** Words that begin with a prefix, with at most `edits` typing errors. */
export const wordsBeginningNear = (vocabulary: Vocabulary, prefix: string, edits: number, budget: Budget) => {
  const part = codesOf(prefix)
  return wordsThat(vocabulary, part, { least: part.length - edits, missing: edits }, budget, (codes, start, length) =>
    beginsNear(codes, start, length, part, edits)
  )
}

/** Whether a word begins with a prefix, with at most `edits` typing errors. */
export const beginsNear = (
  codes: Uint16Array,
  start: number,
  length: number,
  prefix: Uint16Array,
  edits: number
): boolean => {
  const most = Math.min(length, prefix.length + edits)
  const distances = distancesBetween(prefix, codes, start, most, edits)
  if (distances === undefined) return false
  for (let own = Math.max(0, prefix.length - edits); own <= most; own++) if (distances[own]! <= edits) return true
  return false
}

const rows = Array.from({ length: 3 }, () => new Uint8Array(MAX_TERM + 8))

/**
 * The edit distances (optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, in UTF-16
 * code units) between a word and the beginnings of other codes, by the length of the beginning. Distances up to `max`
 * are exact; lengths that differ by more than `max` have none. Undefined if all distances are above `max`.
 */
const distancesBetween = (
  word: Uint16Array,
  codes: Uint16Array,
  start: number,
  length: number,
  max: number
): Uint8Array | undefined => {
  let [beforeLast, last, row] = rows as [Uint8Array, Uint8Array, Uint8Array]
  for (let j = 0; j <= Math.min(length, max + 1); j++) last[j] = j
  for (let i = 1; i <= word.length; i++) {
    const code = word[i - 1]!
    const from = Math.max(1, i - max)
    const until = Math.min(length, i + max)
    // The neighbours outside of the diagonal band are too far.
    let least = (row[from - 1] = from === 1 ? i : max + 1)
    for (let j = from; j <= until; j++) {
      const other = codes[start + j - 1]!
      let edits = Math.min(last[j - 1]! + (code === other ? 0 : 1), last[j]! + 1, row[j - 1]! + 1)
      const isSwap = i > 1 && j > 1 && code === codes[start + j - 2] && word[i - 2] === other
      if (isSwap) edits = Math.min(edits, beforeLast[j - 2]! + 1)
      row[j] = edits
      least = Math.min(least, edits)
    }
    row[until + 1] = max + 1
    if (least > max) return undefined
    ;[beforeLast, last, row] = [last, row, beforeLast]
  }
  return last
}

/** The edit distance between a word and other codes; Infinity above `max`. */
const editsBetween = (word: Uint16Array, codes: Uint16Array, start: number, length: number, max: number): number => {
  if (Math.abs(word.length - length) > max) return Infinity
  const edits = distancesBetween(word, codes, start, length, max)?.[length] ?? Infinity
  return edits > max ? Infinity : edits
}

/** A term that may be meant. The lower its cost, the likelier it is. */
export interface Correction {
  readonly term: number
  readonly cost: number
}

/**
 * The terms that a misspelt word may mean, likeliest first: those within `edits` and, with `bySound`, those that sound
 * alike and are not much further. When the budget is spent, those found so far.
 */
export function* corrections(
  vocabulary: Vocabulary,
  word: string,
  edits: number,
  bySound: boolean,
  budget: Budget
): Sliced<Array<Correction>> {
  const asked = codesOf(word)
  const { codes } = vocabulary
  const sound = bySound ? soundOf(asked, 0, asked.length) : 0
  const costs = new Map<number, number>()
  const near = (reach: number) => ({ least: word.length - reach, most: word.length + reach })
  const visit = (max: number, share: number) => (term: number, start: number, length: number) => {
    const distance = editsBetween(asked, codes, start, length, max)
    // A more common term is likelier.
    if (distance > 0 && distance <= max)
      costs.set(term, share * distance - 0.06 * Math.log2(1 + vocabulary.notesOf(term)))
  }
  yield* vocabulary.eachWord(asked, { ...near(edits), missing: edits, others: edits }, budget, visit(edits, 1))
  if (sound !== 0) {
    const visitAlike = visit(edits + 2, 0.75)
    const alike = { ...near(edits + 2), missing: 32, among: lettersLike(asked) }
    yield* vocabulary.eachWord(asked, alike, budget, (term, start, length) => {
      if (soundOf(codes, start, start + length) === sound) visitAlike(term, start, length)
    })
  }
  return Array.from(costs, ([term, cost]) => ({ term, cost }))
    .sort((a, b) => a.cost - b.cost || byText(vocabulary.termAt(a.term), vocabulary.termAt(b.term)))
    .slice(0, MAX_CORRECTIONS)
}

/**
 * Classes of letters that sound alike in most languages with the Latin alphabet, by letter from `a`. Vowels are 0; `h`
 * and `w`, which are often silent, are 1.
 */
const CLASSES = Uint8Array.of(0, 2, 3, 4, 0, 2, 3, 1, 0, 3, 3, 5, 6, 6, 0, 2, 3, 7, 3, 4, 0, 2, 1, 3, 0, 3)
const [VOWEL, SILENT] = [0, 1]

/** The letters of which words consist that sound like a word, as bits of their codes: see `Near`. */
const lettersLike = (codes: Uint16Array): number => {
  const own = new Set([VOWEL, SILENT, ...Array.from(codes, (code) => CLASSES[code - 97])])
  return CLASSES.reduce((bits, each, letter) => (own.has(each) ? bits | (1 << ((letter + 97) & 31)) : bits), 0)
}

/**
 * The sound of a word as a number: its classes of consonants without repetitions, and whether it begins with a vowel.
 * Other vowels and silent letters are ignored, so that `fonetik` and `phonetic` are equal. 0 for a word with fewer than
 * two sounds, or with other letters.
 */
const soundOf = (codes: ArrayLike<number>, from: number, until: number): number => {
  let sounds = 0
  let last = -1
  for (let i = from; i < until; i++) {
    const own = CLASSES[codes[i]! - 97]
    if (own === undefined) return 0
    if (own === SILENT || (own === VOWEL && i > from)) {
      if (own === VOWEL) last = -1
      continue
    }
    if (own !== last) sounds = (Math.imul(sounds, 9) + own + 1) | 0
    last = own
  }
  return sounds < 10 ? 0 : sounds
}
