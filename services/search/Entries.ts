import type { Language } from "./Languages.ts"
import { tagKey } from "./Query.ts"

/** What the index is told of a note. Times are RFC 3339 in UTC with milliseconds: they compare as strings. */
export interface IndexedNote {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly notebook_id: string
  readonly archived: boolean
  readonly word_count: number
  readonly created_at: string
  readonly updated_at: string
}

/** What is told of a note beside its text, member by member: a rest of a pattern takes as long as to read a short note. */
export const withoutBody = (note: Omit<IndexedNote, "body">): Omit<IndexedNote, "body"> => ({
  id: note.id,
  title: note.title,
  tags: note.tags,
  notebook_id: note.notebook_id,
  archived: note.archived,
  word_count: note.word_count,
  created_at: note.created_at,
  updated_at: note.updated_at
})

/** Of a note that has more, what the index is told. */
export const indexedOf = (note: IndexedNote): IndexedNote => ({ ...withoutBody(note), body: note.body })

/** A tag as notes carry it, shared by all that spell it so. A rename reaches the notes one by one. */
export interface Tag {
  readonly name: string
  /** As `tagKey` gives it. */
  readonly key: string
  notes: number
}

/** Of a number: no note has it, one has it, an archived one has it. */
export const State = { none: 0, live: 1, archived: 2 } as const

/** A note as it is kept: without its body. */
export interface Entry {
  readonly id: string
  readonly title: string
  readonly tags: ReadonlyArray<Tag>
  readonly notebook_id: string
  readonly archived: boolean
  readonly word_count: number
  readonly created_at: number
  readonly updated_at: number
  /** Tokens of the body. */
  readonly length: number
  /** Distinct terms in the postings. */
  readonly terms: number
  readonly language: Language
}

/** What is told of a note in a snapshot: the entry in the order of its members, tags by their names. */
export type EntryRow = readonly [
  note: number,
  id: string,
  title: string,
  tags: ReadonlyArray<string>,
  notebook_id: string,
  archived: 0 | 1,
  word_count: number,
  created_at: number,
  updated_at: number,
  length: number,
  terms: number,
  language: Language
]

/** The notes of an index by their numbers, with their tags. */
export class Entries {
  readonly #numbers = new Map<string, number>()
  #all: Array<Entry | undefined> = []
  /** Of the entries what is read of every note found: tokens of the body, the language, and below the state. */
  lengths = new Int32Array(256)
  spoken = new Uint8Array(256)
  /** Whether there is one, and whether it is archived. */
  states = new Uint8Array(256)
  readonly #tags = new Map<string, Tag>()
  readonly #notebooks = new Map<string, string>()
  readonly #languages = new Map<Language, number>()
  #tokens = 0
  #characters = 0

  /** Notes contained. */
  get size(): number {
    return this.#numbers.size
  }

  /** Numbers that were given, those of removed notes among them. */
  get capacity(): number {
    return this.#all.length
  }

  /** Tokens of all bodies. */
  get tokens(): number {
    return this.#tokens
  }

  /** About how much memory they take: the objects with their strings. */
  get bytes(): number {
    return this.#numbers.size * 330 + this.#all.length * 15 + this.#characters * 2 + this.#tags.size * 200
  }

  get tags(): Iterable<Tag> {
    return this.#tags.values()
  }

  /** Languages of the notes, each with how many there are. */
  get languages(): ReadonlyMap<Language, number> {
    return this.#languages
  }

  at(number: number): Entry | undefined {
    return this.#all[number]
  }

  numberOf(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  set(number: number, note: Omit<IndexedNote, "body">, told: Pick<Entry, "length" | "terms" | "language">): void {
    this.#set(number, {
      ...told,
      id: note.id,
      title: note.title,
      tags: note.tags.map((name) => this.#tag(name)),
      notebook_id: this.#notebook(note.notebook_id),
      archived: note.archived,
      word_count: note.word_count,
      created_at: Date.parse(note.created_at),
      updated_at: Date.parse(note.updated_at)
    })
  }

