import type { Reads } from "../../database/ReachedRows.ts"
import { Effect } from "effect"
import { type EarlierNote, recordOf } from "../formats/EarlierNotes.ts"
import { bytesAroundNote, noteJson } from "../exports/ExportSource.ts"
import type { ImportRow } from "./Import.ts"

/** Looks up the notes of earlier imports. */

/** Maximum number of notes per source, the newest first; also the maximum number of equal notes of a file. */
const notesOfKey = 1_000
/** Bytes above which a note of the workspace is not compared with a record of an export. */
const maxCompared = 8 * 1024 * 1024

/** `is_whole`: the note was imported with all its files; a failed import may have omitted some. */
const imported = `SELECT s.note_id, s.key, s.content, s.import_id = $3 AS is_own, s.is_whole, s.is_unedited,
    coalesce(f.files, '[]') AS files
  FROM unnest($2::text[]) AS wanted (key) CROSS JOIN LATERAL (
    SELECT s.*, s.content <> '' AND coalesce(i.status, '') <> 'failed' AS is_whole,
      n.version = s.version AND n.deleted_at IS NULL AS is_unedited
    FROM import_sources s JOIN notes n ON n.workspace_id = s.workspace_id AND n.id = s.note_id
    LEFT JOIN imports i ON i.workspace_id = s.workspace_id AND i.id = s.import_id
    WHERE s.workspace_id = $1 AND s.key = wanted.key AND (n.deleted_at IS NULL OR s.import_id = $3)
    ORDER BY s.import_id DESC, s.note_id LIMIT ${notesOfKey}
  ) s LEFT JOIN LATERAL (
    SELECT json_agg(json_build_object('id', a.id, 'filename', a.filename, 'sha256', a.sha256) ORDER BY a.id) AS files
    FROM attachments a
    WHERE a.workspace_id = $1 AND a.note_id = s.note_id AND a.status = 'ready' AND NOT a.trashed
  ) f ON s.is_unedited AND ($4::boolean OR NOT s.is_whole)`

/** Notes with the id of a record of an export. `content` is the hash of the note as an export would contain it now. */
const own = `SELECT n.id AS note_id, encode(sha256(convert_to(${noteJson}, 'UTF8')), 'hex') AS content
  FROM notes n WHERE n.workspace_id = $1 AND n.id = ANY($2::text[]) AND n.deleted_at IS NULL
    AND octet_length(n.body) + ${bytesAroundNote} < ${maxCompared}`

export const make = (read: Reads) => {
  /** Whether an import has to look up notes of earlier ones. */
  const any = (workspace_id: string, { on_existing }: ImportRow) =>
    on_existing === "duplicate"
      ? Effect.succeed(false)
      : Effect.map(
          read.unsafe<{ readonly is_any: boolean }>(
            "SELECT EXISTS (SELECT FROM import_sources WHERE workspace_id = $1) AS is_any",
            [workspace_id]
          ),
          ([row]) => row!.is_any
        )

  /** Finds the notes with these keys: outside the trash, and those that the import wrote in an earlier attempt. */
  const find = Effect.fnUntraced(function* (
    workspace_id: string,
    { id, on_existing }: ImportRow,
    keys: ReadonlyArray<string>
  ) {
    const found = yield* read.unsafe<EarlierNote>(imported, [workspace_id, keys, id, on_existing === "update"])
    const byRecord = new Map(
      keys.flatMap((key) => {
        const record = recordOf(key)
        return record === undefined ? [] : [[record, key] as const]
      })
    )
    if (byRecord.size === 0) return found
    const rows = yield* read.unsafe<Pick<EarlierNote, "note_id" | "content">>(own, [workspace_id, [...byRecord.keys()]])
    const native = rows.map(({ content, note_id }): EarlierNote => ({
      note_id,
      key: byRecord.get(note_id)!,
      content,
      is_own: false,
      is_whole: true,
      is_unedited: false,
      files: []
    }))
    return [...found, ...native]
  })

  return { any, find }
}
