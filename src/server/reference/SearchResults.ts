import { escapeHtml } from "../EscapeHtml.ts"
import type { Page } from "./PageLayout.ts"
import { plain } from "./GuideMarkdown.ts"
import type { Entry } from "./SearchEntryIndex.ts"

/** Maximum number of results on the page. */
const maxResults = 60
/** Maximum number of characters of the text of a result. */
const maxText = 180

const queryMark = "{{query}}"
const resultsMark = "{{results}}"

/** `/docs?q=`, without a query and its results. */
export const searchPage: Page = {
  slug: undefined,
  title: "Search",
  query: queryMark,
  main: `<h1>Search</h1>${resultsMark}`
}

const shortened = (text: string): string => {
  const line = plain(text)
  return line.length <= maxText ? line : `${line.slice(0, line.lastIndexOf(" ", maxText))} …`
}

const result = ({ kind, name, place, text }: Entry): string =>
  `<li><p><a href="${place}">${escapeHtml(name)}</a> <span class="type">${escapeHtml(kind)}</span></p><p class="soft">${escapeHtml(
    shortened(text)
  )}</p></li>`

const summary = (query: string, count: number): string => {
  const shown = `<strong>${escapeHtml(query.length > 100 ? `${query.slice(0, 100).toWellFormed()}…` : query)}</strong>`
  if (count === 0) return `No results for ${shown}. Try other words.`
  const results = count === 1 ? "1 result" : `${count} results`
  return `${results} for ${shown}${count > maxResults ? `, the best ${maxResults} are shown` : ""}`
}

/** Returns `searchPage` with a query and its results. */
export const withResults = (page: string, query: string, found: ReadonlyArray<Entry>): string => {
  const results = found.slice(0, maxResults).map(result).join("")
  const parts: Readonly<Record<string, string>> = {
    [queryMark]: escapeHtml(query),
    [resultsMark]: `<p class="lead">${summary(query, found.length)}</p><ol class="results">${results}</ol>`
  }
  // In one pass: a query may contain a mark.
  return page.replaceAll(/\{\{(?:query|results)\}\}/g, (mark) => parts[mark]!)
}
