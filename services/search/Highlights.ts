import type { Budget, Sliced } from "../concurrency/Budget.ts"
import type { Find } from "./MatchedTerms.ts"
import { MAX_TERM, NON_ASCII } from "./Fold.ts"
import type { Query, Sequence } from "./Query.ts"
import { HASH_SEED, hashStep, type Link, TokenReader } from "./Tokens.ts"

/** Most places that are reported of one field. */
export const MAX_MATCHES = 200
/** Once something was found in a body, no more of it is read than this. */
const MAX_READ = 65_536
/** Steps of a piece of text that is read, and characters of a piece that is looked through. */
const PIECE = 4_096

/** What may be folded with what stands around it: all but ASCII, and the signs that only stand between words. */
const FOLDED = new RegExp(String.raw`[^\x00-\x7f\u2010-\u2027\u3001\u3002\u300c-\u300f\uff0c\uff1a]`, "g")

const none: ReadonlyArray<string> = []

/** A found place, and the number of the clause that it belongs to. */
export interface Place {
  readonly start: number
  readonly end: number
  readonly clause: number
}

/** What is marked in a note: the terms by which it was found, and the sequences of the query. */
export class Marks {
  readonly #words = new Map<string, number>()
  /** The words by their hashes: the codes of a token are compared with one, and no text is made of them. */
  readonly #byHash = new Map<number, Array<string>>()
  readonly #parts = new Map<string, number>()
  /** Of a loose one something may stand between its characters. */
  readonly #sequences: ReadonlyArray<{
    readonly sequence: Sequence
    readonly clause: number
    readonly isLoose?: boolean
  }>
  readonly #reader: TokenReader
  /** Those of the words and parts that stand in a text as they are, but for capitals. */
  readonly #plain: ReadonlyArray<string>

  /** The reader is used by nobody else meanwhile. */
  constructor(query: Query, finds: ReadonlyArray<Find>, reader: TokenReader) {
    this.#reader = reader
    for (const { apart, clause, isPart, term } of finds) {
      if (apart !== undefined) continue
      ;(isPart ? this.#parts : this.#words).set(term, clause)
      if (isPart) continue
      let hash = HASH_SEED
      for (let i = 0; i < term.length; i++) hash = hashStep(hash, term.charCodeAt(i))
      const alike = this.#byHash.get(hash)
      if (alike === undefined) this.#byHash.set(hash, [term])
      else if (!alike.includes(term)) alike.push(term)
    }
    this.#plain = [...this.#words.keys(), ...this.#parts.keys()].filter((term) => !NON_ASCII.test(term))
    this.#sequences = [
      ...query.phrases.map((sequence, index) => ({ sequence, clause: query.clauses.length + index })),
      ...query.clauses.flatMap((clause, number) =>
        clause.kind === "sequence" ? [{ sequence: clause, clause: number, isLoose: true }] : []
      ),
      ...finds.flatMap(({ apart, clause }) => (apart === undefined ? [] : [{ sequence: apart, clause }]))
    ]
  }

  /** The places in `text`, in order, not overlapping. With a budget that is spent, the first of them. */
  *find(text: string, budget: Budget): Sliced<Array<Place>> {
    if (this.#words.size + this.#parts.size + this.#sequences.length === 0) return []
    const found: Array<Place> = []
    const reader = this.#reader.begin(text)
    const longest = Math.max(1, ...this.#sequences.map(({ sequence }) => sequence.terms.length))
    let recent: Array<{ term: string; start: number; link: Link }> = []
    const endsHere = ({ terms }: Sequence, isLoose: boolean): boolean =>
      recent.length >= terms.length &&
      terms.every(({ term, link }, position) => {
        const token = recent[recent.length - terms.length + position]
        return token?.term === term && (position === 0 || isLoose || token.link === link)
      })
    const visit = () => {
      if (found.length >= MAX_MATCHES || (found.length > 0 && reader.start > MAX_READ)) return false
      if (this.#sequences.length > 0) {
        if (recent.length > 4 * longest) recent = recent.slice(-longest)
        recent.push({ term: reader.term, start: reader.start, link: reader.link })
        for (const { clause, isLoose = false, sequence } of this.#sequences) {
          if (!endsHere(sequence, isLoose)) continue
          found.push({ start: recent[recent.length - sequence.terms.length]!.start, end: reader.end, clause })
        }
      }
      if (reader.unspaced) return true
      const clause = this.#clauseOf(reader)
      if (clause !== undefined) {
        found.push({ start: reader.start, end: reader.end, clause })
        return true
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

  /** The clause of the word that was read, if it is one of those. */
  #clauseOf({ codes, hash, length }: TokenReader): number | undefined {
    for (const word of this.#byHash.get(hash) ?? none) {
      if (word.length !== length) continue
      let same = 0
      while (same < length && codes[same] === word.charCodeAt(same)) same++
      if (same === length) return this.#words.get(word)
    }
    return undefined
  }

  /** Reads only around what looks like a term, or may be folded to one. */
  *#seek(text: string, visit: () => boolean, budget: Budget): Sliced<void> {
    const terms = this.#plain
    const places = terms.map(() => -1)
    const longest = terms.reduce((most, { length }) => Math.max(most, length), 0)
    let isOver = false
    const visitOne = () => {
      isOver = !visit()
      return !isOver
    }
    let done = 0
    let folded = nextFolded(text, 0)
    for (let from = 0; from < text.length; from += PIECE) {
      const until = Math.min(from + PIECE, text.length)
      const piece = lowered(text.slice(from, until + longest))
      for (let i = 0; i < terms.length; i++) places[i] = this.#nextOf(terms[i]!, piece, Math.max(done - from, 0))
      if (budget.spend(((terms.length + 1) * (until - from)) / 40)) yield
      while (true) {
        if (budget.isSpent) return
        let place = folded
        // Of what was found the last character: no word ends before it.
        let last = folded
        for (let i = 0; i < terms.length; i++) {
          if (places[i]! < 0 || places[i]! + from >= place) continue
          place = places[i]! + from
          last = place + terms[i]!.length - 1
        }
        if (place >= until) break
        const reader = this.#reader.begin(text, 0, wordStart(text, last, done))
        let isMore = true
        while (isMore && reader.at <= last) isMore = reader.read(0, visitOne)
        if (isOver) return
        done = Math.max(reader.at, last + 1)
        for (let i = 0; i < terms.length; i++) {
          if (places[i]! >= 0 && places[i]! + from < done) places[i] = this.#nextOf(terms[i]!, piece, done - from)
        }
        if (folded < done) folded = nextFolded(text, done)
        if (budget.spend(reader.spent + terms.length / 4)) yield
      }
    }
  }

  /** Where a term stands next in a text, with no letter or digit next to it where it is a word; or -1. */
  #nextOf(term: string, text: string, from: number): number {
    let place = text.indexOf(term, from)
    if (term.length >= MAX_TERM || this.#parts.has(term)) return place
    while (place >= 0 && (isLetter(text.charCodeAt(place - 1)) || isLetter(text.charCodeAt(place + term.length)))) {
      place = text.indexOf(term, place + 1)
    }
    return place
  }
}

/** A letter or digit of ASCII, in lower case. */
const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)

const nextFolded = (text: string, from: number): number => {
  FOLDED.lastIndex = from
  return FOLDED.test(text) ? FOLDED.lastIndex - 1 : Infinity
}

/** In lower case, each character at its place. */
const lowered = (text: string): string => {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
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
