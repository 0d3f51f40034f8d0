import { type Language, languageIn, languageOf } from "../../../services/languages/Language.ts"
import { readLocales } from "./accounts/KeptAccounts.ts"
import type { Translation } from "./languages/Translation.ts"

type Loaded = Promise<{ readonly translation: Translation }>

/** Each language is a file of its own, which only its users load. */
const loads: Record<Exclude<Language, "en">, () => Loaded> & { readonly en?: undefined } = {
  de: () => import("./languages/german/GermanTexts.ts"),
  fr: () => import("./languages/french/FrenchTexts.ts"),
  es: () => import("./languages/spanish/SpanishTexts.ts"),
  zh: () => import("./languages/chinese/ChineseTexts.ts")
}

// Modules with texts wait for this one, so that each has its texts in the language when it is evaluated. Without a database
// of a browser, as in tests of modules, they are in English.
const wanted = await readLocales().catch((): ReadonlyArray<string> => [])

const language = languageIn(wanted)

/** Whether the texts of this page are those for a locale. */
export const isInLanguage = (locale: string): boolean => languageIn([locale]) === language

/** The locale of dates and numbers, which is one of the language. */
export const locale = [...wanted, ...navigator.languages].find((each) => languageOf(each) === language) ?? language

/** The texts of the language; undefined in English, and while the file cannot be loaded. */
export const translation = await loads[language]?.().then(({ translation }) => translation, console.warn)

/** The texts of a name in the language, or else the given ones in English. Their types are the same: see `Translation`. */
export const translated = <Texts>(name: keyof Translation, english: Texts): Texts =>
  (translation?.[name] as Texts | undefined) ?? english
