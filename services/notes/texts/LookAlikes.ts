/** Texts that differ only in what people do not see. No fold changes the number of lines. */

interface Fold {
  readonly name: string
  readonly of: (text: string) => string
}

/** Normalization of many marks on one letter would take quadratic time. */
const normalized = (text: string): string => (/\p{M}{32}/u.test(text) ? text : text.normalize("NFD"))

const quotes = /[\u2018-\u201b\u2032\u00b4]/g
const doubleQuotes = /[\u201c-\u201f\u2033\u00ab\u00bb]/g
const dashes = /[\u2010-\u2015\u2212]/g

const folds: ReadonlyArray<Fold> = [
  { name: "accents as characters of their own (NFC or NFD)", of: normalized },
  { name: "characters without width", of: (text) => text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "") },
  { name: "line ends", of: (text) => text.replaceAll(/\r+(?=\n|$)/g, "") },
  { name: "spaces of another kind", of: (text) => text.replaceAll(/\p{Zs}/gu, " ") },
  {
    name: "typographic quotes, dashes or dots",
    of: (text) =>
      text.replaceAll(quotes, "'").replaceAll(doubleQuotes, '"').replaceAll(dashes, "-").replaceAll("\u2026", "...")
  },
  { name: "blanks at the end of lines", of: (text) => text.replaceAll(/(?<![ \t])[ \t]+(?=\n|$)/g, "") },
  { name: "tabs or the number of blanks", of: (text) => text.replaceAll(/[ \t]+/g, " ") }
]

const foldedBy = (text: string, applied: ReadonlyArray<Fold>): string =>
  applied.reduce((made, { of }) => of(made), text)

/** The text by which look-alikes are equal. */
export const folded = (text: string): string => foldedBy(text, folds)

/** Characters that a caller cannot copy from what it sees. */
const unseen =
  /[\p{Default_Ignorable_Code_Point}\p{M}\r\t\u00b4\u00ab\u00bb\u2010-\u2015\u2018-\u201f\u2026\u2032\u2033\u2212]|(?! )\p{Zs}/gu
/** Maximum number of them that a problem names. */
const maxNamed = 5

const nameOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`

interface LookAlike {
  /** The first and the last line of the only place, from 1. */
  readonly from: number
  readonly to: number
  readonly text: string
  /** The characters that differ. */
  readonly differences: ReadonlyArray<string>
  /** Characters of the place that are not seen, by code point. */
  readonly unseen: ReadonlyArray<string>
}

const linesBefore = (text: string, end: number): number => text.slice(0, end).split("\n").length

/** The characters that are not seen, each with its line and its position from 0. */
const unseenIn = (place: string, from: number): ReadonlyArray<string> => {
  const named: Array<string> = []
  for (const [index, line] of place.split("\n").entries()) {
    for (const match of line.matchAll(unseen)) {
      if (named.length === maxNamed) return [...named, "…"]
      named.push(`${nameOf(match[0])} at character ${match.index} of line ${from + index}`)
    }
  }
  return named
}

/** The only place of a text that looks like another text; undefined if there is none, or more than one. */
export const lookAlike = (text: string, wanted: string): LookAlike | undefined => {
  const look = folded(wanted).trim()
  const all = folded(text)
  const at = look === "" ? -1 : all.indexOf(look)
  if (at < 0 || all.includes(look, at + 1) || /^\p{M}/u.test(all.slice(at + look.length))) return undefined
  const from = linesBefore(all, at)
  const to = from + look.split("\n").length - 1
  const place = text
    .split("\n")
    .slice(from - 1, to)
    .join("\n")
  const differences = folds
    .filter((one) => {
      const others = folds.filter((other) => other !== one)
      return !foldedBy(place, others).includes(foldedBy(wanted, others).trim())
    })
    .map(({ name }) => name)
  if (differences.length === 0) differences.push("white space at the beginning or end")
  return { from, to, text: place, differences, unseen: unseenIn(place, from) }
}
