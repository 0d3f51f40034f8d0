import type { ByteRange } from "../../../../services/files/Blobs.ts"

/** Maximum number of ranges of a response. A request with more gets the whole file. */
const maxRanges = 16

const one = /^(?:(\d+)-(\d*)|-(\d+))$/

/**
 * The byte ranges that a Range header requests of a file (RFC 9110, section 14). `undefined` is the whole file: without a
 * header, for an invalid one, or for ranges that cost more than the whole. An empty list means that no requested byte
 * exists (416). An empty file is always sent whole.
 */
export const rangesOf = (header: string | undefined, size: number): ReadonlyArray<ByteRange> | undefined => {
  const set = header === undefined || size === 0 ? undefined : /^bytes[ \t]*=(.*)$/i.exec(header)?.[1]
  if (set === undefined) return undefined
  const ranges: Array<ByteRange> = []
  let asked = 0
  for (const each of set.split(",")) {
    const text = each.trim()
    // A list may have empty elements (RFC 9110, section 5.6.1).
    if (text === "") continue
    const match = one.exec(text)
    if (match === null || ++asked > maxRanges) return undefined
    const [, first, last, suffix] = match
    if (suffix !== undefined) {
      if (Number(suffix) > 0) ranges.push({ start: Math.max(0, size - Number(suffix)), end: size - 1 })
      continue
    }
    const start = Number(first)
    const end = last === "" ? Infinity : Number(last)
    if (end < start) return undefined
    if (start < size) ranges.push({ start, end: Math.min(end, size - 1) })
  }
  if (asked === 0) return undefined
  const inOrder = ranges.toSorted((one, other) => one.start - other.start)
  // Otherwise one request could request the same bytes many times.
  const overlap = inOrder.some(({ start }, index) => index > 0 && start <= inOrder[index - 1]!.end)
  return overlap ? undefined : ranges
}
