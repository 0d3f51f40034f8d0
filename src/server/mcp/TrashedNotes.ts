import { Effect } from "effect"
import { NoteLists } from "../../../services/contents/NoteLists.ts"
import { NotFound } from "../../../services/Errors.ts"
import { isClientMade } from "../../../services/Ids.ts"
import { Principal } from "../../../services/Principal.ts"
import { refusalOf } from "../http/pipeline/RequestCaller.ts"
import { write } from "./ToolFields.ts"

/**
 * Makes the function that explains the problem "not found" of a call: a note in the trash exists for lists alone, as in the
 * API (contract 5), so the caller learns how to get it back.
 */
export const make = Effect.map(NoteLists, (lists) => {
  const explained = Effect.fnUntraced(function* (note_id: string, error: NotFound) {
    if (!isClientMade("nt", note_id)) return yield* error
    const { items } = yield* lists.summaries({ filter: `id = ${note_id} AND deleted_at:*`, limit: "1" })
    if (items.length === 0) return yield* error
    const mayRestore = refusalOf(yield* Principal, write) === undefined
    const detail = `The note is in the trash${mayRestore ? ": restore_note brings it back" : ""}`
    return yield* new NotFound({ code: "not_found", detail })
  })

  return <A, E, R>(note_id: string, call: Effect.Effect<A, E | NotFound, R>) =>
    Effect.catchIf(
      call,
      (error): error is NotFound => error instanceof NotFound,
      (error) => explained(note_id, error)
    )
})
