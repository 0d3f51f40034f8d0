import { type Language, languageIn } from "../languages/Language.ts"
import { chinese } from "./languages/ChineseMails.ts"
import { english, type MailTexts } from "./languages/EnglishMails.ts"
import { french } from "./languages/FrenchMails.ts"
import { german } from "./languages/GermanMails.ts"
import { spanish } from "./languages/SpanishMails.ts"

const all: Readonly<Record<Language, MailTexts>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  zh: chinese
}

/** The texts of mails to a reader with a locale. */
export const mailTexts = (locale: string): MailTexts => all[languageIn([locale])]
