import { Context, Effect, Layer, Redacted } from "effect"
import type { NotFound, Unavailable } from "../Errors.ts"
import { identityLinks } from "../identity/IdentityTables.ts"
import { Operator } from "../identity/operators/Operator.ts"
import { Randomness } from "../Randomness.ts"
import * as Tokens from "../Tokens.ts"
import { traced } from "../Traced.ts"
import { OperatorActor } from "../writer/Actor.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"

/** Milliseconds for which a link can be used: one hour (contract 4). */
const life = 3600_000

/** Links of the operator by which a user connects a provider without another sign-in (contract 4). */
export class IdentityLinks extends Context.Service<
  IdentityLinks,
  {
    /** Makes the token of a link for a user, by address or id. It works once. */
    readonly make: (
      named: string
    ) => Effect.Effect<
      { readonly email: string; readonly token: Redacted.Redacted; readonly expires_at: string },
      NotFound | Unavailable
    >
  }
>()("sheaf/oidc/IdentityLinks") {
  static readonly layer = Layer.effect(
    IdentityLinks,
    Effect.gen(function* () {
      const operator = yield* Operator
      const writer = yield* Writer
      const randomness = yield* Randomness
      return IdentityLinks.of({
        make: traced("IdentityLinks.make")(function* (named: string) {
          const user = yield* operator.find(named)
          const token = Tokens.make(randomness, "sfl")
          const expires_at = yield* writer.writeLocked(user.workspace_id, { actor: yield* OperatorActor }, (draft) =>
            Effect.sync(() => {
              const expires_at = new Date(draft.millis + life).toISOString()
              draft.add(identityLinks, { hash: Tokens.digest(token), user_id: user.id, expires_at })
              AuditTrail.audit(draft, { action: "auth.identity_link_made", resource: "user", resource_id: user.id })
              return expires_at
            })
          )
          return { email: user.email, token, expires_at }
        })
      })
    })
  )
}
