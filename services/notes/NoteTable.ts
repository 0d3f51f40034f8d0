import { Schema } from "effect"
import { reference } from "../Fields.ts"
import { anyProperty, type FilterField } from "../lists/Filter.ts"
import { listOf } from "../lists/ListSpec.ts"
import type { ListSpec } from "../lists/Page.ts"
import * as Column from "../tables/Column.ts"
import { rowJson } from "../tables/RowJson.ts"
import type { SyncedRecord } from "../records/SyncedRecord.ts"
import * as Table from "../tables/Table.ts"
import { excerptSource } from "./Excerpt.ts"
import { about, Note, NoteUpdate, PushedNote } from "./Note.ts"
import { deletedNotebooks, notebooks } from "./notebooks/Notebook.ts"
import { nameKey } from "./tags/Tag.ts"

/** The place of a note. */
export const inNotebook: Table.Within = { column: "notebook_id", containers: () => [notebooks, deletedNotebooks] }

/** The place of a record that belongs to a note. */
export const inNote: Table.Within = { column: "note_id", containers: () => [notes] }

export const notes = Table.ofRecord("notes", Note, {
  internal: {
    /** The user who created the current version. */
    author_id: Column.nullable(Column.text()),
    restored_from: Column.nullable(Column.int),
    /** The notebook with which it was deleted; null if it was deleted alone. */
    deleted_with: Column.nullable(Column.text())
  },
  key: ["id"],
  within: inNotebook,
  weigh: (row) => row.body.length + row.title.length + 500
})
export type NoteRow = Table.Row<typeof notes>

/** The properties of a note. `services/contents` writes the rows, and reads lists of notes: then the rows are complete. */
export const propertyField: FilterField = { type: "property", sql: "id", nullable: true, from: "note_properties" }

/** The list that can show the trash, by a filter on `deleted_at`; `noteList` cannot. */
const trashList = listOf(notes.shape, {
  path: "/notes",
  from: notes.name,
  size: "octet_length(body)",
  sort: ["-updated_at", "created_at", "title", "word_count", "version", "pinned", "deleted_at", anyProperty],
  filter: [
    "id",
    "notebook_id",
    "title",
    "body",
    "tags",
    "pinned",
    "archived",
    "version",
    "word_count",
    "created_at",
    "updated_at",
    "deleted_at",
    anyProperty
  ],
  words: ["title", "body"],
  indexed: {
    id: "few",
    notebook_id: "few",
    pinned: "part",
    archived: "part",
    updated_at: "order",
    created_at: "order",
    deleted_at: "part"
  },
  within: { notebook_id: ["updated_at"] },
  // An index for each would cost every write of a note more than the sort costs a rare list.
  unindexedSorts: ["pinned", "version", "word_count"],
  filters: {
    tags: { type: "names", sql: "tags", from: "tags", key: "name_key", normal: nameKey },
    [anyProperty]: propertyField
  },
  sorts: { [anyProperty]: { sql: "''::text", type: "text" } },
  first: { pinned: { sql: "pinned", type: "boolean", descending: true } },
  hidden: [
    { condition: "NOT archived", shownBy: ["archived", "deleted_at"] },
    { condition: "deleted_at IS NULL", shownBy: ["deleted_at"] }
  ]
})

const { deleted_at: _, ...live } = notes.shape

/** A note outside the trash. */
export const liveShape = live

/** Notes outside the trash have no `deleted_at`, so they are equal when sorted by it. */
export const noteList: ListSpec = {
  ...trashList,
  shape: live,
  sorts: { ...trashList.sorts, deleted_at: { sql: "''::text", type: "text" } }
}

/** Returns the list that a filter needs. */
export const listFor = (filter: string | undefined) => (filter?.includes("deleted_at") === true ? trashList : noteList)

/** The list with the beginning of each body as `excerpt` instead of the body. */
const summarised = (list: ListSpec): ListSpec => {
  const { body: _, ...shape } = list.shape
  const excerpt = Column.beginning("body", excerptSource)
  return { ...list, path: "/notes/summaries", shape: { ...shape, excerpt }, isBrief: true }
}
const summaryList = summarised(noteList)
const trashSummaryList = summarised(trashList)

/** The same for summaries. */
export const summaryListFor = (filter: string | undefined) =>
  listFor(filter) === trashList ? trashSummaryList : summaryList

const { deleted_at: ____, deleted_with: ______, id: __, updated_at: ___, ...kept } = notes.columns

/** Superseded versions. A null `body` is that of the next version; `created_at` is when the version was made. */
export const noteVersions = Table.make(
  "note_versions",
  { note_id: Column.text(), ...kept, body: Column.nullable(notes.columns.body) },
  { key: ["note_id", "version"], within: inNote, appendOnly: true, heirOf: { table: notes, key: ["note_id"] } }
)
export type NoteVersionRow = Table.Row<typeof noteVersions>

export const noteTags = Table.make(
  "note_tags",
  { tag_id: Column.text(), note_id: Column.text() },
  { key: ["tag_id", "note_id"] }
)

/** SQL for members of a note at an earlier version, from its superseded version `v` and the note `n`. */
const ofVersion: Readonly<Record<string, string>> = {
  id: "v.note_id AS id",
  created_at: "n.created_at",
  updated_at: "v.created_at AS updated_at",
  body: `coalesce(v.body, (SELECT w.body FROM note_versions w WHERE w.workspace_id = v.workspace_id AND
      w.note_id = v.note_id AND w.version > v.version AND w.body IS NOT NULL ORDER BY w.version LIMIT 1), n.body) AS body`
}

const versionMembers = Object.keys(live).map((member) => ofVersion[member] ?? `v.${member}`)

const { version: _____, ...pushed } = NoteUpdate.fields

/** Earlier revisions are read from the history: the log does not contain notes. */
export const syncedNotes: SyncedRecord = {
  type: "note",
  table: { ...notes, synced: live },
  data: Note,
  // The entry of a push contains the revision.
  pushed: Schema.Struct({
    ...pushed,
    notebook_id: Schema.optionalKey(reference("nb", about.notebook_id)),
    created_at: PushedNote.fields.created_at
  }).annotate({ identifier: "PushNoteData" }),
  references: ["notebook_id"],
  removals: ["note.deleted", "note.purged"],
  earlier: {
    json: `coalesce(
    (SELECT ${rowJson("n", live)} FROM notes n
      WHERE n.workspace_id = c.workspace_id AND n.id = c.resource_id AND n.version = c.version),
    (SELECT ${rowJson("t", live)} FROM (
      SELECT ${versionMembers.join(", ")} FROM note_versions v
      JOIN notes n ON n.workspace_id = v.workspace_id AND n.id = v.note_id
      WHERE v.workspace_id = c.workspace_id AND v.note_id = c.resource_id AND v.version = c.version) t))`,
    bytes: `coalesce(
    (SELECT octet_length(w.body) FROM note_versions w WHERE w.workspace_id = c.workspace_id AND
      w.note_id = c.resource_id AND w.version >= c.version AND w.body IS NOT NULL ORDER BY w.version LIMIT 1),
    (SELECT octet_length(n.body) FROM notes n WHERE n.workspace_id = c.workspace_id AND n.id = c.resource_id))`
  }
}
