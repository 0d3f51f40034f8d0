import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { HASH_SEED, hashStep } from "./Tokens.ts"
import { lettersOf, type Vocabulary } from "./Vocabulary.ts"

/** A term that may have been meant, and how unlikely that is: what the errors weigh. */
export interface Correction {
  readonly term: number
  readonly edits: number
  readonly cost: number
}

/** Number of terms that are looked through at a time. */
const CHUNK = 4_096
/** Steps of a comparison letter by letter; to pass over a term by its length and letters is a fortieth of one. */
const COMPARISON = 6
/** Most corrections of one word. */
const MAX_CORRECTIONS = 24

/** How many bits of a number are set. */
export const bitCount = (bits: number): number => {
  let n = bits - ((bits >>> 1) & 0x55555555)
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333)
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

const ROW = 72
const rows = [new Uint8Array(ROW), new Uint8Array(ROW), new Uint8Array(ROW)] as const

/**
 * Edits between two words: insertions, deletions, substitutions and swaps of neighbours (optimal string alignment), in
 * UTF-16 code units. Any number above `max` stands for "more than `max`".
 */
export const editsBetween = (
  a: ArrayLike<number>,
  aFrom: number,
  aLength: number,
  b: ArrayLike<number>,
  bFrom: number,
  bLength: number,
  max: number
): number => {
  // What both begin and end with costs nothing.
  while (aLength > 0 && bLength > 0 && a[aFrom] === b[bFrom]) {
    aFrom++
    bFrom++
    aLength--
    bLength--
  }
  while (aLength > 0 && bLength > 0 && a[aFrom + aLength - 1] === b[bFrom + bLength - 1]) {
    aLength--
    bLength--
  }
  if (Math.abs(aLength - bLength) > max) return max + 1
  if (aLength === 0) return bLength
  if (bLength === 0) return aLength
  let [beforeLast, last, row] = rows as readonly [Uint8Array, Uint8Array, Uint8Array]
  for (let j = 0; j <= bLength; j++) last[j] = j
  for (let i = 1; i <= aLength; i++) {
    row[0] = i
    let least = i
    const code = a[aFrom + i - 1]!
    const before = i > 1 ? a[aFrom + i - 2]! : -1
    for (let j = 1; j <= bLength; j++) {
      const other = b[bFrom + j - 1]!
      let edits = last[j - 1]! + (code === other ? 0 : 1)
      if (last[j]! + 1 < edits) edits = last[j]! + 1
      if (row[j - 1]! + 1 < edits) edits = row[j - 1]! + 1
      if (j > 1 && i > 1 && code === b[bFrom + j - 2] && before === other && beforeLast[j - 2]! + 1 < edits) {
        edits = beforeLast[j - 2]! + 1
      }
      row[j] = edits
      if (edits < least) least = edits
    }
    if (least > max) return max + 1
    const free = beforeLast
    beforeLast = last
    last = row
    row = free
  }
  return last[bLength]!
}

const isVowel = (code: number): boolean =>
  code === 97 || code === 101 || code === 105 || code === 111 || code === 117 || code === 121

/** Consonants that are written for each other, since they sound alike. */
const ALIKE = new Set<number>()
for (const group of ["ckqgx", "szcx", "dt", "bp", "fvw", "mn", "gj", "lr"]) {
  for (const one of group) for (const other of group) ALIKE.add((one.charCodeAt(0) << 8) | other.charCodeAt(0))
}

const substitution = (a: number, b: number): number =>
  isVowel(a) && isVowel(b) ? 0.6 : ALIKE.has((a << 8) | b) ? 0.7 : 1

/** What lacks or is too much: the second of a double letter is the commonest, then what is hardly heard. */
const gap = (codes: ArrayLike<number>, at: number, from: number, until: number): number => {
  const code = codes[at]!
  if ((at > from && codes[at - 1] === code) || (at + 1 < until && codes[at + 1] === code)) return 0.45
  if (isVowel(code)) return 0.8
  return code === 104 || code === 119 ? 0.75 : 1
}

const costs = Array.from({ length: 3 }, () => new Float64Array(ROW))

