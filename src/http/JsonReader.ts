import type { Budget, Sliced } from "../../services/budgets/Budget.ts"
import { cost, piece } from "./JsonBody.ts"

const quote = 0x22
const backslash = 0x5c

/** Members that are short are parsed together, up to so many bytes. */
const atATime = piece / 4

/** A string of no more bytes, without escapes, is read at a stretch. */
const whole = 16 * piece

/** No string of JSON holds one as it is (RFC 8259, section 7). */
const control = /[^ -\uffff]/

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const set = (object: Record<string, unknown>, name: string, value: unknown): void => {
  if (name !== "__proto__") object[name] = value
  else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
}

/** Reads what is long member by member, and leaves the rest to the parser. */
class Reader {
  readonly #bytes: Buffer
  readonly #long: ReadonlyMap<number, number>
  readonly #budget: Budget
  #at = 0

  constructor(body: ArrayBuffer, long: ReadonlyMap<number, number>, budget: Budget) {
    this.#bytes = Buffer.from(body)
    this.#long = long
    this.#budget = budget
    if (this.#bytes[0] === 0xef && this.#bytes[1] === 0xbb && this.#bytes[2] === 0xbf) this.#at = 3
  }

  *whole(): Sliced<unknown> {
    yield* this.#space()
    const value = yield* this.#value()
    yield* this.#space()
    if (this.#at !== this.#bytes.length) throw new SyntaxError("more behind the value")
    return value
  }

  *#space(): Sliced<void> {
    while (!this.#skip(this.#at + piece)) if (this.#budget.spend(piece * cost.scanned)) yield
  }

  /** Passes over white space up to a place; whether it ends before. */
  #skip(until: number): boolean {
    const bytes = this.#bytes
    let at = this.#at
    while (at < until && isSpace(bytes[at])) at++
    this.#at = at
    return at < until
  }

  *#value(): Sliced<unknown> {
    const end = this.#long.get(this.#at)
    if (end === undefined) {
      const from = this.#at
      this.#at = this.#shortEnd()
      const value: unknown = JSON.parse(this.#text(from, this.#at))
      if (this.#budget.spend((this.#at - from) * cost.parsed + cost.value)) yield
      return value
    }
    const first = this.#bytes[this.#at]
    return yield* first === quote ? this.#string(end) : first === 0x5b ? this.#array() : this.#object()
  }

  *#array(): Sliced<Array<unknown>> {
    const items: Array<unknown> = []
    if (yield* this.#isEmpty(0x5d)) return items
    while (true) {
      yield* this.#space()
      const short = this.#shortMembers()
      const before = items.length
      if (short === "") items.push(yield* this.#value())
      else for (const item of JSON.parse(`[${short}]`)) items.push(item)
      if (this.#budget.spend(short.length * cost.parsed + (items.length - before) * cost.value)) yield
      if (yield* this.#isEnd(0x5d)) return items
    }
  }

  *#object(): Sliced<Record<string, unknown>> {
    const members: Record<string, unknown> = {}
    if (yield* this.#isEmpty(0x7d)) return members
    while (true) {
      yield* this.#space()
      const short = this.#shortMembers()
      if (short === "") {
        if (this.#bytes[this.#at] !== quote) throw new SyntaxError("no name")
        const name = (yield* this.#value()) as string
        yield* this.#space()
        if (this.#bytes[this.#at++] !== 0x3a) throw new SyntaxError("no colon")
        yield* this.#space()
        set(members, name, yield* this.#value())
      } else {
        const some = Object.entries(JSON.parse(`{${short}}`))
        for (const [name, value] of some) set(members, name, value)
        if (this.#budget.spend(short.length * cost.parsed + some.length * cost.value)) yield
      }
      if (yield* this.#isEnd(0x7d)) return members
    }
  }

  /** The members that follow, up to the next long one, or as many as are parsed at a time. */
  #shortMembers(): string {
    const bytes = this.#bytes
    const from = this.#at
    const most = Math.min(from + atATime, bytes.length)
    let end = from
    let depth = 0
    for (let at = from; at < most; at++) {
      const byte = bytes[at]!
      if (byte === quote) {
        if (this.#long.has(at)) break
        while (++at < most && bytes[at] !== quote) if (bytes[at] === backslash) at++
      } else if (byte === 0x5b || byte === 0x7b) {
        if (this.#long.has(at)) break
        depth++
      } else if (byte === 0x5d || byte === 0x7d) {
        if (depth-- > 0) continue
        end = at
        break
      } else if (byte === 0x2c && depth === 0) end = at
    }
    this.#at = end
    return this.#text(from, end)
  }

  /** Whether nothing stands between the brackets, of which the first is passed over. */
  *#isEmpty(bracket: number): Sliced<boolean> {
    this.#at++
    yield* this.#space()
    if (this.#bytes[this.#at] !== bracket) return false
    this.#at++
    return true
  }

  /** Whether what is read ends here, and not with a comma. */
  *#isEnd(bracket: number): Sliced<boolean> {
    yield* this.#space()
    const byte = this.#bytes[this.#at++]
    if (byte !== bracket && byte !== 0x2c) throw new SyntaxError("no comma")
    return byte === bracket
  }

  *#string(end: number): Sliced<string> {
    const last = end - 1
    if (end - this.#at <= whole && this.#escape(this.#at + 1, last) === last) {
      const text = this.#text(this.#at + 1, last)
      if (control.test(text)) throw new SyntaxError("a control character")
      this.#at = end
      if (this.#budget.spend(text.length * cost.parsed)) yield
      return text
    }
    const parts: Array<string> = []
    for (let from = this.#at + 1; from < last;) {
      const to = this.#cut(from, last)
      parts.push(JSON.parse(`"${this.#text(from, to)}"`) as string)
      if (this.#budget.spend((to - from) * cost.parsed)) yield
      from = to
    }
    this.#at = end
    return parts.join("")
  }

  /** About a piece on from there, between two characters of a string. */
  #cut(from: number, end: number): number {
    const bytes = this.#bytes
    const least = Math.min(from + piece, end)
    let at = this.#escape(from, least)
    while (at < least) at += bytes[at] !== backslash ? 1 : bytes[at + 1] === 0x75 ? 6 : 2
    while (at < end && (bytes[at]! & 0xc0) === 0x80) at++
    return Math.min(at, end)
  }

  /** Where a value that is not long ends; what is no value, the parser says. */
  #shortEnd(): number {
    const bytes = this.#bytes
    const most = Math.min(this.#at + piece + 1, bytes.length)
    let depth = 0
    let at = this.#at
    for (; at < (depth > 0 ? most : bytes.length); at++) {
      const byte = bytes[at]!
      if (byte === quote) {
        while (++at < most && bytes[at] !== quote) if (bytes[at] === backslash) at++
        if (depth === 0) return Math.min(at + 1, most)
      } else if (byte === 0x5b || byte === 0x7b) {
        depth++
      } else if (byte === 0x5d || byte === 0x7d) {
        if (depth === 0) return at
        if (--depth === 0) return at + 1
      } else if (depth === 0 && (byte === 0x2c || byte === 0x3a || isSpace(byte))) {
        return at
      }
    }
    return at
  }

  /** Where the first backslash stands, or the end. */
  #escape(from: number, end: number): number {
    const at = this.#bytes.subarray(from, end).indexOf(backslash)
    return at < 0 ? end : from + at
  }

  #text(from: number, to: number): string {
    return this.#bytes.toString("utf8", from, to)
  }
}

/** What a body is that is no JSON: no JSON is this. */
export const noJson = Symbol("sheaf/http/noJson")

/**
 * The value of a JSON text in UTF-8, as `JSON.parse` gives it. `long` are its values that are longer than a piece, as
 * `scanning` found them: none of the others takes longer than a slice.
 */
export function* reading(body: ArrayBuffer, long: ReadonlyMap<number, number>, budget: Budget): Sliced<unknown> {
  try {
    return yield* new Reader(body, long, budget).whole()
  } catch (error) {
    if (error instanceof SyntaxError) return noJson
    throw error
  }
}
