import type { IDetectedMap } from "jschardet"
import { isFrequent, likelihood } from "./Frequencies.ts"
import { readability } from "./Readability.ts"

/** Detects the encoding of texts and names that do not declare one, by how the decoded text reads. */

export interface Encoding {
  /** Its name for users. */
  readonly name: string
  readonly decode: (bytes: Uint8Array) => string
  /** Whether some of its characters have two bytes. */
  readonly isMultiByte?: true
}

const multiByte = new Set(["big5", "euc-jp", "euc-kr", "gb18030", "shift_jis"])

/** Labels for `TextDecoder` (WHATWG Encoding Standard) and names for users, by the name that the detector uses. */
const labels: Readonly<Record<string, readonly [label: string, name: string]>> = {
  "windows-1250": ["windows-1250", "windows-1250 (Central European)"],
  "windows-1251": ["windows-1251", "windows-1251 (Cyrillic)"],
  "windows-1252": ["windows-1252", "windows-1252 (Western)"],
  "windows-1253": ["windows-1253", "windows-1253 (Greek)"],
  "windows-1254": ["windows-1254", "windows-1254 (Turkish)"],
  "windows-1255": ["windows-1255", "windows-1255 (Hebrew)"],
  "windows-1256": ["windows-1256", "windows-1256 (Arabic)"],
  "windows-1257": ["windows-1257", "windows-1257 (Baltic)"],
  "iso-8859-2": ["iso-8859-2", "ISO 8859-2 (Central European)"],
  big5: ["big5", "Big5 (traditional Chinese)"],
  cp866: ["ibm866", "code page 866 (Cyrillic)"],
  cp874: ["windows-874", "windows-874 (Thai)"],
  cp932: ["shift_jis", "Shift-JIS (Japanese)"],
  cp949: ["euc-kr", "EUC-KR (Korean)"],
  "euc-jp": ["euc-jp", "EUC-JP (Japanese)"],
  gb18030: ["gb18030", "GB18030 (simplified Chinese)"],
  "koi8-r": ["koi8-r", "KOI8-R (Cyrillic)"],
  "koi8-u": ["koi8-u", "KOI8-U (Cyrillic)"],
  "mac-roman": ["macintosh", "Mac Roman (Western)"]
}

/** Names in results of the detector that differ from the names that it takes. */
const aliases: Readonly<Record<string, string>> = { ibm866: "cp866", macroman: "mac-roman" }

// The upper halves of the DOS code pages, which Windows programs still use for names in archives.
const upperHalves: Readonly<Record<string, readonly [upper: string, name: string]>> = {
  cp437: [
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
    "code page 437 (Western)"
  ],
  cp850: [
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
    "code page 850 (Western)"
  ],
  cp852: [
    "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
    "code page 852 (Central European)"
  ]
}

const byWhatwg = (label: string, name: string): Encoding => {
  const decoder = new TextDecoder(label)
  return { name, decode: (bytes) => decoder.decode(bytes), ...(multiByte.has(label) ? { isMultiByte: true } : {}) }
}

const byUpperHalf = (upper: string, name: string): Encoding => ({
  name,
  decode: (bytes) =>
    Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : upper[byte - 0x80]!)).join("")
})

const encodingOf = (detected: string): Encoding | undefined => {
  const known = aliases[detected.toLowerCase()] ?? detected.toLowerCase()
  const [label, name] = labels[known] ?? []
  if (label !== undefined && name !== undefined) return byWhatwg(label, name)
  const [upper, called] = upperHalves[known] ?? []
  return upper === undefined || called === undefined ? undefined : byUpperHalf(upper, called)
}

