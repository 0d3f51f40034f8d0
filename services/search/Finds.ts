import { type Expanded, Kind } from "./Expansion.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { Reading } from "./Matcher.ts"
import { eachTerm } from "./Positions.ts"
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

/** By which terms a note was found, clause by clause; of each clause only the best kind. */
export const findsIn = (store: IndexStore, readings: ReadonlyArray<Reading>, note: number): Array<Find> => {
  const entry = store.entries.at(note)
  if (entry === undefined) return []
  const { vocabulary } = store
  // Fields by term, as bits: title, tags, body; parts stand in a field of their own.
  const present = new Map<number, number>()
  let field = 0
  const last = entry.tags.length + 1
  eachTerm(store.positions.of(note), (term) => {
    if (term < 0) field++
    else present.set(term, (present.get(term) ?? 0) | (field === 0 ? 1 : field < last ? 2 : field === last ? 4 : 0))
  })
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
  return readings.flatMap(({ clause, expanded, together, weight }, index): Array<Find> => {
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
