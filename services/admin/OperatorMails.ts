import { Clock, Effect } from "effect"
import { Database } from "../database/Database.ts"
import type { Letter } from "../mail/MailTemplates.ts"
import { Outbox } from "../mail/Outbox.ts"
import { isDeletedText } from "../identity/IdentityTables.ts"

/** Something that operators should be mailed about. Each kind has one mail a day at most. */
export interface Alarm {
  readonly kind: "backups" | "checks" | "disk" | "drills" | "mails" | "versions"
  /** The mail to an operator with a locale. */
  readonly letter: (locale: string) => Letter
}

/** Maximum number of recipients. */
const most = 20

const recipientsText = `SELECT email, locale, workspace_id FROM users
  WHERE is_operator AND email_proven AND suspended_at IS NULL AND NOT ${isDeletedText("users.id")}
  ORDER BY created_at, id LIMIT ${most}`

/**
 * The row of the kind makes it one mail a day for each operator, whichever node sends it. A time in the future is of a
 * clock that was ahead.
 */
const mailText = `WITH due AS (
    INSERT INTO alarms AS a (kind, mailed_at) VALUES ($1, $2)
    ON CONFLICT (kind) DO UPDATE SET mailed_at = excluded.mailed_at WHERE a.mailed_at <= $3 OR a.mailed_at > $2
    RETURNING 1
  )
  INSERT INTO mails (workspace_id, id, recipient, sealed, attempts, next_at, created_at)
  SELECT m.workspace_id, m.id, m.recipient, m.sealed, 0, $2, $2
  FROM unnest($4::text[], $5::text[], $6::text[], $7::text[]) AS m (workspace_id, id, recipient, sealed), due
  RETURNING 1 AS mailed`

const day = 24 * 3_600_000

/** Mails an alarm to all operators with a confirmed address, unless one of its kind was mailed within a day. */
export const mail = Effect.fnUntraced(function* ({ kind, letter }: Alarm) {
  const { write: sql } = yield* Database
  const outbox = yield* Outbox
  const operators = yield* sql.unsafe<{
    readonly email: string
    readonly locale: string
    readonly workspace_id: string
  }>(recipientsText)
  if (operators.length === 0) return
  const now = yield* Clock.currentTimeMillis
  const rows = operators.map((operator) => ({ ...operator, ...outbox.row(letter(operator.locale), now) }))
  const sent = yield* sql.unsafe(mailText, [
    kind,
    new Date(now).toISOString(),
    new Date(now - day).toISOString(),
    rows.map(({ workspace_id }) => workspace_id),
    rows.map(({ id }) => id),
    rows.map(({ email }) => email),
    rows.map(({ sealed }) => sealed)
  ])
  if (sent.length > 0) yield* outbox.wake
})
