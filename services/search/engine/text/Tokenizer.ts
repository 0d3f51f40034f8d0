import { cut, fold, FOLDED, Kind, kindOf, MAX_RAW, MAX_TERM, ONE_WORD, TOKEN } from "./Folding.ts"

/**
 * How a token of a script without spaces follows the previous one: directly (`glued`) or with a separator between them
 * (`gap`). `none` for other tokens.
 */
export type Link = "none" | "glued" | "gap"

/**
 * A token of a text.
 * - `term`: folded form: see `fold`
 * - `start`, `end`: UTF-16 code units into the raw text
 * - `unspaced`: one character of a script written without spaces (or an emoji), rather than a word
 * - `parts`: the parts of a word, if any: `camel` and `case` of `camelCase`, `c` and `2065` of `C2065`, `c` of `c++`
 */
export interface Token {
  readonly term: string
  readonly start: number
  readonly end: number
  readonly unspaced: boolean
  readonly link: Link
  readonly parts: ReadonlyArray<string>
}

/** `lastIndex` is set before each use. */
const NEXT = new RegExp(TOKEN)

/** Steps per letter, per token, and per token that must be folded as a whole. */
const COST = { letter: 0.15, token: 1, folded: 15 } as const

/** Maximum number of parts of a word: one with more is no name but encoded data. */
const MAX_PARTS = 6
/** Maximum letters of a word before signs: `notepad++` has its signs, `aaaaaaaaaaaaaaaaaaaaaa+` does not. */
const MAX_SIGNED = 24

const [PLUS, HASH, DOT, HYPHEN] = [0x2b, 0x23, 0x2e, 0x2d]
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a

/** Whether the word at a position is preceded by a separate hyphen, as options of commands are (`-la`). */
export const isHyphened = (text: string, start: number): boolean =>
  text.charCodeAt(start - 1) === HYPHEN && !/[-\p{L}\p{M}\p{N}\p{Cs}]/u.test(text.charAt(start - 2))

/** The FNV-1a hash of some codes. */
export const hashIn = (codes: ArrayLike<number>, from: number, until: number): number => {
  let hash = 0x811c9dc5 | 0
  for (let i = from; i < until; i++) hash = Math.imul(hash ^ codes[i]!, 0x01000193)
  return hash
}

/** The hash of the codes of a text. */
export const hashOf = (text: string): number => hashIn(codesOf(text), 0, text.length)

/** `Uint16Array.from` takes ten times as long. */
export const codesOf = (text: string): Uint16Array => {
  const codes = new Uint16Array(text.length)
  for (let i = 0; i < codes.length; i++) codes[i] = text.charCodeAt(i)
  return codes
}

/** A short text from its codes: spreading them into arguments takes ten times as long. */
export const textOf = (codes: Uint16Array, from: number, until: number): string => {
  let text = ""
  for (let i = from; i < until; i++) text += String.fromCharCode(codes[i]!)
  return text
}

/**
 * Reads the tokens of a text in order, in any number of pieces. A token is in fields that the next token overwrites, as
 * codes and not as a string: a build reads millions of tokens, most of which are known.
 */
export class TokenReader {
  /** The folded token: `codes` up to `length`. */
  readonly codes = new Uint16Array(MAX_TERM + 4)
  length = 0
  start = 0
  end = 0
  unspaced = false
  link: Link = "none"
  /** The parts: from `partStarts` to `partEnds` in `codes`, and at the same offsets in the raw token. */
  partCount = 0
  readonly partStarts = new Uint8Array(MAX_PARTS)
  readonly partEnds = new Uint8Array(MAX_PARTS)

  #text = ""
  #at = 0
  #stepsOfVisit = 0
  // The end of the previous token if it was unspaced, else -1.
  #unspacedEnd = -1
  #spent = 0

  constructor(text = "") {
    this.begin(text)
  }

  /** Starts another text. `stepsOfVisit`: steps of visiting a token. */
  begin(text: string, stepsOfVisit = 0): this {
    this.#text = text
    this.#stepsOfVisit = stepsOfVisit
    this.#at = 0
    this.#unspacedEnd = -1
    this.#spent = 0
    return this
  }

  /** Steps of reading so far. */
  get spent(): number {
    return this.#spent
  }

  /** The token as a string. */
  get term(): string {
    return textOf(this.codes, 0, this.length)
  }

  /** The hash of the token. */
  get hash(): number {
    return hashIn(this.codes, 0, this.length)
  }

  part(number: number): string {
    return textOf(this.codes, this.partStarts[number]!, this.partEnds[number]!)
  }

