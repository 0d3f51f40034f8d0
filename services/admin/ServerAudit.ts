import { Effect } from "effect"
import type { AuditAction } from "../EventTypes.ts"
import { Principal } from "../Principal.ts"
import { OperatorActor } from "../writer/Actor.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"

/**
 * Makes the function that records what an operator has done to the server as a whole, in the audit log of the operator's
 * personal workspace. What is done to a workspace or a user is recorded with the change, in that workspace.
 */
export const make = Effect.map(
  Writer,
  (writer) =>
    (action: AuditAction, resource_id: string, data: object = {}) =>
      Effect.gen(function* () {
        const { home_id } = yield* Principal
        yield* writer.writeLocked(home_id, { actor: yield* OperatorActor }, (draft) =>
          Effect.sync(() => AuditTrail.audit(draft, { action, resource: "server", resource_id, data }))
        )
      })
)
