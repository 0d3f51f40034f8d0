import { isUtf8 } from "node:buffer"
import type { Budget, Sliced } from "../../services/budgets/Budget.ts"
import { BadRequest, Invalid } from "../../services/Errors.ts"

/** Nothing in the contract nests deeper than ten levels. What does would only break whoever walks it. */
const maxDepth = 100
/** A note with 50 tags has a hundredth of it. Each value costs a schema far more than its bytes. */
export const maxValues = 10_000
/** A push of 500 notes with 50 tags each has a third of it. */
export const maxPushValues = 100_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

/** Bytes are gone through in pieces; what is longer is parsed in pieces too. */
export const piece = 64 * 1024
/** Steps of a byte that is looked at, of one that is parsed, and of a value that becomes a member. */
export const cost = { scanned: 0.02, parsed: 0.05, value: 5 } as const

const malformed = (detail: string) => new BadRequest({ code: "malformed_json", detail })

const tooMany = (most: number): Invalid => {
  const message = `must have at most ${most} values`
  return new Invalid({
    code: "validation_failed",
    detail: `The body ${message}`,
    errors: [{ field: "", pointer: "", code: "too_many", message }]
  })
}

/** Behind so many plain bytes of a string more of them are looked for, in so many bytes at a time. */
const plainRun = 128
const plainLook = 4096

/** Where the next quote or backslash stands, if there is one before `end` and near. */
const plainEnd = (bytes: Uint8Array, at: number, end: number): number => {
  const near = bytes.subarray(at, Math.min(at + plainLook, end))
  const quoted = near.indexOf(quote)
  const plain = quoted < 0 ? near : near.subarray(0, quoted)
  const escaped = plain.indexOf(backslash)
  return at + (escaped < 0 ? plain.length : escaped)
}

/** Goes through the bytes of a JSON body, as far as it is told each time. */
class Scan {
  /** Where the values end that are longer than a piece, by where they begin. */
  readonly long = new Map<number, number>()
  readonly #bytes: Uint8Array
  readonly #begun: Array<number> = []
  #at = 0
  #depth = 0
  #values = 0
  /** Where the string began that is being read; -1 outside. */
  #string = -1

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get values(): number {
    return this.#values
  }

  /** Whether the body is nested too deep, as far as it was read. */
  read(until: number): boolean {
    const bytes = this.#bytes
    const end = Math.min(until, bytes.length)
    let at = this.#at
    let depth = this.#depth
    let values = this.#values
    let string = this.#string
    for (; at < end; at++) {
      const byte = bytes[at]!
      if (string >= 0 || byte === quote) {
        if (string < 0) string = at++
        for (let plain = 0; at < end && bytes[at] !== quote;) {
          if (bytes[at] === backslash) {
            at += 2
            plain = 0
          } else if (++plain < plainRun) {
            at++
          } else {
            at = plainEnd(bytes, at, end)
            plain = plainRun
          }
        }
        if (at >= end) break
        this.#measure(string, at + 1)
        string = -1
      } else if (byte === comma) {
        values++
      } else if (byte === 0x5b || byte === 0x7b) {
        values++
        if (++depth > maxDepth) return true
        this.#begun[depth] = at
      } else if (byte === 0x5d || byte === 0x7d) {
        if (depth > 0) this.#measure(this.#begun[depth]!, at + 1)
        depth--
      }
    }
    this.#at = at
    this.#depth = depth
    this.#values = values
    this.#string = string
    return false
  }

  #measure(from: number, to: number): void {
    if (to - from > piece) this.long.set(from, to)
  }
}

const tooDeep = malformed(`The body is nested deeper than ${maxDepth} levels`)
const noUtf8 = malformed("The body is not valid UTF-8")

/**
 * What is wrong with the bytes of a JSON body before they are parsed. Whether they are JSON at all, the parser says: it
 * takes the last of duplicate keys, and `__proto__` as a key like any other.
 */
export const fault = (body: ArrayBuffer, most: number): BadRequest | Invalid | undefined => {
  if (!isUtf8(body)) return noUtf8
  const scan = new Scan(new Uint8Array(body))
  if (scan.read(body.byteLength)) return tooDeep
  return scan.values > most ? tooMany(most) : undefined
}

/** `fault` in slices; where nothing is wrong, the long values of the body, for who reads it. */
export function* scanning(
  body: ArrayBuffer,
  most: number,
  budget: Budget
): Sliced<BadRequest | Invalid | Map<number, number>> {
  // Sixteen megabytes take it a millisecond.
  if (!isUtf8(body)) return noUtf8
  const scan = new Scan(new Uint8Array(body))
  for (let until = piece; until < body.byteLength + piece; until += piece) {
    if (scan.read(until)) return tooDeep
    if (scan.values > most) return tooMany(most)
    if (budget.spend(piece * cost.scanned)) yield
  }
  return scan.long
}
