import { atOnce, Budget, type Sliced } from "../budgets/Budget.ts"
import { best } from "./Best.ts"
import { type Filtered, filterOf, type Filters } from "./Filters.ts"
import { eachOccurrence, type Positions, PositionsWriter, termsIn } from "./Positions.ts"
import { type Occurrence, Postings, SLOTS, slotOf } from "./Postings.ts"
import { parseQuery, type Sequence, tagKey, type Word } from "./Query.ts"
import { impactOf, MAX_IMPACT, weightOf } from "./Relevance.ts"
import { type Suggestion, Suggestions } from "./Suggestions.ts"
import { TokenReader, type VisitToken } from "./Tokens.ts"
import { Kind, Vocabulary } from "./Vocabulary.ts"

/** What the index is told of a note. Times are RFC 3339 in UTC with milliseconds: they compare as strings. */
export interface IndexedNote {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly notebook_id: string
  readonly archived: boolean
  readonly created_at: string
  readonly updated_at: string
}

export interface SearchQuery extends Filters {
  /** Words, `"phrase"`, `-word`, `tag:name`; blank for all notes that pass the filters. See `parseQuery`. */
  readonly query: string
}

export interface Match {
  readonly id: string
  /** Above 0 up to 1. The quarter tells the worst match among the words: exact, prefix, one typing error, two. */
  readonly score: number
}

/** What a search has found. */
export interface Found {
  /** How many notes match. */
  readonly total: number
  readonly matches: ReadonlyArray<Match>
}

/** So much memory one index takes at most: about what 15 000 notes of a page do. While it grows, the process holds twice of it. */
const MAX_BYTES = 144 * 1024 * 1024
/** So many distinct terms of one note are known: more than a book has. */
const MAX_NOTE_TERMS = 20_000
/** Text is read, and notes are gone through, in pieces of so many steps. */
const PIECE = 8_192
/** Steps of what is done most. */
const COST = { token: 12, posting: 1, note: 1, phraseByte: 0.02 } as const

/** A note as it is kept: without its text. Tags as `tagKey` gives them. */
interface Entry extends Filtered {
  readonly id: string
  readonly positions: Positions
  /** Distinct terms in the postings. */
  readonly terms: number
}

/** Visits each note that a clause matches, with the kind and the impact (above 0, below `MAX_IMPACT`) of its best match. */
type Visit = (note: number, kind: Kind, impact: number) => void

/**
 * The full-text index of one workspace, in memory. A change is found by the next search. What it answers depends only on
 * the notes that it holds, not on the order in which they came.
 */
export class SearchIndex {
  readonly #postings = new Postings()
  readonly #vocabulary = new Vocabulary()
  readonly #suggestions = new Suggestions()
  readonly #writer = new PositionsWriter()
  readonly #numbers = new Map<string, number>()
  readonly #entries: Array<Entry | undefined> = []
  /** Tokens of the bodies: of the entries, what scoring reads of every note found. */
  readonly #lengths: Array<number> = []
  readonly #free: Array<number> = []
  readonly #maxBytes: number
  #bodyTokens = 0
  #entryBytes = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Notes contained. */
  get size(): number {
    return this.#numbers.size
  }

  /** About how much memory the index takes. */
  get bytes(): number {
    return this.#postings.bytes + this.#vocabulary.bytes + this.#suggestions.bytes + this.#entryBytes
  }

  /** `adding` at one stretch. */
  add(note: IndexedNote): void {
    atOnce(this.adding(note, new Budget()))
  }

  /** `searching` at one stretch. */
  search(search: SearchQuery): ReadonlyArray<Match> {
    return atOnce(this.searching(search, Infinity, new Budget())).matches
  }

  /** `suggesting` at one stretch. */
  suggest(prefix: string, limit: number): ReadonlyArray<Suggestion> {
    return atOnce(this.suggesting(prefix, limit, new Budget()))
  }

