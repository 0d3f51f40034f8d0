import type { Budget, Sliced } from "./Budget.ts"
import { largeBytes } from "./LargeBytes.ts"
import { stretch, stretchEnd } from "./TextBytes.ts"

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("toJSON" in value)

/** Whether a text in it is longer than a stretch. */
const isLong = (value: unknown): boolean =>
  typeof value === "string"
    ? value.length > stretch
    : typeof value === "object" && value !== null && Object.values(value).some(isLong)

/** A long text: as one it would be built anew twice, in memory that is new for each. */
function* textPieces(text: string): Generator<string, void> {
  yield '"'
  for (let from = 0, end = 0; from < text.length; from = end) {
    end = stretchEnd(text, from)
    yield JSON.stringify(text.slice(from, end)).slice(1, -1)
  }
  yield '"'
}

/**
 * The JSON of a value, in pieces: an object whose arrays may hold much comes item by item, a long text in stretches. Each
 * piece is a text of its own, for one put together of two is copied before it is read.
 */
export function* jsonPieces(value: unknown, depth = 0): Generator<string, void> {
  if (typeof value === "string" && isLong(value)) {
    yield* textPieces(value)
  } else if (Array.isArray(value) && (depth === 1 || isLong(value))) {
    yield "["
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ","
      yield* jsonPieces(item, depth + 1)
    }
    yield "]"
  } else if (isPlain(value) && ((depth === 0 && Object.values(value).some(Array.isArray)) || isLong(value))) {
    let before = "{"
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${before}${JSON.stringify(name)}:`
      yield* jsonPieces(member, depth + 1)
      before = ","
    }
    yield before === "{" ? "{}" : "}"
  } else {
    yield JSON.stringify(value ?? null)
  }
}

/** How many bytes a value is as JSON. */
export const jsonBytes = (value: unknown): number => {
  let bytes = 0
  for (const text of jsonPieces(value)) bytes += Buffer.byteLength(text)
  return bytes
}

/** Steps of a character that is measured, and of one that is written, mostly for memory that is new. */
const costs = { measured: 0.02, written: 0.1 } as const

/** Pieces of so many bytes are kept from being measured to being written; of more, each is made twice. */
const kept = 1024 * 1024

/** A value as JSON in UTF-8, written piece by piece to where it stays. */
export function* jsonOf(value: unknown, budget: Budget): Sliced<Uint8Array> {
  const first: Array<string> = []
  let length = 0
  for (const text of jsonPieces(value)) {
    length += Buffer.byteLength(text)
    if (length <= kept) first.push(text)
    if (budget.spend(text.length * costs.measured)) yield
  }
  const bytes = largeBytes(length).subarray(0, length)
  let at = 0
  for (const text of length <= kept ? first : jsonPieces(value)) {
    at += bytes.write(text, at)
    if (budget.spend(text.length * costs.written)) yield
  }
  return bytes
}
