import { Effect, Redacted } from "effect"
import { Database } from "../../../services/database/Database.ts"
import { type UserRow, users } from "../../../services/identity/IdentityTables.ts"
import { Credentials } from "../../../services/identity/Credentials.ts"
import * as SessionTokens from "../../../services/identity/SessionTokens.ts"
import type { WorkspaceId } from "../../../services/Ids.ts"
import { Authorizations } from "../../../services/oauth/Authorizations.ts"
import { Principal } from "../../../services/Principal.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { Plans } from "../../../services/workspaces/Plans.ts"
import { systemActor } from "../../../services/writer/Actor.ts"
import { Writer } from "../../../services/writer/Writer.ts"

/** What the user decides on the consent page. */
export interface Consent {
  /** The address of the user; by default the first one, `owner@sheaf.test`. */
  readonly email?: string
  /** By default all scopes that the app asks for. */
  readonly scopes?: ReadonlyArray<string>
  /** By default the user's personal workspace. */
  readonly workspace_id?: string
  /** Refuses the request. */
  readonly refuse?: boolean
}

/**
 * Plays the user's part: opens an address of `/oauth/authorize`, signs in, and decides. Returns the address to which the
 * browser goes. Fails as the page does, with the description of what is wrong with the request.
 */
export const consent = Effect.fnUntraced(function* (address: string, { email, refuse, scopes, workspace_id }: Consent) {
  const { read } = yield* Database
  const { limits } = yield* Plans
  const authorizations = yield* Authorizations
  const credentials = yield* Credentials
  const secrets = yield* Secrets
  const writer = yield* Writer
  const requested = yield* authorizations.check(new URL(address).searchParams)
  if (refuse === true) return authorizations.refuse(requested)
  const [user] = yield* read.unsafe<UserRow & { readonly workspace_id: WorkspaceId }>(
    `SELECT ${users.columnList}, workspace_id FROM users WHERE $1::text IS NULL OR email = $1 ORDER BY created_at LIMIT 1`,
    [email ?? null]
  )
  if (user === undefined) return yield* Effect.die(new Error(`there is no user ${email}`))
  const { tokens } = yield* writer.writeLocked(user.workspace_id, { actor: systemActor }, (draft) =>
    SessionTokens.start(draft, secrets, user, { name: "Consent page", platform: "test" }, limits)
  )
  const session = yield* credentials.authenticate(Redacted.make(tokens.access_token), undefined)
  const principal = { ...session, names_foreign_device: false, ip: null, user_agent: null }
  return yield* authorizations
    .allow(requested, {
      scopes: scopes ?? requested.scopes,
      workspace_id: (workspace_id as WorkspaceId | undefined) ?? user.workspace_id,
      notebooks: null
    })
    .pipe(Effect.provideService(Principal, principal))
})
