import { Damaged } from "./Item.ts"

/** A member of an object, or one element of a member that is an array. */
export interface Member {
  readonly name: string
  readonly text: string
}

const invalid = (why: string) => new Damaged("invalid_file", why)

/**
 * Splits a JSON object into its members while it is read, and members that are arrays into their elements: an object of
 * any length takes little memory. Pieces are not parsed; a piece of more than `most` characters is refused.
 */
export async function* membersOf(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Member> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let depth = 0
  let isText = false
  let isEscaped = false
  let isArray = false
  let name = ""
  let held = ""
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw invalid("It is not UTF-8")
    }
  }
  for await (const chunk of chunks) {
    const text = decoded(chunk)
    let start = 0
    const piece = (end: number): string => {
      const whole = held + text.slice(start, end)
      held = ""
      start = end + 1
      return whole.trim()
    }
    for (let at = 0; at < text.length; at++) {
      const sign = text[at]
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (sign === "\\") isEscaped = true
        else if (sign === '"') isText = false
      } else if (sign === '"') {
        isText = true
      } else if (sign === "{" || sign === "[") {
        depth++
        if (depth === 1 || (depth === 2 && sign === "[" && name !== "")) {
          isArray = depth === 2
          if (piece(at) !== "") throw invalid("It is not valid JSON")
        }
      } else if (sign === "}" || sign === "]") {
        depth--
        if ((depth === 1 && isArray) || depth === 0) {
          const last = piece(at)
          if (last !== "") yield { name, text: last }
          isArray = false
        }
        if (depth < 0) throw invalid("It is not valid JSON")
      } else if (sign === ":" && depth === 1) {
        try {
          name = String(JSON.parse(piece(at)))
        } catch {
          throw invalid("It is not valid JSON")
        }
      } else if (sign === "," && (depth === 1 || (depth === 2 && isArray))) {
        const value = piece(at)
        if (value !== "") yield { name, text: value }
      }
    }
    held += text.slice(start)
    if (held.length > most) throw invalid(`One of its members has more than ${most} characters`)
  }
  decoded()
  if (depth !== 0 || isText || held.trim() !== "") throw invalid("The object is incomplete, or text follows it")
}

/** Parses JSON; throws `Damaged` if it is invalid. */
export const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid("It is not valid JSON")
  }
}
