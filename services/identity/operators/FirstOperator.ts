import { Effect } from "effect"
import { Database } from "../../database/Database.ts"
import type { WorkspaceId } from "../../Ids.ts"
import * as MailTemplates from "../../mail/MailTemplates.ts"
import { Outbox } from "../../mail/Outbox.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import { systemActor } from "../../writer/Actor.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { Writer } from "../../writer/Writer.ts"
import { holdUser } from "../../workspaces/RoleChecks.ts"
import { isDeletedText, users } from "../IdentityTables.ts"

/** Whether mail can reach an address: the first user may have one at this machine. */
const isReachable = (email: string): boolean => !email.endsWith("@localhost")

/**
 * Makes the user an operator whom the migration of an earlier version has chosen, with an audit entry and a mail, in one
 * commit. Called under the lock of the start; does nothing at any later start.
 */
export const settle = Effect.fnUntraced(function* (publicUrl: string) {
  const { write: sql } = yield* Database
  const [chosen] = yield* sql.unsafe<{ readonly id: string; readonly workspace_id: WorkspaceId | null }>(
    `SELECT c.user_id AS id, u.workspace_id FROM chosen_operators c
    LEFT JOIN users u ON u.id = c.user_id AND NOT ${isDeletedText("u.id")}`
  )
  if (chosen === undefined) return
  const { id, workspace_id } = chosen
  if (workspace_id === null) {
    yield* sql.unsafe("DELETE FROM chosen_operators")
    return
  }
  const outbox = yield* Outbox
  const writer = yield* Writer
  yield* writer.writeLocked(
    workspace_id,
    { actor: systemActor },
    Effect.fnUntraced(function* (draft: LockedDraft) {
      yield* draft.execute("DELETE FROM chosen_operators", [])
      yield* holdUser(draft, id)
      const user = yield* draft.get(users, id)
      if (user === undefined || user.is_operator) return
      draft.put(users, { ...user, is_operator: true })
      draft.changesAccess = true
      AuditTrail.audit(draft, { action: "auth.operator_added", resource: "user", resource_id: id })
      if (user.email_proven && isReachable(user.email)) {
        outbox.put(draft, user.email, MailTemplates.operatorChosen(publicUrl))
      }
    })
  )
  yield* Effect.logInfo(
    `the user ${id} is now an operator of this server, which had none: sheaf user end-operator ${id} ends it`
  )
})