  /**
   * Adds a note, or replaces the one with its id. It must be carried to its end, and nothing else be done meanwhile. An
   * index that is full takes in no new terms: its notes are found by the terms that it knows.
   */
  *adding(note: IndexedNote, budget: Budget): Sliced<void> {
    this.remove(note.id)
    const number = this.#free.pop() ?? this.#entries.length
    const occurrences = new Map<string, { title: boolean; tags: boolean; body: number }>()
    const count = (term: string, field: "title" | "tags" | "body") => {
      let occurrence = occurrences.get(term)
      if (occurrence === undefined) occurrences.set(term, (occurrence = { title: false, tags: false, body: 0 }))
      if (field === "body") occurrence.body++
      else occurrence[field] = true
    }
    let length = 0
    let isFull = this.isFull
    const visitor = (field: "title" | "tags" | "body"): VisitToken => {
      let previous = ""
      return (token, _start, _end, unspaced, link) => {
        if (field === "body") length++
        if (
          (isFull && !this.#vocabulary.has(token)) ||
          (occurrences.size >= MAX_NOTE_TERMS && !occurrences.has(token))
        ) {
          // What is left out stands between its neighbours.
          this.#writer.gap()
          previous = ""
          return
        }
        const termNumber = this.#vocabulary.intern(token, unspaced)
        const term = this.#vocabulary.termAt(termNumber)
        if (!occurrences.has(term)) this.#vocabulary.retain(termNumber)
        if (link === "gap") this.#writer.gap()
        this.#writer.term(termNumber)
        count(term, field)
        // Pairs of characters: single ones are in too many notes to find words by.
        if (link === "glued" && previous !== "") count(previous + term, field)
        previous = term
      }
    }
    new TokenReader(note.title).read(Infinity, visitor("title"))
    this.#writer.endField()
    for (const tag of note.tags) {
      new TokenReader(tag).read(Infinity, visitor("tags"))
      this.#writer.endField()
    }
    const body = new TokenReader(note.body, COST.token)
    const visit = visitor("body")
    for (let isMore = true; isMore;) {
      const before = body.spent
      isMore = body.read(PIECE, visit)
      if (budget.spend(body.spent - before)) yield
      isFull = this.isFull
    }

    const positions = this.#writer.finish()
    this.#postings.add(number, [...occurrences.keys()], [...occurrences.values()].map(slotOf))
    const entry: Entry = {
      id: note.id,
      tags: note.tags.map(tagKey),
      notebook_id: note.notebook_id,
      archived: note.archived,
      created_at: note.created_at,
      updated_at: note.updated_at,
      positions,
      terms: occurrences.size
    }
    this.#entries[number] = entry
    this.#lengths[number] = length
    this.#numbers.set(note.id, number)
    this.#suggestions.add(note)
    this.#bodyTokens += length
    this.#entryBytes += entryBytes(entry)
    if (budget.spend(note.title.length + occurrences.size * COST.posting)) yield
  }

  /** Whether it takes in no new terms. */
  get isFull(): boolean {
    return this.bytes >= this.#maxBytes
  }

  /** Removes a note; one that is not contained is no error. */
  remove(id: string): void {
    const number = this.#numbers.get(id)
    const entry = number === undefined ? undefined : this.#entries[number]
    if (number === undefined || entry === undefined) return
    this.#postings.remove(number, entry.terms)
    for (const termNumber of termsIn(entry.positions)) this.#vocabulary.release(termNumber)
    this.#suggestions.remove(id)
    this.#numbers.delete(id)
    this.#entries[number] = undefined
    this.#free.push(number)
    this.#bodyTokens -= this.#lengths[number] ?? 0
    this.#entryBytes -= entryBytes(entry)
  }

  /**
   * The notes that match: the first `wanted`, best first, equals by `updated_at`, latest first, then by id; or all of
   * them, in no order. Never fails, whatever the query. With a budget that is spent it forgives fewer typing errors.
   */
  *searching(search: SearchQuery, wanted: number | "all", budget: Budget): Sliced<Found> {
    const query = parseQuery(search.query)
    if (query.unsearchable) return nothing
    const passes = filterOf(search, query.tags, query.excludedTags)
    // Read only where a note was found: there is an entry.
    const entries = this.#entries as ReadonlyArray<Entry>
    const capacity = entries.length
    const scores = new Float64Array(capacity)
    const worst = new Uint8Array(capacity)
    // How many clauses a note has matched; those that missed one stay behind.
    const matched = new Uint8Array(capacity)
    let notes: Array<number> = []
    if (query.clauses.length === 0) {
      for (let from = 0; from < capacity; from += PIECE) {
        const until = Math.min(from + PIECE, capacity)
        for (let note = from; note < until; note++) {
          if (this.#entries[note] !== undefined && passes(entries[note]!)) notes.push(note)
        }
        if (budget.spend(PIECE * COST.note)) yield
      }
    }
    let weights = 0
    // Words first: they leave fewer notes to compare with the phrases.
    const clauses = [...query.clauses].sort((a, b) => (a.kind === b.kind ? 0 : a.kind === "word" ? -1 : 1))
    for (const [index, clause] of clauses.entries()) {
      const survivors: Array<number> = []
      const impacts: Array<number> = []
      const ofInterest = (note: number) => matched[note] === index && (index > 0 || passes(entries[note]!))
      const visit: Visit = (note, kind, impact) => {
        matched[note] = index + 1
        worst[note] = Math.max(worst[note]!, kind)
        survivors.push(note)
        impacts.push(impact)
      }
      const found =
        clause.kind === "word"
          ? yield* this.#word(clause, ofInterest, visit, budget)
          : yield* this.#sequence(clause, ofInterest, visit, budget)
      if (survivors.length === 0) return nothing
      const weight = weightOf(found, this.size)
      weights += weight
      for (let i = 0; i < survivors.length; i++) scores[survivors[i]!]! += weight * impacts[i]!
      notes = survivors
    }
    for (const excluded of query.excluded) {
      const out = new Set<number>()
      yield* this.#sequence(
        excluded,
        (note) => matched[note] === clauses.length,
        (note) => out.add(note),
        budget
      )
      notes = notes.filter((note) => !out.has(note))
    }
    for (const note of notes) {
      scores[note] = clauses.length === 0 ? 1 : (3 - worst[note]! + scores[note]! / (MAX_IMPACT * weights)) / 4
    }
    if (budget.spend(notes.length * COST.note)) yield
    const shown =
      wanted === "all"
        ? notes
        : best(notes, wanted, (a, b) => scores[b]! - scores[a]! || newestFirst(entries[a]!, entries[b]!))
    return { total: notes.length, matches: shown.map((note) => ({ id: entries[note]!.id, score: scores[note]! })) }
  }

  /**
   * Completions of what is being typed, tags and titles: those that begin with it before those in which a later word
   * does. `id` is the note's for a title, "" for a tag: the index knows tags by name only. Titles of archived notes are left out.
   */
  suggesting(prefix: string, limit: number, budget: Budget): Sliced<ReadonlyArray<Suggestion>> {
    return this.#suggestions.suggest(prefix, limit, budget)
  }

  /** Visits the notes of interest with any form of the word. Returns how many notes contain the best form that is found. */
  *#word(word: Word, ofInterest: (note: number) => boolean, visit: Visit, budget: Budget): Sliced<number> {
    // The best form of a note: the kinds are two apart, which is more than any impact.
    const best = new Float64Array(this.#entries.length)
    const found: Array<number> = []
    for (const { term, kind } of yield* this.#vocabulary.expand(word, budget)) {
      const base = 2 * (3 - kind)
      const lists = this.#postings.of(term)
      for (let slot = 0; slot < lists.length; slot++) {
        const notes = lists[slot]
        if (notes === undefined) continue
        const occurrence = SLOTS[slot]!
        for (let i = 0; i < notes.length; i++) {
          const note = notes[i]!
          const before = best[note]!
          // A better kind was found already.
          if (before >= base + 2) continue
          if (before === 0) found.push(note)
          const value = base + this.#impact(note, occurrence)
          if (value > before) best[note] = value
        }
        if (budget.spend(1 + notes.length * COST.posting)) yield
      }
    }
    const notesOf = [0, 0, 0, 0]
    for (const note of found) {
      const kind = (3 - Math.floor(best[note]! / 2)) as Kind
      notesOf[kind]!++
      if (ofInterest(note)) visit(note, kind, best[note]! - 2 * (3 - kind))
    }
    if (budget.spend(found.length * COST.note)) yield
    return notesOf.find((count) => count > 0) ?? 0
  }

  /**
   * Visits the notes among those of interest that contain the sequence. Returns how many notes contain its parts, which is
   * at least the number of those that contain it.
   */
  *#sequence(sequence: Sequence, ofInterest: (note: number) => boolean, visit: Visit, budget: Budget): Sliced<number> {
    const numbers = sequence.terms.map(({ term }) => this.#vocabulary.numberOf(term))
    const keys: Array<string> = []
    for (const [index, { term, link }] of sequence.terms.entries()) {
      const number = numbers[index]
      if (number === undefined) continue
      if (link === "gap") this.#writer.gap()
      this.#writer.term(number)
      const previous = sequence.terms[index - 1]
      if (link === "glued" && previous !== undefined) keys.push(previous.term + term)
      else if (sequence.terms[index + 1]?.link !== "glued") keys.push(term)
    }
    const phrase = this.#writer.finish()
    if (numbers.includes(undefined)) return 0
    const isPosting =
      sequence.terms.length === 1 || (sequence.terms.length === 2 && sequence.terms[1]?.link === "glued")
    const [rarest, ...others] = [...new Set(keys)]
      .map((key) => this.#postings.of(key))
      .sort((a, b) => total(a) - total(b))
    if (rarest === undefined) return 0
    const parts = new Uint8Array(this.#entries.length)
    for (const [index, lists] of others.entries()) {
      for (const notes of lists) for (const note of notes ?? []) if (parts[note] === index) parts[note] = index + 1
      if (budget.spend(total(lists) * COST.posting)) yield
    }
    let found = 0
    for (let slot = 0; slot < rarest.length; slot++) {
      for (const note of rarest[slot] ?? []) {
        if (parts[note] !== others.length) continue
        found++
        if (!ofInterest(note)) continue
        const occurrence = isPosting ? SLOTS[slot] : this.#occurrence(note, phrase)
        if (occurrence !== undefined) visit(note, Kind.exact, this.#impact(note, occurrence))
        if (budget.spend(COST.note + (isPosting ? 0 : this.#entries[note]!.positions.length * COST.phraseByte))) yield
      }
    }
    return found
  }

  /** Where a phrase occurs in a note; undefined if nowhere. */
  #occurrence(note: number, phrase: Positions): Occurrence | undefined {
    const { positions, tags } = this.#entries[note]!
    const found = { title: false, tags: false, body: 0 }
    eachOccurrence(positions, phrase, (field) => {
      if (field === 0) found.title = true
      else if (field <= tags.length) found.tags = true
      else found.body++
    })
    return found.title || found.tags || found.body > 0 ? found : undefined
  }

  #impact(note: number, occurrence: Occurrence): number {
    return impactOf(occurrence, (this.#lengths[note]! * this.size) / Math.max(1, this.#bodyTokens))
  }
}

const nothing: Found = { total: 0, matches: [] }

const total = (lists: ReadonlyArray<ReadonlyArray<number> | undefined>): number =>
  lists.reduce((sum, notes) => sum + (notes?.length ?? 0), 0)

/** The objects of an entry, its strings, and its positions with their buffer. */
const entryBytes = (entry: Entry): number => 600 + entry.tags.length * 60 + entry.positions.length

const newestFirst = (a: Entry, b: Entry): number =>
  a.updated_at === b.updated_at ? (a.id < b.id ? -1 : 1) : a.updated_at > b.updated_at ? -1 : 1
