import { atOnce, Budget, type Sliced } from "../../services/budgets/Budget.ts"

const space = /[ \t\n\r]{0,16384}/y
const scalar = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y

/** So many letters of a string are gone through at a time, and so many of white space. */
const piece = 16 * 1024
/** Steps of a letter. */
const cost = 0.2

const isHex = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)

/** Where the escape that begins there ends; undefined where it is none. */
const endOfEscape = (text: string, start: number): number | undefined => {
  const letter = text[start + 1]
  if (letter !== "u") return letter !== undefined && '"\\/bfnrt'.includes(letter) ? start + 2 : undefined
  for (let at = start + 2; at < start + 6; at++) if (!isHex(text.charCodeAt(at))) return undefined
  return start + 6
}

/** Where the string that begins there ends; undefined where it does not. */
function* endOfString(text: string, start: number, budget: Budget): Sliced<number | undefined> {
  for (let at = start + 1; at < text.length;) {
    const until = Math.min(at + piece, text.length)
    const before = at
    while (at < until) {
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
    if (budget.spend((at - before) * cost)) yield
  }
  return undefined
}

/** What may come next: a value, the same or the end of an array, a name, the same or the end of an object, what follows a value. */
type Expected = "value" | "first item" | "name" | "first name" | "next"

/**
 * Where a text stops being JSON (RFC 8259), in UTF-16 code units from 0; undefined where it is JSON. The parser says
 * where only in the words of some of its errors.
 */
export const faultAt = (text: string): number | undefined => atOnce(findingFault(text, new Budget()))

/** `faultAt` in slices. */
export function* findingFault(text: string, budget: Budget): Sliced<number | undefined> {
  const open: Array<"[" | "{"> = []
  let expected: Expected = "value"
  let at = 0
  const skip = (token: RegExp): boolean => {
    token.lastIndex = at
    if (!token.test(text)) return false
    at = token.lastIndex
    return true
  }
  function* skipString(): Sliced<boolean> {
    const end = text[at] === '"' ? yield* endOfString(text, at, budget) : undefined
    if (end === undefined) return false
    at = end
    return true
  }
  function* skipSpace(): Sliced<void> {
    for (let from = -1; from < at;) {
      from = at
      skip(space)
      if (budget.spend(1 + (at - from) * cost)) yield
    }
  }
  while (true) {
    yield* skipSpace()
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
      if (!(yield* skipString())) return at
      yield* skipSpace()
      if (text[at] !== ":") return at
      at++
      expected = "value"
    } else if (letter === "[" || letter === "{") {
      open.push(letter)
      at++
      expected = letter === "[" ? "first item" : "first name"
    } else if ((yield* skipString()) || skip(scalar)) expected = "next"
    else return at
  }
}

/** The line and the column of a place, both from 1, in slices. */
export function* locating(
  text: string,
  position: number,
  budget: Budget
): Sliced<{ readonly line: number; readonly column: number }> {
  let line = 1
  let begun = 0
  for (let next = text.indexOf("\n"); next >= 0 && next < position; next = text.indexOf("\n", begun)) {
    line++
    if (budget.spend(1 + (next - begun) * cost)) yield
    begun = next + 1
  }
  return { line, column: position - begun + 1 }
}
