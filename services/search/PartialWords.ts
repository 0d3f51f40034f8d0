import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { best } from "./Order.ts"
import { MAX_TERM } from "./Fold.ts"
import { codesOf } from "./Tokens.ts"
import { bitCount, editsBetween } from "./Typos.ts"
import { lettersOf, Sort, type Vocabulary } from "./Vocabulary.ts"

/** Number of terms that are looked through at a time. */
const CHUNK = 8_192
/** Most words that a part of a word stands for; of more, those that most notes have. */
const MAX_WORDS = 1_000
/** Steps of a comparison letter by letter. */
const COMPARISON = 6

/** Whether the codes from a place on are those of a part of a word. */
export const holds = (codes: Uint16Array, at: number, part: Uint16Array): boolean => {
  for (let i = 0; i < part.length; i++) if (codes[at + i] !== part[i]) return false
  return true
}

/** Of very many words those that most notes have, equals in the order of their codes. */
const commonest = (vocabulary: Vocabulary, words: Array<number>): Array<number> => {
  if (words.length <= MAX_WORDS) return words
  const { codes, notes } = vocabulary.scan
  return best(words, MAX_WORDS, (a, b) => {
    if (notes[a] !== notes[b]) return notes[b]! - notes[a]!
    const [one, other] = [vocabulary.startOf(a), vocabulary.startOf(b)]
    const [length, otherLength] = [vocabulary.lengthOf(a), vocabulary.lengthOf(b)]
    for (let i = 0; i < Math.min(length, otherLength); i++) {
      if (codes[one + i] !== codes[other + i]) return codes[one + i]! - codes[other + i]!
    }
    return length - otherLength
  })
}

/** Visits the words that begin with a prefix, itself among them. */
export function* eachBeginning(
  vocabulary: Vocabulary,
  prefix: string,
  budget: Budget,
  visit: (number: number) => void
): Sliced<void> {
  const asked = codesOf(prefix)
  const { codes, lengths, letters, notes, size, sorts, starts } = vocabulary.scan
  const wanted = lettersOf(asked, 0, asked.length)
  const look = (number: number): void => {
    if ((letters[number]! & wanted) !== wanted || notes[number] === 0 || sorts[number] !== Sort.word) return
    if (lengths[number]! >= asked.length && holds(codes, starts[number]!, asked)) visit(number)
  }
  if (asked.length === 1) {
    // One letter begins many words: a pass through all words in their order takes less.
    for (let from = 0; from < size && !budget.isSpent; from += CHUNK) {
      for (let number = from; number < Math.min(from + CHUNK, size); number++) look(number)
      if (budget.spend(CHUNK / 20)) yield
    }
  } else {
    let steps = 0
    for (let number = vocabulary.headOf(asked[0]!, asked[1]!); number >= 0; number = vocabulary.nextOf(number)) {
      look(number)
      if (++steps % CHUNK === 0 && budget.spend(CHUNK / 4)) yield
    }
    if (budget.spend((steps % CHUNK) / 4)) yield
  }
}

/** Words that begin with a prefix and are longer. */
export function* wordsBeginningWith(vocabulary: Vocabulary, prefix: string, budget: Budget): Sliced<Array<number>> {
  const found: Array<number> = []
  yield* eachBeginning(vocabulary, prefix, budget, (number) => {
    if (vocabulary.lengthOf(number) > prefix.length) found.push(number)
  })
  if (budget.spend(found.length)) yield
  return commonest(vocabulary, found)
}

/** Words that end with a part, with at least `before` letters before it. */
export function* wordsEndingWith(
  vocabulary: Vocabulary,
  part: string,
  before: number,
  budget: Budget
): Sliced<Array<number>> {
  const asked = codesOf(part)
  const { codes } = vocabulary.scan
  return yield* wordsThat(vocabulary, asked, part.length + before, 0, budget, (start, length) =>
    holds(codes, start + length - asked.length, asked)
  )
}

/** Words that begin or end with a part, with at least `rest` more letters. */
export function* wordsAround(
  vocabulary: Vocabulary,
  part: string,
  rest: number,
  budget: Budget
): Sliced<Array<number>> {
  const asked = codesOf(part)
  const { codes } = vocabulary.scan
  return yield* wordsThat(
    vocabulary,
    asked,
    part.length + rest,
    0,
    budget,
    (start, length) => holds(codes, start, asked) || holds(codes, start + length - asked.length, asked)
  )
}

/** Words in which a part stands anywhere. */
export function* wordsContaining(vocabulary: Vocabulary, part: string, budget: Budget): Sliced<Array<number>> {
  const asked = codesOf(part)
  const { codes } = vocabulary.scan
  return yield* wordsThat(vocabulary, asked, part.length, 0, budget, (start, length) => {
    for (let at = start; at <= start + length - asked.length; at++) if (holds(codes, at, asked)) return true
    return false
  })
}

/** Words that begin with a prefix with at most `edits` typing errors. */
export function* wordsBeginningNear(
  vocabulary: Vocabulary,
  prefix: string,
  edits: number,
  budget: Budget
): Sliced<Array<number>> {
  const asked = codesOf(prefix)
  const { codes } = vocabulary.scan
  return yield* wordsThat(vocabulary, asked, prefix.length - edits, edits, budget, (start, length) =>
    beginsNear(codes, start, length, asked, edits)
  )
}

/** Whether a word begins with a prefix with at most `edits` typing errors. */
export const beginsNear = (
  codes: Uint16Array,
  start: number,
  length: number,
  prefix: Uint16Array,
  edits: number
): boolean => {
  for (let own = prefix.length - edits; own <= Math.min(length, prefix.length + edits); own++) {
    if (editsBetween(prefix, 0, prefix.length, codes, start, own, edits) <= edits) return true
  }
  return false
}

/** Words of at least `least` letters that have all letters of a part but `missing`, and that fit. */
function* wordsThat(
  vocabulary: Vocabulary,
  part: Uint16Array,
  least: number,
  missing: number,
  budget: Budget,
  fits: (start: number, length: number) => boolean
): Sliced<Array<number>> {
  const wanted = lettersOf(part, 0, part.length)
  const { notes } = vocabulary.scan
  const found: Array<number> = []
  for (let length = Math.max(1, least); length <= MAX_TERM; length++) {
    const words = vocabulary.wordsOf(length)
    if (words === undefined) continue
    const { count, letters, numbers } = words
    for (let from = 0; from < count && !budget.isSpent; from += CHUNK) {
      const until = Math.min(from + CHUNK, count)
      let compared = 0
      for (let place = from; place < until; place++) {
        if (bitCount(wanted & ~letters[place]!) > missing) continue
        const number = numbers[place]!
        if (notes[number] === 0) continue
        compared++
        if (fits(vocabulary.startOf(number), length)) found.push(number)
      }
      if (budget.spend((until - from) / 40 + compared * COMPARISON)) yield
    }
  }
  return commonest(vocabulary, found)
}
