import { COMPOSED, cut, FIRST, fold, MAX_RAW, MAX_TERM, SECOND, SEPARATOR, TABLE_END } from "./Fold.ts"

import { isPlainSign, isPlainUnspaced, ONE_WORD, TOKEN } from "./Scripts.ts"

/**
 * How a token of a script without spaces follows the one before it: directly (`glued`) or with something that is no token
 * between them (`gap`); `none` for others.
 */
export type Link = "none" | "glued" | "gap"

/**
 * A piece of text as the index sees it.
 * - `term`: folded form: NFKC, lower case, no diacritics
 * - `start`, `end`: UTF-16 code units into the raw text
 * - `unspaced`: one character of a script written without spaces (or an emoji), rather than a word
 * - `parts`: of a word that has some: `camel` and `case` of `camelCase`, `c` and `2065` of `C2065`, `c` of `c++`
 */
export interface Token {
  readonly term: string
  readonly start: number
  readonly end: number
  readonly unspaced: boolean
  readonly link: Link
  readonly parts: ReadonlyArray<string>
}

/** Steps of reading: of a letter, of a word, of a word that must be folded, and of each token that this makes. */
const COST = { letter: 0.15, word: 1, folded: 15, part: 6 } as const

/** A word with more parts is no name but encoded data. */
const MAX_PARTS = 6
/** A word before signs: `notepad++` has one, `aaaaaaaaaaaaaaaaaaaaaa+` has none. */
const MAX_SIGNED = 24

const [PLUS, HASH, DOT, HYPHEN] = [0x2b, 0x23, 0x2e, 0x2d]
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a
const isAsciiLetter = (code: number): boolean => (code | 32) >= 0x61 && (code | 32) <= 0x7a

/** Whether the word that begins at a place has a hyphen of its own before it, as options of commands have (`-la`). */
export const isHyphened = (text: string, start: number): boolean =>
  text.charCodeAt(start - 1) === HYPHEN && !/[-\p{L}\p{M}\p{N}\p{Cs}]/u.test(text.charAt(start - 2))

export const HASH_SEED = 0x811c9dc5 | 0
export const hashStep = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193)

/** The hash that a token with these codes has. */
export const hashIn = (codes: ArrayLike<number>, from: number, until: number): number => {
  let hash = HASH_SEED
  for (let i = from; i < until; i++) hash = hashStep(hash, codes[i]!)
  return hash
}

/** The hash that a token with this text has. */
export const hashOf = (text: string): number => hashIn(codesOf(text), 0, text.length)

export const codesOf = (text: string): Uint16Array =>
  Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))

/** A short text of its codes: to spread them into arguments takes ten times as long. */
export const textOf = (codes: Uint16Array, from: number, until: number): string => {
  let text = ""
  for (let i = from; i < until; i++) text += String.fromCharCode(codes[i]!)
  return text
}

/** Where it begins is said before each use. */
const PATTERN = new RegExp(TOKEN)

/** Is called with each token, which stands in the reader; false ends the reading. */
export type VisitToken = () => boolean | void

/**
 * Reads the tokens of a text, in order, in as many pieces as one likes. The token stands in fields that the next one
 * overwrites, as codes and not as a string: a build passes through millions of tokens, most of which are known.
 */
export class TokenReader {
  /** The folded token is `codes` up to `length`. */
  readonly codes = new Uint16Array(MAX_TERM + 4)
  length = 0
  hash = 0
  start = 0
  end = 0
  unspaced = false
  link: Link = "none"
  /** The parts lie in `codes` from each of `partStarts` up to `partEnds`. */
  partCount = 0
  readonly partStarts = new Uint8Array(MAX_PARTS + 1)
  readonly partEnds = new Uint8Array(MAX_PARTS + 1)
  /** Whether each letter of the token is one of the text, so that a part is found at its place. */
  isLiteral = false

  #text = ""
  #at = 0
  #stepsOfVisit: number
  // Where the token before ended, if that was unspaced.
  #unspacedEnd = -1
  #spent = 0

  /** `stepsOfVisit`: steps of the visit of a token. */
  constructor(text = "", stepsOfVisit = 0) {
    this.#text = text
    this.#stepsOfVisit = stepsOfVisit
  }

  /** Begins with another text, or at another place, at which no word is under way. */
  begin(text: string, stepsOfVisit = 0, at = 0): this {
    this.#text = text
    this.#stepsOfVisit = stepsOfVisit
    this.#at = at
    this.#unspacedEnd = -1
    this.#spent = 0
    return this
  }

