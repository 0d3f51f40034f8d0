/** How well a text reads that was decoded in one of several possible encodings. */

const scripts = [
  ["latin", /\p{Script=Latin}/u],
  ["cyrillic", /\p{Script=Cyrillic}/u],
  ["greek", /\p{Script=Greek}/u],
  ["hebrew", /\p{Script=Hebrew}/u],
  ["arabic", /\p{Script=Arabic}/u],
  ["thai", /\p{Script=Thai}/u],
  ["han", /\p{Script=Han}/u],
  ["kana", /[\p{Script=Hiragana}\p{Script=Katakana}ー]/u],
  ["hangul", /\p{Script=Hangul}/u]
] as const
const scriptOf = (letter: string) => scripts.find(([, pattern]) => pattern.test(letter))?.[0]

/** Scripts whose words never continue with Latin letters. */
const apart = new Set(["cyrillic", "greek", "hebrew", "arabic", "thai"])
/** Letters of Greek and Hebrew that have a different form at the end of a word. */
const atEnds = /[ςךםןףץ]/
const withinWords = /[σכמנפצ]/
/** Signs that may occur between two letters of a word. */
const inWords = /[’‘´·\u00ad\u2010-\u2015…ªº]/u
const notText = /[\p{Cc}\p{Co}\p{Cn}\ufffd]/u

/** How well a text reads, from 0 to 1: words should not mix scripts, or letters with signs, or be invalid. */
export const readability = (text: string, encoding: string): number => {
  const letters = [...text]
  let foreign = 0
  let broken = 0
  let odd = 0
  for (const [index, letter] of letters.entries()) {
    if (letter <= "\x7f") continue
    foreign++
    if (notText.test(letter)) {
      broken++
      continue
    }
    const [before = " ", after = " "] = [letters[index - 1], letters[index + 1]]
    const script = scriptOf(letter)
    const [scriptBefore, scriptAfter] = [scriptOf(before), scriptOf(after)]
    if (script === undefined) {
      if (scriptBefore !== undefined && scriptAfter !== undefined && scriptBefore !== "han" && !inWords.test(letter))
        odd++
    } else if (apart.has(script)) {
      if (scriptBefore === "latin" || scriptAfter === "latin") odd++
      if (scriptAfter === script ? atEnds.test(letter) : scriptBefore === script && withinWords.test(letter)) odd += 3
    } else if (script === "han" || script === "hangul") {
      if (/[a-z]/i.test(before) && /[a-z]/i.test(after)) odd++
    } else if (script === "kana") {
      // Only Japanese is written in these letters; other encodings contain them next to their own letters.
      if (!["cp932", "euc-jp"].includes(encoding)) odd += 2
    }
    const [isSmallBefore, isSmallAfter] = [/\p{Ll}/u.test(before), /\p{Ll}/u.test(after)]
    if (/\p{Lu}/u.test(letter) && (isSmallBefore || (isSmallAfter && /\p{Lu}/u.test(before)))) {
      odd += script === "latin" ? 1 : 3
    }
    // A dash of this length has spaces around it, or is between names and numbers.
    if (/[–—]/.test(letter) && isSmallBefore && isSmallAfter) odd++
  }
  if (foreign === 0) return 1
  return Math.max(0, 1 - (20 * broken) / foreign) * Math.max(0.02, 1 - (1.5 * odd) / foreign)
}
