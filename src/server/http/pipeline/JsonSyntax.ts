const space = /[ \t\n\r]*/y
const scalar = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y

const isHex = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)

/** The end of the escape sequence at `start`; undefined if it is invalid. */
const endOfEscape = (text: string, start: number): number | undefined => {
  const letter = text[start + 1]
  if (letter !== "u") return letter !== undefined && '"\\/bfnrt'.includes(letter) ? start + 2 : undefined
  for (let at = start + 2; at < start + 6; at++) if (!isHex(text.charCodeAt(at))) return undefined
  return start + 6
}

/** The end of the string at `start`; undefined if it is invalid or has no end. */
const endOfString = (text: string, start: number): number | undefined => {
  for (let at = start + 1; at < text.length;) {
    const letter = text.charCodeAt(at)
    if (letter === 0x22) return at + 1
    if (letter < 0x20) return undefined
    if (letter !== 0x5c) at++
    else {
      const end = endOfEscape(text, at)
      if (end === undefined) return undefined
      at = end
    }
  }
  return undefined
}

/** What may come next: a value, a value or `]`, a name, a name or `}`, or what follows a value. */
type Expected = "value" | "first item" | "name" | "first name" | "next"

/**
 * The offset of the first syntax error of a JSON text (RFC 8259), in UTF-16 code units from 0; undefined if there is none.
 * The parser reports the position only in some of its messages.
 */
export const faultAt = (text: string): number | undefined => {
  const open: Array<"[" | "{"> = []
  let expected: Expected = "value"
  let at = 0
  const skip = (token: RegExp): boolean => {
    token.lastIndex = at
    if (!token.test(text)) return false
    at = token.lastIndex
    return true
  }
  const skipString = (): boolean => {
    const end = text[at] === '"' ? endOfString(text, at) : undefined
    if (end === undefined) return false
    at = end
    return true
  }
  while (true) {
    skip(space)
    const letter = text[at]
    if (expected === "next") {
      const inside = open.at(-1)
      if (inside === undefined) return at === text.length ? undefined : at
      if (letter === ",") expected = inside === "[" ? "value" : "name"
      else if (letter === (inside === "[" ? "]" : "}")) open.pop()
      else return at
      at++
    } else if ((expected === "first item" && letter === "]") || (expected === "first name" && letter === "}")) {
      open.pop()
      at++
      expected = "next"
    } else if (expected === "name" || expected === "first name") {
      if (!skipString()) return at
      skip(space)
      if (text[at] !== ":") return at
      at++
      expected = "value"
    } else if (letter === "[" || letter === "{") {
      open.push(letter)
      at++
      expected = letter === "[" ? "first item" : "first name"
    } else if (skipString() || skip(scalar)) expected = "next"
    else return at
  }
}

/** The line and the column of an offset, both from 1. */
export const locate = (text: string, position: number): { readonly line: number; readonly column: number } => {
  let line = 1
  let begun = 0
  for (let at = 0; at < position; at++) {
    if (text.charCodeAt(at) !== 0x0a) continue
    line++
    begun = at + 1
  }
  return { line, column: position - begun + 1 }
}
