import { Clock, Effect } from "effect"
import { Database } from "../database/Database.ts"
import { isDeletedText } from "../identity/IdentityTables.ts"
import * as OperatorLetters from "../mail/OperatorLetters.ts"
import { Outbox } from "../mail/Outbox.ts"
import * as AlarmClaims from "./AlarmClaims.ts"

/** Something that operators should know. */
export interface Alarm {
  readonly kind:
    | "backups"
    | "certificate"
    | "checks"
    | "disk"
    | "disk_fills"
    | "drills"
    | "mails"
    | "versions"
    | "webhooks"
    | `release ${string}`
  readonly notice: OperatorLetters.Notice
}

export type Alarms = readonly [Alarm, ...ReadonlyArray<Alarm>]

/** Maximum number of recipients. */
const most = 20

const recipientsText = `SELECT email, locale, workspace_id FROM users
  WHERE is_operator AND email_proven AND suspended_at IS NULL AND NOT ${isDeletedText("users.id")}
  ORDER BY created_at, id LIMIT ${most}`

/** The claim makes it one mail a day for each operator, whichever node sends it. */
const mailText = `WITH ${AlarmClaims.text}
  INSERT INTO mails (workspace_id, id, recipient, sealed, attempts, next_at, created_at)
  SELECT m.workspace_id, m.id, m.recipient, m.sealed, 0, $2, $2
  FROM unnest($4::text[], $5::text[], $6::text[], $7::text[]) AS m (workspace_id, id, recipient, sealed)
  WHERE EXISTS (SELECT FROM claimed)
  RETURNING 1 AS mailed`

/** Mails the alarms to all operators with a confirmed address, if one of them was not mailed within a day. */
export const mail = Effect.fnUntraced(function* (publicUrl: string, alarms: Alarms) {
  const { write: sql } = yield* Database
  const outbox = yield* Outbox
  const operators = yield* sql.unsafe<{
    readonly email: string
    readonly locale: string
    readonly workspace_id: string
  }>(recipientsText)
  if (operators.length === 0) return
  const now = yield* Clock.currentTimeMillis
  const [first, ...others] = alarms
  const letter = OperatorLetters.alarms(publicUrl, [first.notice, ...others.map(({ notice }) => notice)])
  const rows = operators.map((operator) => ({ ...operator, ...outbox.row(letter(operator.locale), now) }))
  const sent = yield* sql.unsafe(mailText, [
    ...AlarmClaims.parameters(
      alarms.map(({ kind }) => kind),
      now
    ),
    rows.map(({ workspace_id }) => workspace_id),
    rows.map(({ id }) => id),
    rows.map(({ email }) => email),
    rows.map(({ sealed }) => sealed)
  ])
  if (sent.length > 0) yield* outbox.wake
})