/** What the errors between two words weigh: those that people make often weigh less. The first letter is seldom wrong. */
export const costBetween = (
  a: ArrayLike<number>,
  aFrom: number,
  aLength: number,
  b: ArrayLike<number>,
  bFrom: number,
  bLength: number
): number => {
  let [beforeLast, last, row] = costs as [Float64Array, Float64Array, Float64Array]
  const aEnd = aFrom + aLength
  const bEnd = bFrom + bLength
  last[0] = 0
  for (let j = 1; j <= bLength; j++) last[j] = last[j - 1]! + gap(b, bFrom + j - 1, bFrom, bEnd)
  for (let i = 1; i <= aLength; i++) {
    const code = a[aFrom + i - 1]!
    const missing = gap(a, aFrom + i - 1, aFrom, aEnd)
    row[0] = last[0]! + missing
    for (let j = 1; j <= bLength; j++) {
      const other = b[bFrom + j - 1]!
      let cost = last[j - 1]! + (code === other ? 0 : substitution(code, other))
      cost = Math.min(cost, last[j]! + missing, row[j - 1]! + gap(b, bFrom + j - 1, bFrom, bEnd))
      if (i > 1 && j > 1 && code === b[bFrom + j - 2] && a[aFrom + i - 2] === other) {
        cost = Math.min(cost, beforeLast[j - 2]! + 0.6)
      }
      row[j] = cost
    }
    const free = beforeLast
    beforeLast = last
    last = row
    row = free
  }
  return last[bLength]! + (a[aFrom] === b[bFrom] ? 0 : 0.25)
}

/** How much a commoner term is likelier meant. */
const commonness = (notes: number): number => 0.06 * Math.log2(1 + notes)

/**
 * The terms that a misspelt word may stand for, likeliest first: those within `edits`, and with `bySound` also those that
 * sound like it and are not much further. With a budget that is spent, those found so far.
 */
export function* corrections(
  vocabulary: Vocabulary,
  word: string,
  edits: number,
  bySound: boolean,
  budget: Budget
): Sliced<Array<Correction>> {
  const asked = Uint16Array.from({ length: word.length }, (_, i) => word.charCodeAt(i))
  const wanted = lettersOf(asked, 0, asked.length)
  const sound = bySound ? soundOf(asked, 0, asked.length) : 0
  const { codes, notes, starts } = vocabulary.scan
  const found: Array<Correction> = []
  const reach = bySound ? edits + 2 : edits
  for (let length = Math.max(1, word.length - reach); length <= word.length + reach; length++) {
    const words = vocabulary.wordsOf(length)
    if (words === undefined) continue
    const { count, letters, numbers } = words
    for (let from = 0; from < count && !budget.isSpent; from += CHUNK) {
      const until = Math.min(from + CHUNK, count)
      let compared = 0
      for (let place = from; place < until; place++) {
        const isNear = bitCount(letters[place]! ^ wanted) <= 2 * edits
        if (!isNear && sound === 0) continue
        const number = numbers[place]!
        const start = starts[number]!
        const alike = sound !== 0 && soundOf(codes, start, start + length) === sound
        if ((!alike && !isNear) || notes[number] === 0) continue
        compared++
        const max = alike ? reach : edits
        const distance = editsBetween(asked, 0, asked.length, codes, start, length, max)
        if (distance === 0 || distance > max) continue
        let cost = costBetween(asked, 0, asked.length, codes, start, length)
        if (alike) cost *= 0.75
        found.push({ term: number, edits: distance, cost: cost - commonness(notes[number]!) })
      }
      if (budget.spend((until - from) / (sound === 0 ? 40 : 1) + compared * COMPARISON)) yield
    }
  }
  found.sort((a, b) => a.cost - b.cost || (vocabulary.termAt(a.term) < vocabulary.termAt(b.term) ? -1 : 1))
  return found.slice(0, MAX_CORRECTIONS)
}

/**
 * Classes of letters that sound alike in most languages of the Latin alphabet, by letter from `a`: vowels are 0, `h` and
 * `w`, which are often silent, 1.
 */
const CLASSES = [0, 2, 3, 4, 0, 2, 3, 1, 0, 3, 3, 5, 6, 6, 0, 2, 3, 7, 3, 4, 0, 2, 1, 3, 0, 3]

/**
 * A hash of how a word sounds: classes of consonants, each once in a row, and whether it begins with a vowel. Vowels inside
 * and silent letters don't count, so that `fonetik` and `phonetic` are the same. 0 for what cannot be said so.
 */
export const soundOf = (codes: ArrayLike<number>, from: number, until: number): number => {
  let hash = HASH_SEED
  let last = -1
  let count = 0
  for (let i = from; i < until; i++) {
    let code = codes[i]! - 97
    if (code < 0 || code > 25) return 0
    const next = i + 1 < until ? codes[i + 1]! - 97 : -1
    // ph as f; kn, gn, ps, pt, wr at the beginning as their second letter; gh before t is silent.
    if (i === from && ((code === 10 && next === 13) || (code === 6 && next === 13) || (code === 15 && next === 18)))
      continue
    if (code === 6 && next === 7 && i > from) {
      i++
      continue
    }
    let sound = CLASSES[code]!
    if (code === 19 && next === 8 && i + 2 < until && codes[i + 2] === 111) sound = 3 // tion as sion
    if (sound === 0) {
      if (i === from) {
        hash = hashStep(hash, 0)
        count++
      }
      last = 0
      continue
    }
    if (sound === 1) continue
    if (sound !== last) {
      hash = hashStep(hash, sound)
      count++
    }
    last = sound
  }
  return count < 2 ? 0 : hash
}
