/** Conjunctions, prepositions and the article, which Arabic writes as one word with the next one. */
const CONJUNCTIONS = ["", "و", "ف"] as const
const PREPOSITIONS = ["", "ب", "ك", "ل", "ال", "بال", "كال", "لل"] as const
const PREFIXES = CONJUNCTIONS.flatMap((first) => PREPOSITIONS.map((second) => first + second)).filter(
  (prefix) => prefix !== ""
)
/** Minimum letters of a word after a prefix: a prefix of one letter may be the first letter of a short word. */
const leastAfter = (prefix: string): number => (prefix.length > 1 ? 3 : 4)

const ARABIC = /^\p{sc=Arab}{3,}$/u

/** The Arabic words that differ from a word by such prefixes. */
export const prefixed = (term: string): ReadonlyArray<string> => {
  if (!ARABIC.test(term)) return []
  const words = PREFIXES.filter(
    (prefix) => term.startsWith(prefix) && term.length - prefix.length >= leastAfter(prefix)
  ).map((prefix) => term.slice(prefix.length))
  return [term, ...words].flatMap((word) => [word, ...PREFIXES.map((prefix) => prefix + word)])
}
