import { allGrown, type Column } from "./Columns.ts"
import { ReferenceCounts } from "./ReferenceCounts.ts"
import { HashTable } from "./HashTable.ts"
import type { Language } from "../text/Languages.ts"
import { tagKey } from "../text/Folding.ts"
import { hashIn, hashOf } from "../text/Tokenizer.ts"
import { type Entry, type IndexedNote, State, type Tag } from "./IndexedNote.ts"
import * as Columns from "./NoteColumns.ts"

/**
 * The notes of an index by their numbers, in columns, because objects would take four times the memory. The number of a
 * removed note is reused after `free`.
 */
export class DocumentTable {
  #columns = Columns.columnsFor(256)
  #places = Columns.placesFor(256)
  #capacity = 0
  #size = 0
  #tokens = 0
  readonly #languages = new Map<Language, number>()
  /** The id and the title of each note, one after the other. */
  #texts = Buffer.alloc(8192)
  #textsUsed = 0
  #textsDead = 0
  readonly #byId = new HashTable((number) => this.#hashOf(number))
  readonly #free: Array<number> = []
  readonly #tags = new Map<string, Tag>()
  /** The distinct lists of tags, and the ids of notebooks. */
  readonly #tagLists = new ReferenceCounts<ReadonlyArray<Tag>>()
  readonly #notebooks = new ReferenceCounts<string>()

  /** Number of notes. */
  get size(): number {
    return this.#size
  }

  /** The number after the highest one that was used. */
  get capacity(): number {
    return this.#capacity
  }

  /** Number of tokens of all bodies. */
  get tokens(): number {
    return this.#tokens
  }

