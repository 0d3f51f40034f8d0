/**
 * The texts of the notes as rows of term numbers, so that phrases can be checked without the text: title, tags, body, and
 * last the terms that stand in no row (parts, pairs), with `FIELD_END` between them, and `GAP` between characters of a
 * script without spaces that something separates. A number takes seven bits to a byte, the lowest first; the top bit says
 * that more follow. So a phrase is a row of bytes as well.
 */
const FIELD_END = 0
const GAP = 1
const FIRST_TERM = 2

/** Writes a row. One is reused for many. */
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

  /** What was written since the last call. Valid until more is written. */
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

/** Calls `visit` with each term of a row, and with -1 at the end of a field; gaps are passed over. */
export const eachTerm = (row: Uint8Array, visit: (term: number) => void): void => {
  for (let at = 0; at < row.length;) {
    let byte = row[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = row[at++]!
      value |= (byte & 127) << shift
    }
    if (value >= FIRST_TERM) visit(value - FIRST_TERM)
    else if (value === FIELD_END) visit(-1)
  }
}

/**
 * Which of the terms with a 1 in a column stand in a row, each with the fields as bits: 1 title, 2 tags, 4 body; 0 where it
 * only stands behind them. As `eachTerm`, without a call for each: a search reads the rows of all that it shows.
 */
export const wantedIn = (row: Uint8Array, tags: number, wanted: Uint8Array): Map<number, number> => {
  const present = new Map<number, number>()
  let field = 0
  let bit = 1
  for (let at = 0; at < row.length;) {
    let byte = row[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = row[at++]!
      value |= (byte & 127) << shift
    }
    if (value === FIELD_END) {
      field++
      bit = field <= tags ? 2 : field === tags + 1 ? 4 : 0
    } else if (value >= FIRST_TERM && wanted[value - FIRST_TERM] === 1) {
      present.set(value - FIRST_TERM, (present.get(value - FIRST_TERM) ?? 0) | bit)
    }
  }
  return present
}

/** Calls `visit` with the field's number (the title is 0) for each place at which `phrase` occurs; false ends it. */
export const eachOccurrence = (row: Buffer, phrase: Buffer, visit: (field: number) => boolean | void): void => {
  let field = 0
  // No other number contains a byte 0.
  let fieldEnd = row.indexOf(FIELD_END)
  for (let at = row.indexOf(phrase); at !== -1; at = row.indexOf(phrase, at + 1)) {
    if (at > 0 && row[at - 1]! > 127) continue // in the middle of a number
    for (; fieldEnd !== -1 && fieldEnd < at; fieldEnd = row.indexOf(FIELD_END, fieldEnd + 1)) field++
    if (visit(field) === false) return
  }
}
