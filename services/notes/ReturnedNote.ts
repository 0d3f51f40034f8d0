import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { NotFound, type Unavailable } from "../Errors.ts"
import { Principal } from "../Principal.ts"
import * as EarlierRecords from "../records/EarlierRecords.ts"
import { replayed, type Write } from "../writer/ReplayedResult.ts"
import type { Note } from "./Note.ts"
import { syncedNotes } from "./NoteTable.ts"

const textGone = new NotFound({
  code: "not_found",
  detail: "The note of this response, or its version, was erased"
})

/**
 * Returns a function that runs writes which return a note. The result that is stored with an Idempotency-Key has no
 * body: a repetition reads it from the history.
 */
export const make = (read: Reads) => {
  const recordsAt = EarlierRecords.make(read, [syncedNotes])

  const withBody = Effect.fnUntraced(function* <N extends Note>(
    kept: N
  ): Effect.fn.Return<N, NotFound | Unavailable, Principal> {
    const { workspace_id } = yield* Principal
    const version = { type: "note", id: kept.id, revision: kept.version }
    const note = (yield* recordsAt(workspace_id, [version]))(version) as Note | null
    return note === null ? yield* textGone : { ...kept, body: note.body }
  })

  return <D, N extends Note, E, R>(write: Write<D>, method: (draft: D) => Effect.Effect<N, E, R>) =>
    replayed({ write, method, kept: (note): N => ({ ...note, body: "" }), again: withBody })
}
