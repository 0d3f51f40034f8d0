import type { Budget, Sliced } from "../budgets/Budget.ts"
import type { Find } from "./Finds.ts"
import { NON_ASCII } from "./Fold.ts"
import type { Query, Sequence } from "./Query.ts"
import { HASH_SEED, hashStep, type Link, TokenReader } from "./Tokens.ts"

/** Most places that are reported of one field. */
export const MAX_MATCHES = 200
/** Once something was found in a body, no more of it is read than this. */
const MAX_READ = 65_536
/** Text is read in pieces of so many steps. */
const PIECE = 4_096

/** What may be folded with what stands around it: all but ASCII, and the signs that only stand between words. */
const FOLDED = String.raw`[^\x00-\x7f\u2010-\u2027\u3001\u3002\u300c-\u300f\uff0c\uff1a]`

/** A found place, and the number of the clause that it belongs to. */
export interface Place {
  readonly start: number
  readonly end: number
  readonly clause: number
}

/** What is marked in a note: the terms by which it was found, and the sequences of the query. */
export class Marks {
  readonly #words = new Map<string, number>()
  readonly #hashes = new Set<number>()
  readonly #parts = new Map<string, number>()
  readonly #sequences: ReadonlyArray<{ readonly sequence: Sequence; readonly clause: number }>
  readonly #reader = new TokenReader()
  #pattern: RegExp | undefined

  constructor(query: Query, finds: ReadonlyArray<Find>) {
    for (const { clause, isPart, term } of finds) {
      ;(isPart ? this.#parts : this.#words).set(term, clause)
      if (isPart) continue
      let hash = HASH_SEED
      for (let i = 0; i < term.length; i++) hash = hashStep(hash, term.charCodeAt(i))
      this.#hashes.add(hash)
    }
    this.#sequences = [
      ...query.phrases.map((sequence, index) => ({ sequence, clause: query.clauses.length + index })),
      ...query.clauses.flatMap((sequence, clause) => (sequence.kind === "sequence" ? [{ sequence, clause }] : []))
    ]
  }

  /** Whether there is anything to be marked. */
  get isEmpty(): boolean {
    return this.#words.size + this.#parts.size + this.#sequences.length === 0
  }

  /** The places in `text`, in order, not overlapping. With a budget that is spent, the first of them. */
  *find(text: string, budget: Budget): Sliced<Array<Place>> {
    if (this.isEmpty) return []
    const found: Array<Place> = []
    const reader = this.#reader.begin(text)
    const longest = Math.max(1, ...this.#sequences.map(({ sequence }) => sequence.terms.length))
    let recent: Array<{ term: string; start: number; link: Link }> = []
    const endsHere = ({ terms }: Sequence): boolean =>
      recent.length >= terms.length &&
      terms.every(({ term, link }, position) => {
        const token = recent[recent.length - terms.length + position]
        return token?.term === term && (position === 0 || token.link === link)
      })
    const visit = () => {
      if (found.length >= MAX_MATCHES || (found.length > 0 && reader.start > MAX_READ)) return false
      if (this.#sequences.length > 0) {
        if (recent.length > 4 * longest) recent = recent.slice(-longest)
        recent.push({ term: reader.term, start: reader.start, link: reader.link })
        for (const { clause, sequence } of this.#sequences) {
          if (!endsHere(sequence)) continue
          found.push({ start: recent[recent.length - sequence.terms.length]!.start, end: reader.end, clause })
        }
      }
      if (reader.unspaced) return true
      if (this.#hashes.has(reader.hash)) {
        const clause = this.#words.get(reader.term)
        if (clause !== undefined) {
          found.push({ start: reader.start, end: reader.end, clause })
          return true
        }
      }
      if (this.#parts.size > 0) {
        for (let part = 0; part < reader.partCount; part++) {
          const clause = this.#parts.get(reader.part(part))
          if (clause === undefined) continue
          const { end, isLiteral, start } = reader
          found.push(
            isLiteral
              ? { start: start + reader.partStarts[part]!, end: start + reader.partEnds[part]!, clause }
              : { start, end, clause }
          )
        }
      }
      return true
    }
    if (this.#sequences.length === 0) {
      yield* this.#seek(text, visit, budget)
      return merged(found)
    }
    while (!budget.isSpent) {
      const before = reader.spent
      const isMore = reader.read(PIECE, visit)
      if (budget.spend(reader.spent - before)) yield
      if (!isMore) break
    }
    return merged(found.sort((a, b) => a.start - b.start || b.end - a.end))
  }

  /** Reads only around what looks like a term, or may be folded to one. */
  *#seek(text: string, visit: () => boolean, budget: Budget): Sliced<void> {
    const pattern = (this.#pattern ??= this.#lookout())
    let done = 0
    let isOver = false
    const visitOne = () => {
      isOver = !visit()
      return !isOver
    }
    pattern.lastIndex = 0
    while (!budget.isSpent && pattern.test(text)) {
      // Of what was matched the last character: no word ends before it.
      const place = pattern.lastIndex - 1
      const reader = this.#reader.begin(text, 0, wordStart(text, place, done))
      let isMore = true
      while (isMore && reader.at <= place) isMore = reader.read(0, visitOne)
      if (isOver) return
      if (budget.spend(reader.spent + (place - done) / 20)) yield
      done = Math.max(reader.at, place + 1)
      pattern.lastIndex = done
    }
    if (budget.spend((text.length - done) / 20)) yield
  }

  #lookout(): RegExp {
    const terms = [...this.#words.keys(), ...this.#parts.keys()].filter((term) => !NON_ASCII.test(term))
    return new RegExp([...terms.map((term) => term.replace(/[^\w]/g, "\\$&")), FOLDED].join("|"), "gi")
  }
}

/** Where the word at a place begins: behind the white space before it. */
const wordStart = (text: string, place: number, least: number): number => {
  let at = place
  while (at > least && text.charCodeAt(at - 1) > 32) at--
  return at
}

/** Joins what overlaps or touches, so that marks do not nest. */
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
