import { Effect } from "effect"
import type { EventType } from "../EventTypes.ts"
import type { LockedDraft } from "../storage/LockedDraft.ts"
import { noteParts } from "./NoteParts.ts"
import { noteVersions } from "./NoteTable.ts"
import type { TagRow } from "./TagTable.ts"

/**
 * Changes to many notes at once, as one set-based statement under the locked head: no body passes through this process,
 * and none is copied, for an unchanged body is shared with the next version. Each note still gets its own version,
 * its own place in the order, and its own log entry.
 */
interface Bulk {
  /** The notes concerned, in the order in which they are to change. */
  readonly ids: ReadonlyArray<string>
  /** Event type of each change. */
  readonly type: EventType
  /** Assignments to columns of `notes n`. Their parameters follow $6. */
  readonly set: string
  readonly params: ReadonlyArray<unknown>
  readonly deleted: boolean
}

/** The columns of a version, from those of the note that it was. */
const versionOf: Readonly<Record<string, string>> = { note_id: "id", body: "NULL", created_at: "updated_at" }

const change = (draft: LockedDraft, { deleted, ids, params, set, type }: Bulk) =>
  draft.appendMany({
    type,
    resource: "note",
    ids,
    params,
    change: `affected AS (
      SELECT n.* FROM given JOIN notes n ON n.workspace_id = $2 AND n.id = given.id
    ), history AS (
      INSERT INTO note_versions (workspace_id, ${noteVersions.columnList})
      SELECT workspace_id, ${Object.keys(noteVersions.columns)
        .map((column) => versionOf[column] ?? column)
        .join(", ")} FROM affected
    ), updated AS (
      UPDATE notes n SET version = n.version + 1, updated_at = $3, author_id = $4, restored_from = NULL, ${set}
      FROM affected a WHERE n.workspace_id = a.workspace_id AND n.id = a.id
    ), changed AS (
      SELECT id, version + 1 AS revision, ${deleted} AS deleted, ${deleted ? "50" : "octet_length(body) + 500"} AS bytes
      FROM affected
    )`
  })

const idsOf = (draft: LockedDraft, text: string, params: ReadonlyArray<unknown>) =>
  draft.sql.unsafe<{ id: string }>(text, [draft.workspace_id, ...params]).pipe(
    Effect.orDie,
    Effect.map((rows) => rows.map((row) => row.id))
  )

/**
 * Gives every note that carries one of `sources` the tag `target` in its place, or none. Links and counts follow. A
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
    // Names in their order, the first of each kept.
    set: `tags = coalesce((SELECT array_agg(name ORDER BY place) FROM (
      SELECT name, min(place) AS place FROM (
        SELECT CASE WHEN tag = ANY($7::text[]) THEN $8::text ELSE tag END AS name, place
        FROM unnest(n.tags) WITH ORDINALITY AS u(tag, place)
      ) renamed WHERE name IS NOT NULL GROUP BY name
    ) kept), '{}')`,
    params: [sources.map((source) => source.name), target?.name ?? null],
    deleted: false
  })
  const leaving = sourceIds.filter((id) => id !== target?.id)
  if (leaving.length === 0) return
  if (target !== undefined) {
    yield* Effect.orDie(
      draft.sql.unsafe(
        `INSERT INTO note_tags (workspace_id, tag_id, note_id)
      SELECT DISTINCT workspace_id, $3, note_id FROM note_tags WHERE workspace_id = $1 AND tag_id = ANY($2::text[])
      ON CONFLICT DO NOTHING`,
        [draft.workspace_id, leaving, target.id]
      )
    )
  }
  yield* Effect.orDie(
    draft.sql.unsafe("DELETE FROM note_tags WHERE workspace_id = $1 AND tag_id = ANY($2::text[])", [
      draft.workspace_id,
      leaving
    ])
  )
  if (target !== undefined) yield* recount(draft, [target.id])
})

/** Settles too: the draft then reads anew what was changed behind its back. */
const recount = (draft: LockedDraft, tagIds: ReadonlyArray<string>) =>
  draft.sql
    .unsafe(
      `UPDATE tags t SET note_count = (
      SELECT count(*) FROM note_tags l WHERE l.workspace_id = t.workspace_id AND l.tag_id = t.id
    ) WHERE workspace_id = $1 AND id = ANY($2::text[])`,
      [draft.workspace_id, tagIds]
    )
    .pipe(Effect.orDie, Effect.andThen(draft.settle()))

const liveIn =
  "SELECT id FROM notes WHERE workspace_id = $1 AND notebook_id = ANY($2::text[]) AND deleted_at IS NULL ORDER BY id"

/** Puts all notes of these notebooks into the trash. The notebooks' own counts go with them. */
export const trashNotesOf = Effect.fnUntraced(function* (draft: LockedDraft, notebookIds: ReadonlyArray<string>) {
  yield* draft.settle()
  const ids = yield* idsOf(draft, liveIn, [notebookIds])
  yield* change(draft, { ids, type: "note.deleted", set: "deleted_at = $3", params: [], deleted: true })
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

/** Moves all notes of these notebooks to another. */
export const moveNotesOf = Effect.fnUntraced(function* (
  draft: LockedDraft,
  notebookIds: ReadonlyArray<string>,
  target: string
) {
  yield* draft.settle()
  const ids = yield* idsOf(draft, liveIn, [notebookIds])
  yield* change(draft, { ids, type: "note.updated", set: "notebook_id = $7", params: [target], deleted: false })
  yield* Effect.orDie(
    draft.sql.unsafe("UPDATE notebooks SET note_count = note_count + $3::int WHERE workspace_id = $1 AND id = $2", [
      draft.workspace_id,
      target,
      String(ids.length)
    ])
  )
  // As after a recount.
  yield* draft.settle()
})