/** Relative frequency of each encoding among texts that declare none. */
const weights: Readonly<Record<string, number>> = {
  "windows-1251": 2,
  "windows-1252": 4,
  "windows-1250": 0.8,
  "windows-1253": 0.5,
  "windows-1254": 0.8,
  "windows-1255": 0.4,
  "windows-1256": 0.5,
  "windows-1257": 0.1,
  "iso-8859-2": 0.3,
  cp866: 0.15,
  cp874: 1,
  cp932: 2,
  cp949: 0.6,
  "euc-jp": 0.6,
  gb18030: 2,
  "koi8-r": 0.3,
  "koi8-u": 0.3,
  "mac-roman": 0.1
}
/** In names of archives, DOS code pages are more frequent than those of Windows, because packing programs use them. */
const nameWeights: Readonly<Record<string, number>> = { ...weights, cp866: 2, cp437: 2, cp850: 1, cp852: 0.3 }

const keyOf = ({ encoding }: IDetectedMap): string => {
  const name = encoding?.toLowerCase() ?? ""
  return aliases[name] ?? name
}

interface Guess {
  readonly encoding: Encoding
  readonly key: string
  readonly score: number
}

/** The bytes of a text in capitals, in lower case: the detector's models are made from lower case. */
const inSmallLetters = (sample: Uint8Array, encoding: Encoding): Uint8Array | undefined => {
  const text = encoding.decode(sample)
  if (text !== text.toUpperCase()) return undefined
  const letters = Array.from({ length: 256 }, (_, byte) => encoding.decode(new Uint8Array([byte])))
  const small = letters.map((letter, byte) => {
    const at = letters.indexOf(letter.toLowerCase())
    return at === -1 ? byte : at
  })
  return sample.map((byte) => small[byte] ?? byte)
}
/** Bytes of a sample whose characters are judged in each encoding. */
const judgedBytes = 4 * 1024

const withCapitals = new Set(["windows-1251", "windows-1253", "cp866", "koi8-r", "koi8-u"])

/** Minimum confidence. The detector reports none if its models lack a short text, although the encoding may fit. */
const leastConfidence = 1e-3

const guess = async (sample: Uint8Array, kind: "text" | "names"): Promise<Guess> => {
  // Loading the detector takes 70 MB and a tenth of a second, and most texts are UTF-8 and do not need it.
  const { detectAll } = await import("jschardet")
  const known = [...Object.keys(labels), ...(kind === "names" ? Object.keys(upperHalves) : [])]
  const weightOf = kind === "names" ? nameWeights : weights
  const detect = (bytes: Uint8Array) =>
    new Map(detectAll(bytes, { minimumThreshold: 0, detectEncodings: known }).map((one) => [keyOf(one), one]))
  const found = detect(sample)
  const confidenceIn = (key: string, encoding: Encoding): number => {
    const confidence = found.get(key)?.confidence ?? 0
    const small = withCapitals.has(key) ? inSmallLetters(sample, encoding) : undefined
    if (small === undefined) return confidence
    return Math.max(confidence, detect(small).get(key)?.confidence ?? 0)
  }
  let best: Guess = { encoding: encodingOf("windows-1252")!, key: "windows-1252", score: -Infinity }
  for (const key of known) {
    const encoding = encodingOf(key)
    if (encoding === undefined) continue
    // Text that the detector takes for Icelandic may also be Turkish, which has far more readers.
    const weight = found.get(key)?.language === "is" ? 0.9 : (weightOf[key] ?? 1)
    const text = encoding.decode(sample.subarray(0, judgedBytes))
    const confidence = confidenceIn(key, encoding)
    const score =
      Math.log(Math.max(confidence, leastConfidence) * weight * Math.max(readability(text, key), 1e-3)) +
      likelihood(text, key, commonCharacters())
    if (score > best.score) best = { encoding, key, score }
  }
  return best
}

/** Below this readability, some bytes of a text are in no encoding and mislead the detector. */
const readable = 0.9

/** The encoding in which lines that are not UTF-8 read best. */
export const likeliest = async (lines: ReadonlyArray<Uint8Array>, kind: "text" | "names"): Promise<Encoding> => {
  const sample = Buffer.concat(lines)
  const readAs = ({ encoding, key }: Guess) => readability(encoding.decode(sample), key)
  const whole = await guess(sample, kind)
  if (lines.length < 2 || readAs(whole) >= readable) return whole.encoding
  const middle = lines.length / 2
  const guesses = [
    whole,
    await guess(Buffer.concat(lines.slice(0, middle)), kind),
    await guess(Buffer.concat(lines.slice(middle)), kind)
  ]
  return guesses.reduce((best, one) => (readAs(one) > readAs(best) ? one : best)).encoding
}

