import { Effect } from "effect"
import type { EventType } from "../EventTypes.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { noteParts } from "./NoteParts.ts"
import type { Quotas } from "../workspaces/Quotas.ts"
import { noteVersions } from "./NoteTable.ts"
import { storeFormerNames } from "./tags/FormerTagNames.ts"
import { nameKey, type TagRow, tags } from "./tags/Tag.ts"

/**
 * A change to many notes in one set-based statement under the locked head. No body passes through this process or is
 * copied: a superseded version shares the unchanged body of the next one. Each note gets its own version, `seq` and log
 * entry.
 */
interface Bulk {
  /** Ids of the notes, in the order of their changes. */
  readonly ids: ReadonlyArray<string>
  /** Event type of each change. */
  readonly type: EventType
  /** Assignments to columns of `notes n`. Their parameters follow $6. */
  readonly set: string
  readonly params: ReadonlyArray<unknown>
  readonly deleted: boolean
  /** The members that change, if their event names them. */
  readonly fields?: ReadonlyArray<string>
}

/** Expressions for the columns of a version that differ from the columns of its note. */
const versionOf: Readonly<Record<string, string>> = { note_id: "id", body: "NULL", created_at: "updated_at" }

const change = (draft: LockedDraft, { deleted, fields, ids, params, set, type }: Bulk) =>
  draft.appendMany({
    type,
    resource: "note",
    ids,
    params,
    ...(fields === undefined ? {} : { data: { fields } }),
    change: `affected AS (
      SELECT n.*, given.least_revision FROM given JOIN notes n ON n.workspace_id = $2 AND n.id = given.id
    ), history AS (
      INSERT INTO note_versions (workspace_id, ${noteVersions.columnList})
      SELECT workspace_id, ${Object.keys(noteVersions.columns)
        .map((column) => versionOf[column] ?? column)
        .join(", ")} FROM affected
    ), updated AS (
      UPDATE notes n SET version = greatest(n.version + 1, a.least_revision), updated_at = $3, author_id = $4, restored_from = NULL, ${set}
      FROM affected a WHERE n.workspace_id = a.workspace_id AND n.id = a.id
    ), changed AS (
      SELECT id, id AS note_id, greatest(version + 1, least_revision) AS revision, ${deleted} AS deleted,
        ${deleted ? "50" : "octet_length(body) + 500"} AS bytes
      FROM affected
    )`
  })

const idsOf = (draft: LockedDraft, text: string, params: ReadonlyArray<unknown>) =>
  draft.sql.unsafe<{ id: string }>(text, [draft.workspace_id, ...params]).pipe(
    Effect.orDie,
    Effect.map((rows) => rows.map((row) => row.id))
  )

/** Maximum number of notes in the trash that one statement changes. */
const trashAtOnce = 256
/** SQL for the tags of a note `n` with `target` in place of `names`, or nothing if it is null: in order, each once. */
const renamed = (names: string, target: string): string => `coalesce((SELECT array_agg(name ORDER BY place) FROM (
      SELECT name, min(place) AS place FROM (
        SELECT CASE WHEN tag = ANY(${names}::text[]) THEN ${target}::text ELSE tag END AS name, place
        FROM unnest(n.tags) WITH ORDINALITY AS u(tag, place)
      ) renamed WHERE name IS NOT NULL GROUP BY name
    ) kept), '{}')`

/**
 * Replaces the tags `sources` by `target` in all notes, or removes them without a target. Updates links and counts. A
 * renamed tag is its own target.
 */
