import { Effect } from "effect"
import { Database, orUnavailable } from "../database/Database.ts"
import { Forbidden } from "../Errors.ts"
import { Principal } from "../Principal.ts"
import { ended } from "../workspaces/CredentialTerm.ts"

const passing = new Forbidden({
  code: "forbidden",
  detail: "An API key that expires, or whose secret was replaced, cannot do this, because the result would outlive it"
})

/** Makes the check that refuses a credential with an end, for operations that give lasting access to accounts. */
export const make = Effect.map(Database, ({ read }) =>
  Effect.gen(function* () {
    const { credential_id, digest, kind, workspace_id } = yield* Principal
    if (kind === "session") return
    const [key] = yield* orUnavailable(
      read.unsafe<{ readonly is_lasting: boolean }>(
        `SELECT expires_at IS NULL AND secret_hash = $3 AS is_lasting FROM api_keys
        WHERE workspace_id = $1 AND id = $2`,
        [workspace_id, credential_id, digest]
      )
    )
    if (key === undefined) return yield* ended
    if (!key.is_lasting) return yield* passing
  })
)
