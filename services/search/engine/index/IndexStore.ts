import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { DocumentTable } from "./DocumentTable.ts"
import { type IndexedNote, State } from "./IndexedNote.ts"
import { languagesOf, type LanguagesOfNotes } from "../text/Languages.ts"
import { readNote } from "./NoteReader.ts"
import { type ColumnsOf, merging, packing } from "./Packing.ts"
import type { PageCache } from "./PagedFile.ts"
import { termsIn } from "./TokenRows.ts"
import type { PostingList } from "./PostingList.ts"
import { type RecentNote, RecentNotes } from "./RecentNotes.ts"
import { Segment, type SegmentHead, SegmentWriter } from "./Segment.ts"
import { Vocabulary } from "./Vocabulary.ts"

/** Number of postings of recent notes, and of loaded notes, at which they are packed. */
const RECENT = 64_000
const LOADED = 1_000_000
/** Maximum number of postings of recent notes. More would not fit into the heap of the search thread. */
const MAX_RECENT = 250_000
/** Bytes of memory per loaded posting, with its share of the row; and per note for the columns of a search. */
const LOADED_BYTES = 8
const SCRATCH_BYTES = 30
/** Steps per term of a note that is added. */
const ADDED_TERM = 2.5
/** Steps per term of a note that is added to the recent ones. */
const RECENT_TERM = 30
export interface StoreOptions {
  /** The directory of the segments. */
  readonly directory: string
  readonly cache: PageCache
  /** Bytes of memory above which the index adds no new terms. */
  readonly maxBytes: number
}

/**
 * The notes of an index. Their columns, the vocabulary, and the text of recent notes are in memory; the text of all
 * other notes is in segments on disk.
 */
export class IndexStore {
  readonly vocabulary = new Vocabulary()
  readonly entries = new DocumentTable()
  readonly segments: Array<Segment | undefined> = []
  readonly options: StoreOptions
  #recent = new RecentNotes()
  /** Notes that are loaded in large numbers. Searches find them once they are packed. */
  #loaded = new Map<number, RecentNote>()
  /** Notes that are being packed. None is removed from here. */
  #packed: { readonly recent: RecentNotes; readonly loaded: Map<number, RecentNote> } | undefined
  #loadedPostings = 0

  constructor(options: StoreOptions) {
    this.options = options
  }

  /** Bytes of memory, approximately. */
  get bytes(): number {
    let all = 0
    for (const segment of this.segments) all += segment?.bytes ?? 0
    all += this.#loadedPostings * LOADED_BYTES + this.entries.capacity * SCRATCH_BYTES
    return all + this.#recent.bytes + (this.#packed?.recent.bytes ?? 0) + this.vocabulary.bytes + this.entries.bytes
  }

  /** Number and bytes of the segments on disk. */
  get files(): { readonly count: number; readonly bytes: number } {
    const all = this.segments.filter((segment) => segment !== undefined)
    return { count: all.length, bytes: all.reduce((sum, { head }) => sum + head.size, 0) }
  }

  /** Whether no new terms are added. */
  get isFull(): boolean {
    return this.bytes >= this.options.maxBytes
  }

  /** The languages of the notes. */
  get languagesOfNotes(): LanguagesOfNotes {
    return languagesOf(this.entries.languages)
  }

  readonly postings = {
    /** Reads the postings of a term into a list. Some of the notes may be removed. */
    read: (term: number, into: PostingList): void => {
      into.count = 0
      this.postings.append(term, into)
    },
    /** Appends the postings of a term to a list. */
    append: (term: number, into: PostingList): void => {
      for (const segment of this.segments) segment?.read(term, into)
      this.#packed?.recent.read(term, into)
      this.#recent.read(term, into)
    },
    /** Reads the postings of a term in titles into a list. */
    readTitles: (term: number, into: PostingList): void => {
      into.count = 0
      for (const segment of this.segments) segment?.readTitles(term, into)
      this.#packed?.recent.read(term, into, 1)
      this.#recent.read(term, into, 1)
    }
  }

