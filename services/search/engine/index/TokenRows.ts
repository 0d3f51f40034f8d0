/**
 * Rows: the texts of notes as sequences of term numbers, so that phrases are matched without the text. A row has the
 * title, the tags, the body, and last the terms that are not tokens of a text (parts, pairs), with `FIELD_END` between
 * them. `GAP` separates characters of a script without spaces that are not adjacent. A number is a little-endian
 * base-128 varint. So a phrase is a sequence of bytes, too.
 */
const FIELD_END = 0
const GAP = 1
const FIRST_TERM = 2

/** Writes rows, one after the other. */
export class RowWriter {
  #bytes = Buffer.alloc(4096)
  #length = 0

  term(number: number): void {
    this.#write(number + FIRST_TERM)
  }

  gap(): void {
    this.#write(GAP)
  }

  endField(): void {
    this.#write(FIELD_END)
  }

  /** Returns the row since the last call. Valid until the next write. */
  take(): Buffer {
    const row = this.#bytes.subarray(0, this.#length)
    this.#length = 0
    return row
  }

  #write(value: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2)
    let rest = value
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }
}

/** Calls `visit` with each term of a row and the number of its field, 0 for the title. Skips gaps. */
export const eachTerm = (row: Uint8Array, visit: (term: number, field: number) => void): void => {
  let field = 0
  for (let at = 0; at < row.length;) {
    let byte = row[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = row[at++]!
      value |= (byte & 127) << shift
    }
    if (value >= FIRST_TERM) visit(value - FIRST_TERM, field)
    else if (value === FIELD_END) field++
  }
}

/** The bit of a field as in `FIELDS`: 1 title, 2 tags, 4 body; 0 for the terms after them. `tags`: number of tags. */
export const fieldBit = (field: number, tags: number): number =>
  field === 0 ? 1 : field <= tags ? 2 : field === tags + 1 ? 4 : 0

/** Calls `visit` with the number of the field for each occurrence of `phrase`. */
export const eachOccurrence = (row: Buffer, phrase: Buffer, visit: (field: number) => void): void => {
  let field = 0
  // No other number contains a byte 0.
  let fieldEnd = row.indexOf(FIELD_END)
  for (let at = row.indexOf(phrase); at !== -1; at = row.indexOf(phrase, at + 1)) {
    if (at > 0 && row[at - 1]! > 127) continue // within a number
    for (; fieldEnd !== -1 && fieldEnd < at; fieldEnd = row.indexOf(FIELD_END, fieldEnd + 1)) field++
    visit(field)
  }
}

/** The distinct terms of a row. */
export const termsIn = (row: Uint8Array): ReadonlySet<number> => {
  const terms = new Set<number>()
  eachTerm(row, (term) => terms.add(term))
  return terms
}
