import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import type { Find } from "./MatchedTerms.ts"
import type { Sequence } from "./Clauses.ts"
import type { Query } from "./Query.ts"
import { WordParts } from "../text/JoinedWords.ts"
import { hashOf, type Link, TokenReader } from "../text/Tokenizer.ts"

/** Maximum number of places that are reported per field. */
export const MAX_MATCHES = 200
/** Maximum UTF-16 code units of a text that are read once a place is found. */
const MAX_READ = 65_536
/** Steps per piece of text. */
const PIECE = 4_096

/** A place in a text, in UTF-16 code units, and the number of the clause that it matches. */
export interface Place {
  readonly start: number
  readonly end: number
  readonly clause: number
}

/** Terms that are marked when they follow each other; often a single term. */
interface Mark {
  readonly terms: Sequence["terms"]
  readonly clause: number
  /** Whether other characters may be between the terms. */
  readonly isLoose: boolean
}

/** Finds what to mark in a note: the matched terms, and the sequences of the query. */
export class Marks {
  /** By the last term. */
  readonly #marks = new Map<string, Array<Mark>>()
  /** The hashes of the last terms. Most tokens of a text match none of them, and are not turned into strings. */
  readonly #hashes = new Set<number>()
  /** The clauses of parts of words, and of words that are in parts. */
  readonly #parts = new Map<string, number>()
  /** The number of terms of the longest sequence. */
  #longest = 1
  readonly #reader = new TokenReader()

  constructor(query: Query, finds: ReadonlyArray<Find>) {
    for (const { apart, clause, isPart, term } of finds) {
      if (apart !== undefined) {
        this.#add(apart.terms, clause)
        // Markdown has `un**believ**able` as three words, its plain text as one.
        this.#add([{ term: apart.terms.map((each) => each.term).join(""), link: "none" }], clause)
        continue
      }
      if (isPart) this.#parts.set(term, clause)
      this.#add([{ term, link: "none" }], clause)
    }
    for (const [number, clause] of query.clauses.entries()) {
      if (clause.kind !== "sequence") continue
      this.#add(clause.terms, number, true)
      if (clause.stem !== undefined) this.#add(clause.stem.terms, number, true)
    }
    for (const [index, { terms }] of query.phrases.entries()) this.#add(terms, query.clauses.length + index)
  }

  #add(terms: Sequence["terms"], clause: number, isLoose = false): void {
    const { term } = terms.at(-1)!
    this.#marks.set(term, [...(this.#marks.get(term) ?? []), { terms, clause, isLoose }])
    this.#hashes.add(hashOf(term))
    this.#longest = Math.max(this.#longest, terms.length)
  }

  /** The places in `text`, in order, without overlaps. When the budget is spent, only those in the first piece. */
  *find(text: string, budget: Budget): Sliced<Array<Place>> {
    const found: Array<Place> = []
    if (this.#marks.size + this.#parts.size === 0) return found
    const reader = this.#reader.begin(text)
    const words = this.#parts.size > 0 ? new WordParts(text) : undefined
    let recent: Array<{ readonly term: string; readonly start: number; readonly link: Link }> = []
    const visit = () => {
      if (found.length >= MAX_MATCHES || (found.length > 0 && reader.start > MAX_READ)) return false
      const { end, hash, link, start } = reader
      const isMarked = this.#hashes.has(hash)
      if (isMarked || this.#longest > 1) {
        if (recent.length > 4 * this.#longest) recent = recent.slice(-this.#longest)
        const { term } = reader
        recent.push({ term, start, link })
        for (const { clause, isLoose, terms } of (isMarked && this.#marks.get(term)) || []) {
          const from = recent.length - terms.length
          const isHere = terms.every(({ term, link }, position) => {
            const token = recent[from + position]
            return token?.term === term && (position === 0 || isLoose || token.link === link)
          })
          if (isHere) found.push({ start: recent[from]!.start, end, clause })
        }
      }
      const word = words?.next(reader)
      const clause = word === undefined ? undefined : this.#parts.get(word)
      if (clause !== undefined) found.push({ start: words!.start, end, clause })
      for (let part = 0; this.#parts.size > 0 && part < reader.partCount; part++) {
        const clause = this.#parts.get(reader.part(part))
        if (clause === undefined) continue
        found.push({ start: start + reader.partStarts[part]!, end: start + reader.partEnds[part]!, clause })
      }
      return true
    }
    let isMore = true
    do {
      const before = reader.spent
      isMore = reader.read(PIECE, visit)
      if (budget.spend(reader.spent - before)) yield
    } while (isMore && !budget.isSpent)
    return merged(found.sort((a, b) => a.start - b.start || b.end - a.end))
  }
}

/** Merges places that overlap, and adjacent places of one clause, so that marks do not nest. */
const merged = (found: ReadonlyArray<Place>): Array<Place> => {
  const result: Array<Place> = []
  for (const each of found) {
    const last = result.at(-1)
    if (last === undefined || each.start > last.end || (each.start === last.end && each.clause !== last.clause))
      result.push(each)
    else if (each.end > last.end) result[result.length - 1] = { ...last, end: each.end }
  }
  return result
}
