import { atOnce, Budget, type Sliced } from "../../../concurrency/Budget.ts"
import { asRead, best, byText, newestOf } from "./Comparators.ts"
import type { IndexedNote } from "../index/IndexedNote.ts"
import { excludesAll, type Filters } from "./Filters.ts"
import { type Find, findsIn, Wanted } from "./MatchedTerms.ts"
import type { IndexStore } from "../index/IndexStore.ts"
import { Matcher } from "./Matcher.ts"
import { type Exclusion, parseQuery, type Query } from "./Query.ts"
import { eachWithSequence } from "./PhraseMatcher.ts"
import { returnBuffers, type ScoreBuffers, takeBuffers } from "./ScoreBuffers.ts"
import { type Suggestion, suggesting } from "./Suggestions.ts"
import { correctedQuery } from "./Correction.ts"
import { Sort } from "../index/Vocabulary.ts"

/** Fields by which notes can be sorted instead of relevance. */
export type SortField = "updated_at" | "created_at" | "title" | "word_count"

export interface SearchQuery extends Filters {
  /** Words, `"phrase"`, `-word`, `tag:name`; blank for all notes that pass the filters. See `parseQuery`. */
  readonly query: string
  /** A field, or the ids of notes in their order: others follow. Default: relevance. */
  readonly order?: { readonly by: SortField; readonly descending: boolean } | ReadonlyArray<string> | undefined
}

export interface Match {
  readonly id: string
  /** Above 0, up to 1. */
  readonly score: number
  /** The terms by which it was found. */
  readonly finds: ReadonlyArray<Find>
}

/** The result of a search. */
export interface Found {
  /** The number of matching notes. */
  readonly total: number
  readonly matches: ReadonlyArray<Match>
  /** The query of the matches. */
  readonly query: Query
  /** The text of this query, if it differs from the sent one. */
  readonly suggestion: string | undefined
}

/**
 * The full-text index of one workspace. A search finds all changes before it. Its result depends only on the notes of
 * the index, not on the order in which they were added.
 */
export class SearchIndex {
  readonly store: IndexStore

  constructor(store: IndexStore) {
    this.store = store
  }

  /** Number of notes. */
  get size(): number {
    return this.store.entries.size
  }

  /** Bytes of memory, approximately. */
  get bytes(): number {
    return this.store.bytes
  }

  /** Whether no new terms are added. */
  get isFull(): boolean {
    return this.store.isFull
  }

  /** `adding` in one go. */
  add(note: IndexedNote): void {
    atOnce(this.adding(note, new Budget()))
  }

  /** `searching` in one go. */
  search(search: SearchQuery): ReadonlyArray<Match> {
    return atOnce(this.searching(search, 0, Infinity, new Budget())).matches
  }

  /** `suggesting` in one go. */
  suggest(prefix: string, limit: number): ReadonlyArray<Suggestion> {
    return atOnce(this.suggesting(prefix, limit, new Budget()))
  }

  /** Adds a note, or replaces the note with the same id. It must run to its end before any other change. */
  adding(note: IndexedNote, budget: Budget): Sliced<void> {
    return this.store.adding(note, budget)
  }

  /** Removes a note, if it is in the index. */
  remove(id: string): void {
    this.store.remove(id)
  }

  /**
   * `limit` matching notes from `offset` on, best first; equal ones by `updated_at`, latest first, then by id. When
   * nothing matches, it searches for the likeliest correction, and then for the words of phrases. Never fails, whatever
   * the query. When the budget is spent, it allows fewer typing errors.
   */
  *searching(search: SearchQuery, offset: number, limit: number, budget: Budget): Sliced<Found> {
    const { store } = this
    const query = yield* this.#parsed(search.query, search, budget)
    const found = yield* this.#found(query, search, offset, limit, budget)
    if (found.total > 0) return found
    let text = search.query
    for (let asked: Query | undefined = query; asked !== undefined;) {
      const meant = asked.clauses.length === 0 ? undefined : yield* correctedQuery(store, asked, text, budget)
      if (meant !== undefined) {
        const corrected = yield* this.#found(meant.query, search, offset, limit, budget)
        if (corrected.total > 0) return { ...corrected, suggestion: meant.text }
      }
      if (asked.unbound === undefined) break
      text = asked.unbound
      asked = yield* this.#parsed(text, search, budget)
      const unbound = yield* this.#found(asked, search, offset, limit, budget)
      if (unbound.total > 0) return { ...unbound, suggestion: text }
    }
    return found
  }

