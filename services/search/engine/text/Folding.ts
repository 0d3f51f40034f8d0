import { simplified } from "./Chinese.ts"

/** Maximum UTF-16 code units of a term. Longer ones (mostly encoded data) are cut, in notes and in queries. */
export const MAX_TERM = 64
/**
 * Maximum number of UTF-16 code units of a word that are folded. The rest is ignored: normalization sorts combining
 * marks in a time that grows with the square of their number, and no real word has that many.
 */
export const MAX_RAW = 1024

const NON_ASCII = /\P{ASCII}/u
// Accents, Hebrew points, Arabic vowel signs and tatweel. Kana sound marks and Indic vowel signs are kept: to readers
// they are letters.
const DIACRITICS =
  /[[\p{M}&&[\p{sc=Zinh}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}]]--[\p{scx=Hira}]]|[\u0640\p{Default_Ignorable_Code_Point}]/gv
// To readers a separate letter, which inflection uses.
const SHORT_I = /и\u0306/g
const codesBetween = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, each) => first + each)
/** Katakana and the hiragana of the same syllables. */
const katakana = [...codesBetween(0x30a1, 0x30f6), 0x30fd, 0x30fe].map(
  (code) => [String.fromCharCode(code), String.fromCharCode(code - 0x60)] as const
)
// Letters that readers take for variants of others, although Unicode does not decompose them.
const VARIANTS = new Map([
  ...simplified,
  ...katakana,
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["ł", "l"],
  ["đ", "d"],
  ["ð", "d"],
  ["þ", "th"],
  ["ħ", "h"],
  ["ŧ", "t"],
  ["ı", "i"],
  ["ĸ", "k"],
  ["ŋ", "n"],
  ["ς", "σ"]
])
const VARIANT = new RegExp(`[${[...VARIANTS.keys()].join("")}]`, "g")

/**
 * Folds a text for comparison: NFKC, lower case, without diacritics (`Éß` becomes `ess`), katakana as hiragana,
 * traditional Chinese as simplified.
 */
export const fold = (text: string): string =>
  NON_ASCII.test(text)
    ? text
        .normalize("NFKD")
        .toLowerCase()
        .replace(SHORT_I, "й")
        .replace(DIACRITICS, "")
        .replace(VARIANT, (letter) => VARIANTS.get(letter) ?? letter)
        .normalize("NFC")
    : text.toLowerCase()

/** The beginning of a text. Does not split a character. */
export const cut = (text: string, length: number): string => {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

// Hangul has spaces, but its particles are attached to words: like Chinese, it is searched by syllables.
const UNSPACED_SCRIPTS = ["Han", "Hira", "Kana", "Bopo", "Hang", "Thai", "Laoo", "Khmr", "Mymr"].map(
  (name) => `\\p{scx=${name}}`
)
const EMOJI = String.raw`[[\p{Extended_Pictographic}\p{RI}]--[©®™‼⁉]]`
const UNSPACED = String.raw`[[[${UNSPACED_SCRIPTS.join("")}]&&[\p{L}\p{Nl}]]${EMOJI}]`
const SPACED = String.raw`[[\p{L}\p{N}]--${UNSPACED}]`
// Characters that only modify the letter before them: marks, half-width (semi-)voiced sound marks, joiners and soft
// hyphens.
const MODIFIER = String.raw`[\p{M}\p{Default_Ignorable_Code_Point}\uFF9E\uFF9F]`
/** Matches a token: a word, or one character of a script written without spaces. */
export const TOKEN = new RegExp(`${SPACED}[${SPACED}${MODIFIER}]*|${UNSPACED}${MODIFIER}*`, "gv")
export const ONE_WORD = new RegExp(`^${SPACED}[${SPACED}${MODIFIER}]*$`, "v")
const ONE_CHARACTER = new RegExp(`^${UNSPACED}$`, "v")
const MODIFIES = new RegExp(`^(?:${MODIFIER}|\\p{Cs})$`, "v")

/** The kinds of code units: a separator, a letter, an unspaced character, one that is folded with its neighbours. */
export const Kind = { separator: 1, letter: 2, unspaced: 3, composed: 4 } as const

/** By code unit: its kind, and the one or two letters, or the character, to which it folds; 0 until it is first read. */
const KINDS = new Uint8Array(0x10000)
export const FOLDED = new Uint32Array(0x10000)

export const kindOf = (code: number): number => KINDS[code] || classify(code)

const classify = (code: number): number => {
  const character = String.fromCharCode(code)
  const folded = fold(character)
  const isWord = ONE_WORD.test(character)
  if (isWord && folded.length <= 2 && ONE_WORD.test(folded)) {
    FOLDED[code] = folded.charCodeAt(0) | (folded.length === 2 ? folded.charCodeAt(1) << 16 : 0)
    return (KINDS[code] = Kind.letter)
  }
  const isUnspaced = ONE_CHARACTER.test(character)
  if (isUnspaced && folded.length === 1 && ONE_CHARACTER.test(folded)) {
    FOLDED[code] = folded.charCodeAt(0)
    return (KINDS[code] = Kind.unspaced)
  }
  return (KINDS[code] = isWord || isUnspaced || MODIFIES.test(character) ? Kind.composed : Kind.separator)
}

const SPELT_OUT: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ø: "oe", ü: "ue" }
/** After a vowel or a q, these are separate letters, as in `neue` and `frequenz`. */
const LETTERS = /(?<![aeiouq])[aou]e/g
/** Maximum number of places of a word that are tried one by one. */
const MAX_PLACES = 3

/** Returns `term` with its umlauts written as two letters: `mueller` for `Müller`. `typed`: the term before folding. */
export const speltOut = (typed: string, term: string): string => {
  const letters = cut(typed, MAX_TERM).normalize("NFC").toLowerCase()
  const spelt = letters.replace(/[äöøü]/g, (letter) => SPELT_OUT[letter]!)
  return spelt === letters ? term : fold(spelt)
}

/** The folded words that a term may mean when its `ae`, `oe` and `ue` stand for umlauts: `muller` for `mueller`. */
export const contracted = (term: string): ReadonlyArray<string> => {
  const places = [...term.matchAll(LETTERS)].map(({ index }) => index)
  if (places.length === 0 || places.length > MAX_PLACES) return []
  const ways: Array<string> = []
  for (let chosen = 1; chosen < 1 << places.length; chosen++) {
    const dropped = new Set(places.filter((_, bit) => (chosen & (1 << bit)) > 0).map((place) => place + 1))
    ways.push([...term].filter((_, place) => !dropped.has(place)).join(""))
  }
  return ways.filter((way) => way.length >= 3)
}

/** The key for comparing tag names: ignores case and compatibility forms, but not accents. */
export const tagKey = (name: string): string => name.normalize("NFKC").toLowerCase()