  /** Bytes of memory, approximately. */
  get bytes(): number {
    const columns = [...Object.values(this.#columns), ...Object.values(this.#places), this.#texts]
    const names = (this.#tags.size + this.#tagLists.size) * 250 + this.#notebooks.size * 150
    return columns.reduce((sum, { byteLength }) => sum + byteLength, names + this.#byId.bytes) + this.#free.length * 8
  }

  get tags(): Iterable<Tag> {
    return this.#tags.values()
  }

  /** Number of notes per language. */
  get languages(): ReadonlyMap<Language, number> {
    return this.#languages
  }

  /** The columns by number. Valid until the next note is added. */
  get columns(): Readonly<Columns.Columns> {
    return this.#columns
  }

  /** The places of the notes' texts and rows. Valid until the next note is added. */
  get places() {
    return this.#places
  }

  at(number: number): Entry | undefined {
    const { created, lengths, spoken, states, updated, words } = this.#columns
    const state = states[number]
    if (state === undefined || state === State.none) return undefined
    return {
      id: this.idOf(number),
      title: this.titleOf(number),
      tags: this.tagsOf(number),
      notebook_id: this.notebookOf(number),
      archived: state === State.archived,
      word_count: words[number]!,
      created_at: created[number]!,
      updated_at: updated[number]!,
      length: lengths[number]!,
      language: spoken[number]!
    }
  }

  idOf(number: number): string {
    const at = this.#places.texts[number]!
    return this.#texts.toString("latin1", at, at + this.#columns.idBytes[number]!)
  }

  titleOf(number: number): string {
    const at = this.#places.texts[number]! + this.#columns.idBytes[number]!
    return this.#texts.toString("utf8", at, at + this.#columns.titleBytes[number]!)
  }

  tagsOf(number: number): ReadonlyArray<Tag> {
    return this.#tagLists.at(this.#columns.tags[number]!)
  }

  notebookOf(number: number): string {
    return this.#notebooks.at(this.#columns.notebooks[number]!)
  }

  numberOf(id: string): number | undefined {
    const number = this.#byId.find(hashOf(id), (each) => this.idOf(each) === id)
    return number < 0 ? undefined : number
  }

  /** Adds a new note, and returns its number. `length`: number of tokens of the body. */
  add(note: Omit<IndexedNote, "body">, length: number, language: Language): number {
    const number = this.#free.pop() ?? this.#capacity
    this.#take(number)
    this.#reserveTexts(note.id.length + note.title.length * 3)
    const at = this.#textsUsed
    const idBytes = this.#texts.write(note.id, at, "latin1")
    const capacity = Math.min(Columns.MAX_TITLE, this.#texts.length - at - idBytes)
    const titleBytes = this.#texts.write(note.title, at + idBytes, capacity, "utf8")
    this.#places.texts[number] = at
    this.#textsUsed += idBytes + titleBytes
    const values: Record<keyof Columns.Columns, number> = {
      lengths: length,
      spoken: language,
      states: note.archived ? State.archived : State.live,
      created: Date.parse(note.created_at),
      updated: Date.parse(note.updated_at),
      words: note.word_count,
      notebooks: this.#notebook(note.notebook_id),
      tags: this.#tagList(note.tags),
      idBytes,
      titleBytes,
      titleLengths: Math.min(note.title.length, Columns.MAX_TITLE)
    }
    for (const name of Columns.columnNames) this.#columns[name][number] = values[name]
    this.#count(number)
    return number
  }

  /** Removes a note. Its number stays taken until `free`. */
  remove(number: number): void {
    const { idBytes, lengths, notebooks, spoken, states, tags, titleBytes } = this.#columns
    this.#byId.remove(number)
    for (const tag of this.tagsOf(number)) if (--tag.notes === 0) this.#tags.delete(tag.name)
    this.#tagLists.release(tags[number]!)
    this.#notebooks.release(notebooks[number]!)
    states[number] = State.none
    this.#size--
    this.#tokens -= lengths[number]!
    this.#textsDead += idBytes[number]! + titleBytes[number]!
    const language = spoken[number]!
    const left = this.#languages.get(language)! - 1
    left === 0 ? this.#languages.delete(language) : this.#languages.set(language, left)
    if (this.#textsDead > 65_536 && this.#textsDead * 2 > this.#textsUsed) this.#compactTexts()
  }

  /** Allows the number to be reused. */
  free(number: number): void {
    this.#free.push(number)
  }

  /** Frees the numbers without a note after the last `restore`, except those that are taken. */
  freeMissing(isTaken: (number: number) => boolean): void {
    this.#free.length = 0
    for (let number = this.#capacity - 1; number >= 0; number--) {
      if (this.#columns.states[number] === State.none && !isTaken(number)) this.#free.push(number)
    }
  }

  /** The columns of some notes for a segment. Removed notes have only a state. */
  columnsOf(numbers: Int32Array): Columns.NoteColumns {
    const columns = Columns.columnsFor(numbers.length)
    const { idBytes, states, titleBytes } = this.#columns
    const bytesOf = (number: number) => (states[number] === State.none ? 0 : idBytes[number]! + titleBytes[number]!)
    const texts = Buffer.allocUnsafeSlow(numbers.reduce((sum, number) => sum + bytesOf(number), 0))
    let textsUsed = 0
    const notebooks = new Map<number, number>()
    const tags = new Map<number, number>()
    for (const [place, number] of numbers.entries()) {
      if (states[number] === State.none) continue
      for (const name of Columns.columnNames) columns[name][place] = this.#columns[name][number]!
      columns.notebooks[place] = Columns.placeIn(notebooks, columns.notebooks[place]!)
      columns.tags[place] = Columns.placeIn(tags, columns.tags[place]!)
      const at = this.#places.texts[number]!
      textsUsed += this.#texts.copy(texts, textsUsed, at, at + bytesOf(number))
    }
    const names: Columns.Names = {
      notebooks: Array.from(notebooks.keys(), (each) => this.#notebooks.at(each)),
      tags: Array.from(tags.keys(), (each) => this.#tagLists.at(each).map(({ name }) => name))
    }
    return { ...columns, texts, names: Buffer.from(JSON.stringify(names)) }
  }

  /** Reserves capacity for notes that will be restored. */
  reserve(notes: number): void {
    this.#grow(notes)
    this.#byId.reserve(notes)
  }

  /** Adds notes from the columns of `columnsOf`, except removed ones. */
  restore(
    numbers: Int32Array,
    removed: ReadonlySet<number>,
    read: (name: keyof Columns.NoteColumns) => ArrayBuffer
  ): void {
    const types = Columns.columnsFor(0)
    const saved = Object.fromEntries(
      Columns.columnNames.map((name) => [
        name,
        new (types[name].constructor as new (bytes: ArrayBuffer) => Column)(read(name))
      ])
    ) as Columns.Columns
    const texts = Buffer.from(read("texts"))
    const names = JSON.parse(Buffer.from(read("names")).toString()) as Columns.Names
    const tagLists = new Map<number, number>()
    let at = 0
    for (const [place, number] of numbers.entries()) {
      const textAt = at
      at += saved.idBytes[place]! + saved.titleBytes[place]!
      this.#take(number)
      if (saved.states[place] === State.none || removed.has(number)) continue
      for (const name of Columns.columnNames) this.#columns[name][number] = saved[name][place]!
      this.#columns.notebooks[number] = this.#notebook(names.notebooks[saved.notebooks[place]!]!)
      const tagList = tagLists.get(saved.tags[place]!) ?? this.#tagList(names.tags[saved.tags[place]!]!)
      tagLists.set(saved.tags[place]!, tagList)
      this.#columns.tags[number] = tagList
      this.#reserveTexts(at - textAt)
      this.#places.texts[number] = this.#textsUsed
      this.#textsUsed += texts.copy(this.#texts, this.#textsUsed, textAt, at)
      this.#count(number)
    }
  }

  /** Counts a note that was added to the columns. */
  #count(number: number): void {
    const { lengths, notebooks, spoken, tags } = this.#columns
    this.#notebooks.retain(notebooks[number]!)
    this.#tagLists.retain(tags[number]!)
    for (const tag of this.tagsOf(number)) tag.notes++
    this.#size++
    this.#tokens += lengths[number]!
    this.#languages.set(spoken[number]!, (this.#languages.get(spoken[number]!) ?? 0) + 1)
    this.#byId.add(number)
  }

  #take(number: number): void {
    this.#grow(number + 1)
    if (number >= this.#capacity) this.#capacity = number + 1
  }

  #grow(size: number): void {
    if (size <= this.#columns.states.length) return
    this.#columns = allGrown(this.#columns, size)
    this.#places = allGrown(this.#places, size)
  }

  #reserveTexts(bytes: number): void {
    const size = this.#textsUsed + bytes
    if (size > this.#texts.length) this.#texts = Buffer.concat([this.#texts], Math.ceil(size * 1.2))
  }

  #compactTexts(): void {
    const { idBytes, states, titleBytes } = this.#columns
    const texts = Buffer.allocUnsafeSlow(Math.max(8192, Math.ceil((this.#textsUsed - this.#textsDead) * 1.2)))
    let used = 0
    for (let number = 0; number < this.#capacity; number++) {
      if (states[number] === State.none) continue
      const at = this.#places.texts[number]!
      this.#places.texts[number] = used
      used += this.#texts.copy(texts, used, at, at + idBytes[number]! + titleBytes[number]!)
    }
    this.#texts = texts
    this.#textsUsed = used
    this.#textsDead = 0
  }

  /** The hash of a note's id, equal to `hashOf` of it. */
  #hashOf(number: number): number {
    const at = this.#places.texts[number]!
    return hashIn(this.#texts, at, at + this.#columns.idBytes[number]!)
  }

  #tagList(names: ReadonlyArray<string>): number {
    return this.#tagLists.place(JSON.stringify(names), () => names.map((name) => this.#tag(name)))
  }

  #tag(name: string): Tag {
    let tag = this.#tags.get(name)
    if (tag === undefined) this.#tags.set(name, (tag = { name, key: tagKey(name), notes: 0 }))
    return tag
  }

  #notebook(id: string): number {
    return this.#notebooks.place(id, () => id)
  }
}
