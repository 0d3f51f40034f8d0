import { Effect } from "effect"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { leave } from "./NoteLinks.ts"
import { renameAliases } from "./NoteNames.ts"
import { noteParts } from "./NoteParts.ts"
import { type NoteRow, notes } from "./NoteTable.ts"

const removeHistories = `WITH gone AS (
    DELETE FROM note_versions WHERE workspace_id = $1 AND note_id = ANY($2::text[]) RETURNING octet_length(body) AS bytes
  ) SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM gone`

/** Deletes notes permanently, with their history. Their tombstones remain, so that all devices delete them too. */
export const purge = Effect.fnUntracedEager(function* (draft: LockedDraft, rows: ReadonlyArray<NoteRow>) {
  if (rows.length === 0) return
  // After this, the versions that the draft has written are in the database.
  yield* draft.settle()
  const [history] = yield* draft.runSql<{ readonly bytes: number }>(removeHistories, [
    draft.workspace_id,
    rows.map(({ id }) => id)
  ])
  draft.count("text_bytes", -history!.bytes)
  for (const row of rows) {
    if (row.deleted_at === null) yield* leave(draft, row)
    for (const part of noteParts) yield* part.purge(draft, row.id)
    renameAliases(draft, row.id, row.body, "")
    draft.remove(notes, row.id)
    draft.count("text_bytes", -Buffer.byteLength(row.body))
    draft.append({
      type: "note.purged",
      resource: "note",
      resource_id: row.id,
      record: {
        revision: draft.revisionAfter(row.version),
        value: null,
        bytes: 50,
        previous: { revision: row.version, data: null }
      }
    })
  }
})

/** Purges the given notes that were trashed before `before` and still are. Returns their number. */
export const purgeTrashed = Effect.fnUntraced(function* (
  draft: LockedDraft,
  ids: ReadonlyArray<string>,
  before: string
) {
  const due: Array<NoteRow> = []
  for (const id of ids) {
    const row = yield* draft.get(notes, id)
    if (row !== undefined && row.deleted_at !== null && row.deleted_at < before) due.push(row)
  }
  yield* purge(draft, due)
  return due.length
})