/** Blocks of characters that modern texts use, without the many characters of Chinese and Korean. */
const usualBlocks: ReadonlyArray<readonly [first: number, last: number]> = [
  [0x20, 0x7e],
  // Latin and the marks on its letters, Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai, Latin of Vietnamese.
  [0xa0, 0x24f],
  [0x300, 0x345],
  [0x370, 0x45f],
  [0x490, 0x4f9],
  [0x5b0, 0x5f4],
  [0x60c, 0x6f9],
  [0x900, 0x97f],
  [0xe01, 0xe5b],
  [0x1e00, 0x1eff],
  // Punctuation, currencies, arrows, lines and symbols; kana; letters of full and half width; emoji.
  [0x2010, 0x203a],
  [0x20a0, 0x20bf],
  [0x2116, 0x2122],
  [0x2190, 0x21ff],
  [0x2500, 0x27bf],
  [0x3000, 0x30ff],
  [0xfe0f, 0xfe0f],
  [0xff01, 0xff9f],
  [0x1f300, 0x1faff]
]
const isUsual = (letter: string): boolean => {
  const code = letter.codePointAt(0)!
  return /[\t\n\r]/.test(letter) || usualBlocks.some(([first, last]) => code >= first && code <= last)
}

/** The characters in some rows of a two-byte encoding. */
const rowsOf = (label: string, first: number, last: number, column = 0xa1): string => {
  const decoder = new TextDecoder(label)
  const characters: Array<string> = []
  for (let row = first; row <= last; row++) {
    for (let at = column; at <= 0xfe; at++) characters.push(decoder.decode(new Uint8Array([row, at])))
  }
  return characters.filter((character) => character.length === 1).join("")
}

let known: ReadonlySet<string> | undefined
/** The more common half of the characters of the national standards. */
const commonCharacters = (): ReadonlySet<string> =>
  (known ??= new Set([
    ...rowsOf("gb18030", 0xb0, 0xd7),
    ...rowsOf("big5", 0xa4, 0xc6, 0x40),
    ...rowsOf("euc-jp", 0xb0, 0xcf),
    ...rowsOf("euc-kr", 0xb0, 0xc8)
  ]))

/** The number of characters of a text and how many of them are in use; zero if it is not UTF-16. */
const inUse = (bytes: Uint8Array, label: string): { readonly all: number; readonly used: number } => {
  let text
  try {
    text = new TextDecoder(label, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    // It has lone surrogates.
    return { all: 0, used: 0 }
  }
  const letters = [...text]
  const common = commonCharacters()
  return { all: letters.length, used: letters.filter((letter) => isUsual(letter) || common.has(letter)).length }
}

/**
 * UTF-16 without a byte order mark: one byte order yields characters in use, the other one arbitrary characters. A few
 * bytes can yield such characters by chance: `isPlain` means that they may be text in another encoding.
 */
export const wideEncoding = (sample: Uint8Array, isPlain: boolean): "utf-16le" | "utf-16be" | undefined => {
  if (sample.length % 2 === 1) return undefined
  const [little, big] = [inUse(sample, "utf-16le"), inUse(sample, "utf-16be")]
  const [better, other, order] =
    little.used >= big.used ? ([little, big, "utf-16le"] as const) : ([big, little, "utf-16be"] as const)
  const isLongEnough = better.all >= (isPlain ? 4 : 2)
  if (!isLongEnough && better.all >= 2) {
    return [...new TextDecoder(order).decode(sample)].every(isFrequent) ? order : undefined
  }
  if (!isLongEnough || better.used === other.used) return undefined
  return better.used >= better.all * (better.all < 20 ? 1 : 0.95) ? order : undefined
}
