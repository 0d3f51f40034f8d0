/**
 * The text of a note as a row of term numbers, so that phrases can be checked without the text: title, tags, body, with
 * `FIELD_END` between them, and `GAP` between characters of a script without spaces that something separates. A number takes
 * seven bits to a byte, the lowest first; the top bit says that more follow. So a phrase is a row of bytes as well.
 */
export type Positions = Buffer

const FIELD_END = 0
const GAP = 1
const FIRST_TERM = 2

/** Writes positions. One is reused for many notes. */
export class PositionsWriter {
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

  /** What was written since the last call. */
  finish(): Positions {
    // Memory of its own: the pool would be held as long as one of many neighbours lives.
    const positions = Buffer.allocUnsafeSlow(this.#length)
    this.#bytes.copy(positions, 0, 0, this.#length)
    this.#length = 0
    return positions
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

/** The numbers of the terms that occur. */
export const termsIn = (positions: Positions): Set<number> => {
  const numbers = new Set<number>()
  for (let at = 0; at < positions.length;) {
    let byte = positions[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = positions[at++]!
      value |= (byte & 127) << shift
    }
    if (value >= FIRST_TERM) numbers.add(value - FIRST_TERM)
  }
  return numbers
}

/** Calls `visit` with the field's number (the title is 0) for each place at which `phrase` occurs. */
export const eachOccurrence = (positions: Positions, phrase: Positions, visit: (field: number) => void): void => {
  let field = 0
  // No other number contains a byte 0.
  let fieldEnd = positions.indexOf(FIELD_END)
  for (let at = positions.indexOf(phrase); at !== -1; at = positions.indexOf(phrase, at + 1)) {
    if (at > 0 && positions[at - 1]! > 127) continue // in the middle of a number
    for (; fieldEnd !== -1 && fieldEnd < at; fieldEnd = positions.indexOf(FIELD_END, fieldEnd + 1)) field++
    visit(field)
  }
}
