import { tokenize } from "../../../services/search/engine/text/Tokenizer.ts"
import type { IndexedNote } from "../../../services/search/engine/index/IndexedNote.ts"
import { misspellings, type Judged } from "./Corpora.ts"

/** Returns the ids of the first ten notes that a query finds. */
export type Ask = (query: string) => ReadonlyArray<string>

/** Pseudo-random numbers, the same in each run. */
export const numbers = (seed: number) => () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32

const gain = (worths: ReadonlyArray<number>): number =>
  worths.reduce((sum, worth, place) => sum + worth / Math.log2(place + 2), 0)

/** nDCG@10, the mean over the queries. */
export const ndcg = ({ judgments, queries }: Judged, ask: Ask): number => {
  let sum = 0
  for (const { id, text } of queries) {
    const worth = judgments[String(id)] ?? {}
    const ideal = Object.values(worth)
      .sort((a, b) => b - a)
      .slice(0, 10)
    if (gain(ideal) === 0) continue
    sum += gain(ask(text).map((note) => worth[note] ?? 0)) / gain(ideal)
  }
  return sum / queries.length
}

export type Typos = Readonly<Record<"one" | "two" | "first" | "norvig", ReadonlyArray<readonly [string, string]>>>

const alphabet = "abcdefghijklmnopqrstuvwxyz"

const edited = (word: string, next: () => number, from: number): string => {
  const at = from + Math.floor(next() * (word.length - from))
  const letter = alphabet[Math.floor(next() * 26)]!
  switch (Math.floor(next() * 4)) {
    case 0:
      return word.slice(0, at) + word.slice(at + 1)
    case 1:
      return word.slice(0, at) + letter + word.slice(at)
    case 2:
      return word.slice(0, at) + letter + word.slice(at + 1)
    default:
      return at + 1 < word.length ? word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2) : word
  }
}

/** The words of notes. */
export interface Words {
  /** By position of the note. */
  readonly byNote: ReadonlyArray<ReadonlySet<string>>
  /** The number of notes that contain each word. */
  readonly notesOf: ReadonlyMap<string, number>
}

export const wordsIn = (notes: ReadonlyArray<IndexedNote>): Words => {
  const notesOf = new Map<string, number>()
  const byNote = notes.map(({ body, title }) => {
    const words = new Set(tokenize(`${title} ${body}`).map(({ term }) => term))
    for (const word of words) notesOf.set(word, (notesOf.get(word) ?? 0) + 1)
    return words
  })
  return { byNote, notesOf }
}

const isPlain = (word: string): boolean => /^[a-z]{5,}$/.test(word)

/** Words of the notes with typing errors, and real misspellings of words in the notes. */
export const typosOf = ({ notesOf }: Words, count: number): Typos => {
  const next = numbers(42)
  const common = [...notesOf].filter(([word, count]) => count >= 3 && isPlain(word)).map(([word]) => word)
  const some = (least: number, make: (word: string) => string) => {
    const pairs: Array<readonly [string, string]> = []
    const words = common.filter((word) => word.length >= least)
    while (pairs.length < count) {
      const word = words[Math.floor(next() * words.length)]!
      const wrong = make(word)
      if (wrong !== word && !notesOf.has(wrong)) pairs.push([wrong, word])
    }
    return pairs
  }
  return {
    one: some(5, (word) => edited(word, next, 1)),
    two: some(8, (word) => edited(edited(word, next, 1), next, 1)),
    first: some(5, (word) => alphabet[Math.floor(next() * 26)]! + word.slice(1)),
    norvig: misspellings().filter(([, right]) => notesOf.has(right))
  }
}

/** The share of misspelt words that find a note with the correct word among the first ten. */
export const recall = (
  pairs: ReadonlyArray<readonly [string, string]>,
  holds: (id: string, word: string) => boolean,
  ask: Ask
): number => pairs.filter(([wrong, right]) => ask(wrong).some((id) => holds(id, right))).length / pairs.length

/** Queries of a common word and a misspelt rare word of the same note, each with the position of the note. */
export const rarelyMisspelt = (
  { byNote, notesOf }: Words,
  count: number
): ReadonlyArray<readonly [query: string, note: number]> => {
  const next = numbers(23)
  const oneOf = (words: ReadonlyArray<string>) => words[Math.floor(next() * words.length)]
  const most = byNote.length / 10
  const queries: Array<readonly [string, number]> = []
  while (queries.length < count) {
    const note = Math.floor(next() * byNote.length)
    const words = [...byNote[note]!].filter(isPlain)
    const common = oneOf(words.filter((word) => notesOf.get(word)! >= 20 && notesOf.get(word)! <= most))
    const rare = oneOf(words.filter((word) => notesOf.get(word)! <= 3))
    if (common === undefined || rare === undefined) continue
    const wrong = edited(rare, next, 1)
    if (wrong !== rare && !notesOf.has(wrong)) queries.push([`${common} ${wrong}`, note])
  }
  return queries
}

/** Queries of two words of a title and a third word that its note does not have, each with the position of the note. */
export const titlesInPart = (
  notes: ReadonlyArray<IndexedNote>,
  { byNote, notesOf }: Words,
  count: number
): ReadonlyArray<readonly [query: string, note: number]> => {
  const next = numbers(31)
  const oneOf = (words: ReadonlyArray<string>) => words[Math.floor(next() * words.length)]!
  const most = byNote.length / 10
  const others = [...notesOf]
    .filter(([word, found]) => isPlain(word) && found >= 20 && found <= most)
    .map(([word]) => word)
  const queries: Array<readonly [string, number]> = []
  while (queries.length < count) {
    const note = Math.floor(next() * notes.length)
    const words = [...new Set(tokenize(notes[note]!.title).map(({ term }) => term))].filter(
      (word) => /^[a-z]{3,}$/.test(word) && notesOf.get(word)! >= 20 && notesOf.get(word)! <= most
    )
    const other = oneOf(others)
    if (words.length < 2 || byNote[note]!.has(other)) continue
    const first = oneOf(words)
    const second = oneOf(words.filter((word) => word !== first))
    queries.push([`${first} ${second} ${other}`, note])
  }
  return queries
}

/** The mean reciprocal rank of the intended note among the first ten. */
export const reciprocalRank = (queries: ReadonlyArray<readonly [query: string, note: number]>, ask: Ask): number =>
  queries.reduce((sum, [query, note]) => {
    const place = ask(query).indexOf(String(note))
    return place < 0 ? sum : sum + 1 / (place + 1)
  }, 0) / queries.length
