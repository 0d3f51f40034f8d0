import { Clock, Context, Effect, Layer } from "effect"
import { Database, runSql } from "../database/Database.ts"
import { Forbidden, type NotFound, type RateLimited, type Unauthorized, type Unavailable } from "../Errors.ts"
import { Reauthentication } from "../identity/Reauthentication.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { traced } from "../Traced.ts"
import { ended, termOfKey } from "../workspaces/CredentialTerm.ts"
import { type ApiKeyRow, apiKeys } from "../workspaces/WorkspaceTables.ts"
import type { Needs } from "./OperatorEffect.ts"

const passing = new Forbidden({
  code: "forbidden",
  detail: "An API key that expires, or whose secret was replaced, cannot do this, because the result would outlive it"
})

export const notForKeys = new Forbidden({
  code: "insufficient_scope",
  detail: "This operation needs a sign-in: API keys and connected apps cannot do it",
  extra: { required_scopes: [] }
})

/** The one check of whether the credential of an operator suffices for the effect of a request (contract 11). */
export class OperatorProof extends Context.Service<
  OperatorProof,
  {
    /** `current_password` is that member of the request. */
    readonly need: (
      needs: Needs,
      current_password: string | undefined
    ) => Effect.Effect<void, Forbidden | NotFound | RateLimited | Unauthorized | Unavailable, Principal>
  }
>()("sheaf/admin/OperatorProof") {
  static readonly layer = Layer.effect(
    OperatorProof,
    Effect.gen(function* () {
      const { read } = yield* Database
      const reauthentication = yield* Reauthentication

      const needLasting = Effect.fnUntraced(function* ({ credential_id, digest, workspace_id }: PrincipalShape) {
        const [key] = yield* runSql<ApiKeyRow>(
          read,
          `SELECT ${apiKeys.columnList} FROM api_keys WHERE workspace_id = $1 AND id = $2`,
          [workspace_id, credential_id]
        )
        const term = termOfKey(key, digest, new Date(yield* Clock.currentTimeMillis).toISOString())
        if (term === undefined) return yield* ended
        if (term.expires_at !== null) return yield* passing
      })

      return OperatorProof.of({
        need: traced("OperatorProof.need")(function* ({ keys, recentSignIn }, current_password) {
          const principal = yield* Principal
          if (principal.kind === "session") {
            if (recentSignIn) yield* reauthentication.need(current_password)
          } else if (keys === "none") return yield* notForKeys
          else if (keys === "lasting") yield* needLasting(principal)
        })
      })
    })
  )
}
