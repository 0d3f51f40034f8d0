import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { runSql } from "../database/Database.ts"
import { orConflict } from "../database/UniqueViolations.ts"
import { Conflict } from "../Errors.ts"
import type { WorkspaceId } from "../Ids.ts"
import { suspended } from "../identity/Credentials.ts"
import type { UserIdentityRow, UserRow } from "../identity/IdentityTables.ts"
import type { Origin } from "../identity/Sessions.ts"
import { lockUser } from "../identity/Users.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { Writer } from "../writer/Writer.ts"
import { type Claims, SignInRefused } from "./Provider.ts"

/** The account of an address, a link or an identity. */
export interface Found {
  readonly workspace_id: WorkspaceId
  readonly user_id: string
}

/** Another request has made the account or the identity at the same time: the sign-in finds it then. */
export const raced = new Conflict({ code: "invalid_state", detail: "The account was made at the same time" })

/** Turns the loss of such a race into `raced`. */
export const orRaced = orConflict("user_identities_issuer_subject_key", raced)

/** Returns the identity of claims; undefined if there is none. */
export const findIdentity = (read: Reads, { issuer, subject }: Claims) =>
  Effect.map(
    runSql<Found & Pick<UserIdentityRow, "id">>(
      read,
      "SELECT workspace_id, user_id, id FROM user_identities WHERE issuer = $1 AND subject = $2",
      [issuer, subject]
    ),
    ([identity]) => identity
  )

/** Writes to the account of a user, who is there and not suspended. */
export const writeFor = <A, E>(
  writer: Writer["Service"],
  { user_id, workspace_id }: Found,
  origin: Origin,
  method: (draft: LockedDraft, user: UserRow) => Effect.Effect<A, E>
) =>
  writer
    .writeLocked(
      workspace_id,
      { actor: { ...origin, user_id, device_id: null } },
      Effect.fnUntraced(function* (draft: LockedDraft) {
        const user = yield* lockUser(draft, user_id)
        // The account was deleted meanwhile.
        if (user === undefined) return yield* new SignInRefused({ reason: "ended" })
        if (user.suspended_at !== null) return yield* suspended
        return yield* method(draft, user)
      })
    )
    .pipe(orRaced)
