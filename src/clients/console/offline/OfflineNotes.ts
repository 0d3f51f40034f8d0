import type { SyncEngine } from "../../sync/SyncEngine.ts"
import type { Schemas } from "../../client/SheafClient.ts"
import { isBefore, type Order } from "../lists/RowOrder.ts"
import type { NoteFilter } from "../notes/NoteFilter.ts"
import { searchOf } from "../notes/SearchQuery.ts"

type Note = Schemas["Note"]
type Notebook = Schemas["Notebook"]

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

const predicateOfSearch = (typed: string, notebooks: ReadonlyArray<Notebook>): Predicate => {
  const { archived, notebook_id, query, updated_after = "", updated_before = "9" } = searchOf(typed, notebooks)
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

const predicateOf = (filter: NoteFilter, notebooks: ReadonlyArray<Notebook>): Predicate => {
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
    case "search":
      return predicateOfSearch(filter.query, notebooks)
  }
}

/** The notes of the copy of a workspace, as they were pulled last. */
export class OfflineNotes {
  readonly #engine: SyncEngine

  constructor(engine: SyncEngine) {
    this.#engine = engine
  }

  note(id: string): Note | undefined {
    return this.#engine.get("note", id) as Note | undefined
  }

  /** The rows of a list, pinned notes first. A search needs all of its words. */
  rows(filter: NoteFilter, order: Order = "-updated_at"): ReadonlyArray<Schemas["NoteSummary"]> {
    const notebooks = this.#engine.all("notebook") as ReadonlyArray<Notebook>
    return (this.#engine.all("note") as ReadonlyArray<Note>)
      .filter(predicateOf(filter, notebooks))
      .toSorted((one, other) => (isBefore(one, other, order) ? -1 : 1))
      .map(({ body, ...note }) => ({ ...note, excerpt: body.slice(0, excerptLength) }))
  }
}
