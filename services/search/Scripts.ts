// Hangul has spaces, but its particles are attached to the word: like Chinese, it is found by its syllables.
const UNSPACED_SCRIPTS = ["Han", "Hira", "Kana", "Bopo", "Hang", "Thai", "Laoo", "Khmr", "Mymr"].map(
  (name) => `\\p{scx=${name}}`
)
const EMOJI = String.raw`[[\p{Extended_Pictographic}\p{RI}]--[©®™‼⁉]]`
const UNSPACED = String.raw`[[[${UNSPACED_SCRIPTS.join("")}]&&[\p{L}\p{Nl}]]${EMOJI}]`
const SPACED = String.raw`[[\p{L}\p{N}]--${UNSPACED}]`
// What only modifies the letter before it: marks, half-width (semi-)voiced sound marks, joiners and soft hyphens.
const MODIFIER = String.raw`[\p{M}\p{Default_Ignorable_Code_Point}\uFF9E\uFF9F]`
/** Any token: a word, or one character of a script written without spaces. */
export const TOKEN = new RegExp(`${SPACED}[${SPACED}${MODIFIER}]*|${UNSPACED}${MODIFIER}*`, "gv")
export const ONE_WORD = new RegExp(`^${SPACED}[${SPACED}${MODIFIER}]*$`, "v")

/** Folding leaves these single characters as they are: kana, common Han, Hangul. They are most of a CJK text. */
export const isPlainUnspaced = (code: number): boolean =>
  (code >= 0x3041 && code <= 0x3096) ||
  (code >= 0x30a1 && code <= 0x30fc) ||
  (code >= 0x4e00 && code <= 0x9fff) ||
  (code >= 0xac00 && code <= 0xd7a3)

/** Dashes, quotes, ellipses, and the commonest signs of CJK texts: between words, and never part of one. */
export const isPlainSign = (code: number): boolean =>
  (code >= 0x2010 && code <= 0x2027) ||
  code === 0x3001 ||
  code === 0x3002 ||
  (code >= 0x300c && code <= 0x300f) ||
  code === 0xff0c ||
  code === 0xff1a
