import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Language } from "../../../../../services/languages/Language.ts"
import { languageFor } from "../../responses/Accept.ts"
import { chinese } from "./ChinesePages.ts"
import { english, type PageTexts } from "./EnglishPages.ts"
import { french } from "./FrenchPages.ts"
import { german } from "./GermanPages.ts"
import { spanish } from "./SpanishPages.ts"

const all: Readonly<Record<Language, PageTexts>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  zh: chinese
}

/** The texts of pages for the reader of a request, by its Accept-Language. */
export const textsFor = ({ headers }: HttpServerRequest.HttpServerRequest): PageTexts =>
  all[languageFor(headers["accept-language"])]

/** Those for the reader of the current request. */
export const pageTexts = Effect.map(HttpServerRequest.HttpServerRequest, textsFor)
