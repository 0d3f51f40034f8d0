import { atOnce, Budget } from "../../services/concurrency/Budget.ts"
import type { IndexedNote } from "../../services/search/Entries.ts"
import { parseQuery } from "../../services/search/Query.ts"
import { SearchIndex, type SearchQuery } from "../../services/search/SearchIndex.ts"
import { type Highlighted, Highlighter } from "../../services/search/Snippet.ts"

export const day = (n: number): string => new Date(Date.UTC(2024, 0, 1 + n)).toISOString()

/** A note as the index takes it. */
export const note = (id: string, values: Partial<IndexedNote> = {}): IndexedNote => ({
  id,
  title: "",
  body: "",
  tags: [],
  notebook_id: "inbox",
  archived: false,
  word_count: 0,
  created_at: day(0),
  updated_at: day(0),
  ...values
})

export const indexOf = (...notes: ReadonlyArray<IndexedNote>): SearchIndex => {
  const index = new SearchIndex()
  for (const each of notes) index.add(each)
  return index
}

/** The ids of what a search finds, best first. */
export const ids = (index: SearchIndex, query: string, rest: Omit<SearchQuery, "query"> = {}): Array<string> =>
  index.search({ query, ...rest }).map(({ id }) => id)

/** Whether a search finds a note with this text. */
export const finds = (body: string, query: string): boolean => ids(indexOf(note("n", { body })), query).length === 1

/** What a search shows of a note that it alone has to find; as if it were found, where it is not. */
export const highlight = (values: Partial<IndexedNote>, query: string): Highlighted => {
  const only = note("only", values)
  const found = atOnce(indexOf(only).searching({ query }, 0, 1, new Budget()))
  const finds = found.matches[0]?.finds ?? []
  const highlighter = new Highlighter(finds.length > 0 ? found.query : parseQuery(query))
  return atOnce(highlighter.highlighting(only, finds, new Budget()))
}
