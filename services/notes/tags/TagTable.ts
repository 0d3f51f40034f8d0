import { colorField } from "../../lists/Filter.ts"
import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import type { Synced } from "../../records/SyncedRecord.ts"
import * as Table from "../../tables/Table.ts"
import { nameKey, Tag, TagUpdate } from "./Tag.ts"

export const tags = Table.ofRecord("tags", Tag, {
  internal: { name_key: Column.text(), revision: Column.int },
  derived: ["note_count"],
  key: ["id"],
  resident: true,
  unique: "name_key"
})
export type TagRow = Table.Row<typeof tags>

export const tagList = listOf(tags.shape, {
  path: "/tags",
  from: tags.name,
  sort: ["name", "note_count", "created_at"],
  filter: ["id", "name", "color", "note_count", "created_at"],
  words: ["name"],
  normal: { name: nameKey },
  as: { name: "name_key" },
  // A workspace has 10 000 by its quota, and counts change with each note.
  sorted: ["note_count", "created_at"],
  filters: { color: colorField }
})

export const syncedTags: Synced = {
  type: "tag",
  name: "Tag",
  prefix: "tg",
  table: tags,
  data: tags.syncedAs("SyncedTag"),
  pushed: TagUpdate,
  removals: ["tag.deleted", "tag.merged"]
}
