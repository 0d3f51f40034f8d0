import type { Language } from "./Languages.ts"
import { tagKey } from "./Query.ts"

/** What is indexed of a note. Times are RFC 3339 in UTC with milliseconds. */
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

/** A tag, shared by all notes that have it in this spelling. */
export interface Tag {
  readonly name: string
  /** See `tagKey`. */
  readonly key: string
  notes: number
}

/** State of a number: free or the note was removed, a note, an archived note. */
export const State = { none: 0, live: 1, archived: 2 } as const

/** A note without its text. */
export interface Entry {
  readonly id: string
  readonly title: string
  readonly tags: ReadonlyArray<Tag>
  readonly notebook_id: string
  readonly archived: boolean
  readonly word_count: number
  /** Milliseconds since 1970. */
  readonly created_at: number
  readonly updated_at: number
  /** Tokens of the body. */
  readonly length: number
  readonly language: Language
}

/** By what a column grows that is full. */
const GROWTH = 1.2
/** Maximum length of a title in bytes; the rest of a longer one is cut. */
const MAX_TITLE = 0xffff

/** What is kept of each note, in columns by number. */
const columnsFor = (room: number) => ({
  /** Tokens of the body. */
  lengths: new Uint32Array(room),
  /** Its language. */
  spoken: new Uint8Array(room),
  states: new Uint8Array(room),
  /** Milliseconds since 1970. */
  created: new Float64Array(room),
  updated: new Float64Array(room),
  words: new Uint32Array(room),
  /** Places in the lists of notebooks, and of lists of tags. */
  notebooks: new Uint32Array(room),
  tags: new Uint32Array(room),
  idBytes: new Uint8Array(room),
  titleBytes: new Uint16Array(room),
  /** UTF-16 code units of the title. */
  titleLengths: new Uint16Array(room)
})
type Columns = ReturnType<typeof columnsFor>
const columnNames = Object.keys(columnsFor(0)) as ReadonlyArray<keyof Columns>

/** Any of the columns, when all of them are copied. */
interface NumberColumn extends ArrayLike<number> {
  readonly set: (values: ArrayLike<number>) => void
  [index: number]: number
}

/** The notes of a segment: the columns, the texts, and the names to which `notebooks` and `tags` refer, as JSON. */
export type NoteColumns = Readonly<Record<keyof Columns | "texts" | "names", NodeJS.ArrayBufferView>>

interface Names {
  readonly notebooks: ReadonlyArray<string>
  readonly tags: ReadonlyArray<ReadonlyArray<string>>
}

/** A list of tags, shared by all notes that have it. */
interface TagList {
  readonly tags: ReadonlyArray<Tag>
  readonly key: string
  notes: number
}

const hashOf = (id: string): number => {
  let hash = 0x811c9dc5 | 0
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 15)
}

/** The place of a value among the distinct ones so far. */
const placeIn = (places: Map<number, number>, value: number): number => {
  const known = places.get(value)
  if (known !== undefined) return known
  places.set(value, places.size)
  return places.size - 1
}

/**
 * The notes of an index by their numbers. Columns rather than objects, which would take four times the memory. The number
 * of a removed note is given to another note after `free`.
 */
export class NoteTable {
  #columns = columnsFor(256)
  #room = 256
  #capacity = 0
  #size = 0
  #tokens = 0
  readonly #languages = new Map<Language, number>()
  /** Of each note the id and the title, one behind the other, and where they begin. */
  #texts = Buffer.alloc(8192)
  #textsUsed = 0
  #textsDead = 0
  #textAt = new Uint32Array(256)
  /** Numbers of notes, plus one, by the hashes of their ids. Some lead to removed notes until the table is made again. */
  #table = new Uint32Array(512)
  #tableUsed = 0
  readonly #free: Array<number> = []
  readonly #tags = new Map<string, Tag>()
  readonly #tagLists: Array<TagList | undefined> = []
  readonly #tagListOf = new Map<string, number>()
  readonly #freeTagLists: Array<number> = []
  readonly #notebooks: Array<string> = []
  readonly #notebookOf = new Map<string, number>()

  /** Notes contained. */
  get size(): number {
    return this.#size
  }

  /** The end of the numbers that were given. */
  get capacity(): number {
    return this.#capacity
  }

  /** Tokens of all bodies. */
  get tokens(): number {
    return this.#tokens
  }

