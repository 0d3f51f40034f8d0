import { textOf } from "./Tokens.ts"

/** Characters of a number that is found however it is grouped: a shorter one is too common, a longer one is data. */
const [MIN_NUMBER, MAX_NUMBER] = [7, 34]
/** Most groups of a number. */
const MAX_GROUPS = 10
/** Characters between two groups, and most of them: `) `, ` / `, `-`. */
const BETWEEN = /^(?:[-./()*_ \u00a0\u2009\u2010-\u2013\u202f]{1,3}|[,'’])$/
/** How an IBAN begins. The groups behind its first one may be letters. */
const IBAN = /^[a-z]{2}\d{2}/

const isDigit = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x660 && code <= 0x669) ||
  (code >= 0x6f0 && code <= 0x6f9) ||
  (code >= 0x966 && code <= 0x96f)

/** Reads groups of digits that follow each other in a text, such as those of a phone, card or account number. */
export class NumberGroups {
  #text = ""
  readonly #groups: Array<string> = []
  /** Where the last group ends. */
  #end = 0

  begin(text: string): void {
    this.#text = text
    this.#groups.length = 0
  }

  /**
   * Takes the next token, given as its codes and its place in the text. Returns each number that ends with it and has more
   * than one group, with its groups.
   */
  next(
    codes: Uint16Array,
    length: number,
    start: number,
    end: number
  ): ReadonlyArray<{ readonly number: string; readonly groups: ReadonlyArray<string> }> {
    const groups = this.#groups
    const isNumber = isDigit(codes[0]!) || (length === 4 && isDigit(codes[3]!) && IBAN.test(textOf(codes, 0, length)))
    if (!isNumber && (groups.length === 0 || length !== 4 || !groups.some((group) => IBAN.test(group)))) {
      if (groups.length > 0) groups.length = 0
      return none
    }
    const isNext = groups.length > 0 && start - this.#end <= 3 && BETWEEN.test(this.#text.slice(this.#end, start))
    this.#end = end
    if (!isNext) groups.length = 0
    if (!isNext && !isNumber) return none
    if (groups.length === MAX_GROUPS) groups.shift()
    groups.push(textOf(codes, 0, length))
    const found: Array<{ number: string; groups: ReadonlyArray<string> }> = []
    for (let from = groups.length - 2, number = groups.at(-1)!; from >= 0; from--) {
      number = groups[from]! + number
      if (number.length > MAX_NUMBER) break
      if (number.length >= MIN_NUMBER) found.push({ number, groups: groups.slice(from) })
    }
    return found
  }
}

const none: ReadonlyArray<never> = []

/** Whether a term is found however its digits are grouped. */
export const isGroupable = (term: string): boolean =>
  term.length >= MIN_NUMBER && term.length <= MAX_NUMBER && (isDigit(term.charCodeAt(0)) || IBAN.test(term))
