import { judgedOf, notesOf } from "./Corpora.ts"
import type { Engine } from "./Engines.ts"
import {
  type Ask,
  ndcg,
  numbers,
  rarelyMisspelt,
  recall,
  reciprocalRank,
  titlesInPart,
  typosOf,
  wordsIn
} from "./Quality.ts"
import { firstSet, isMeant, secondSet } from "./TypedQueries.ts"

const judged = ["cranfield", "xquad-en", "xquad-de", "xquad-zh", "xquad-th"] as const
type Collection = (typeof judged)[number] | "notes14k" | "notes-multilang"

/** The engine, filled with the notes of a collection. */
type AskIn = (collection: Collection) => Ask

/** A measured share between 0 and 1. */
interface Row {
  readonly key: string
  readonly title: string
  readonly figure: (askIn: AskIn) => number
}

/** Creates a value on first use and keeps it. */
const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

const notes14k = once(() => notesOf("notes14k"))
const multilang = once(() => notesOf("notes-multilang"))
const words = once(() => wordsIn(notes14k()))
const typos = once(() => typosOf(words(), 300))

const notesIn = (collection: Collection) =>
  collection === "notes14k" ? notes14k() : collection === "notes-multilang" ? multilang() : judgedOf(collection).notes

const judgedRow = (collection: (typeof judged)[number]): Row => ({
  key: collection,
  title: `${collection.replace("cranfield", "Cranfield").replace("xquad-", "XQuAD ")} nDCG@10`,
  figure: (askIn) => ndcg(judgedOf(collection), askIn(collection))
})

const typosRow = (kind: keyof ReturnType<typeof typos>, name: string): Row => ({
  key: `typos-${kind}`,
  title: `typos recall@10: ${name}`,
  figure: (askIn) => recall(typos()[kind], (id, word) => words().byNote[Number(id)]!.has(word), askIn("notes14k"))
})

/** Whether notes are found by their titles. */
const knownItems = (ask: Ask): number => {
  const notes = notes14k()
  const next = numbers(7)
  const known = Array.from({ length: 300 }, () => notes[Math.floor(next() * notes.length)]!)
  const found = known.filter(({ title }) =>
    ask(title)
      .slice(0, 3)
      .some((id) => notes[Number(id)]!.title === title)
  )
  return found.length / known.length
}

const typedQueries = (askIn: AskIn): number => {
  const inCollection = (collection: "notes14k" | "notes-multilang"): ReadonlyArray<boolean> => {
    const notes = notesIn(collection)
    const ask = askIn(collection)
    return [...firstSet[collection], ...secondSet[collection]].map((typed) => {
      const [query] = typed
      const found = ask(query).slice(0, 3)
      return isMeant(
        typed,
        found.map((id) => notes[Number(id)]!)
      )
    })
  }
  const all = [...inCollection("notes14k"), ...inCollection("notes-multilang")]
  return all.filter((isFound) => isFound).length / all.length
}

const allRows: ReadonlyArray<Row> = [
  ...judged.map(judgedRow),
  typosRow("one", "1 edit"),
  typosRow("two", "2 edits"),
  typosRow("first", "first letter"),
  typosRow("norvig", "Norvig"),
  {
    key: "rare",
    title: "a correct word and a misspelt rare one, recall@10",
    figure: (askIn) => {
      const queries = rarelyMisspelt(words(), 300)
      const ask = askIn("notes14k")
      return queries.filter(([query, note]) => ask(query).includes(String(note))).length / queries.length
    }
  },
  {
    key: "partly",
    title: "two words of a title and another word, MRR@10",
    figure: (askIn) => reciprocalRank(titlesInPart(notes14k(), words(), 300), askIn("notes14k"))
  },
  { key: "titles", title: "titles in the first three", figure: (askIn) => knownItems(askIn("notes14k")) },
  { key: "typed", title: "typed queries in the first three", figure: typedQueries }
]

/** The rows whose keys begin with one of these; all rows if there are none. */
export const rowsOf = (keys: ReadonlyArray<string>): ReadonlyArray<Row> => {
  for (const key of keys) {
    if (!allRows.some((row) => row.key.startsWith(key))) {
      throw new Error(`no row ${key}; the rows are ${allRows.map((row) => row.key).join(", ")}`)
    }
  }
  return keys.length === 0 ? allRows : allRows.filter((row) => keys.some((key) => row.key.startsWith(key)))
}

/** The figures of one engine, by the key of the row. The engine is filled once per collection. */
export const measure = (make: () => Engine, rows: ReadonlyArray<Row>): Record<string, number> => {
  const filled = new Map<Collection, Engine>()
  const askIn = (collection: Collection): Ask => {
    let engine = filled.get(collection)
    if (engine === undefined) {
      filled.set(collection, (engine = make()))
      for (const note of notesIn(collection)) engine.add(note)
    }
    return engine.ask
  }
  return Object.fromEntries(rows.map(({ figure, key }) => [key, figure(askIn)]))
}
