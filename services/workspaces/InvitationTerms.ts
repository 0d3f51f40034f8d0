import { Effect } from "effect"
import { Conflict, Invalid } from "../Errors.ts"
import type { LockedDraft } from "../storage/LockedDraft.ts"

const day = 24 * 3600_000
/** An invitation is good for so long (interface.md, Limits), unless it is said; at most so long (contract 4). */
const usualLife = 7 * day
const longestLife = 30 * day

const exists = (detail: string, existing_id: string) =>
  new Conflict({ code: "already_exists", detail, extra: { existing_id } })

/** When an invitation is to end. */
export const endOf = Effect.fnUntraced(function* (draft: LockedDraft, asked: string | null | undefined) {
  const at = asked == null ? draft.millis + usualLife : Date.parse(asked)
  if (at <= draft.millis) return yield* Invalid.field("expires_at", "out_of_range", "must be in the future")
  if (at > draft.millis + longestLife) {
    return yield* Invalid.field("expires_at", "out_of_range", "must be at most 30 days ahead")
  }
  return new Date(at).toISOString()
})

/** One address has one open invitation at a time: one whose time is over makes way for the next. */
export const makeWay = Effect.fnUntraced(function* (draft: LockedDraft, key: string, id: string) {
  const sql = <Row extends object>(text: string, ...params: ReadonlyArray<string>) =>
    Effect.orDie(draft.sql.unsafe<Row>(text, [draft.workspace_id, key, ...params]))
  const [member] = yield* sql<{ readonly id: string }>(
    `SELECT m.id FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1 AND u.email_key = $2`
  )
  if (member !== undefined) return yield* exists("A member with this address exists already", member.id)
  const others = "workspace_id = $1 AND email_key = $2 AND open AND id <> $3"
  const [other] = yield* sql<{ readonly id: string; readonly expires_at: string }>(
    `SELECT id, expires_at FROM invitations WHERE ${others}`,
    id
  )
  if (other === undefined) return
  if (other.expires_at > draft.now)
    return yield* exists("A pending invitation for this address exists already", other.id)
  yield* sql(`UPDATE invitations SET open = false WHERE ${others}`, id)
})