  remove(number: number): Entry | undefined {
    const entry = this.#all[number]
    if (entry === undefined) return undefined
    this.#all[number] = undefined
    this.states[number] = State.none
    this.#numbers.delete(entry.id)
    this.#tokens -= entry.length
    this.#characters -= entry.title.length
    for (const tag of entry.tags) if (--tag.notes === 0) this.#tags.delete(tag.name)
    const left = this.#languages.get(entry.language)! - 1
    left === 0 ? this.#languages.delete(entry.language) : this.#languages.set(entry.language, left)
    return entry
  }

  /** Gives the notes consecutive numbers, in their order. Returns the new number of each, or -1. */
  compact(): Int32Array {
    const numbers = new Int32Array(this.#all.length).fill(-1)
    const kept: Array<Entry | undefined> = []
    for (const [number, entry] of this.#all.entries()) {
      if (entry === undefined) continue
      numbers[number] = kept.length
      this.#numbers.set(entry.id, kept.length)
      kept.push(entry)
    }
    this.#all = kept
    for (const [number, entry] of kept.entries()) {
      this.lengths[number] = entry!.length
      this.spoken[number] = entry!.language
      this.states[number] = entry!.archived ? State.archived : State.live
    }
    this.states.fill(State.none, kept.length)
    return numbers
  }

  /** Those of some numbers. */
  rows(from: number, until: number): Array<EntryRow> {
    return this.#all.slice(from, until).flatMap((entry, place): Array<EntryRow> => {
      if (entry === undefined) return []
      const { archived, created_at, id, language, length, notebook_id, tags, terms, title, updated_at, word_count } =
        entry
      const names = tags.map(({ name }) => name)
      const flag = archived ? 1 : 0
      return [
        [from + place, id, title, names, notebook_id, flag, word_count, created_at, updated_at, length, terms, language]
      ]
    })
  }

  static of(rows: ReadonlyArray<EntryRow>, capacity: number): Entries {
    const made = new Entries()
    made.#all = Array.from({ length: capacity }, () => undefined)
    for (const [
      number,
      id,
      title,
      names,
      notebook,
      flag,
      word_count,
      created,
      updated,
      length,
      terms,
      language
    ] of rows) {
      made.#set(number, {
        id,
        title,
        tags: names.map((name) => made.#tag(name)),
        notebook_id: made.#notebook(notebook),
        archived: flag === 1,
        word_count,
        created_at: created,
        updated_at: updated,
        length,
        terms,
        language
      })
    }
    return made
  }

  #set(number: number, entry: Entry): void {
    while (this.#all.length < number) this.#all.push(undefined)
    this.#all[number] = entry
    if (number >= this.lengths.length) {
      const lengths = new Int32Array(Math.max(number + 1, this.lengths.length * 2))
      lengths.set(this.lengths)
      this.lengths = lengths
      const spoken = new Uint8Array(lengths.length)
      spoken.set(this.spoken)
      this.spoken = spoken
      const states = new Uint8Array(lengths.length)
      states.set(this.states)
      this.states = states
    }
    this.lengths[number] = entry.length
    this.spoken[number] = entry.language
    this.states[number] = entry.archived ? State.archived : State.live
    this.#numbers.set(entry.id, number)
    this.#tokens += entry.length
    this.#characters += entry.title.length
    for (const tag of entry.tags) tag.notes++
    this.#languages.set(entry.language, (this.#languages.get(entry.language) ?? 0) + 1)
  }

  #tag(name: string): Tag {
    let tag = this.#tags.get(name)
    if (tag === undefined) this.#tags.set(name, (tag = { name, key: tagKey(name), notes: 0 }))
    return tag
  }

  #notebook(id: string): string {
    const known = this.#notebooks.get(id)
    if (known !== undefined) return known
    this.#notebooks.set(id, id)
    return id
  }
}
