const wordLetter = /[\p{L}\p{N}]/u

/** Characters of scripts without spaces between words: each counts as a word, as in word processors. */
const isIdeograph = (code: number): boolean =>
  (code >= 0x3040 && code <= 0x30ff) ||
  (code >= 0x3400 && code <= 0x9fff) ||
  (code >= 0xf900 && code <= 0xfaff) ||
  (code >= 0x20000 && code <= 0x3ffff)

const isSpace = (code: number): boolean =>
  code === 32 ||
  (code >= 9 && code <= 13) ||
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000

/** Returns the number of words: runs without white space that contain a letter or digit. Each CJK character counts. */
export const wordCount = (text: string): number => {
  let words = 0
  let inWord = false
  for (let index = 0; index < text.length; index++) {
    const code = text.codePointAt(index)!
    if (code > 0xffff) index++
    if (isSpace(code)) inWord = false
    else if (code >= 0x3040 && isIdeograph(code)) {
      words++
      inWord = false
    } else if (!inWord) {
      const counts =
        code < 128
          ? (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
          : wordLetter.test(String.fromCodePoint(code))
      if (counts) {
        words++
        inWord = true
      }
    }
  }
  return words
}
