import { Effect } from "effect"
import { Conflict } from "../../Errors.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import type { UserRow } from "../IdentityTables.ts"

const lastWay = new Conflict({
  code: "invalid_state",
  detail: "This is the last way to sign in to the account: set a password, connect a provider, or add a passkey first"
})

/** The ways to sign in that the settings of the server leave. */
interface Open {
  readonly isPasswordOff: boolean
  readonly issuers: ReadonlyArray<string>
  /** The host of passkeys; undefined if there are none. */
  readonly rp_id: string | undefined
}

/** Refuses a change after which a user could not sign in any more, in a locked draft that has the change. */
export const needWayIn = Effect.fnUntraced(function* (
  draft: LockedDraft,
  { id, password_hash }: UserRow,
  { isPasswordOff, issuers, rp_id }: Open
) {
  if (password_hash !== null && !isPasswordOff) return
  const ways = yield* draft.execute(
    `SELECT 1 AS found FROM user_identities
    WHERE workspace_id = $1 AND user_id = $2 AND issuer = ANY($3::text[])
    UNION ALL SELECT 1 FROM factors WHERE workspace_id = $1 AND user_id = $2 AND rp_id = $4 LIMIT 1`,
    [draft.workspace_id, id, issuers, rp_id ?? null]
  )
  if (ways.length === 0) return yield* lastWay
})
