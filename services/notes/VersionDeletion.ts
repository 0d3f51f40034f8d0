import { Effect } from "effect"
import { Conflict, NotFound } from "../Errors.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { NoteCondition } from "./NoteEdits.ts"
import { notes } from "./NoteTable.ts"
import { removeVersion } from "./NoteVersions.ts"

/** Deletes a version of a note outside the trash, except the current one, and frees its text. */
export const deleteVersion = Effect.fnUntraced(function* (
  draft: LockedDraft,
  id: string,
  version: number,
  condition?: NoteCondition
) {
  const row = yield* draft.get(notes, id)
  if (row === undefined || row.deleted_at !== null) return yield* NotFound.of("note")
  if (condition !== undefined) yield* condition({ id, version }, row.version)
  if (version === row.version) {
    return yield* new Conflict({
      code: "invalid_state",
      detail: "This is the current version of the note: restore another version first, or delete the note"
    })
  }
  draft.changesBySql(notes, row)
  yield* draft.settle()
  const freed = yield* removeVersion(draft, id, version)
  if (freed === undefined) return yield* NotFound.of("version")
  draft.count("text_bytes", -freed)
  // The entry has no record: the note itself did not change, so clients pull nothing.
  const deletion = { resource: "note", resource_id: id, data: { version } } as const
  draft.append({ type: "note.version_deleted", ...deletion })
  AuditTrail.audit(draft, { action: "note.version_deleted", ...deletion })
})
