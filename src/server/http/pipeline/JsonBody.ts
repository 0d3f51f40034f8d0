import { isUtf8 } from "node:buffer"
import { BadRequest, Invalid } from "../../../../services/Errors.ts"

/** Maximum levels of nesting of a body. No request of the API needs more than ten; deeper ones could exhaust the stack. */
const maxDepth = 100
/** Maximum number of values of a body, about 100 times those of a note with 50 tags. Decoding a value is expensive. */
export const maxValues = 10_000
/** Maximum number of values of a push, about three times those of 500 notes with 50 tags each. */
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

/** After this number of plain bytes of a string, `indexOf` searches the next quote, this number of bytes at a time. */
const plainRun = 128
const plainLook = 4096

/** The offset of the next quote or backslash, or of the end of the bytes that were searched. */
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
 * Checks the bytes of a JSON body before they are parsed. The parser then checks the syntax: it takes the last of
 * duplicate keys, and treats `__proto__` like any other key.
 */
export const fault = (body: ArrayBuffer, most: number): BadRequest | Invalid | undefined => {
  if (!isUtf8(body)) return noUtf8
  const values = valuesOf(new Uint8Array(body))
  if (values === "deep") return tooDeep
  return values > most ? tooMany(most) : undefined
}
