import { atOnce, Budget, type Sliced } from "../concurrency/Budget.ts"
import { best } from "./Best.ts"
import type { Entry, IndexedNote } from "./Entries.ts"
import type { Filters } from "./Filters.ts"
import { type Find, findsIn, Wanted } from "./Finds.ts"
import { type HeldIndex, IndexStore } from "./IndexStore.ts"
import { Matcher } from "./Matcher.ts"
import { asRead, byText, newestFirst } from "./Order.ts"
import { parseQuery, type Query } from "./Query.ts"
import { giveBack, type Scratch, takeScratch } from "./Scratch.ts"
import { type Suggestion, suggesting } from "./Suggestions.ts"
import { correctedQuery } from "./Correction.ts"

/** By what, other than relevance, notes can be sorted. */
export type SortField = "updated_at" | "created_at" | "title" | "word_count"

export interface SearchQuery extends Filters {
  /** Words, `"phrase"`, `-word`, `tag:name`; blank for all notes that pass the filters. See `parseQuery`. */
  readonly query: string
  /** Relevance unless told. */
  readonly order?: { readonly by: SortField; readonly descending: boolean } | undefined
}

export interface Match {
  readonly id: string
  /** Above 0 up to 1. */
  readonly score: number
  /** By which terms it was found. */
  readonly finds: ReadonlyArray<Find>
}

/** What a search has found. */
export interface Found {
  /** How many notes match. */
  readonly total: number
  readonly matches: ReadonlyArray<Match>
  /** The query that was answered. */
  readonly query: Query
  /** Its text, where it is another than the one that was asked. */
  readonly suggestion: string | undefined
}

/**
 * The full-text index of one workspace, in memory. A change is found by the next search. What it answers depends only on
 * the notes that it holds, not on the order in which they came.
 */
export class SearchIndex {
  readonly store: IndexStore

  constructor(maxBytes?: number, held?: HeldIndex) {
    this.store = new IndexStore(maxBytes, held)
  }

  /** Notes contained. */
  get size(): number {
    return this.store.entries.size
  }

  /** About how much memory the index takes. */
  get bytes(): number {
    return this.store.bytes
  }

  /** Whether it takes in no new terms. */
  get isFull(): boolean {
    return this.store.isFull
  }

  /** `adding` at one stretch. */
  add(note: IndexedNote): void {
    atOnce(this.adding(note, new Budget()))
  }

  /** `searching` at one stretch. */
  search(search: SearchQuery): ReadonlyArray<Match> {
    return atOnce(this.searching(search, 0, Infinity, new Budget())).matches
  }

  /** `suggesting` at one stretch. */
  suggest(prefix: string, limit: number): ReadonlyArray<Suggestion> {
    return atOnce(this.suggesting(prefix, limit, new Budget()))
  }

  /**
   * Adds a note, or replaces the one with its id. It must be carried to its end, and nothing else be done meanwhile.
   * `isOneOfMany`: many others come with it, which then takes less.
   */
  adding(note: IndexedNote, budget: Budget, isOneOfMany = false): Sliced<void> {
    return this.store.adding(note, budget, isOneOfMany)
  }

  /** Removes a note; one that is not contained is no error. */
  remove(id: string): void {
    this.store.remove(id)
  }

  /** Lets go of what was removed, when that is much. To be called after changes, and carried to its end. */
  tidying(budget: Budget): Sliced<void> {
    return this.store.tidying(budget)
  }

  /** `tidying` at one stretch. */
  tidy(): void {
    atOnce(this.tidying(new Budget()))
  }

  /**
   * The notes that match, best first, equals by `updated_at`, latest first, then by id: `limit` of them from `offset` on.
   * Where none is found, what was likeliest meant. Never fails, whatever the query. With a budget that is spent it
   * forgives fewer typing errors.
   */
  *searching(search: SearchQuery, offset: number, limit: number, budget: Budget): Sliced<Found> {
    const { store } = this
    const query = parseQuery(search.query, store.spoken)
    const found = yield* this.#found(query, search, offset, limit, budget)
    if (found.total > 0 || query.unsearchable || query.clauses.length === 0) return found
    const meant = yield* correctedQuery(store, query, search.query, budget)
    if (meant === undefined) return found
    const corrected = yield* this.#found(meant.query, search, offset, limit, budget)
    return corrected.total > 0 ? { ...corrected, suggestion: meant.text } : found
  }

  /**
   * Completions of what is being typed, tags and titles. `id` is the note's for a title, "" for a tag: the index knows tags
   * by name only. Titles of archived notes are left out.
   */
  suggesting(prefix: string, limit: number, budget: Budget): Sliced<ReadonlyArray<Suggestion>> {
    return suggesting(this.store, prefix, limit, budget)
  }

  *#found(query: Query, search: SearchQuery, offset: number, limit: number, budget: Budget): Sliced<Found> {
    if (query.unsearchable) return { total: 0, matches: [], query, suggestion: undefined }
    const scratch = takeScratch(this.store.entries.capacity)
    let touched: number | undefined
    try {
      const most = search.order === undefined ? offset + limit : Infinity
      const matcher = new Matcher(this.store, query, search, most, scratch, budget)
      const { notes, total } = yield* matcher.matching()
      const order = this.#order(search, scratch)
      const shown = best(notes, Math.min(offset + limit, notes.length), order).slice(offset)
      const wanted = new Wanted(this.store, matcher.readings, shown, scratch)
      const matches = shown.map((note) => this.#match(note, scratch.score[note]!, wanted))
      touched = matcher.touched
      return { total, matches, query, suggestion: undefined }
    } finally {
      giveBack(scratch, touched)
    }
  }

  #match(note: number, score: number, wanted: Wanted): Match {
    return {
      id: this.store.entries.at(note)!.id,
      score: Math.max(Number.MIN_VALUE, Math.min(1, score)),
      finds: findsIn(this.store, wanted, note)
    }
  }

  #order({ order }: SearchQuery, { score }: Scratch): (a: number, b: number) => number {
    const { entries } = this.store
    const entry = (note: number): Entry => entries.at(note)!
    if (order === undefined) {
      return (a, b) => (score[a]! !== score[b]! ? (score[a]! > score[b]! ? -1 : 1) : newestFirst(entry(a), entry(b)))
    }
    const sign = order.descending ? -1 : 1
    const { by } = order
    if (by === "title") {
      return (a, b) => sign * asRead(entry(a).title, entry(b).title) || byText(entry(a).id, entry(b).id)
    }
    return (a, b) => sign * (entry(a)[by] - entry(b)[by]) || byText(entry(a).id, entry(b).id)
  }
}
