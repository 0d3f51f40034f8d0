import MiniSearch from "minisearch"
import { DatabaseSync } from "node:sqlite"
import { atOnce, Budget } from "../../../services/concurrency/Budget.ts"
import type { IndexedNote } from "../../../services/search/Entries.ts"
import { SearchIndex } from "../../../services/search/SearchIndex.ts"

/** An engine with an index of its own, as it is compared. */
export interface Engine {
  readonly name: string
  readonly add: (note: IndexedNote) => void
  readonly replace: (note: IndexedNote) => void
  /** The ids of the first ten. */
  readonly ask: (query: string) => ReadonlyArray<string>
}

const enough = 1024 * 1024 * 1024

export const sheaf = (index = new SearchIndex(enough)): Engine & { readonly index: SearchIndex } => ({
  name: "Sheaf",
  index,
  add: (note) => atOnce(index.adding(note, new Budget(), true)),
  replace: (note) => index.add(note),
  ask: (query) => atOnce(index.searching({ query, archived: null }, 0, 10, new Budget())).matches.map(({ id }) => id)
})

export const miniSearch = (): Engine => {
  const index = new MiniSearch<IndexedNote>({
    fields: ["title", "tags", "body"],
    searchOptions: {
      boost: { title: 3, tags: 3 },
      fuzzy: 0.25,
      prefix: (_term, place, terms) => place === terms.length - 1
    }
  })
  return {
    name: "MiniSearch, fuzzy .25",
    add: (note) => index.add(note),
    replace: (note) => index.replace(note),
    ask: (query) =>
      index
        .search(query)
        .slice(0, 10)
        .map(({ id }) => String(id))
  }
}

export const fts5 = (): Engine => {
  const database = new DatabaseSync(":memory:")
  database.exec("CREATE VIRTUAL TABLE notes USING fts5(id UNINDEXED, title, tags, body, tokenize = 'porter unicode61')")
  const insert = database.prepare("INSERT INTO notes (rowid, id, title, tags, body) VALUES (?, ?, ?, ?, ?)")
  const remove = database.prepare("DELETE FROM notes WHERE rowid = ?")
  const select = database.prepare("SELECT id FROM notes WHERE notes MATCH ? ORDER BY bm25(notes, 0, 3, 3, 1) LIMIT 10")
  const numbers = new Map<string, number>()
  const add = (note: IndexedNote) => {
    const number = numbers.get(note.id) ?? numbers.size + 1
    numbers.set(note.id, number)
    insert.run(number, note.id, note.title, note.tags.join(" "), note.body)
  }
  return {
    name: "SQLite FTS5, porter",
    add,
    replace: (note) => {
      remove.run(numbers.get(note.id)!)
      add(note)
    },
    ask: (query) => {
      const words = query.match(/[\p{L}\p{N}]+/gu) ?? []
      if (words.length === 0) return []
      return select.all(words.map((word) => `"${word}"`).join(" OR ")).map(({ id }) => String(id))
    }
  }
}
