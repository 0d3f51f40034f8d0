import { Context, Effect, Layer } from "effect"
import { type RateLimited, Unauthorized, type Unavailable } from "../../Errors.ts"
import type { WorkspaceId } from "../../Ids.ts"
import { Throttles } from "../../limits/Throttles.ts"
import * as MailTemplates from "../../mail/MailTemplates.ts"
import type { Actor } from "../../writer/Actor.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { Writer } from "../../writer/Writer.ts"
import { SecurityMails } from "../SecurityMails.ts"

/** Attempts with the code of a second factor: their limits, and the traces of wrong ones (contract 4, Second factors). */
export class CodeAttempts extends Context.Service<
  CodeAttempts,
  {
    /** Limits an attempt, and records it if its code was wrong. The third wrong code in an hour is mailed to the user. */
    readonly guarded: <A, E>(
      user: { readonly id: string; readonly workspace_id: WorkspaceId },
      actor: Actor,
      attempt: Effect.Effect<A, E>
    ) => Effect.Effect<A, E | RateLimited | Unavailable>
  }
>()("sheaf/identity/factors/CodeAttempts") {
  static readonly layer = Layer.effect(
    CodeAttempts,
    Effect.gen(function* () {
      const writer = yield* Writer
      const throttles = yield* Throttles
      const securityMails = yield* SecurityMails
      return CodeAttempts.of({
        guarded: ({ id, workspace_id }, actor, attempt) => {
          const record = writer
            .writeLocked(
              workspace_id,
              { actor },
              Effect.fnUntraced(function* (draft: LockedDraft) {
                AuditTrail.audit(draft, { action: "auth.second_factor_failed", resource: "user", resource_id: id })
                if (yield* throttles.isAlarming(id)) yield* securityMails.put(draft, id, MailTemplates.wrongCodes)
              })
            )
            // The account was deleted meanwhile.
            .pipe(Effect.catchTag("NotFound", () => Effect.void))
          return throttles.code(
            id,
            actor.ip,
            Effect.tapError(attempt, (error): Effect.Effect<void, Unavailable> =>
              error instanceof Unauthorized && error.code === "invalid_code" ? record : Effect.void
            )
          )
        }
      })
    })
  )
}
