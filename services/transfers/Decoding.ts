/** Text out of bytes whose encoding nobody says. */

const startsWith = (bytes: Uint8Array, ...mark: ReadonlyArray<number>): boolean =>
  mark.every((byte, index) => bytes[index] === byte)

/** What the first bytes of a text say of its encoding; it also knows XML, whose first letter is `<`. */
export const markedEncoding = (bytes: Uint8Array): string | undefined => {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return "utf-8"
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0x3c, 0)) return "utf-16le"
  if (startsWith(bytes, 0xfe, 0xff) || startsWith(bytes, 0, 0x3c)) return "utf-16be"
  return undefined
}

/** Text without a mark in which every other byte is none, as Windows writes it. */
const looksWide = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  const length = Math.min(bytes.length & ~1, 512)
  if (length < 8) return undefined
  const zeros = [0, 0]
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at & 1]!++
  const most = length / 2
  if (zeros[1]! > most * 0.6 && zeros[0]! < most * 0.1) return "utf-16le"
  if (zeros[0]! > most * 0.6 && zeros[1]! < most * 0.1) return "utf-16be"
  return undefined
}

const decode = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    // Not of this encoding: the next one is tried.
    return undefined
  }
}

export interface Decoded {
  readonly text: string
  /** Whether it is not as it was: something in it was no text. */
  readonly isRepaired: boolean
}

/** Neither NUL nor lone surrogates nor other control characters are kept of a text: nobody could show them. */
export const cleaned = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.toWellFormed().replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/g, "")

/** Whether it was UTF-8 but for some bytes, such as where it was cut: in other encodings hardly any letters read as that. */
const isMostlyRead = (text: string): boolean => {
  let wide = 0
  let unread = 0
  for (const letter of text) {
    if (letter === "\ufffd") unread++
    else if (letter > "\x7f") wide++
  }
  return wide > 2 * unread
}

/** Text of which some bytes cannot be read. */
const repaired = (bytes: Uint8Array, encoding: string): Decoded => ({
  text: cleaned(new TextDecoder(encoding).decode(bytes)),
  isRepaired: true
})

export const textOf = (bytes: Uint8Array): Decoded => {
  const marked = markedEncoding(bytes.subarray(0, 3)) ?? looksWide(bytes)
  const found = decode(bytes, marked ?? "utf-8")
  if (found === undefined) {
    const asMarked = repaired(bytes, marked ?? "utf-8")
    if (marked !== undefined || isMostlyRead(asMarked.text)) return asMarked
  }
  // What is no UTF-8 is what editors of the West wrote before it.
  const text = found ?? new TextDecoder("windows-1252").decode(bytes)
  const clean = cleaned(text)
  return { text: clean, isRepaired: clean !== text }
}

const doubled = /[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef\u3000-\u303f]/
const japanese = /^[\u3040-\u30ff\u4e00-\u9fff\uff01-\uff9f\u3000-\u303f\u3400-\u4dbf]$/

/** Whether what is not ASCII in it reads as Japanese: such letters, and most of them beside one another. */
const readsJapanese = (text: string): boolean => {
  const letters = [...text]
  let wide = 0
  let beside = 0
  for (const [index, letter] of letters.entries()) {
    if (letter <= "\x7f") continue
    if (!japanese.test(letter)) return false
    wide++
    if (doubled.test(letters[index - 1] ?? "") || doubled.test(letters[index + 1] ?? "")) beside++
  }
  return wide > 1 && beside >= wide * 0.8
}

// The upper half of code page 437, in its order.
const upper437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0"
const decode437 = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : upper437[byte - 0x80]!)).join("")

const isForeign = (letter: string): boolean => letter > "\x7f" && !/[\p{Script=Latin}]/u.test(letter)
const countForeign = (text: string): number => [...text].filter(isForeign).length

/**
 * Names in a ZIP that says nothing of their encoding: code page 437 by its specification, what the machine of their maker
 * used in truth. All of one archive are judged together.
 */
export const legacyDecoder = (names: ReadonlyArray<Uint8Array>): ((name: Uint8Array) => string) => {
  const all = Buffer.concat(names.slice(0, 2_000).flatMap((name) => [name, Buffer.from("\n")]))
  const shiftJis = decode(all, "shift_jis")
  if (shiftJis !== undefined && readsJapanese(shiftJis)) {
    const decoder = new TextDecoder("shift_jis")
    return (name) => decoder.decode(name)
  }
  const windows = new TextDecoder("windows-1252")
  return countForeign(windows.decode(all)) < countForeign(decode437(all)) ? (name) => windows.decode(name) : decode437
}

/** UTF-8, if the bytes are that. */
export const utf8Of = (bytes: Uint8Array): string | undefined => decode(bytes, "utf-8")
