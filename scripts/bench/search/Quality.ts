import { tokenize } from "../../../services/search/Tokens.ts"
import type { IndexedNote } from "../../../services/search/Entries.ts"
import { misspellings, type Judged } from "./Corpora.ts"

/** What is measured: the ids of the first ten notes that a query finds. */
export type Ask = (query: string) => ReadonlyArray<string>

/** Numbers that look random and are the same in each run. */
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

/** Words of the notes with typing errors, and the misspellings of people of words in the notes. */
export const typosOf = (notes: ReadonlyArray<IndexedNote>, count: number): Typos => {
  const holders = new Map<string, number>()
  for (const { body } of notes) {
    for (const term of new Set(tokenize(body).map((token) => token.term)))
      if (/^[a-z]{5,}$/.test(term)) holders.set(term, (holders.get(term) ?? 0) + 1)
  }
  const next = numbers(42)
  const common = [...holders].filter(([, count]) => count >= 3).map(([term]) => term)
  const some = (least: number, make: (word: string) => string) => {
    const pairs: Array<readonly [string, string]> = []
    const words = common.filter((word) => word.length >= least)
    while (pairs.length < count) {
      const word = words[Math.floor(next() * words.length)]!
      const wrong = make(word)
      if (wrong !== word && !holders.has(wrong)) pairs.push([wrong, word])
    }
    return pairs
  }
  return {
    one: some(5, (word) => edited(word, next, 1)),
    two: some(8, (word) => edited(edited(word, next, 1), next, 1)),
    first: some(5, (word) => alphabet[Math.floor(next() * 26)]! + word.slice(1)),
    norvig: misspellings().filter(([, right]) => holders.has(right))
  }
}

/** Of so many misspelt words a note with the right one is among the first ten. */
export const recall = (
  pairs: ReadonlyArray<readonly [string, string]>,
  holds: (id: string, word: string) => boolean,
  ask: Ask
): number => pairs.filter(([wrong, right]) => ask(wrong).some((id) => holds(id, right))).length / pairs.length
