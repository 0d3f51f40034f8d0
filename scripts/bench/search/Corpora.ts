import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { zstdDecompressSync } from "node:zlib"
import type { IndexedNote } from "../../../services/search/engine/index/IndexedNote.ts"

/** The folder of the collections: SEARCH_DATA, or a folder next to the checkout. */
export const place = process.env["SEARCH_DATA"] ?? join(import.meta.dirname, "../../../../shared/data/search")
export const isThere = existsSync(place)

const read = (file: string): string => zstdDecompressSync(readFileSync(join(place, file))).toString()

const day = (n: number): string => new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString()

const note = (id: string, title: string, body: string, tags: ReadonlyArray<string>, order: number): IndexedNote => ({
  id,
  title,
  body,
  tags,
  notebook_id: "inbox",
  archived: false,
  word_count: 0,
  created_at: day(order),
  updated_at: day(order)
})

interface Line {
  readonly id: number
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
}

export const notesOf = (file: "notes14k" | "notes-multilang"): Array<IndexedNote> =>
  read(`${file}.jsonl.zst`)
    .trim()
    .split("\n")
    .map((line, order) => {
      const { body, id, tags, title } = JSON.parse(line) as Line
      return note(String(id), title, body, tags, order)
    })

/** A collection with queries and the judged relevance of notes for them. */
export interface Judged {
  readonly notes: Array<IndexedNote>
  readonly queries: ReadonlyArray<{ readonly id: number; readonly text: string }>
  /** The relevance of a note, by query and note. */
  readonly judgments: Record<string, Record<string, number>>
}

export const judgedOf = (file: "cranfield" | `xquad-${"en" | "de" | "zh" | "th"}`): Judged => {
  const { docs, qrels, queries } = JSON.parse(read(`${file}.json.zst`)) as {
    docs: ReadonlyArray<{ id: number; title: string; body: string }>
    queries: Judged["queries"]
    qrels: Judged["judgments"]
  }
  const notes = docs.map(({ body, id, title }, order) => note(String(id), title, body, [], order))
  return { notes, queries, judgments: qrels }
}

/** Pairs of a misspelt word and the intended word. */
export const misspellings = (): Array<readonly [wrong: string, right: string]> => {
  const text = readFileSync(join(place, "spell-testset1.txt"), "utf8")
  return [...text.matchAll(/'([^']+)'\s*:\s*'([^']+)'/g)].flatMap(([, right, wrongs]) =>
    wrongs!
      .trim()
      .split(/\s+/)
      .map((wrong) => [wrong, right!] as const)
  )
}
