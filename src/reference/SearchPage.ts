import { escapeHtml } from "../EscapeHtml.ts"
import type { Page } from "./Frame.ts"
import { plain } from "./GuideMarkdown.ts"
import type { Entry } from "./SearchEntryIndex.ts"

const most = 60
const longest = 180

const shortened = (text: string): string => {
  const line = plain(text)
  return line.length <= longest ? line : `${line.slice(0, line.lastIndexOf(" ", longest))} …`
}

const result = ({ kind, name, place, text }: Entry): string =>
  `<li><p><a href="${place}">${escapeHtml(name)}</a> <span class="type">${escapeHtml(kind)}</span></p><p class="soft">${escapeHtml(
    shortened(text)
  )}</p></li>`

const summary = (query: string, count: number): string => {
  const asked = `<strong>${escapeHtml(query.length > 100 ? `${query.slice(0, 100).toWellFormed()}…` : query)}</strong>`
  if (count === 0) return `No results for ${asked}. Try other words.`
  const results = count === 1 ? "1 result" : `${count} results`
  return `${results} for ${asked}${count > most ? `, the best ${most} are shown` : ""}`
}

/** `/docs?q=`: the results of a search. */
export const searchPage = (query: string, found: ReadonlyArray<Entry>): Page => ({
  slug: undefined,
  title: "Search",
  query,
  main: `<h1>Search</h1><p class="lead">${summary(query, found.length)}</p><ol class="results">${found
    .slice(0, most)
    .map(result)
    .join("")}</ol>`
})
