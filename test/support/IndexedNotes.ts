import { type IndexedNote, SearchIndex, type SearchQuery } from "../../services/search/SearchIndex.ts"

export const day = (n: number): string => new Date(Date.UTC(2024, 0, 1 + n)).toISOString()

/** A note as the index takes it. */
export const note = (id: string, values: Partial<IndexedNote> = {}): IndexedNote => ({
  id,
  title: "",
  body: "",
  tags: [],
  notebook_id: "inbox",
  archived: false,
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
