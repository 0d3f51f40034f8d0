import { Context, Effect, Layer } from "effect"
import { NotFound, type Unavailable } from "../../Errors.ts"
import * as MailTemplates from "../../mail/MailTemplates.ts"
import { put as putMail } from "../../mail/Outbox.ts"
import { Secrets } from "../../secrets/Secrets.ts"
import { traced } from "../../Traced.ts"
import { lockUser } from "../Users.ts"
import { OperatorActor } from "../../writer/Actor.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { Writer } from "../../writer/Writer.ts"
import * as SecondFactors from "../factors/SecondFactors.ts"
import { Operator } from "./Operator.ts"

/** The way back for users who have lost their second factors and their recovery codes (contract 4, Second factors). */
export class FactorResets extends Context.Service<
  FactorResets,
  {
    /**
     * Removes all second factors and recovery codes of a user, by address or id, who gets a mail about it. Sessions stay.
     * Returns how many factors there were.
     */
    readonly reset: (
      named: string
    ) => Effect.Effect<{ readonly email: string; readonly removed: number }, NotFound | Unavailable>
  }
>()("sheaf/identity/operators/FactorResets") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      FactorResets,
      Effect.gen(function* () {
        const writer = yield* Writer
        const operator = yield* Operator
        const secrets = yield* Secrets
        return FactorResets.of({
          reset: traced("FactorResets.reset")(function* (named: string) {
            const { email, id, workspace_id } = yield* operator.find(named)
            const removed = yield* writer.writeLocked(
              workspace_id,
              { actor: yield* OperatorActor },
              Effect.fnUntraced(function* (draft: LockedDraft) {
                const user = yield* lockUser(draft, id)
                if (user === undefined) return yield* NotFound.of(`user: ${named}`)
                const removed = yield* SecondFactors.endAll(draft, id)
                const data = { removed }
                AuditTrail.audit(draft, { action: "auth.factors_reset", resource: "user", resource_id: id, data })
                // An unconfirmed address may belong to another person.
                if (user.email_proven) {
                  const occurrence = { at: draft.now, ip: draft.actor.ip, publicUrl, locale: user.locale }
                  putMail(draft, secrets, user.email, MailTemplates.factorsReset(occurrence))
                }
                return removed
              })
            )
            return { email, removed }
          })
        })
      })
    )
}