export const retag = Effect.fnUntraced(function* (
  draft: LockedDraft,
  sources: ReadonlyArray<TagRow>,
  target: TagRow | undefined
) {
  yield* draft.settle()
  const sourceIds = sources.map((source) => source.id)
  const ids = yield* idsOf(
    draft,
    "SELECT DISTINCT note_id AS id FROM note_tags WHERE workspace_id = $1 AND tag_id = ANY($2::text[]) ORDER BY 1",
    [sourceIds]
  )
  yield* change(draft, {
    ids,
    type: "note.updated",
    set: `tags = ${renamed("$7", "$8")}`,
    params: [sources.map((source) => source.name), target?.name ?? null],
    deleted: false,
    fields: ["tags"]
  })
  yield* retagTrash(draft, sources, target)
  const leaving = sourceIds.filter((id) => id !== target?.id)
  if (target !== undefined) yield* storeFormerNames(draft, sources, target)
  if (leaving.length === 0) return
  if (target !== undefined) {
    yield* draft.runSql(
      `INSERT INTO note_tags (workspace_id, tag_id, note_id)
      SELECT DISTINCT workspace_id, $3, note_id FROM note_tags WHERE workspace_id = $1 AND tag_id = ANY($2::text[])
      ON CONFLICT DO NOTHING`,
      [draft.workspace_id, leaving, target.id]
    )
  }
  yield* draft.runSql("DELETE FROM note_tags WHERE workspace_id = $1 AND tag_id = ANY($2::text[])", [
    draft.workspace_id,
    leaving
  ])
  if (target !== undefined) yield* recount(draft, [target.id])
})

/** Changes notes in the trash without a new version: clients see them only after a restore, which creates one. */
const retagTrash = Effect.fnUntraced(function* (
  draft: LockedDraft,
  sources: ReadonlyArray<TagRow>,
  target: TagRow | undefined
) {
  const names = sources.map((source) => source.name)
  const ids = yield* idsOf(
    draft,
    "SELECT id FROM notes WHERE workspace_id = $1 AND deleted_at IS NOT NULL AND tags && $2::text[] ORDER BY id",
    [names]
  )
  for (let from = 0; from < ids.length; from += trashAtOnce) {
    yield* draft.execute(
      `UPDATE notes n SET tags = ${renamed("$3", "$4")} WHERE workspace_id = $1 AND id = ANY($2::text[])`,
      [draft.workspace_id, ids.slice(from, from + trashAtOnce), names, target?.name ?? null]
    )
  }
})

const recount = (draft: LockedDraft, tagIds: ReadonlyArray<string>) =>
  draft.execute(
    `UPDATE tags t SET note_count = (
      SELECT count(*) FROM note_tags l WHERE l.workspace_id = t.workspace_id AND l.tag_id = t.id
    ) WHERE workspace_id = $1 AND id = ANY($2::text[])`,
    [draft.workspace_id, tagIds]
  )

const liveIn =
  "SELECT id FROM notes WHERE workspace_id = $1 AND notebook_id = ANY($2::text[]) AND deleted_at IS NULL ORDER BY id"

/** Moves all notes of these notebooks to the trash. The notebooks are deleted too, so their counts are not updated. */
export const trashNotesOf = Effect.fnUntraced(function* (
  draft: LockedDraft,
  notebookIds: ReadonlyArray<string>,
  deleted_with: string
) {
  yield* draft.settle()
  const ids = yield* idsOf(draft, liveIn, [notebookIds])
  yield* change(draft, {
    ids,
    type: "note.deleted",
    set: "deleted_at = $3, deleted_with = $7",
    params: [deleted_with],
    deleted: true
  })
  if (ids.length === 0) return
  for (const part of noteParts) yield* part.trashMany(draft, ids)
  const tagged = yield* draft.sql
    .unsafe<{ tag_id: string }>(
      "DELETE FROM note_tags WHERE workspace_id = $1 AND note_id = ANY($2::text[]) RETURNING tag_id",
      [draft.workspace_id, ids]
    )
    .pipe(Effect.orDie)
  draft.count("notes", -ids.length)
  yield* recount(draft, [...new Set(tagged.map((row) => row.tag_id))])
})

