import { isHighSurrogate } from "../../../../services/notes/texts/ShownText.ts"
import { fenced } from "./Fence.ts"

/** Maximum number of UTF-8 bytes of a JSON-RPC response. */
export const maxResponse = 24 * 1024

/** Characters of the code of a fence. */
export const codeLength = 10

const anyCode = "x".repeat(codeLength)

/**
 * Bytes that the envelope takes: the id of the request, names of members, the information about the server, and the
 * explanation of the first fence.
 */
const envelope = 1_600

/** Maximum cost of the result of a tool. */
export const room = maxResponse - envelope

/** Bytes that a value takes in a response, with its fences: as structured content, and again as the text of the same JSON. */
export const costOf = (value: unknown): number => {
  const json = JSON.stringify(typeof value === "object" && value !== null ? fenced(anyCode, anyCode, value) : value)
  return Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(json))
}

/** The number of first items whose cost is at most `available`. */
export const countThatFits = (items: ReadonlyArray<unknown>, available: number): number => {
  let rest = available
  let count = 0
  for (const item of items) {
    // A comma separates the items, in both forms.
    rest -= costOf(item) + 2
    if (rest < 0) break
    count++
  }
  return count
}

/**
 * The end of the longest part of a text from `from` to at most `to` whose cost is at most `available`: after a line if a
 * whole line fits, else between two characters.
 */
export const endThatFits = (text: string, from: number, to: number, available: number): number => {
  // A character costs at least one byte in each form.
  let low = from
  let high = Math.min(to, from + Math.floor(available / 2))
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (costOf(text.slice(from, middle)) <= available) low = middle
    else high = middle - 1
  }
  if (low === to) return to
  const lineEnd = text.lastIndexOf("\n", low - 1)
  if (lineEnd >= from) return lineEnd + 1
  return low > from && isHighSurrogate(text.charCodeAt(low - 1)) ? low - 1 : low
}
