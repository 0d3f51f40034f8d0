import { Effect } from "effect"
import type { AuditAction } from "../EventTypes.ts"
import { Principal } from "../Principal.ts"
import { OperatorActor } from "../writer/Actor.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"

interface Recorded<E> {
  /** More about it, in the entry of the audit log. */
  readonly data?: object
  readonly change?: (draft: LockedDraft) => Effect.Effect<void, E>
}

/**
 * Makes the function that records what an operator does to the server as a whole, in the audit log of the operator's
 * personal workspace, in one commit with `change`. What is done to a workspace or a user is recorded in that workspace.
 */
export const make = Effect.map(
  Writer,
  (writer) =>
    <E = never>(action: AuditAction, resource_id: string, { change, data = {} }: Recorded<E> = {}) =>
      Effect.gen(function* () {
        const { home_id } = yield* Principal
        yield* writer.writeLocked(
          home_id,
          { actor: yield* OperatorActor },
          Effect.fnUntraced(function* (draft: LockedDraft) {
            AuditTrail.audit(draft, { action, resource: "server", resource_id, data })
            if (change !== undefined) yield* change(draft)
          })
        )
      })
)