/** Restores the notes of these notebooks that were deleted at `deleted_at` with the notebook `deleted_with`. */
export const restoreNotesOf = Effect.fnUntraced(function* (
  draft: LockedDraft,
  quotas: Quotas["Service"],
  notebookIds: ReadonlyArray<string>,
  { deleted_at, deleted_with }: { readonly deleted_at: string; readonly deleted_with: string }
) {
  yield* draft.settle()
  const ids = yield* idsOf(
    draft,
    `SELECT id FROM notes WHERE workspace_id = $1 AND deleted_with = $2 AND deleted_at = $3 AND notebook_id = ANY($4::text[])
    ORDER BY id`,
    [deleted_with, deleted_at, notebookIds]
  )
  if (ids.length === 0) return
  yield* quotas.take(draft, "notes", ids.length)
  const names = yield* draft.runSql<{ readonly name: string }>(
    "SELECT DISTINCT unnest(tags) AS name FROM notes WHERE workspace_id = $1 AND id = ANY($2::text[])",
    [draft.workspace_id, ids]
  )
  const carried: Array<readonly [name: string, tag: TagRow]> = []
  for (const { name } of names) {
    const tag = yield* draft.find(tags, nameKey(name))
    if (tag !== undefined) carried.push([name, tag])
  }
  yield* change(draft, {
    ids,
    type: "note.restored",
    set: `deleted_at = NULL, deleted_with = NULL, tags = coalesce((SELECT array_agg(name ORDER BY place) FROM (
      SELECT g.name, min(u.place) AS place FROM unnest(n.tags) WITH ORDINALITY AS u(tag, place)
      JOIN unnest($7::text[], $8::text[]) AS g(tag, name) USING (tag) GROUP BY g.name
    ) kept), '{}')`,
    params: [carried.map(([name]) => name), carried.map(([, tag]) => tag.name)],
    deleted: false
  })
  const byName = new Map(carried.map(([, tag]) => [tag.name, tag.id]))
  yield* draft.execute(
    `INSERT INTO note_tags (workspace_id, tag_id, note_id)
    SELECT n.workspace_id, g.id, n.id FROM notes n CROSS JOIN LATERAL unnest(n.tags) AS u(name)
    JOIN unnest($3::text[], $4::text[]) AS g(name, id) USING (name)
    WHERE n.workspace_id = $1 AND n.id = ANY($2::text[]) ON CONFLICT DO NOTHING`,
    [draft.workspace_id, ids, [...byName.keys()], [...byName.values()]]
  )
  yield* draft.execute(
    `UPDATE notebooks b SET note_count = (
      SELECT count(*) FROM notes n WHERE n.workspace_id = b.workspace_id AND n.notebook_id = b.id AND n.deleted_at IS NULL
    ) WHERE workspace_id = $1 AND id = ANY($2::text[])`,
    [draft.workspace_id, notebookIds]
  )
  yield* recount(draft, [...byName.values()])
  for (const part of noteParts) yield* part.restoreMany(draft, ids)
})

/** Moves all notes of these notebooks to `target`. Notes in the trash move too, so that they are restored there. */
export const moveNotesOf = Effect.fnUntraced(function* (
  draft: LockedDraft,
  notebookIds: ReadonlyArray<string>,
  target: string
) {
  yield* draft.settle()
  const ids = yield* idsOf(draft, liveIn, [notebookIds])
  yield* change(draft, {
    ids,
    type: "note.updated",
    set: "notebook_id = $7",
    params: [target],
    deleted: false,
    fields: ["notebook_id"]
  })
  yield* draft.runSql("UPDATE notebooks SET note_count = note_count + $3::int WHERE workspace_id = $1 AND id = $2", [
    draft.workspace_id,
    target,
    String(ids.length)
  ])
  yield* draft.execute(
    `UPDATE notes SET notebook_id = $3 WHERE workspace_id = $1 AND notebook_id = ANY($2::text[]) AND deleted_at IS NOT NULL`,
    [draft.workspace_id, notebookIds, target]
  )
})
