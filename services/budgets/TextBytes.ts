import type { Budget, Sliced } from "./Budget.ts"
import { largeBytes } from "./LargeBytes.ts"

/** So many characters become bytes at a stretch, */
export const stretch = 65_536
/** each of which costs so many steps, most of them for memory that is new; and to count its bytes costs so many. */
const costs = { write: 0.1, count: 0.01 } as const

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Where a stretch from there ends, and no character is cut. */
export const stretchEnd = (text: string, from: number): number => {
  const end = from + stretch
  if (end >= text.length) return text.length
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
}

/**
 * Texts behind each other as UTF-8, written straight to where they stay: as one text they would be put together, turned to
 * bytes and copied at one stretch, which for 4 MB takes some 50 ms.
 */
export function* bytesOf(texts: ReadonlyArray<string>, budget: Budget): Sliced<Uint8Array> {
  let length = 0
  for (const text of texts) {
    length += Buffer.byteLength(text)
    if (budget.spend(text.length * costs.count)) yield
  }
  const bytes = largeBytes(length).subarray(0, length)
  let at = 0
  for (const text of texts) {
    for (let from = 0, end = 0; from < text.length; from = end) {
      end = stretchEnd(text, from)
      at += bytes.write(text.slice(from, end), at)
      if (budget.spend((end - from) * costs.write)) yield
    }
  }
  return bytes
}
