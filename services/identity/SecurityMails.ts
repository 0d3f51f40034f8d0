import { Context, Effect, Layer } from "effect"
import { Throttles } from "../limits/Throttles.ts"
import type { Letter, Occurrence } from "../mail/MailTemplates.ts"
import { Outbox } from "../mail/Outbox.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { UserRow } from "./IdentityTables.ts"

/** Mails to users about sign-ins and changes of their accounts (contract 4; OWASP ASVS 2.2.3). */
export class SecurityMails extends Context.Service<
  SecurityMails,
  {
    /**
     * Puts a mail to a user into the draft of the change that it is about, at most ten an hour. Users who have switched
     * these mails off get none, nor do unconfirmed addresses, which may belong to another person.
     */
    readonly put: (
      draft: LockedDraft,
      user_id: string,
      letter: (occurrence: Occurrence) => Letter
    ) => Effect.Effect<void>
  }
>()("sheaf/identity/SecurityMails") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      SecurityMails,
      Effect.gen(function* () {
        const mails = yield* Outbox
        const throttles = yield* Throttles
        return SecurityMails.of({
          put: Effect.fnUntraced(function* (draft, user_id, letter) {
            const [user] = yield* draft.runSql<Pick<UserRow, "email" | "email_key" | "locale">>(
              "SELECT email, email_key, locale FROM users WHERE id = $1 AND email_proven AND security_mails",
              [user_id]
            )
            if (user === undefined || !(yield* throttles.notice(user.email_key))) return
            mails.put(draft, user.email, letter({ at: draft.now, ip: draft.actor.ip, publicUrl, locale: user.locale }))
          })
        })
      })
    )

  /** For the operator's commands, which are not actions of a user. */
  static readonly layerSilent = Layer.succeed(SecurityMails, SecurityMails.of({ put: () => Effect.void }))
}
