import { Effect } from "effect"
import type { EventType } from "../EventTypes.ts"
import { eventId } from "../storage/EventIds.ts"
import type { Draft } from "../storage/Draft.ts"
import type { TagRow } from "./Rows.ts"

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
  /** Assignments to columns of `notes n`. Their parameters follow $1–$5. */
  readonly set: string
  readonly params: ReadonlyArray<unknown>
  readonly deleted: boolean
}

const change = Effect.fnUntraced(function* (draft: Draft, bulk: Bulk) {
  if (bulk.ids.length === 0) return
  yield* draft.settle()
  const first = draft.head.seq + 1
  const affected = JSON.stringify(
    bulk.ids.map((id, index) => ({ id, seq: first + index, event_id: eventId(first + index) }))
  )
  const { actor } = draft
  yield* Effect.orDie(
    draft.sql.unsafe(
      `WITH affected AS (
      SELECT n.*, a.seq, a.event_id FROM json_to_recordset($1::json) AS a(id text, seq bigint, event_id text)
      JOIN notes n ON n.workspace_id = $2 AND n.id = a.id
    ), history AS (
      INSERT INTO note_versions (workspace_id, note_id, version, notebook_id, title, body, tags, pinned, archived,
        word_count, author_id, created_at, restored_from)
      SELECT workspace_id, id, version, notebook_id, title, NULL, tags, pinned, archived, word_count, author_id,
        updated_at, restored_from FROM affected
    ), changed AS (
      UPDATE notes n SET version = n.version + 1, updated_at = $3, author_id = $4, restored_from = NULL, ${bulk.set}
      FROM affected a WHERE n.workspace_id = a.workspace_id AND n.id = a.id
    ), placed AS (
      INSERT INTO records (workspace_id, type, id, seq, revision, deleted, bytes, changed_at, actor_id, device_id)
      SELECT workspace_id, 'note', id, seq, version + 1, ${bulk.deleted}, ${
        bulk.deleted ? "50" : "octet_length(body) + 500"
      }, $3, $4, $5 FROM affected
      ON CONFLICT (workspace_id, type, id) DO UPDATE SET seq = excluded.seq, revision = excluded.revision,
        deleted = excluded.deleted, bytes = excluded.bytes, changed_at = excluded.changed_at,
        actor_id = excluded.actor_id, device_id = excluded.device_id
    )
    INSERT INTO changes (workspace_id, seq, id, type, resource, resource_id, version, actor_id, device_id, ip, data,
      occurred_at)
    SELECT workspace_id, seq, event_id, $6, 'note', id, version + 1, $4, $5, $7, NULL, $3 FROM affected`,
      [affected, draft.workspace_id, draft.now, actor.user_id, actor.device_id, bulk.type, actor.ip, ...bulk.params]
    )
  )
  draft.skip(bulk.ids.length)
})

const idsOf = (draft: Draft, text: string, params: ReadonlyArray<unknown>) =>
  draft.sql.unsafe<{ id: string }>(text, [draft.workspace_id, ...params]).pipe(
    Effect.orDie,
    Effect.map((rows) => rows.map((row) => row.id))
  )

/**
 * Gives every note that carries one of `sources` the tag `target` in its place, or none. Links and counts follow. A
 * renamed tag is its own target.
 */
export const retag = Effect.fnUntraced(function* (
  draft: Draft,
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
        SELECT CASE WHEN tag = ANY($8::text[]) THEN $9::text ELSE tag END AS name, place
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
const recount = (draft: Draft, tagIds: ReadonlyArray<string>) =>
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
export const trashNotesOf = Effect.fnUntraced(function* (draft: Draft, notebookIds: ReadonlyArray<string>) {
  yield* draft.settle()
  const ids = yield* idsOf(draft, liveIn, [notebookIds])
  yield* change(draft, { ids, type: "note.deleted", set: "deleted_at = $3", params: [], deleted: true })
  if (ids.length === 0) return
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
  draft: Draft,
  notebookIds: ReadonlyArray<string>,
  target: string
) {
  yield* draft.settle()
  const ids = yield* idsOf(draft, liveIn, [notebookIds])
  yield* change(draft, { ids, type: "note.updated", set: "notebook_id = $8", params: [target], deleted: false })
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
