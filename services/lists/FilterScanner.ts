import type { Written } from "./FilterValue.ts"
import { signSpelling } from "./ForeignOperators.ts"

/** An error in a filter, and its position. */
export class Wrong extends Error {
  readonly position: number
  constructor(position: number, detail: string) {
    super(detail)
    this.position = position
  }
}

export const isSpace = (char: string | undefined): boolean => char !== undefined && /\s/.test(char)
export const isOperator = (char: string | undefined): boolean => char !== undefined && "=<>!:".includes(char)

const escapes: Readonly<Record<string, string>> = { "\\": "\\", '"': '"', "'": "'", "*": "*", n: "\n", t: "\t" }

export const keywords = ["and", "or", "not", "in"] as const
type Keyword = (typeof keywords)[number]

/** In any case. */
export const isKeyword = (text: string): boolean => keywords.some((name) => name === text.toLowerCase())

export const quoteIt = "a value with spaces, commas or parentheses needs quotes"

/** Reads the words of a filter from left to right. */
export class FilterScanner {
  protected at = 0
  protected readonly text: string

  constructor(text: string) {
    this.text = text
  }

  protected spaces(): void {
    while (isSpace(this.text[this.at])) this.at++
  }

  /** Whether the keyword, in any case, is the next whole word. */
  protected keyword(name: Keyword): boolean {
    const end = this.at + name.length
    if (this.text.slice(this.at, end).toLowerCase() !== name) return false
    const next = this.text[end]
    return next === undefined || isSpace(next) || next === "(" || next === ")"
  }

  protected get here(): string {
    return this.text.slice(this.at)
  }

  /** A quoted string or a bare word. `isFirst`: an operator may follow, and ends a bare word. */
  protected word(isFirst: boolean): Written {
    const position = this.at
    const quote = this.text[position] === '"' || this.text[position] === "'" ? this.text[position] : undefined
    if (quote !== undefined) this.at++
    const escaped = new Set<number>()
    let text = ""
    while (true) {
      const char = this.text[this.at]
      if (quote !== undefined ? char === quote : this.#ends(char, isFirst)) break
      if (char === undefined) throw new Wrong(position, "these quotes are not closed")
      if (char === "\\") {
        const meant = escapes[this.text[++this.at] ?? ""]
        if (meant === undefined) throw new Wrong(this.at - 1, "a backslash must precede \\ \" ' * n or t")
        escaped.add(text.length)
        text += meant
      } else text += char
      this.at++
    }
    const sign = quote === undefined ? /&&|\|\|/.exec(this.text.slice(position, this.at)) : null
    if (sign !== null) {
      throw new Wrong(position + sign.index, `${sign[0]} is written ${signSpelling(sign[0])} here; ${quoteIt}`)
    }
    if (quote !== undefined) this.at++
    else if (this.at === position || (!isFirst && isOperator(this.text[position]))) {
      throw new Wrong(position, `a value is expected here; ${quoteIt}`)
    } else if (!isFirst && isKeyword(text) && escaped.size === 0) {
      throw new Wrong(position, `a value is expected before ${text}; to compare with the word, quote it`)
    }
    return { position, text, escaped, isQuoted: quote !== undefined }
  }

  /** Whether a word ends before this position. */
  protected isEnd(place: number): boolean {
    const next = this.text[place]
    return next === undefined || isSpace(next) || `()"'`.includes(next)
  }

  #ends(char: string | undefined, isFirst: boolean): boolean {
    if (char === undefined || isSpace(char) || char === "(" || char === ")" || char === ",") return true
    return isFirst && (char === "!" ? this.text[this.at + 1] === "=" : isOperator(char))
  }
}
