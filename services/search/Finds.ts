import { type Expanded, Kind } from "./Expansion.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { Reading } from "./Tally.ts"
import { wantedIn } from "./Positions.ts"
import { Sort } from "./Vocabulary.ts"

/** A term by which a note was found: the best kind of match of a clause. */
export interface Find {
  /** Which of the clauses. */
  readonly clause: number
  readonly term: string
  /** A part of a word, or a part of a compound, rather than a word. */
  readonly isPart: boolean
  readonly kind: Kind
  readonly weight: number
  readonly fields: ReadonlyArray<"title" | "tags" | "body">
}

/** The terms of a search, each once: what is looked for in the notes that it found. */
export class Wanted {
  readonly readings: ReadonlyArray<Reading>
  readonly #terms: Uint8Array

  /** `terms`: a column by term, all zero, which it uses until `end`. */
  constructor(readings: ReadonlyArray<Reading>, terms: Uint8Array) {
    this.readings = readings
    this.#terms = terms
    this.#mark(1)
  }

  end(): void {
    this.#mark(0)
  }

  #mark(value: 0 | 1): void {
    for (const { expanded, together } of this.readings) {
      for (const { term } of expanded) this.#terms[term] = value
      for (const part of together ?? []) for (const { term } of part) this.#terms[term] = value
    }
  }

  /** Those in a row, as `wantedIn` tells. */
  in(row: Uint8Array, tags: number): Map<number, number> {
    return wantedIn(row, tags, this.#terms)
  }
}

/** By which terms a note was found, clause by clause; of each clause only the best kind. */
export const findsIn = (store: IndexStore, wanted: Wanted, note: number): Array<Find> => {
  const entry = store.entries.at(note)
  if (entry === undefined) return []
  const { vocabulary } = store
  const present = wanted.in(store.positions.of(note), entry.tags.length)
  const language = 1 << entry.language
  const among = (expanded: ReadonlyArray<Expanded>): Array<Expanded> => {
    let best: Array<Expanded> = []
    for (const each of expanded) {
      if (!present.has(each.term) || (each.languages & language) === 0) continue
      const before = best[0]
      if (before === undefined || each.kind < before.kind) best = [each]
      // Of typing errors only the likeliest word is meant.
      else if (each.kind === before.kind && each.kind !== Kind.typo) best.push(each)
    }
    return best
      .map((each) => ({ each, text: vocabulary.termAt(each.term) }))
      .sort((a, b) => (a.text < b.text ? -1 : 1))
      .map(({ each }) => each)
  }
  return wanted.readings.flatMap(({ clause, expanded, together, weight }, index): Array<Find> => {
    if (clause.kind !== "word") return []
    const whole = among(expanded)
    const parts = whole.length > 0 ? [] : (together ?? []).map(among)
    const all = parts.length > 0 && parts.every((part) => part.length > 0) ? parts.flat() : whole
    return all.map(({ kind, quality, term }): Find => {
      const fields = present.get(term)!
      return {
        clause: index,
        term: vocabulary.termAt(term),
        isPart: vocabulary.sortOf(term) === Sort.part,
        kind: whole.length > 0 ? kind : Kind.part,
        weight: weight * quality,
        fields: (["title", "tags", "body"] as const).filter((_, bit) => fields === 0 || (fields & (1 << bit)) > 0)
      }
    })
  })
}
