import { Effect } from "effect"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { nameKey, type TagRow, tags } from "./Tag.ts"

/** Maximum number of former tag names that are kept per workspace. */
const maxFormerNames = 10_000

/** Stores former names of tags: versions of notes contain tags by name, and a restored one gets the present names. */
export const storeFormerNames = Effect.fnUntraced(function* (
  draft: LockedDraft,
  sources: ReadonlyArray<TagRow>,
  target: TagRow
) {
  const { seq } = draft.head
  const keys = sources.map((source) => source.name_key).filter((key) => key !== target.name_key)
  if (keys.length === 0) return
  yield* draft.execute(
    `INSERT INTO former_tag_names (workspace_id, name_key, tag_id, seq)
    SELECT workspace_id, name_key, $4, $5::bigint FROM former_tag_names
      WHERE workspace_id = $1 AND tag_id = ANY($3::text[]) AND name_key <> ALL($2::text[])
    UNION ALL SELECT $1, unnest($2::text[]), $4, $5::bigint
    ON CONFLICT (workspace_id, name_key) DO UPDATE SET tag_id = excluded.tag_id, seq = excluded.seq`,
    [draft.workspace_id, keys, sources.map((source) => source.id), target.id, String(seq)]
  )
  yield* draft.execute(
    `DELETE FROM former_tag_names WHERE workspace_id = $1 AND name_key IN (
      SELECT name_key FROM former_tag_names WHERE workspace_id = $1 ORDER BY seq DESC OFFSET ${maxFormerNames})`,
    [draft.workspace_id]
  )
})

/** Returns the present names of the tags that had these names in a version of a note, without deleted tags. */
export const presentNames = Effect.fnUntraced(function* (draft: LockedDraft, names: ReadonlyArray<string>) {
  if (names.length === 0) return []
  yield* draft.settle()
  const former = yield* draft.runSql<{ readonly name_key: string; readonly tag_id: string }>(
    "SELECT name_key, tag_id FROM former_tag_names WHERE workspace_id = $1 AND name_key = ANY($2::text[])",
    [draft.workspace_id, names.map(nameKey)]
  )
  const ids = new Map(former.map(({ name_key, tag_id }) => [name_key, tag_id]))
  const present: Array<string> = []
  for (const name of names) {
    const key = nameKey(name)
    const tag = (yield* draft.find(tags, key)) ?? (yield* draft.get(tags, ids.get(key) ?? ""))
    if (tag !== undefined) present.push(tag.name)
  }
  return present
})