  /** Bytes of memory, approximately. */
  get bytes(): number {
    const columns = columnNames.reduce((sum, name) => sum + this.#columns[name].byteLength, this.#textAt.byteLength)
    const names = (this.#tags.size + this.#tagLists.length) * 250 + this.#notebooks.length * 150
    return columns + this.#texts.length + this.#table.byteLength + names + this.#free.length * 8
  }

  get tags(): Iterable<Tag> {
    return this.#tags.values()
  }

  /** Languages of the notes, each with the number of its notes. */
  get languages(): ReadonlyMap<Language, number> {
    return this.#languages
  }

  /** The columns, to be read by number. Valid until the next note is added. */
  get columns(): Readonly<Columns> {
    return this.#columns
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
    const at = this.#textAt[number]!
    return this.#texts.toString("latin1", at, at + this.#columns.idBytes[number]!)
  }

  titleOf(number: number): string {
    const at = this.#textAt[number]! + this.#columns.idBytes[number]!
    return this.#texts.toString("utf8", at, at + this.#columns.titleBytes[number]!)
  }

  tagsOf(number: number): ReadonlyArray<Tag> {
    return this.#tagLists[this.#columns.tags[number]!]!.tags
  }

  notebookOf(number: number): string {
    return this.#notebooks[this.#columns.notebooks[number]!]!
  }

  numberOf(id: string): number | undefined {
    const { states } = this.#columns
    const mask = this.#table.length - 1
    for (let place = hashOf(id) & mask; ; place = (place + 1) & mask) {
      const number = this.#table[place]! - 1
      if (number < 0) return undefined
      if (states[number] !== State.none && this.idOf(number) === id) return number
    }
  }

  /** Adds a note that is not contained. Returns its number. `length`: tokens of the body. */
  add(note: Omit<IndexedNote, "body">, length: number, language: Language): number {
    const number = this.#free.pop() ?? this.#capacity
    this.#take(number)
    this.#reserveTexts(note.id.length + note.title.length * 3)
    const at = this.#textsUsed
    const idBytes = this.#texts.write(note.id, at, "latin1")
    const room = Math.min(MAX_TITLE, this.#texts.length - at - idBytes)
    const titleBytes = this.#texts.write(note.title, at + idBytes, room, "utf8")
    this.#textAt[number] = at
    this.#textsUsed += idBytes + titleBytes
    const values: Record<keyof Columns, number> = {
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
      titleLengths: Math.min(note.title.length, MAX_TITLE)
    }
    for (const name of columnNames) this.#columns[name][number] = values[name]
    this.#count(number, note.id)
    return number
  }

  /** Removes a note. Its number stays taken until `free`. */
  remove(number: number): void {
    const { idBytes, lengths, spoken, states, tags, titleBytes } = this.#columns
    const place = tags[number]!
    const list = this.#tagLists[place]!
    for (const tag of list.tags) if (--tag.notes === 0) this.#tags.delete(tag.name)
    if (--list.notes === 0) {
      this.#tagListOf.delete(list.key)
      this.#tagLists[place] = undefined
      this.#freeTagLists.push(place)
    }
    states[number] = State.none
    this.#size--
    this.#tokens -= lengths[number]!
    this.#textsDead += idBytes[number]! + titleBytes[number]!
    const language = spoken[number]!
    const left = this.#languages.get(language)! - 1
    left === 0 ? this.#languages.delete(language) : this.#languages.set(language, left)
    if (this.#textsDead > 65_536 && this.#textsDead * 2 > this.#textsUsed) this.#compactTexts()
  }

  /** Another note may have the number. */
  free(number: number): void {
    this.#free.push(number)
  }

  /** Frees the numbers without a note after the last `restore`, but for some. */
  freeMissing(isTaken: (number: number) => boolean): void {
    this.#free.length = 0
    for (let number = this.#capacity - 1; number >= 0; number--) {
      if (this.#columns.states[number] === State.none && !isTaken(number)) this.#free.push(number)
    }
  }

  /** The columns of some notes, as a segment keeps them. Removed notes have a state and nothing else. */
  columnsOf(numbers: Int32Array): NoteColumns {
    const columns = columnsFor(numbers.length)
    const { idBytes, states, titleBytes } = this.#columns
    const bytesOf = (number: number) => (states[number] === State.none ? 0 : idBytes[number]! + titleBytes[number]!)
    const texts = Buffer.allocUnsafeSlow(numbers.reduce((sum, number) => sum + bytesOf(number), 0))
    let textsUsed = 0
    const notebooks = new Map<number, number>()
    const tags = new Map<number, number>()
    for (const [place, number] of numbers.entries()) {
      if (states[number] === State.none) continue
      for (const name of columnNames) columns[name][place] = this.#columns[name][number]!
      columns.notebooks[place] = placeIn(notebooks, columns.notebooks[place]!)
      columns.tags[place] = placeIn(tags, columns.tags[place]!)
      const at = this.#textAt[number]!
      textsUsed += this.#texts.copy(texts, textsUsed, at, at + bytesOf(number))
    }
    const names: Names = {
      notebooks: Array.from(notebooks.keys(), (each) => this.#notebooks[each]!),
      tags: Array.from(tags.keys(), (each) => this.#tagLists[each]!.tags.map(({ name }) => name))
    }
    return { ...columns, texts, names: Buffer.from(JSON.stringify(names)) }
  }

  /** Makes room for notes that will be restored. */
  reserve(notes: number): void {
    if (notes > this.#room) this.#grow(notes)
    this.#rehash(notes)
  }

  /** Adds notes as `columnsOf` returned them, but for those that are removed. */
  restore(numbers: Int32Array, removed: ReadonlySet<number>, read: (name: keyof NoteColumns) => ArrayBuffer): void {
    const columns = columnsFor(0)
    const from = (name: keyof Columns) =>
      new (columns[name].constructor as new (bytes: ArrayBuffer) => NumberColumn)(read(name))
    const values = columnNames.map((name) => [name, from(name)] as const)
    const of = new Map(values)
    const texts = Buffer.from(read("texts"))
    const names = JSON.parse(Buffer.from(read("names")).toString()) as Names
    const notebooks = names.notebooks.map((each) => this.#notebook(each))
    const tagLists = new Map<number, number>()
    let at = 0
    for (const [place, number] of numbers.entries()) {
      const textAt = at
      at += of.get("idBytes")![place]! + of.get("titleBytes")![place]!
      this.#take(number)
      if (of.get("states")![place] === State.none || removed.has(number)) continue
      for (const [name, column] of values) this.#columns[name][number] = column[place]!
      this.#columns.notebooks[number] = notebooks[this.#columns.notebooks[number]!]!
      const own = this.#columns.tags[number]!
      const list = tagLists.get(own) ?? this.#tagList(names.tags[own]!)
      tagLists.set(own, list)
      this.#columns.tags[number] = list
      this.#reserveTexts(at - textAt)
      this.#textAt[number] = this.#textsUsed
      this.#textsUsed += texts.copy(this.#texts, this.#textsUsed, textAt, at)
      this.#count(number, this.idOf(number))
    }
  }

  /** Counts a note that was added to the columns. */
  #count(number: number, id: string): void {
    const { lengths, spoken, tags } = this.#columns
    const list = this.#tagLists[tags[number]!]!
    list.notes++
    for (const tag of list.tags) tag.notes++
    this.#size++
    this.#tokens += lengths[number]!
    this.#languages.set(spoken[number]!, (this.#languages.get(spoken[number]!) ?? 0) + 1)
    this.#enter(number, id)
  }

  #take(number: number): void {
    if (number >= this.#room) this.#grow(number + 1)
    if (number >= this.#capacity) this.#capacity = number + 1
  }

  #grow(least: number): void {
    this.#room = Math.max(least, Math.ceil(this.#room * GROWTH))
    const larger = columnsFor(this.#room)
    for (const name of columnNames) (larger[name] as NumberColumn).set(this.#columns[name])
    this.#columns = larger
    const textAt = new Uint32Array(this.#room)
    textAt.set(this.#textAt)
    this.#textAt = textAt
  }

  #reserveTexts(bytes: number): void {
    if (this.#textsUsed + bytes <= this.#texts.length) return
    const larger = Buffer.allocUnsafeSlow(Math.ceil((this.#textsUsed + bytes) * GROWTH))
    this.#texts.copy(larger, 0, 0, this.#textsUsed)
    this.#texts = larger
  }

  #compactTexts(): void {
    const { idBytes, states, titleBytes } = this.#columns
    const texts = Buffer.allocUnsafeSlow(Math.max(8192, Math.ceil((this.#textsUsed - this.#textsDead) * GROWTH)))
    let used = 0
    for (let number = 0; number < this.#capacity; number++) {
      if (states[number] === State.none) continue
      const at = this.#textAt[number]!
      this.#textAt[number] = used
      used += this.#texts.copy(texts, used, at, at + idBytes[number]! + titleBytes[number]!)
    }
    this.#texts = texts
    this.#textsUsed = used
    this.#textsDead = 0
    // Ids of removed notes can no longer be compared.
    this.#rehash()
  }

  #enter(number: number, id: string): void {
    if ((this.#tableUsed + 1) * 4 > this.#table.length * 3) this.#rehash()
    const mask = this.#table.length - 1
    let place = hashOf(id) & mask
    while (this.#table[place] !== 0 && this.#table[place] !== number + 1) place = (place + 1) & mask
    if (this.#table[place] === 0) this.#tableUsed++
    this.#table[place] = number + 1
  }

  #rehash(notes = this.#size): void {
    let places = 512
    while (places < notes * 1.6) places *= 2
    this.#table = new Uint32Array(places)
    this.#tableUsed = 0
    for (let number = 0; number < this.#capacity; number++) {
      if (this.#columns.states[number] !== State.none) this.#enter(number, this.idOf(number))
    }
  }

  /** The place of a list of tags, which is added if it is new. */
  #tagList(names: ReadonlyArray<string>): number {
    const key = JSON.stringify(names)
    const known = this.#tagListOf.get(key)
    if (known !== undefined) return known
    const place = this.#freeTagLists.pop() ?? this.#tagLists.length
    this.#tagLists[place] = { key, tags: names.map((name) => this.#tag(name)), notes: 0 }
    this.#tagListOf.set(key, place)
    return place
  }

  #tag(name: string): Tag {
    let tag = this.#tags.get(name)
    if (tag === undefined) this.#tags.set(name, (tag = { name, key: tagKey(name), notes: 0 }))
    return tag
  }

  #notebook(id: string): number {
    const known = this.#notebookOf.get(id)
    if (known !== undefined) return known
    const place = this.#notebooks.push(id) - 1
    this.#notebookOf.set(id, place)
    return place
  }
}
