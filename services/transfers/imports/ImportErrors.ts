import { type ImportError, maxErrors } from "./Import.ts"

const longestFile = 500
const longestMessage = 1_000

const cut = (text: string, most: number): string => {
  const whole = text.toWellFormed().replaceAll("\0", "\ufffd")
  return whole.length <= most ? whole : `${whole.slice(0, most).toWellFormed()}…`
}

/** The problems of an import: the first ones, and the number of the others. */
export class ImportErrors {
  readonly #entries: ReadonlyArray<ImportError>
  readonly #more: number

  constructor(entries: ReadonlyArray<ImportError> = [], more = 0) {
    this.#entries = entries
    this.#more = more
  }

  with(further: ReadonlyArray<ImportError>): ImportErrors {
    if (further.length === 0) return this
    const room = maxErrors - 1 - this.#entries.length
    const taken = further.slice(0, Math.max(0, room)).map(({ code, file, message }): ImportError => ({
      file: cut(file, longestFile),
      code,
      message: cut(message, longestMessage)
    }))
    return new ImportErrors([...this.#entries, ...taken], this.#more + further.length - taken.length)
  }

  get all(): ReadonlyArray<ImportError> {
    return this.#more === 0
      ? this.#entries
      : [...this.#entries, { file: "", code: "more_problems", message: `There are ${this.#more} more problems` }]
  }
}
