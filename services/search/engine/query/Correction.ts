import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import type { IndexStore } from "../index/IndexStore.ts"
import { parseQuery, type Query, withWords } from "./Query.ts"
import { corrections } from "./SimilarWords.ts"
import { Sort } from "../index/Vocabulary.ts"

/** Maximum number of corrected words: with more unknown words, something else is wrong. */
const MAX_WORDS = 8
/** Letters per error that is assumed when nothing is found. */
const LETTERS_PER_EDIT = 2.5
const MAX_EDITS = 3

/** Maximum difference of cost between the likeliest word and others that may be meant as well. */
export const NEARLY_AS_LIKELY = 1
/** A query with its likeliest corrections. */
export interface CorrectedQuery {
  readonly text: string
  readonly query: Query
}

/**
 * The query with each unknown word replaced by its likeliest correction, by sound too and with more errors than a
 * search allows. Undefined when there is no correction. A query of one word also gets the corrections that are nearly
 * as likely.
 */
export function* correctedQuery(
  store: IndexStore,
  { clauses, options }: Query,
  text: string,
  budget: Budget
): Sliced<CorrectedQuery | undefined> {
  let corrected = text.slice(0, 2048)
  let count = 0
  let others: ReadonlyArray<number> = []
  for (const clause of clauses) {
    if (clause.kind !== "word" || !/^\p{L}{4,}$/u.test(clause.term)) continue
    if (store.vocabulary.numberOf(clause.term, Sort.word) !== undefined || count === MAX_WORDS) continue
    const edits = Math.min(MAX_EDITS, Math.max(1, Math.floor(clause.term.length / LETTERS_PER_EDIT)))
    const [likeliest, ...rest] = yield* corrections(store.vocabulary, clause.term, edits, true, budget)
    if (likeliest === undefined) continue
    const place = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${clause.term}(?![\\p{L}\\p{M}\\p{N}])`, "iu")
    const replaced = withWords(corrected, (words) => words.replace(place, store.vocabulary.termAt(likeliest.term)))
    if (replaced !== corrected) count++
    corrected = replaced
    others = rest.filter(({ cost }) => cost - likeliest.cost <= NEARLY_AS_LIKELY).map(({ term }) => term)
  }
  if (count === 0) return undefined
  const query = parseQuery(corrected, store.languagesOfNotes, options)
  const [only] = query.clauses
  return {
    text: corrected,
    query:
      clauses.length === 1 && query.clauses.length === 1 && only?.kind === "word"
        ? { ...query, clauses: [{ ...only, others }] }
        : query
  }
}
