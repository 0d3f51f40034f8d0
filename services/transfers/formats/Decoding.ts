import { type Encoding, likeliest, wideEncoding } from "./Encodings.ts"

/** Decodes text that does not declare its encoding. */

const startsWith = (bytes: Uint8Array, ...mark: ReadonlyArray<number>): boolean =>
  mark.every((byte, index) => bytes[index] === byte)

/** The encoding that a byte order mark declares. */
const byteOrderMark = (bytes: Uint8Array): string | undefined => {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return "utf-8"
  if (startsWith(bytes, 0xff, 0xfe)) return "utf-16le"
  return startsWith(bytes, 0xfe, 0xff) ? "utf-16be" : undefined
}

/** The encoding that the first bytes show: a byte order mark, or the `<` that XML begins with. */
export const markedEncoding = (bytes: Uint8Array): string | undefined =>
  byteOrderMark(bytes) ??
  (startsWith(bytes, 0x3c, 0) ? "utf-16le" : startsWith(bytes, 0, 0x3c) ? "utf-16be" : undefined)

const decode = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    // Not valid in this encoding: the caller tries the next one.
    return undefined
  }
}

interface Decoded {
  readonly text: string
  /** Whether characters that are not text were removed or replaced. */
  readonly isRepaired: boolean
  /** The name of the detected encoding, if the bytes declare none and are not UTF-8. */
  readonly assumed?: string
}

/** Removes NUL and other control characters, and replaces lone surrogates: none of them can be displayed. */
export const cleaned = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.toWellFormed().replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/g, "")

/** Whether the text is UTF-8 except for some bytes: text in other encodings hardly ever decodes to letters. */
const isMostlyRead = (text: string): boolean => {
  let wide = 0
  let unread = 0
  for (const letter of text) {
    if (letter === "\ufffd") unread++
    else if (letter > "\x7f") wide++
  }
  return wide > 2 * unread
}

/** Bytes of a text that the detection of its encoding examines. */
const sampleBytes = 16 * 1024

/** The first lines that are not ASCII. A line ends with the same byte in every encoding that they help to detect. */
const linesOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: Array<Uint8Array> = []
  let size = 0
  for (let start = 0; start < bytes.length && size < sampleBytes;) {
    const end = bytes.indexOf(0x0a, start) + 1 || bytes.length
    const line = bytes.subarray(start, Math.min(end, start + sampleBytes - size))
    if (line.some((byte) => byte > 0x7f)) {
      lines.push(line)
      size += line.length
    }
    start = end
  }
  return lines
}

const repaired = (text: string): Decoded => {
  const clean = cleaned(text)
  return { text: clean, isRepaired: clean !== text }
}

const decodedAs = (bytes: Uint8Array, encoding: string): Decoded => {
  const text = new TextDecoder(encoding).decode(bytes)
  const isWhole = !text.includes("\ufffd") || decode(bytes, encoding) !== undefined
  return { ...repaired(text), ...(isWhole ? {} : { isRepaired: true }) }
}

/** Whether the bytes, all of them ASCII, contain an escape sequence that switches ISO-2022-JP to kanji. */
const hasShifts = (bytes: Uint8Array): boolean =>
  ["\x1b$B", "\x1b$@"].some((shift) => Buffer.from(bytes).includes(shift))

/** Control characters that text contains only if its characters have several bytes. */
// oxlint-disable-next-line no-control-regex
const controls = /[\0-\x08\x0b\x0e-\x1f]/

export const textOf = async (bytes: Uint8Array): Promise<Decoded> => {
  const marked = byteOrderMark(bytes)
  if (marked !== undefined) return decodedAs(bytes, marked)
  const asUtf8 = decode(bytes, "utf-8")
  if (asUtf8 !== undefined && !controls.test(asUtf8)) return repaired(asUtf8)
  if (hasShifts(bytes) && decode(bytes, "iso-2022-jp") !== undefined) {
    return { ...decodedAs(bytes, "iso-2022-jp"), assumed: "ISO-2022-JP (Japanese)" }
  }
  const sample = bytes.subarray(0, sampleBytes)
  const wide = wideEncoding(sample, !controls.test(Buffer.from(sample).toString("latin1")))
  if (wide !== undefined) return { ...decodedAs(bytes, wide), assumed: wide.toUpperCase() }
  const withMarks = decodedAs(bytes, "utf-8")
  if (asUtf8 !== undefined || isMostlyRead(withMarks.text)) return withMarks
  const { decode: decoder, name } = await likeliest(linesOf(bytes), "text")
  const text = decoder(bytes)
  return { ...repaired(text), ...(text.includes("\ufffd") ? { isRepaired: true } : {}), assumed: name }
}

/**
 * The encoding of names in a ZIP that does not declare one. The specification says code page 437, but programs use that
 * of the machine. All names of an archive are judged together.
 */
export const legacyEncoding = (names: ReadonlyArray<Uint8Array>): Promise<Encoding> =>
  likeliest(linesOf(Buffer.concat(names.slice(0, 2_000).flatMap((name) => [name, Buffer.from("\n")]))), "names")

/** The text, if the bytes are valid UTF-8. */
export const utf8Of = (bytes: Uint8Array): string | undefined => decode(bytes, "utf-8")
