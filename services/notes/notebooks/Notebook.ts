import { Schema } from "effect"
import * as Fields from "../../Fields.ts"
import { colorField } from "../../lists/Filter.ts"
import { listOf } from "../../lists/ListSpec.ts"
import type { SyncedRecord } from "../../records/SyncedRecord.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import * as Text from "../../Text.ts"
import { nameKey } from "../tags/Tag.ts"

/** The built-in set of icon names. */
export const icons = [
  "archive",
  "bell",
  "book",
  "bookmark",
  "box",
  "briefcase",
  "bug",
  "calendar",
  "camera",
  "cart",
  "chart",
  "chat",
  "check",
  "clock",
  "cloud",
  "code",
  "coffee",
  "compass",
  "cup",
  "database",
  "document",
  "earth",
  "film",
  "flag",
  "flask",
  "folder",
  "game",
  "gear",
  "gift",
  "graduation",
  "heart",
  "home",
  "inbox",
  "key",
  "lamp",
  "leaf",
  "lightbulb",
  "link",
  "list",
  "lock",
  "mail",
  "map",
  "megaphone",
  "moon",
  "music",
  "notebook",
  "paint",
  "paperclip",
  "pen",
  "people",
  "phone",
  "photo",
  "pin",
  "plane",
  "puzzle",
  "rocket",
  "shield",
  "star",
  "sun",
  "tag",
  "target",
  "tools",
  "tree",
  "trophy",
  "umbrella",
  "user",
  "wallet",
  "wrench"
] as const

const Icon = Text.oneOf(icons, "unknown_icon").annotate({
  identifier: "Icon",
  description: "The name of a built-in icon.",
  examples: ["book"]
})

const aboutName = { description: "The name shown to people.", examples: ["Projects"] }
export const inNotebook = "The notebook that contains this one; null on the top level."
/** Most notebooks are at the top level. */
const atTop = { examples: [null] }

export const Notebook = Schema.Struct({
  id: Fields.ownId("nb"),
  name: Schema.String.annotate(aboutName),
  color: Schema.NullOr(Schema.String.annotate(Text.aboutColor)),
  icon: Schema.NullOr(Icon),
  parent_id: Schema.NullOr(Fields.id("nb", inNotebook)).annotate(atTop),
  note_count: Fields.count("The number of notes directly inside."),
  created_at: Fields.createdAt,
  updated_at: Fields.updatedAt
}).annotate({ identifier: "Notebook" })
export type Notebook = typeof Notebook.Type

const name = Text.singleLine(100, aboutName)
const parent_id = Schema.NullOr(Text.notBlank(100).annotate(Fields.aboutId("nb", inNotebook))).annotate(atTop)

const writable = {
  name: Schema.optionalKey(name),
  color: Schema.optionalKey(Schema.NullOr(Text.Color)),
  icon: Schema.optionalKey(Schema.NullOr(Icon)),
  parent_id: Schema.optionalKey(parent_id)
}

export const NotebookCreate = Schema.Struct({ ...writable, name }).annotate({
  identifier: "NotebookCreate"
})
export type NotebookCreate = typeof NotebookCreate.Type

export const NotebookUpdate = Schema.Struct(writable).annotate({ identifier: "NotebookUpdate" })
export type NotebookUpdate = typeof NotebookUpdate.Type

/** A notebook can be restored into another parent; null is the top level. */
export const NotebookRestore = Schema.Struct(writable).annotate({ identifier: "NotebookRestore" })
export type NotebookRestore = typeof NotebookRestore.Type

/** A move names the new parent: null is the top level. */
export const NotebookMove = Schema.Struct({ ...writable, parent_id }).annotate({
  identifier: "NotebookMove"
})
export type NotebookMove = typeof NotebookMove.Type

const inParent: Table.Within = {
  column: "parent_id",
  containers: () => [notebooks, deletedNotebooks],
  isNotebook: true
}

export const notebooks = Table.ofRecord("notebooks", Notebook, {
  internal: { name_key: Column.text(), revision: Column.int },
  derived: ["note_count"],
  key: ["id"],
  within: inParent,
  resident: true
})
export type NotebookRow = Table.Row<typeof notebooks>

/** Deleted notebooks in their last state, until they can no longer be restored. */
export const deletedNotebooks = Table.ofRecord("deleted_notebooks", Notebook, {
  internal: {
    name_key: Column.text(),
    revision: Column.int,
    deleted_at: Column.text(),
    /** The notebook with which it was deleted: itself, or one above it. */
    deleted_with: Column.text()
  },
  key: ["id"],
  within: inParent
})

export const notebookList = listOf(notebooks.shape, {
  path: "/notebooks",
  from: notebooks.name,
  sort: ["name", "note_count", "created_at", "updated_at"],
  filter: ["id", "name", "color", "icon", "parent_id", "note_count", "created_at", "updated_at"],
  words: ["name"],
  normal: { name: nameKey },
  as: { name: "name_key" },
  // The quota of a workspace is 2 000, and counts change with each note.
  unindexedSorts: ["note_count", "created_at", "updated_at"],
  filters: { color: colorField }
})

export const syncedNotebooks: SyncedRecord = {
  type: "notebook",
  table: notebooks,
  data: notebooks.syncedAs("SyncedNotebook"),
  pushed: Schema.Struct({
    ...NotebookUpdate.fields,
    parent_id: Schema.optionalKey(Schema.NullOr(Fields.reference("nb", inNotebook)).annotate(atTop))
  }).annotate({ identifier: "PushNotebookData" }),
  references: ["parent_id"],
  removals: ["notebook.deleted"]
}
