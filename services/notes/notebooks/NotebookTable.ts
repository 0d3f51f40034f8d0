import { Schema } from "effect"
import { reference } from "../../Fields.ts"
import { colorField } from "../../lists/Filter.ts"
import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import type { Synced } from "../../records/SyncedRecord.ts"
import * as Table from "../../tables/Table.ts"
import { atTop, inNotebook, Notebook, NotebookUpdate } from "./Notebook.ts"
import { nameKey } from "../tags/Tag.ts"

export const notebooks = Table.ofRecord("notebooks", Notebook, {
  internal: { name_key: Column.text(), revision: Column.int },
  derived: ["note_count"],
  key: ["id"],
  resident: true
})
export type NotebookRow = Table.Row<typeof notebooks>

/** Notebooks as they were when they were deleted, until they can no longer be restored. */
export const deletedNotebooks = Table.ofRecord("deleted_notebooks", Notebook, {
  internal: {
    name_key: Column.text(),
    revision: Column.int,
    deleted_at: Column.text(),
    /** The notebook whose deletion took it along: itself, or one above it. */
    deleted_with: Column.text()
  },
  key: ["id"]
})
export type DeletedNotebookRow = Table.Row<typeof deletedNotebooks>

export const notebookList = listOf(notebooks.shape, {
  path: "/notebooks",
  from: notebooks.name,
  sort: ["name", "note_count", "created_at", "updated_at"],
  filter: ["id", "name", "color", "icon", "parent_id", "note_count", "created_at", "updated_at"],
  words: ["name"],
  normal: { name: nameKey },
  as: { name: "name_key" },
  // A workspace has 2 000 by its quota, and counts change with each note.
  sorted: ["note_count", "created_at", "updated_at"],
  filters: { color: colorField }
})

export const syncedNotebooks: Synced = {
  type: "notebook",
  name: "Notebook",
  prefix: "nb",
  table: notebooks,
  data: notebooks.syncedAs("SyncedNotebook"),
  pushed: Schema.Struct({
    ...NotebookUpdate.fields,
    parent_id: Schema.optionalKey(Schema.NullOr(reference("nb", inNotebook)).annotate(atTop))
  }).annotate({ identifier: "PushNotebookData" }),
  references: ["parent_id"],
  removals: ["notebook.deleted"]
}
