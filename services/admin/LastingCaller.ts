import { Clock, Effect } from "effect"
import { Database, orUnavailable } from "../database/Database.ts"
import { Forbidden } from "../Errors.ts"
import { Principal } from "../Principal.ts"
import { ended, termOfKey } from "../workspaces/CredentialTerm.ts"
import { type ApiKeyRow, apiKeys } from "../workspaces/WorkspaceTables.ts"

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
      read.unsafe<ApiKeyRow>(`SELECT ${apiKeys.columnList} FROM api_keys WHERE workspace_id = $1 AND id = $2`, [
        workspace_id,
        credential_id
      ])
    )
    const term = termOfKey(key, digest, new Date(yield* Clock.currentTimeMillis).toISOString())
    if (term === undefined) return yield* ended
    if (term.expires_at !== null) return yield* passing
  })
)
