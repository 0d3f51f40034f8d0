import type { IndexStore } from "../index/IndexStore.ts"
import { eachTerm } from "../index/TokenRows.ts"
import { Sort } from "../index/Vocabulary.ts"
import { isDigit, isGroupable, MAX_LETTERS, MIN_LETTERS } from "../text/JoinedWords.ts"
import type { Sequence } from "./Clauses.ts"

/** Other spellings of a word or number of a query, in several parts: `wi-fi` for `wifi`, `030 123` for `030123`. */

/** Maximum number of ways to split a word. */
const MAX_WAYS = 8
/** Maximum number of words into which spaces split a run of characters, and of the ways to do so. */
const MAX_WORDS = { korean: 4, other: 2 } as const
const MAX_SPACED = 24

const HANGUL = /^\p{sc=Hang}/u

/** The ways to cut `length` characters into `count` pieces for each of which `pieceAt` returns a value. */
export function* cuts<A>(
  length: number,
  count: number,
  pieceAt: (from: number, until: number) => A | undefined,
  from = 0
): Generator<ReadonlyArray<A>> {
  for (let until = count === 1 ? length : from + 1; until <= length - count + 1; until++) {
    const piece = pieceAt(from, until)
    if (piece === undefined) continue
    if (count === 1) yield [piece]
    else for (const rest of cuts(length, count - 1, pieceAt, until)) yield [piece, ...rest]
  }
}

/** The ways to split a word into words that some note has; those with the fewest parts first. */
export const apart = ({ vocabulary }: IndexStore, term: string): ReadonlyArray<Sequence> => {
  if (term.length < MIN_LETTERS || term.length > MAX_LETTERS || !/^[\p{L}\p{M}\p{N}]+$/u.test(term)) return []
  // Grouped numbers are terms already, and digits alone could be split in very many ways.
  if (/^\p{N}+$/u.test(term) && isGroupable(term)) return []
  const isWord = vocabulary.numberOf(term, Sort.word) !== undefined
  const known = new Map<number, string | undefined>()
  const partAt = (from: number, until: number): string | undefined => {
    const place = from * 64 + until
    if (!known.has(place)) {
      const part = term.slice(from, until)
      // A single letter begins words such as "e-mail". But "a side" is not "aside", and "cat's" is no spelling of
      // "cats".
      const isLong =
        part.length > 1 || isDigit(part.charCodeAt(0)) || (from === 0 ? part !== "a" && part !== "i" : !isWord)
      known.set(place, isLong && vocabulary.numberOf(part, Sort.word) !== undefined ? part : undefined)
    }
    return known.get(place)
  }
  return [2, 3, 4]
    .values()
    .flatMap((count) => cuts(term.length, count, partAt))
    .take(MAX_WAYS)
    .map((parts): Sequence => ({ kind: "sequence", terms: parts.map((part) => ({ term: part, link: "none" })) }))
    .toArray()
}

/** The ways to put spaces into a word of a script without spaces, as Korean has them; those with the fewest first. */
export const spaced = ({ vocabulary }: IndexStore, { terms }: Sequence): ReadonlyArray<Sequence> => {
  if (terms.length < 3 || terms.length > MAX_LETTERS || terms.slice(1).some(({ link }) => link !== "glued")) return []
  /** The characters with a space before them, if some note has each of their pairs. */
  const wordAt = (from: number, until: number): Sequence["terms"] | undefined => {
    const [first, ...rest] = terms.slice(from, until)
    const isKnown = rest.every(
      ({ term }, place) => vocabulary.numberOf(terms[from + place]!.term + term, Sort.pair) !== undefined
    )
    return isKnown ? [from === 0 ? first! : { ...first!, link: "gap" }, ...rest] : undefined
  }
  const most = MAX_WORDS[terms.some(({ term }) => HANGUL.test(term)) ? "korean" : "other"]
  return [2, 3, 4]
    .values()
    .filter((count) => count <= most)
    .flatMap((count) => cuts(terms.length, count, wordAt))
    .take(MAX_SPACED)
    .map((words): Sequence => ({ kind: "sequence", terms: words.flat() }))
    .toArray()
}

/** The consecutive terms in a note that form a word or number together. */
export const groupsIn = ({ positions, vocabulary }: IndexStore, note: number, whole: string): Sequence | undefined => {
  let open: Array<{ readonly length: number; readonly terms: ReadonlyArray<string> }> = []
  let found: ReadonlyArray<string> | undefined
  let last = 0
  eachTerm(positions.of(note), (term, field) => {
    if (found !== undefined || (open.length === 0 && !vocabulary.isAt(term, whole, 0))) return
    const text = vocabulary.termAt(term)
    open = [...(field === last ? open : []), { length: 0, terms: [] }]
      .filter(({ length }) => whole.startsWith(text, length))
      .map(({ length, terms }) => ({ length: length + text.length, terms: [...terms, text] }))
    last = field
    found = open.find(({ length, terms }) => length === whole.length && terms.length > 1)?.terms
  })
  return found && { kind: "sequence", terms: found.map((term) => ({ term, link: "none" })) }
}