  /** Steps that reading has cost so far. */
  get spent(): number {
    return this.#spent
  }

  /** Where reading goes on. */
  get at(): number {
    return this.#at
  }

  /** The token as a string. */
  get term(): string {
    return textOf(this.codes, 0, this.length)
  }

  part(number: number): string {
    return textOf(this.codes, this.partStarts[number]!, this.partEnds[number]!)
  }

  /** Reads on for about `steps`. False: the text has ended, or the visit has ended the reading. */
  read(steps: number, visit: VisitToken): boolean {
    const text = this.#text
    const size = text.length
    const until = this.#spent + steps
    while (this.#at < size) {
      const start = this.#at
      const code = text.charCodeAt(start)
      if (code < TABLE_END) {
        const folded = FIRST[code]!
        if (folded === SEPARATOR) {
          if (code === DOT && this.#beginsSigned(start)) {
            if (!this.#word(start, 1)) this.#composed(start, visit)
            else if (this.#visitWord(visit) === false) return false
          } else {
            this.#at++
            this.#spent += COST.letter
          }
        } else if (folded === COMPOSED || !this.#word(start, 0)) {
          if (this.#composed(start, visit) === false) return false
        } else if (this.#visitWord(visit) === false) return false
      } else if (isPlainSign(code)) this.#at++
      else if (this.#isSingle(start, code)) {
        this.#spent += COST.word + COST.letter + this.#stepsOfVisit
        this.#at = start + 1
        this.codes[0] = code
        if (this.#emit(1, start, start + 1, true, this.#linkAt(start), visit) === false) return false
      } else if (this.#composed(start, visit) === false) return false
      if (this.#spent >= until) return this.#at < size
    }
    return false
  }

  /** A character that folding leaves as it is, with nothing behind it that would change it. */
  #isSingle(at: number, code: number): boolean {
    if (!isPlainUnspaced(code)) return false
    if (at + 1 === this.#text.length) return true
    const next = this.#text.charCodeAt(at + 1)
    return next < 0x300 || isPlainUnspaced(next) || isPlainSign(next)
  }

  #linkAt(start: number): Link {
    return this.#unspacedEnd === -1 ? "none" : this.#unspacedEnd === start ? "glued" : "gap"
  }

  /** Whether a point begins a word, as in `.net`. */
  #beginsSigned(at: number): boolean {
    if (!isAsciiLetter(this.#text.charCodeAt(at + 1))) return false
    if (at === 0) return true
    const before = this.#text.charCodeAt(at - 1)
    return before < TABLE_END && FIRST[before] === SEPARATOR && before !== DOT
  }

  /** Reads a word letter by letter, with `lead` signs before it; false when it cannot be read so. */
  #word(start: number, lead: number): boolean {
    const text = this.#text
    const { codes } = this
    let length = 0
    let hash = HASH_SEED
    if (lead === 1) {
      codes[length++] = DOT
      hash = hashStep(hash, DOT)
    }
    let at = start + lead
    let boundaries = 0
    let isLiteral = true
    let before = 0
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      let folded: number
      if (code < TABLE_END) {
        folded = FIRST[code]!
        if (folded === SEPARATOR) break
        if (folded === COMPOSED) return false
      } else if (isPlainUnspaced(code) || isPlainSign(code)) break
      else return false
      if (length < MAX_TERM) {
        // A part begins with a capital behind a small letter, with the last of capitals before one, and with a change
        // between letters and digits.
        if (before !== 0 && isLiteral) {
          const begins =
            isDigit(code) !== isDigit(before) ||
            (isUpper(code) &&
              (!isUpper(before) ||
                (at + 1 < text.length && text.charCodeAt(at + 1) >= 0x61 && text.charCodeAt(at + 1) <= 0x7a)))
          if (begins) {
            boundaries++
            if (boundaries <= MAX_PARTS) this.partStarts[boundaries] = length
          }
        }
        codes[length++] = folded
        hash = hashStep(hash, folded)
        const second = SECOND[code]!
        if (second !== 0 && length < MAX_TERM) {
          codes[length++] = second
          hash = hashStep(hash, second)
          isLiteral = false
        }
      }
      before = code
    }
    this.partCount = 0
    const wordEnd = length
    const signs = lead === 0 ? this.#signsAt(at, length) : 0
    for (let sign = 0; sign < signs; sign++) {
      const code = text.charCodeAt(at++)
      codes[length++] = code
      hash = hashStep(hash, code)
    }
    if (boundaries > 0 && boundaries < MAX_PARTS && isLiteral) {
      this.partStarts[0] = lead
      for (let part = 1; part <= boundaries; part++) this.partEnds[part - 1] = this.partStarts[part]!
      this.partEnds[boundaries] = wordEnd
      this.partCount = boundaries + 1
    } else if (length > wordEnd || lead === 1) {
      this.partStarts[0] = lead
      this.partEnds[0] = wordEnd
      this.partCount = 1
    }
    this.length = length
    this.hash = hash
    this.start = start
    this.end = at
    this.unspaced = false
    this.link = "none"
    this.isLiteral = isLiteral
    this.#unspacedEnd = -1
    this.#at = at
    this.#spent += (at - start) * COST.letter + COST.word + this.#stepsOfVisit
    return true
  }

  /** How many signs belong to the word that ends here: `++` of `c++`, `#` of `c#`. */
  #signsAt(at: number, length: number): number {
    const sign = this.#text.charCodeAt(at)
    if ((sign !== PLUS && sign !== HASH) || length > MAX_SIGNED) return 0
    const count = sign === PLUS && this.#text.charCodeAt(at + 1) === PLUS ? 2 : 1
    const after = this.#text.charCodeAt(at + count)
    return Number.isNaN(after) || (after < TABLE_END && FIRST[after] === SEPARATOR && after !== PLUS && after !== HASH)
      ? count
      : 0
  }

  #visitWord(visit: VisitToken): boolean | void {
    return visit()
  }

  #emit(length: number, start: number, end: number, unspaced: boolean, link: Link, visit: VisitToken): boolean | void {
    let hash = HASH_SEED
    for (let i = 0; i < length; i++) hash = hashStep(hash, this.codes[i]!)
    this.length = length
    this.hash = hash
    this.start = start
    this.end = end
    this.unspaced = unspaced
    this.link = link
    this.partCount = 0
    this.isLiteral = false
    this.#unspacedEnd = unspaced ? end : -1
    return visit()
  }

  #emitText(text: string, start: number, end: number, unspaced: boolean, link: Link, visit: VisitToken) {
    const term = cut(text, MAX_TERM)
    for (let i = 0; i < term.length; i++) this.codes[i] = term.charCodeAt(i)
    return this.#emit(term.length, start, end, unspaced, link, visit)
  }

  /** The next token from here, by Unicode's own rules. */
  #composed(from: number, visit: VisitToken): boolean | void {
    PATTERN.lastIndex = from
    const match = PATTERN.exec(this.#text)
    if (match === null) {
      this.#spent += (this.#text.length - from) * COST.letter
      this.#at = this.#text.length
      return
    }
    const start = match.index
    this.#spent += (start - from) * COST.letter
    if (start > from && this.#text.charCodeAt(start) < TABLE_END) {
      // What comes is of the usual kind.
      this.#at = start
      return
    }
    const raw = match[0]
    const end = start + raw.length
    this.#at = end
    this.#spent += raw.length * COST.letter + this.#stepsOfVisit + COST.folded
    const link = this.#linkAt(start)
    const folded = fold(cut(raw, MAX_RAW))
    if (ONE_WORD.test(folded)) {
      return this.#emitText(folded, start, end, false, "none", visit)
    }
    // Compatibility forms may fold to several tokens or to none; each of them stands for the whole raw form.
    for (const [part] of folded.matchAll(TOKEN)) {
      this.#spent += COST.part + this.#stepsOfVisit
      const unspaced = !ONE_WORD.test(part)
      const partLink = !unspaced
        ? "none"
        : this.#unspacedEnd === end
          ? "glued"
          : this.#unspacedEnd === -1
            ? "none"
            : link
      if (this.#emitText(part, start, end, unspaced, partLink, visit) === false) return false
    }
  }
}

/** The tokens of `text` as a list: for queries and other short texts. */
export const tokenize = (text: string): Array<Token> => {
  const tokens: Array<Token> = []
  const reader = new TokenReader(text)
  reader.read(Infinity, () => {
    const { end, link, start, term, unspaced } = reader
    const parts = Array.from({ length: reader.partCount }, (_, part) => reader.part(part))
    tokens.push({ term, start, end, unspaced, link, parts })
  })
  return tokens
}
