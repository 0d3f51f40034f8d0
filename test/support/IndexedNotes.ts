import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { atOnce, Budget } from "../../services/concurrency/Budget.ts"
import type { IndexedNote } from "../../services/search/engine/index/IndexedNote.ts"
import { IndexStore } from "../../services/search/engine/index/IndexStore.ts"
import { PageCache } from "../../services/search/engine/index/PagedFile.ts"
import { parseQuery } from "../../services/search/engine/query/Query.ts"
import { SearchIndex, type SearchQuery } from "../../services/search/engine/query/SearchIndex.ts"
import { type Highlighted, Highlighter } from "../../services/search/engine/query/Snippet.ts"

/** The timestamp `n` days after 2024-01-01. */
export const day = (n: number): string => new Date(Date.UTC(2024, 0, 1 + n)).toISOString()

/** A note for the index, with defaults. */
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

let root: string | undefined
let directories = 0

/** Creates a directory for an index; it is removed when the process ends. */
export const indexDirectory = (): string => {
  if (root === undefined) {
    const made = mkdtempSync(join(tmpdir(), "sheaf-index-"))
    process.once("exit", () => rmSync(made, { recursive: true, force: true }))
    root = made
  }
  const directory = join(root, String(directories++))
  mkdirSync(directory)
  return directory
}

export const pages = new PageCache(2_000_000)

/** Creates an empty index with its own directory. */
export const newIndex = (maxBytes = 500_000_000): SearchIndex =>
  new SearchIndex(new IndexStore({ cache: pages, directory: indexDirectory(), maxBytes }))

/** Creates an index of notes. */
export const indexOf = (...notes: ReadonlyArray<IndexedNote>): SearchIndex => {
  const index = newIndex()
  for (const each of notes) index.add(each)
  return index
}

/** The ids of the notes that a search finds, best match first. */
export const ids = (index: SearchIndex, query: string, rest: Omit<SearchQuery, "query"> = {}): Array<string> =>
  index.search({ query, ...rest }).map(({ id }) => id)

/** Whether a search finds a note with this body. */
export const finds = (body: string, query: string): boolean => ids(indexOf(note("n", { body })), query).length === 1

/** The highlights of a note for a query, also when the search does not find the note. */
export const highlight = (values: Partial<IndexedNote>, query: string): Highlighted => {
  const only = note("only", values)
  const found = atOnce(indexOf(only).searching({ query }, 0, 1, new Budget()))
  const finds = found.matches[0]?.finds ?? []
  const highlighter = new Highlighter(finds.length > 0 ? found.query : parseQuery(query))
  return atOnce(highlighter.highlighting(only, finds, new Budget()))
}
