import MiniSearch from "minisearch"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { atOnce, Budget } from "../../../services/concurrency/Budget.ts"
import type { IndexedNote } from "../../../services/search/engine/index/IndexedNote.ts"
import { IndexStore } from "../../../services/search/engine/index/IndexStore.ts"
import { PageCache } from "../../../services/search/engine/index/PagedFile.ts"
import { SavedIndex } from "../../../services/search/engine/index/SavedIndex.ts"
import { SearchIndex } from "../../../services/search/engine/query/SearchIndex.ts"
import { mergeableOf } from "../../../services/search/engine/index/Packing.ts"

/** An engine with its own index, for the comparison. */
export interface Engine {
  readonly name: string
  readonly add: (note: IndexedNote) => void
  readonly replace: (note: IndexedNote) => void
  /** Returns the ids of the first ten hits. */
  readonly ask: (query: string) => ReadonlyArray<string>
}

const enough = 1024 * 1024 * 1024

/** Notes are packed and segments merged as in the server, without pauses. */
export const sheaf = (): Engine & { readonly index: SearchIndex; readonly save: () => () => number } => {
  const directory = mkdtempSync(join(tmpdir(), "sheaf-bench-"))
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }))
  const cache = new PageCache(32 * 1024 * 1024)
  const options = { cache, maxBytes: enough }
  const store = new IndexStore({ ...options, directory })
  const index = new SearchIndex(store)
  const saved = new SavedIndex(directory, "ws")
  const pack = () => {
    store.freeze()
    atOnce(store.packing(new Budget()))
    for (let segments = mergeableOf(store.segments); segments !== undefined; segments = mergeableOf(store.segments)) {
      atOnce(store.merging(segments, new Budget()))
    }
  }
  return {
    name: "Sheaf",
    index,
    add: (note) => {
      atOnce(store.adding(note, new Budget()))
      if (store.isDue) pack()
    },
    replace: (note) => index.add(note),
    ask: (query) => atOnce(index.searching({ query, archived: null }, 0, 10, new Budget())).matches.map(({ id }) => id),
    /** Saves the index. Returns a function that reads it, and returns the number of its notes. */
    save: () => {
      pack()
      saved.save(store, { epoch: "e", seq: 1, floor: 0 })
      return () => {
        const { store } = atOnce(new SavedIndex(directory, "ws").load(options, new Budget()))!
        store.close()
        return store.entries.size
      }
    }
  }
}

const miniSearch = (): Engine => {
  const index = new MiniSearch<IndexedNote>({
    fields: ["title", "tags", "body"],
    searchOptions: {
      boost: { title: 3, tags: 3 },
      fuzzy: 0.25,
      prefix: (_term, place, terms) => place === terms.length - 1
    }
  })
  return {
    name: "MiniSearch",
    add: (note) => index.add(note),
    replace: (note) => index.replace(note),
    ask: (query) =>
      index
        .search(query)
        .slice(0, 10)
        .map(({ id }) => String(id))
  }
}

const fts5 = (name: string, tokenizer: string, termsOf: (query: string) => ReadonlyArray<string>): Engine => {
  const database = new DatabaseSync(":memory:")
  database.exec(`CREATE VIRTUAL TABLE notes USING fts5(id UNINDEXED, title, tags, body, tokenize = '${tokenizer}')`)
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
    name,
    add,
    replace: (note) => {
      remove.run(numbers.get(note.id)!)
      add(note)
    },
    ask: (query) => {
      const terms = termsOf(query)
      if (terms.length === 0) return []
      return select.all(terms.map((term) => `"${term}"`).join(" OR ")).map(({ id }) => String(id))
    }
  }
}

const wordsOf = (query: string): ReadonlyArray<string> => query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

const fts5Porter = (): Engine => fts5("FTS5 porter", "porter unicode61", wordsOf)

/** Every three consecutive characters of the words: to this tokenizer whole words are phrases, without tolerance. */
const fts5Trigram = (): Engine =>
  fts5("FTS5 trigram", "trigram", (query) =>
    wordsOf(query).flatMap((word) => {
      const characters = [...word]
      return characters.slice(2).map((_, from) => characters.slice(from, from + 3).join(""))
    })
  )

export const engines = { sheaf: () => sheaf(), miniSearch, fts5Porter, fts5Trigram }

/** The engines of these names. */
export const enginesOf = (names: ReadonlyArray<string>): ReadonlyArray<readonly [name: string, make: () => Engine]> =>
  names.map((name) => {
    if (!(name in engines)) throw new Error(`no engine ${name}; the engines are ${Object.keys(engines).join(", ")}`)
    return [name, engines[name as keyof typeof engines]]
  })
