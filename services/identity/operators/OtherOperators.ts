import { Effect } from "effect"
import { Conflict } from "../../Errors.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { isDeletedText, type UserRow } from "../IdentityTables.ts"

const lastOperator = new Conflict({
  code: "invalid_state",
  detail: "This user is the last operator of the server: make another user an operator first"
})

/**
 * Refuses to end the right of the last operator who is not suspended. One lock for all operators, until the commit: two
 * who end the right of each other at once would otherwise leave none.
 */
export const needOtherOperator = Effect.fnUntraced(function* (draft: LockedDraft, user: UserRow) {
  if (!user.is_operator || user.suspended_at !== null) return
  yield* draft.runSql("SELECT pg_advisory_xact_lock(hashtextextended('operators', 0))")
  const others = yield* draft.runSql(
    `SELECT 1 AS found FROM users u
      WHERE is_operator AND suspended_at IS NULL AND id <> $1 AND NOT ${isDeletedText("u.id")} LIMIT 1`,
    [user.id]
  )
  if (others.length === 0) return yield* lastOperator
})
