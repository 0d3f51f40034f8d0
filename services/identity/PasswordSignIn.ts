import { Context, Effect, Layer } from "effect"
import { Database, runSql } from "../database/Database.ts"
import { Forbidden, type Unavailable } from "../Errors.ts"
import { traced } from "../Traced.ts"
import { isDeletedText } from "./IdentityTables.ts"

const off = new Forbidden({
  code: "password_sign_in_off",
  detail: "Passwords are switched off on this server: sign in by a provider"
})

/**
 * Whether passwords sign in (PASSWORD_SIGN_IN). They are off only while an operator has signed in by one of the providers:
 * no order of settings and changes leaves the server without a way in.
 */
export class PasswordSignIn extends Context.Service<
  PasswordSignIn,
  {
    readonly isOff: Effect.Effect<boolean, Unavailable>
    /** Fails while passwords do not sign in. */
    readonly need: Effect.Effect<void, Forbidden | Unavailable>
    /** Logs that the setting has no effect yet. */
    readonly warn: Effect.Effect<void, Unavailable>
    /** The issuers of the providers that sign users in. */
    readonly issuers: ReadonlyArray<string>
  }
>()("sheaf/identity/PasswordSignIn") {
  static readonly layer = (options: {
    readonly passwordSignIn: boolean
    readonly providers: ReadonlyArray<{ readonly issuer: string }>
  }) =>
    Layer.effect(
      PasswordSignIn,
      Effect.gen(function* () {
        const { read } = yield* Database
        const issuers = options.providers.map(({ issuer }) => issuer)
        const isOff = options.passwordSignIn
          ? Effect.succeed(false)
          : Effect.map(
              runSql(
                read,
                `SELECT 1 AS found FROM user_identities i JOIN users u ON u.id = i.user_id
                  WHERE i.issuer = ANY($1::text[]) AND i.last_sign_in_at IS NOT NULL AND u.is_operator
                    AND u.suspended_at IS NULL AND NOT ${isDeletedText("u.id")} LIMIT 1`,
                [issuers]
              ),
              ({ length }) => length > 0
            )
        return PasswordSignIn.of({
          isOff: traced("PasswordSignIn.isOff")(() => isOff)(),
          need: Effect.flatMap(isOff, (is) => (is ? Effect.fail(off) : Effect.void)),
          warn: Effect.flatMap(isOff, (is) =>
            is || options.passwordSignIn
              ? Effect.void
              : Effect.logWarning(
                  "PASSWORD_SIGN_IN=off has no effect until an operator has signed in by a provider: sheaf user link EMAIL prints a link for it"
                )
          ),
          issuers
        })
      })
    )
}