  /** Reads for about `steps`, and calls `visit` with each token. False: the text ended, or a visit returned false. */
  read(steps: number, visit: () => boolean | void): boolean {
    const text = this.#text
    const until = this.#spent + steps
    while (this.#at < text.length) {
      const start = this.#at
      const code = text.charCodeAt(start)
      const kind = kindOf(code)
      if (kind === Kind.separator && !(code === DOT && this.#beginsSigned(start))) {
        this.#at++
        this.#spent += COST.letter
      } else if (kind === Kind.unspaced ? this.#character(start) : kind !== Kind.composed && this.#word(start)) {
        if (visit() === false) return false
      } else if (!this.#composed(start, visit)) return false
      if (this.#spent >= until) return this.#at < text.length
    }
    return false
  }

  /** Whether a dot begins a word, as in `.net`. */
  #beginsSigned(at: number): boolean {
    if (!isLower(this.#text.charCodeAt(at + 1) | 32)) return false
    const before = this.#text.charCodeAt(at - 1)
    return at === 0 || (kindOf(before) === Kind.separator && before !== DOT)
  }

  /** Reads one character. Returns false when the next character modifies it. */
  #character(start: number): boolean {
    if (start + 1 < this.#text.length && kindOf(this.#text.charCodeAt(start + 1)) === Kind.composed) return false
    this.codes[0] = FOLDED[this.#text.charCodeAt(start)]!
    this.#take(1, start, start + 1, true)
    return true
  }

  /** Reads a word letter by letter, with a dot before it. Returns false when it must be folded as a whole. */
  #word(start: number): boolean {
    const text = this.#text
    const { codes } = this
    const first = text.charCodeAt(start) === DOT ? start + 1 : start
    let length = 0
    if (first > start) codes[length++] = DOT
    let at = first
    let isMixed = false
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const kind = kindOf(code)
      if (kind === Kind.composed) return false
      if (kind !== Kind.letter) break
      const folded = FOLDED[code]!
      if (length < MAX_TERM) codes[length++] = folded & 0xffff
      if (folded > 0xffff && length < MAX_TERM) codes[length++] = folded >>> 16
      if (isDigit(code) || (isUpper(code) && at > first)) isMixed = true
    }
    const end = first > start ? at : this.#signsEnd(at, length)
    for (let sign = at; sign < end; sign++) codes[length++] = text.charCodeAt(sign)
    this.#take(length, start, end, false)
    // The positions of parts are those in the text, so folding must not have changed the number of characters.
    if (length === end - start && (isMixed || first > start || end > at)) this.#cutParts(first, at)
    return true
  }

  /** The end of the signs that belong to the word that ends here: `++` of `c++`, `#` of `c#`. */
  #signsEnd(at: number, length: number): number {
    const text = this.#text
    const sign = text.charCodeAt(at)
    if ((sign !== PLUS && sign !== HASH) || length > MAX_SIGNED) return at
    const end = sign === PLUS && text.charCodeAt(at + 1) === PLUS ? at + 2 : at + 1
    const after = text.charCodeAt(end)
    const isEnd = end === text.length || (kindOf(after) === Kind.separator && after !== PLUS && after !== HASH)
    return isEnd ? end : at
  }

  /** Sets the parts of a word. A word with signs has at least one part. */
  #cutParts(from: number, until: number): void {
    const { partEnds, partStarts, start } = this
    let parts = 1
    partStarts[0] = from - start
    for (let at = from + 1; at < until; at++) {
      if (!this.#beginsPart(at)) continue
      if (parts === MAX_PARTS) return
      partEnds[parts - 1] = at - start
      partStarts[parts++] = at - start
    }
    partEnds[parts - 1] = until - start
    if (parts > 1 || until - from < this.length) this.partCount = parts
  }

  /** With a capital after a small letter, with the last capital before one, and between letters and digits. */
  #beginsPart(at: number): boolean {
    const before = this.#text.charCodeAt(at - 1)
    const code = this.#text.charCodeAt(at)
    if (isDigit(code) !== isDigit(before)) return true
    return isUpper(code) && (!isUpper(before) || isLower(this.#text.charCodeAt(at + 1)))
  }

  /** Reads the next token by Unicode's own rules. Returns false when a visit returned false. */
  #composed(from: number, visit: () => boolean | void): boolean {
    NEXT.lastIndex = from
    const match = NEXT.exec(this.#text)
    const start = match?.index ?? this.#text.length
    if (match === null || start > from) {
      this.#spent += (start - from) * COST.letter
      this.#at = start
      return true
    }
    const end = start + match[0].length
    this.#at = end
    // Compatibility forms may fold to several tokens or to none. Each of them has the position of the whole raw form.
    let place = start
    for (const [part] of fold(cut(match[0], MAX_RAW)).matchAll(TOKEN)) {
      const term = cut(part, MAX_TERM)
      for (let i = 0; i < term.length; i++) this.codes[i] = term.charCodeAt(i)
      this.#spent += COST.folded
      this.#take(term.length, start, end, !ONE_WORD.test(term), place)
      if (visit() === false) return false
      place = end
    }
    return true
  }

  /** Sets the token whose codes were read. `place` is compared with the end of the previous token. */
  #take(length: number, start: number, end: number, unspaced: boolean, place = start): void {
    const before = this.#unspacedEnd
    this.length = length
    this.start = start
    this.end = end
    this.unspaced = unspaced
    this.link = !unspaced || before === -1 ? "none" : before === place ? "glued" : "gap"
    this.partCount = 0
    this.#unspacedEnd = unspaced ? end : -1
    this.#at = end
    this.#spent += (end - start) * COST.letter + COST.token + this.#stepsOfVisit
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
