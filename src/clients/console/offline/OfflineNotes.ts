import { aliasesOf } from "../../../../services/markdown/Aliases.ts"
import { type Found, type Namesake, placeById, placeByName } from "../../../../services/markdown/LinkedPlace.ts"
import { folded } from "../../../../services/markdown/LinkText.ts"
import type { Schemas } from "../../client/SheafClient.ts"
import { comparable } from "../finding/Matching.ts"
import type { NoteFilter } from "../notes/NoteFilter.ts"
import type { AskedSearch } from "../notes/SearchQuery.ts"
import { isInside } from "../workspace/NestedNotebooks.ts"
import { type Kept, outsideOf, type Parents } from "./KeptNotebooks.ts"

type Note = Schemas["Note"]
type Row = Schemas["NoteSummary"]

/** Code points of a text in a row. */
const excerptLength = 200

const excerptOf = (body: string): string =>
  Array.from(body.slice(0, 2 * excerptLength))
    .slice(0, excerptLength)
    .join("")

type Predicate = (note: Note) => boolean

/** A word of a search, `tag:x`, or one of both that is excluded. */
const predicateOfWord = (word: string): Predicate => {
  if (word.startsWith("-") && word.length > 2) {
    const excluded = predicateOfWord(word.slice(1))
    return (note) => !excluded(note)
  }
  if (word.startsWith("tag:")) return ({ tags }) => tags.some((tag) => comparable(tag) === word.slice("tag:".length))
  return ({ body, tags, title }) => comparable(`${title}\n${tags.join(" ")}\n${body}`).includes(word)
}

const predicateOfSearch = (asked: AskedSearch, notebooks: ReadonlyArray<Schemas["Notebook"]>): Predicate => {
  const { archived, notebook_id, query, updated_after = "", updated_before = "9" } = asked
  const words = comparable(query.replaceAll('"', ""))
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(predicateOfWord)
  const inside =
    notebook_id && new Set(notebooks.filter(({ id }) => isInside(notebooks, id, notebook_id)).map(({ id }) => id))
  return (note) =>
    (archived === null || note.archived === archived) &&
    (!inside || inside.has(note.notebook_id)) &&
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
      return ({ archived, notebook_id }) => !archived && notebook_id === filter.id
    case "tag":
      return ({ archived, tags }) => !archived && tags.includes(filter.name)
    // The copy has no deleted notes.
    case "trash":
      return () => false
  }
}

/** The key of the mark that all notes were pulled that are kept. Keys of records are ids. */
export const wholeKey = "whole"

interface Copied {
  readonly type: string
  readonly data: unknown
}

/** The notes of the copy of a workspace, as they were pulled last. */
export class OfflineNotes {
  readonly #records: ReadonlyMap<string, unknown>
  readonly #kept: Kept
  #named: Map<string, ReadonlyArray<Namesake>> | undefined
  #tree: Map<string, Schemas["Notebook"]> | undefined

  constructor(records: ReadonlyMap<string, unknown>, kept: Kept = "all") {
    this.#records = records
    this.#kept = kept
  }

  #all(type: string): ReadonlyArray<unknown> {
    return [...this.#records.values()].flatMap((each) => {
      const { data, type: own } = each as Copied
      return own === type ? [data] : []
    })
  }

  get notes(): ReadonlyArray<Note> {
    return this.#all("note") as ReadonlyArray<Note>
  }

  get notebooks(): ReadonlyArray<Schemas["Notebook"]> {
    return this.#all("notebook") as ReadonlyArray<Schemas["Notebook"]>
  }

  get parents(): Parents {
    return new Map(this.notebooks.map(({ id, parent_id }) => [id, parent_id]))
  }

  /** The place to which a link of a note in a notebook leads, as on the server; undefined if the copy has no such note. */
  linked(target: string, notebook_id: string): Found | undefined {
    const place = placeById(target)
    if (place !== undefined) return this.note(place.id) && { ...place, by: "id" }
    this.#named ??= Map.groupBy(
      this.notes.flatMap(({ body, id, notebook_id, title }) => [
        { id, kind: "title" as const, name: title, notebook_id },
        ...aliasesOf(body).map((name) => ({ id, kind: "alias" as const, name, notebook_id }))
      ]),
      ({ name }) => folded(name)
    )
    this.#tree ??= new Map(this.notebooks.map((notebook) => [notebook.id, notebook]))
    const named = this.#named
    return placeByName(target, (key) => named.get(key) ?? [], this.#tree, notebook_id)
  }

  note(id: string): Note | undefined {
    return (this.#records.get(id) as Copied | undefined)?.data as Note | undefined
  }

  /** The rows of a list, or of a search, which needs all of its words. Undefined if the notes are not kept. */
  rows(
    filter: Exclude<NoteFilter, { kind: "search" }> | AskedSearch,
    isBefore: (one: Row, other: Row) => boolean
  ): ReadonlyArray<Row> | undefined {
    const notebook = "query" in filter ? filter.notebook_id : filter.kind === "notebook" ? filter.id : undefined
    const isTrash = "kind" in filter && filter.kind === "trash"
    if (notebook !== undefined && outsideOf({ kept: this.#kept, parents: this.parents }).has(notebook)) return undefined
    const rows = this.notes
      .filter("query" in filter ? predicateOfSearch(filter, this.notebooks) : predicateOf(filter))
      .map(({ body, ...note }) => ({ ...note, excerpt: excerptOf(body) }))
      .toSorted((one, other) => (isBefore(one, other) ? -1 : 1))
    return isTrash || (rows.length === 0 && !this.#records.has(wholeKey)) ? undefined : rows
  }
}
