/** The languages in which people read pages, mails and the console. */
export const languages = ["en", "de", "fr", "es", "zh"] as const
export type Language = (typeof languages)[number]

/** The language of a locale (BCP 47); undefined if Sheaf has no texts in it. */
export const languageOf = (locale: string): Language | undefined => {
  const code = locale.split("-", 1)[0]!.toLowerCase()
  return languages.find((each) => each === code)
}

/** The first language of locales in which there are texts, or else English. */
export const languageIn = (locales: ReadonlyArray<string>): Language =>
  locales.map(languageOf).find((language) => language !== undefined) ?? "en"
