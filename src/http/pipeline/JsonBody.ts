import { isUtf8 } from "node:buffer"
import { BadRequest, Invalid } from "../../../services/Errors.ts"

/** Nothing in the contract nests deeper than ten levels. What does would only break whoever walks it. */
const maxDepth = 100
/** A note with 50 tags has a hundredth of it. Each value costs a schema far more than its bytes. */
export const maxValues = 10_000
/** A push of 500 notes with 50 tags each has a third of it. */
export const maxPushValues = 100_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

const malformed = (detail: string) => new BadRequest({ code: "malformed_json", detail })

const tooMany = (most: number): Invalid => {
  const message = `must have at most ${most} values`
  return new Invalid({
    code: "validation_failed",
    detail: `The body ${message}`,
    errors: [{ field: "", pointer: "", code: "too_many", message }]
  })
}

/** After this number of plain bytes of a string the next quote is searched natively, in this number of bytes at a time. */
const plainRun = 128
const plainLook = 4096

/** Where the next quote or backslash is, if there is one near. */
const plainEnd = (bytes: Uint8Array, at: number): number => {
  const near = bytes.subarray(at, at + plainLook)
  const quoted = near.indexOf(quote)
  const plain = quoted < 0 ? near : near.subarray(0, quoted)
  const escaped = plain.indexOf(backslash)
  return at + (escaped < 0 ? plain.length : escaped)
}

/** The number of values of a JSON body, or "deep" when it is nested deeper than `maxDepth`. */
const valuesOf = (bytes: Uint8Array): number | "deep" => {
  let depth = 0
  let values = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) {
      at++
      for (let plain = 0; at < bytes.length && bytes[at] !== quote;) {
        if (bytes[at] === backslash) {
          at += 2
          plain = 0
        } else if (++plain < plainRun) {
          at++
        } else {
          at = plainEnd(bytes, at)
          plain = plainRun
        }
      }
    } else if (byte === comma) {
      values++
    } else if (byte === 0x5b || byte === 0x7b) {
      values++
      if (++depth > maxDepth) return "deep"
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--
    }
  }
  return values
}

const tooDeep = malformed(`The body is nested deeper than ${maxDepth} levels`)
const noUtf8 = malformed("The body is not valid UTF-8")

/**
 * What is wrong with the bytes of a JSON body before they are parsed. Whether they are JSON at all, the parser says: it
 * takes the last of duplicate keys, and `__proto__` as a key like any other.
 */
export const fault = (body: ArrayBuffer, most: number): BadRequest | Invalid | undefined => {
  if (!isUtf8(body)) return noUtf8
  const values = valuesOf(new Uint8Array(body))
  if (values === "deep") return tooDeep
  return values > most ? tooMany(most) : undefined
}
