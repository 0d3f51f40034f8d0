import { Effect } from "effect"
import { NotFound } from "../Errors.ts"
import type { Reach } from "../Reach.ts"
import type { Actor } from "./Actor.ts"
import { changeSets } from "./ChangeSetLog.ts"
import type { Row } from "../tables/Table.ts"
import type { Draft } from "./Draft.ts"

const missing = NotFound.of("change_set")

/** Whether a caller may add changes to a set: one of its user, and for a limited credential one of its own. */
export const mayAdd = (
  {
    credential_id,
    reach,
    user_id
  }: { readonly credential_id?: string; readonly reach?: Reach | undefined; readonly user_id: string | null },
  set: Pick<Row<typeof changeSets>, "author_id" | "credential_id">
): boolean => set.author_id === user_id && (reach === undefined || set.credential_id === credential_id)

/** The same write, which also writes the row of the actor's change set if it changes records. */
export const inChangeSet = <D extends Draft, A, E, R>(
  actor: Actor,
  method: (draft: D) => Effect.Effect<A, E, R>
): ((draft: D) => Effect.Effect<A, E | NotFound, R>) => {
  const { change_set, credential_id, user_id, via } = actor
  if (change_set === undefined) return method
  const { id, origin, reverts = null } = change_set
  return Effect.fnUntracedEager(function* (draft: D) {
    const known = yield* draft.get(changeSets, id)
    if (known !== undefined && !mayAdd(actor, known)) return yield* missing
    const { seq } = draft.head
    draft.isGrouped = false
    const made = yield* method(draft)
    if (!draft.isGrouped) return made
    draft.put(changeSets, {
      id,
      origin,
      author_id: user_id,
      credential_id: credential_id ?? null,
      api_key_id: via?.api_key_id ?? null,
      app: via?.app ?? null,
      import_id: via?.import_id ?? null,
      reverts,
      created_at: draft.now,
      ...known,
      size: (known?.size ?? 0) + draft.head.seq - seq,
      updated_at: draft.now
    })
    return made
  })
}
