/** Texts in front matter: how a part of one is read and written, by the quotes around it. */

/** What is before an open quote on its line, the quote, and what is after it. */
const opened = /(?:^|[:=,[{-])\s*(?:(")(?:[^"\\]|\\.)*|(')(?:[^']|'')*)$/

/** Signs that have a meaning in a text without quotes. */
const unquoted = /["'\\{},:&*!>%@`]/

export type Quote = '"' | "'" | ""

/** The quote that is open at a place of a body; empty for none. */
export const quoteAt = (body: string, at: number): Quote => {
  const [, double, single] = opened.exec(body.slice(body.lastIndexOf("\n", at - 1) + 1, at)) ?? []
  return double === undefined ? (single === undefined ? "" : "'") : '"'
}

/** The words that a part of a text means. */
export const readQuoted = (text: string, quote: Quote): string =>
  quote === "'" ? text.replaceAll("''", "'") : quote === '"' ? text.replaceAll(/\\(["\\])/g, "$1") : text

/** Words as a part of a text; undefined if it cannot have them. */
export const writeQuoted = (words: string, quote: Quote): string | undefined => {
  if (quote === "'") return words.replaceAll("'", "''")
  if (quote === '"') return words.replaceAll(/["\\]/g, "\\$&")
  return unquoted.test(words) ? undefined : words
}
