import type { Schemas } from "../../client/SheafClient.ts"
import type { NoteFilter } from "../notes/NoteFilter.ts"
import type { AskedSearch } from "../notes/SearchQuery.ts"

type Note = Schemas["Note"]
type Row = Schemas["NoteSummary"]

/** Characters of a text in a row. */
const excerptLength = 200

const folded = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()

type Predicate = (note: Note) => boolean

/** A word of a search, `tag:x`, or one of both that is excluded. */
const predicateOfWord = (word: string): Predicate => {
  if (word.startsWith("-") && word.length > 2) {
    const excluded = predicateOfWord(word.slice(1))
    return (note) => !excluded(note)
  }
  if (word.startsWith("tag:")) return ({ tags }) => tags.some((tag) => folded(tag) === word.slice("tag:".length))
  return ({ body, tags, title }) => folded(`${title}\n${tags.join(" ")}\n${body}`).includes(word)
}

const predicateOfSearch = (asked: AskedSearch): Predicate => {
  const { archived, notebook_id, query, updated_after = "", updated_before = "9" } = asked
  const words = folded(query.replaceAll('"', ""))
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(predicateOfWord)
  return (note) =>
    words.length > 0 &&
    (archived === null || note.archived === archived) &&
    (notebook_id === undefined || note.notebook_id === notebook_id) &&
    note.updated_at >= updated_after &&
    note.updated_at < updated_before &&
    words.every((matches) => matches(note))
}

const predicateOf = (filter: Exclude<NoteFilter, { kind: "search" }>): Predicate => {
  switch (filter.kind) {
    case "all":
      return ({ archived }) => !archived
    case "archive":
      return ({ archived }) => archived
    case "notebook":
      return ({ notebook_id }) => notebook_id === filter.id
    case "tag":
      return ({ tags }) => tags.includes(filter.name)
    // The copy has no deleted notes.
    case "trash":
      return () => false
  }
}

interface Copied {
  readonly type: string
  readonly data: unknown
}

/** The notes of the copy of a workspace, as they were pulled last. */
export class OfflineNotes {
  readonly #records: ReadonlyMap<string, unknown>

  constructor(records: ReadonlyMap<string, unknown>) {
    this.#records = records
  }

  #all(type: string): ReadonlyArray<unknown> {
    return [...this.#records.values()].flatMap((each) => {
      const { data, type: own } = each as Copied
      return own === type ? [data] : []
    })
  }

  note(id: string): Note | undefined {
    return (this.#records.get(id) as Copied | undefined)?.data as Note | undefined
  }

  /** The rows of a list, or of a search, which needs all of its words. */
  rows(
    filter: Exclude<NoteFilter, { kind: "search" }> | AskedSearch,
    isBefore: (one: Row, other: Row) => boolean
  ): ReadonlyArray<Row> {
    return (this.#all("note") as ReadonlyArray<Note>)
      .filter("query" in filter ? predicateOfSearch(filter) : predicateOf(filter))
      .map(({ body, ...note }) => ({ ...note, excerpt: body.slice(0, excerptLength) }))
      .toSorted((one, other) => (isBefore(one, other) ? -1 : 1))
  }
}