  readonly positions = {
    /** The row of a note: see `TokenRows`. Valid until the next call. */
    of: (number: number): Buffer => {
      const { homes, rowLengths, rows } = this.entries.places
      const home = homes[number]!
      if (home > 0) return this.segments[home - 1]!.row(rows[number]!, rowLengths[number]!)
      const { loaded, recent } = this.#packed ?? {}
      const note =
        this.#recent.notes.get(number) ?? this.#loaded.get(number) ?? recent?.notes.get(number) ?? loaded?.get(number)
      return note!.row
    }
  };

  /**
   * Adds a note, or replaces the note with the same id. Searches find it at once, unless very many notes wait to be
   * packed. It must run to its end before any other change.
   */
  *adding(note: IndexedNote, budget: Budget): Sliced<void> {
    const { number, ...recent } = yield* this.#taking(note, budget)
    if (this.#recentPostings < MAX_RECENT) this.#recent.add(number, recent)
    else this.#load(number, recent)
  }

  /** Adds a note like `adding`. Searches find it after `packing`. */
  *loading(note: IndexedNote, budget: Budget): Sliced<void> {
    const { number, ...recent } = yield* this.#taking(note, budget)
    this.#load(number, recent)
  }

  #load(number: number, note: RecentNote): void {
    this.#loaded.set(number, note)
    this.#loadedPostings += note.terms.length
  }