  /**
   * Completes a prefix to tags and titles. `id` is the id of the title's note, or "" for a tag: the index has only the
   * names of tags. Titles of archived notes are left out.
   */
  suggesting(prefix: string, limit: number, budget: Budget): Sliced<ReadonlyArray<Suggestion>> {
    return suggesting(this.store, prefix, limit, budget)
  }

  /** Parses a query. Words after a minus are options if notes that the rest of it finds have them with the hyphen. */
  *#parsed(text: string, filters: Filters, budget: Budget): Sliced<Query> {
    const { store } = this
    const query = parseQuery(text, store.languagesOfNotes)
    const termOf = ({ option }: Exclusion) =>
      option === undefined ? undefined : store.vocabulary.numberOf(option, Sort.part)
    const excluded = query.excluded.filter((exclusion) => termOf(exclusion) === undefined)
    if (excluded.length === query.excluded.length) return query
    const scratch = takeBuffers(store.entries.capacity)
    try {
      const matcher = new Matcher(store, { ...query, excluded }, filters, scratch, budget)
      const found = new Set(yield* matcher.matching())
      const options = new Set<string>()
      for (const exclusion of query.excluded) {
        const term = termOf(exclusion)
        if (term === undefined) continue
        const notes = new Set<number>()
        yield* eachWithSequence(store, exclusion, Infinity, scratch, budget, (note) => {
          if (found.has(note)) notes.add(note)
        })
        store.postings.read(term, scratch.list)
        const { count, notes: hyphened } = scratch.list
        if (hyphened.subarray(0, count).some((note) => notes.has(note))) options.add(exclusion.option!)
        if (budget.spend(found.size + count)) yield
      }
      return options.size === 0 ? query : parseQuery(text, store.languagesOfNotes, options)
    } finally {
      returnBuffers(scratch)
    }
  }

  *#found(query: Query, search: SearchQuery, offset: number, limit: number, budget: Budget): Sliced<Found> {
    if (query.unsearchable || excludesAll(this.store.entries, search, query.tags))
      return { total: 0, matches: [], query, suggestion: undefined }
    const scratch = takeBuffers(this.store.entries.capacity)
    try {
      const matcher = new Matcher(this.store, query, search, scratch, budget)
      const notes = yield* matcher.matching()
      const shown = best(notes, Math.min(offset + limit, notes.length), this.#order(search, scratch, notes)).slice(
        offset
      )
      const wanted = new Wanted(this.store, matcher.readings, shown)
      const matches = shown.map((note) => ({
        id: this.store.entries.idOf(note),
        score: Math.max(Number.MIN_VALUE, Math.min(1, scratch.score[note]!)),
        finds: findsIn(this.store, wanted, note)
      }))
      return { total: notes.length, matches, query, suggestion: undefined }
    } finally {
      returnBuffers(scratch)
    }
  }

  #order({ order }: SearchQuery, { score }: ScoreBuffers, notes: Int32Array): (a: number, b: number) => number {
    const { entries } = this.store
    if (order === undefined) {
      const newest = newestOf(entries)
      return (a, b) => score[b]! - score[a]! || newest(a, b)
    }
    const byId = (a: number, b: number) => byText(entries.idOf(a), entries.idOf(b))
    if (!("by" in order)) {
      const places = new Map(order.map((id, place) => [id, place]))
      const placeOf = new Int32Array(entries.capacity)
      for (const note of notes) placeOf[note] = places.get(entries.idOf(note)) ?? order.length
      return (a, b) => placeOf[a]! - placeOf[b]! || byId(a, b)
    }
    const sign = order.descending ? -1 : 1
    if (order.by === "title") {
      return (a, b) => sign * asRead(entries.titleOf(a), entries.titleOf(b)) || byId(a, b)
    }
    const { created: created_at, updated: updated_at, words: word_count } = entries.columns
    const column = { created_at, updated_at, word_count }[order.by]
    return (a, b) => sign * (column[a]! - column[b]!) || byId(a, b)
  }
}
