import { escapeHtml } from "../http/EscapeHtml.ts"
import type { Page } from "./Frame.ts"
import { plain } from "./Markdown.ts"
import type { Entry } from "./SearchIndex.ts"

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

/** `/docs?q=`: where something is said. */
export const searchPage = (query: string, found: ReadonlyArray<Entry>): Page => ({
  slug: undefined,
  title: "Search",
  query,
  main: `<h1>Search</h1><p class="lead">${
    found.length === 0
      ? `Nothing has all words of <strong>${escapeHtml(query)}</strong>. Try fewer, or a part of one.`
      : `${found.length} ${found.length === 1 ? "place" : "places"} for <strong>${escapeHtml(query)}</strong>${
          found.length > most ? `, the nearest ${most} of them` : ""
        }`
  }</p><ol class="results">${found.slice(0, most).map(result).join("")}</ol>`
})
