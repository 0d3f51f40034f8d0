/** Maximum bytes of a title; a longer one is cut. */
export const MAX_TITLE = 0xffff

/** The data of each note, in columns by number. */
export const columnsFor = (capacity: number) => ({
  /** Number of tokens of the body. */
  lengths: new Uint32Array(capacity),
  /** The language of the note. */
  spoken: new Uint8Array(capacity),
  states: new Uint8Array(capacity),
  /** Milliseconds since 1970. */
  created: new Float64Array(capacity),
  updated: new Float64Array(capacity),
  words: new Uint32Array(capacity),
  /** Places in `#notebooks` and `#tagLists`. */
  notebooks: new Uint32Array(capacity),
  tags: new Uint32Array(capacity),
  idBytes: new Uint8Array(capacity),
  titleBytes: new Uint16Array(capacity),
  /** UTF-16 code units of the title. */
  titleLengths: new Uint16Array(capacity)
})
export type Columns = ReturnType<typeof columnsFor>
export const columnNames = Object.keys(columnsFor(0)) as ReadonlyArray<keyof Columns>

/** Where the text of each note is, in columns by number. */
export const placesFor = (capacity: number) => ({
  /** Offset of the id and the title in the texts of the table. */
  texts: new Uint32Array(capacity),
  /** Number of the segment, counted from 1; 0: in memory. */
  homes: new Uint16Array(capacity),
  /** Offset of the row in the segment, and its bytes. */
  rows: new Uint32Array(capacity),
  rowLengths: new Uint32Array(capacity)
})

/** The columns of the notes of a segment, their texts, and the names to which `notebooks` and `tags` refer, as JSON. */
export type NoteColumns = Readonly<Record<keyof Columns | "texts" | "names", NodeJS.ArrayBufferView>>

/** The names to which `notebooks` and `tags` of a segment refer. */
export interface Names {
  readonly notebooks: ReadonlyArray<string>
  readonly tags: ReadonlyArray<ReadonlyArray<string>>
}

/** The place of a value among the distinct values so far. */
export const placeIn = (places: Map<number, number>, value: number): number => {
  const known = places.get(value)
  if (known !== undefined) return known
  places.set(value, places.size)
  return places.size - 1
}
