import type { Language } from "./Language.ts"

/** Counted things and lists in the words of a language. */
export const phrasesIn = (language: Language) => {
  const rules = new Intl.PluralRules(language)
  const number = new Intl.NumberFormat(language)
  const and = new Intl.ListFormat(language)
  /** The form of a word for a number. */
  const form = (count: number, one: string, other: string): string => (rules.select(count) === "one" ? one : other)
  return {
    form,
    /** The number, and the form of the word for it. */
    counted: (count: number, one: string, other = one): string => `${number.format(count)} ${form(count, one, other)}`,
    list: (items: ReadonlyArray<string>): string => and.format(items)
  }
}
