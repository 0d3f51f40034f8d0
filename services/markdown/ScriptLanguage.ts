/** Scripts in which one language is written, or nearly so. Kana is before Han, which Japanese has too. */
const scripts: ReadonlyArray<readonly [language: string, own: RegExp, all: RegExp]> = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/u, /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー]/u],
  ["ko", /\p{Script=Hangul}/u, /[\p{Script=Hangul}\p{Script=Han}]/u],
  ["zh", /\p{Script=Han}/u, /\p{Script=Han}/u],
  ["el", /\p{Script=Greek}/u, /\p{Script=Greek}/u],
  ["he", /\p{Script=Hebrew}/u, /\p{Script=Hebrew}/u],
  ["th", /\p{Script=Thai}/u, /\p{Script=Thai}/u],
  ["hy", /\p{Script=Armenian}/u, /\p{Script=Armenian}/u],
  ["ka", /\p{Script=Georgian}/u, /\p{Script=Georgian}/u]
]

/**
 * The language of a text whose script shows it. Browsers choose fonts by the language: Chinese and Japanese share
 * characters with different forms. Null for scripts of many languages, and for a mixed text.
 */
export const scriptLanguage = (text: string): string | null => {
  const letters = text.match(/\p{L}/gu) ?? []
  for (const [language, own, all] of scripts) {
    if (!letters.some((letter) => own.test(letter))) continue
    return letters.filter((letter) => all.test(letter)).length > letters.length / 2 ? language : null
  }
  return null
}
