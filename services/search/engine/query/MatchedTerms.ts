import { type Expanded, Kind } from "./Expansion.ts"
import type { IndexStore } from "../index/IndexStore.ts"
import { numbersOf } from "./PhraseMatcher.ts"
import { groupsIn } from "./Spellings.ts"
import type { Sequence } from "./Clauses.ts"
import type { Reading } from "./Scorer.ts"
import { eachTerm, fieldBit } from "../index/TokenRows.ts"
import { Sort } from "../index/Vocabulary.ts"

const none: ReadonlyMap<number, number> = new Map()

/** A term by which a note matches a clause, of the best kind. */
export interface Find {
  /** Index of the clause. */
  readonly clause: number
  readonly term: string
  /** Whether it is a part of a word or compound, rather than a word. */
  readonly isPart: boolean
  /** The adjacent words that the note has instead of the term. */
  readonly apart?: Sequence
  readonly kind: Kind
  readonly weight: number
  readonly fields: ReadonlyArray<"title" | "tags" | "body">
}

/** The fields of bits as in `FIELDS`; all fields when no bit is set. */
const fieldsOf = (bits: number): Find["fields"] =>
  (["title", "tags", "body"] as const).filter((_, bit) => bits === 0 || (bits & (1 << bit)) > 0)

/** The terms of a search in the notes of its page. */
export class Wanted {
  readonly readings: ReadonlyArray<Reading>
  readonly #store: IndexStore
  /** By note: the terms in it, with their fields as bits; 0 for terms after the fields. */
  readonly #present = new Map<number, Map<number, number>>()
  readonly #texts = new Map<number, string>()

  constructor(store: IndexStore, readings: ReadonlyArray<Reading>, notes: ReadonlyArray<number>) {
    this.readings = readings
    this.#store = store
    const isWanted = new Uint8Array(store.vocabulary.size)
    for (const { apart, expanded, together } of readings) {
      for (const { term } of [...expanded, ...together]) isWanted[term] = 1
      for (const term of apart.flatMap((way) => numbersOf(store, way))) isWanted[term] = 1
    }
    for (const note of notes) {
      const present = new Map<number, number>()
      const tags = store.entries.tagsOf(note).length
      eachTerm(store.positions.of(note), (term, field) => {
        if (isWanted[term] === 1) present.set(term, (present.get(term) ?? 0) | fieldBit(field, tags))
      })
      this.#present.set(note, present)
    }
  }

  /** The text of a term; cached, because most hits have the same terms. */
  textOf(term: number): string {
    const known = this.#texts.get(term)
    if (known !== undefined) return known
    const text = this.#store.vocabulary.termAt(term)
    this.#texts.set(term, text)
    return text
  }

  /** The terms in a note. */
  in(note: number): ReadonlyMap<number, number> {
    return this.#present.get(note) ?? none
  }
}

/** The terms by which a note was found, clause by clause; only the best kind of each clause. */
export const findsIn = (store: IndexStore, wanted: Wanted, note: number): Array<Find> => {
  const entry = store.entries.at(note)
  if (entry === undefined) return []
  const { vocabulary } = store
  const present = wanted.in(note)
  const language = 1 << entry.language
  const among = (expanded: ReadonlyArray<Expanded>): Array<Expanded> => {
    let best: Array<Expanded> = []
    for (const each of expanded) {
      if (!present.has(each.term) || (each.languages & language) === 0) continue
      const before = best[0]
      if (before === undefined || each.kind < before.kind) best = [each]
      // Only the likeliest correction of a typing error counts.
      else if (each.kind === before.kind && each.kind !== Kind.typo) best.push(each)
    }
    return best.length < 2 ? best : best.sort((a, b) => (wanted.textOf(a.term) < wanted.textOf(b.term) ? -1 : 1))
  }
  return wanted.readings.flatMap(({ apart, clause, expanded, together, weight }, index): Array<Find> => {
    if (clause.kind !== "word") return []
    const whole = among(expanded)
    const all = whole.length === 0 && together.every(({ term }) => present.has(term)) ? together : whole
    if (all.length === 0) {
      return apart.flatMap((way): ReadonlyArray<Find> => {
        const numbers = numbersOf(store, way)
        if (!numbers.every((number) => present.has(number))) return []
        // Adjacent words are in one field.
        const fields = fieldsOf(numbers.reduce((bits, number) => bits & (present.get(number)! || -1), -1))
        const term = way.terms.map((each) => each.term).join(" ")
        return [{ clause: index, term, isPart: false, apart: way, kind: Kind.part, weight, fields }]
      })
    }
    return all.map(({ kind, quality, term }): Find => {
      const text = wanted.textOf(term)
      const isOption = text.startsWith("-")
      const sort = vocabulary.sortOf(term)
      const isPart = !isOption && (sort === Sort.part || sort === Sort.joined)
      const groups = sort === Sort.joined ? groupsIn(store, note, text) : undefined
      return {
        clause: index,
        term: groups?.terms.map((each) => each.term).join(" ") ?? (isOption ? text.slice(1) : text),
        isPart,
        ...(groups && { apart: groups }),
        kind: whole.length > 0 ? kind : Kind.part,
        weight: weight * quality,
        fields: fieldsOf(present.get(term)!)
      }
    })
  })
}
