import { isUtf8 } from "node:buffer"
import { BadRequest, Invalid } from "../../services/Errors.ts"

/** Nothing in the contract nests deeper than ten levels. What does would only break whoever walks it. */
const maxDepth = 100
/** A push of 500 notes with 50 tags each has a third of it. Each value costs a schema far more than its bytes. */
const maxValues = 100_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

const malformed = (detail: string) => new BadRequest({ code: "malformed_json", detail })

/**
 * What is wrong with the bytes of a JSON body before they are parsed. Whether they are JSON at all, the parser says: it
 * takes the last of duplicate keys, and `__proto__` as a key like any other.
 */
export const fault = (body: ArrayBuffer): BadRequest | Invalid | undefined => {
  if (!isUtf8(body)) return malformed("The body is not valid UTF-8")
  const bytes = new Uint8Array(body)
  let depth = 0
  let values = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) {
      while (++at < bytes.length && bytes[at] !== quote) if (bytes[at] === backslash) at++
    } else if (byte === comma) {
      values++
    } else if (byte === 0x5b || byte === 0x7b) {
      values++
      if (++depth > maxDepth) return malformed(`The body is nested deeper than ${maxDepth} levels`)
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--
    }
  }
  if (values <= maxValues) return undefined
  const message = `must have at most ${maxValues} values`
  return new Invalid({
    code: "validation_failed",
    detail: `The body ${message}`,
    errors: [{ field: "", pointer: "", code: "too_many", message }]
  })
}
