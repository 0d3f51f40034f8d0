import { Schema, SchemaTransformation } from "effect"
import * as Fields from "../../Fields.ts"
import { colorField } from "../../lists/Filter.ts"
import { listOf } from "../../lists/ListSpec.ts"
import type { SyncedRecord } from "../../records/SyncedRecord.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import * as Text from "../../Text.ts"

export const normalName = (name: string): string => name.normalize("NFC")

const aboutName = {
  description: "At most 50 characters, without white space, comma and `#`.",
  examples: ["work"]
}

/**
 * The name of a tag: 1–50 code points, no white space, comma or `#` (contract 5). It is stored in NFC and compared
 * case-insensitively. NFC can be longer than the input, because it decomposes some characters.
 */
export const TagName = Text.notBlank(50)
  .check(
    Text.checked(
      "too_long",
      "must be at most 50 characters in NFC",
      (name) =>
        // `Text.notBlank` has already refused a longer name: to normalize it could be expensive.
        name.length <= 16 || name.length > 100 || Text.codePoints(normalName(name)) <= 50
    ),
    Text.checked(
      "invalid_tag",
      "must not contain white space, a comma or #",
      (name) => !/[\s\p{White_Space},#]/u.test(name),
      {
        pattern: "^[^\\s,#]+$"
      }
    )
  )
  .annotate(aboutName)
  .pipe(Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: normalName, encode: normalName })))

/** Names with the same key are the same tag. Lists sort by this key, too. */
export const nameKey = (name: string): string => name.normalize("NFC").toLowerCase().normalize("NFC")

export const Tag = Schema.Struct({
  id: Fields.ownId("tg"),
  name: Schema.String.annotate(aboutName),
  color: Schema.NullOr(Schema.String.annotate(Text.aboutColor)),
  note_count: Fields.count("The number of notes with the tag."),
  created_at: Fields.createdAt
}).annotate({ identifier: "Tag" })
export type Tag = typeof Tag.Type

const color = Schema.optionalKey(Schema.NullOr(Text.Color))

export const TagCreate = Schema.Struct({ name: TagName, color }).annotate({
  identifier: "TagCreate"
})
export type TagCreate = typeof TagCreate.Type

export const TagUpdate = Schema.Struct({ name: Schema.optionalKey(TagName), color }).annotate({
  identifier: "TagUpdate"
})
export type TagUpdate = typeof TagUpdate.Type

const references = (description: string) =>
  Schema.optionalKey(
    Schema.Array(Text.notBlank(100))
      .check(Text.atMost(500))
      .annotate({ description, examples: [["wrok", "jobs"]] })
  )
const reference = (description: string) =>
  Schema.optionalKey(Text.notBlank(100).annotate({ description, examples: ["work"] }))

/** Sources and target by id or name; `sources` and `target` are accepted for `source_ids` and `target_id`. */
export const TagMerge = Schema.Struct({
  source_ids: references("The tags to merge, by id or name. They are deleted."),
  sources: references("Another name of `source_ids`."),
  target_id: reference("The tag to merge into, by id or name."),
  target: reference("Another name of `target_id`.")
}).annotate({ identifier: "TagMerge" })
export type TagMerge = typeof TagMerge.Type

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
  // The quota of a workspace is 10 000, and counts change with each note.
  unindexedSorts: ["note_count", "created_at"],
  filters: { color: colorField }
})

export const syncedTags: SyncedRecord = {
  type: "tag",
  table: tags,
  data: tags.syncedAs("SyncedTag"),
  pushed: TagUpdate,
  removals: ["tag.deleted", "tag.merged"]
}