  get #recentPostings(): number {
    return this.#recent.postings + (this.#packed?.recent.postings ?? 0)
  }

  *#taking(note: IndexedNote, budget: Budget): Sliced<RecentNote & { readonly number: number }> {
    const { language, length, row, slots, terms } = yield* readNote(note, this.vocabulary, () => this.isFull, budget)
    this.remove(note.id)
    const number = this.entries.add(note, length, language)
    this.entries.places.homes[number] = 0
    for (const term of terms) this.vocabulary.retain(term)
    this.vocabulary.addLanguage(terms, language)
    if (budget.spend(note.title.length + terms.length * ADDED_TERM)) yield
    return { number, terms: Int32Array.from(terms), slots, row: Buffer.from(row) }
  }

  /** Removes a note, if it is in the index. */
  remove(id: string): void {
    const number = this.entries.numberOf(id)
    if (number === undefined) return
    for (const term of termsIn(this.positions.of(number))) this.vocabulary.release(term)
    this.entries.remove(number)
    const home = this.entries.places.homes[number]!
    if (home > 0) this.segments[home - 1]!.removed.push(number)
    else if (this.#recent.notes.has(number)) {
      this.#recent.remove(number)
      this.entries.free(number)
    } else if (this.#loaded.has(number)) {
      this.#loadedPostings -= this.#loaded.get(number)!.terms.length
      this.#loaded.delete(number)
      this.entries.free(number)
    }
  }

  /** Frees the numbers of terms without notes, when there are many. Must be called between changes. */
  tidy(minDead?: number): void {
    this.vocabulary.tidyIfMany(minDead)
  }

  /** Whether notes should be packed now. */
  get isDue(): boolean {
    return this.#packed !== undefined || this.#recent.postings >= RECENT || this.#loadedPostings >= LOADED
  }

  /** Whether changes should wait until notes are packed. */
  get isOverdue(): boolean {
    return this.#packed !== undefined && this.#recent.postings >= RECENT
  }

  /** Whether there are notes that searches do not find until they are packed. */
  get isLoading(): boolean {
    return this.#loaded.size > 0 || (this.#packed?.loaded.size ?? 0) > 0
  }

  /** Prepares the notes in memory for packing. Returns false while earlier notes are not packed yet. */
  freeze(): boolean {
    if (this.#packed !== undefined) return false
    this.#packed = { recent: this.#recent, loaded: this.#loaded }
    this.#recent = new RecentNotes()
    this.#loaded = new Map()
    this.#loadedPostings = 0
    return true
  }

  /** Packs the notes of `freeze`. The index can be searched and changed meanwhile. */
  *packing(budget: Budget): Sliced<void> {
    if (this.#packed === undefined) return
    const { loaded, recent } = this.#packed
    const notes = new Map([...loaded, ...recent.notes])
    try {
      if (notes.size > 0) {
        yield* this.#writing((writer, columnsOf) => packing(writer, notes, this.vocabulary.size, columnsOf, budget))
      }
    } catch (error) {
      // The disk may be full. Until the next attempt, searches find these notes in memory.
      for (const [number, note] of loaded) {
        if (this.#recentPostings >= MAX_RECENT) break
        recent.add(number, note)
        loaded.delete(number)
        if (budget.spend(note.terms.length * RECENT_TERM)) yield
      }
      throw error
    }
    this.#packed = undefined
  }

  /** Merges segments into one without the removed notes. The index can be searched and changed meanwhile. */
  *merging(segments: ReadonlyArray<Segment>, budget: Budget): Sliced<void> {
    const numbers = segments.map((segment) => new Int32Array(segment.column("numbers")))
    const isKept = new Uint8Array(this.entries.capacity)
    const dropped: Array<number> = []
    for (const own of numbers) {
      for (const number of own) {
        if (this.entries.columns.states[number] === State.none) dropped.push(number)
        else isKept[number] = 1
      }
    }
    yield* this.#writing((writer, columnsOf) => merging(writer, segments, isKept, columnsOf, budget))
    for (const segment of segments) {
      this.segments[this.segments.indexOf(segment)] = undefined
      segment.close()
    }
    // No posting contains their numbers any more.
    for (const number of dropped) this.entries.free(number)
  }

  /** Writes a segment and adds it. A segment that was written but not added is deleted by the next save. */
  *#writing(write: (writer: SegmentWriter, columnsOf: ColumnsOf) => Sliced<SegmentHead>): Sliced<void> {
    const { cache, directory } = this.options
    const writer = new SegmentWriter(directory)
    try {
      const head = yield* write(writer, (notes, terms) => ({
        ...this.entries.columnsOf(notes),
        ...this.vocabulary.columnsOf(terms)
      }))
      const segment = new Segment(directory, head, [], cache)
      for (const number of this.#takeIn(segment)) {
        if (this.entries.columns.states[number] === State.none) segment.removed.push(number)
      }
    } finally {
      writer.close()
    }
  }

  /** Adds a segment, and sets the place of each note's row. Returns the numbers of its notes. */
  #takeIn(segment: Segment): Int32Array {
    const free = this.segments.indexOf(undefined)
    const place = free < 0 ? this.segments.length : free
    this.segments[place] = segment
    const numbers = new Int32Array(segment.column("numbers"))
    const lengths = new Uint32Array(segment.column("rowLengths"))
    const { homes, rowLengths, rows } = this.entries.places
    let at = 0
    for (const [i, number] of numbers.entries()) {
      homes[number] = place + 1
      rows[number] = at
      rowLengths[number] = lengths[i]!
      at += lengths[i]!
    }
    return numbers
  }

  /** Adds the notes of a saved segment. `finishRestoring` must follow after the last segment. */
  *restoring(segment: Segment, budget: Budget): Sliced<void> {
    const numbers = new Int32Array(segment.column("numbers"))
    this.entries.restore(numbers, new Set(segment.removed), (name) => segment.column(name))
    if (budget.spend(numbers.length * 2)) yield
    this.#takeIn(segment)
    const counts = new Uint32Array(segment.column("counts"))
    for (const number of segment.removed) {
      for (const term of termsIn(this.positions.of(number))) counts[segment.placeOf(term)]!--
    }
    this.vocabulary.restore(segment.terms, counts, (name) => segment.column(name))
    if (budget.spend(counts.length / 2)) yield
  }

  finishRestoring(): void {
    const removed = new Set(this.segments.flatMap((segment) => segment?.removed ?? []))
    this.entries.freeMissing((number) => removed.has(number))
    this.vocabulary.tidy()
  }

  close(): void {
    for (const segment of this.segments) segment?.close()
  }
}
