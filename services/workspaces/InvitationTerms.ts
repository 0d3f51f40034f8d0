import { Effect } from "effect"
import { Conflict, Forbidden, Invalid } from "../Errors.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { endWithin, type Term } from "./CredentialTerm.ts"
import type { Policies } from "./Plans.ts"
import { exceeded } from "./Quotas.ts"
import { workspaces } from "./WorkspaceTables.ts"

const day = 24 * 3600_000
/** Default and maximum lifetime of an invitation in milliseconds: 7 and 30 days (contract 4). */
const usualLife = 7 * day
const longestLife = 30 * day

const exists = (detail: string, existing_id: string) =>
  new Conflict({ code: "already_exists", detail, extra: { existing_id } })

/** Returns the end of an invitation: not after the end of the caller's credential. */
export const endOf = Effect.fnUntraced(function* (draft: LockedDraft, term: Term, asked: string | null | undefined) {
  const usual = new Date(draft.millis + usualLife).toISOString()
  const end = (yield* endWithin(term, asked, usual)) ?? usual
  const at = Date.parse(end)
  if (at <= draft.millis) return yield* Invalid.field("expires_at", "out_of_range", "must be in the future")
  if (at > draft.millis + longestLife) {
    return yield* Invalid.field("expires_at", "out_of_range", "must be at most 30 days ahead")
  }
  return end
})

/** Each address has at most one open invitation: closes an expired one, and refuses another if one is pending. */
export const makeWay = Effect.fnUntraced(function* (draft: LockedDraft, key: string, id: string) {
  const sql = <Row extends object>(text: string, ...params: ReadonlyArray<string>) =>
    draft.runSql<Row>(text, [draft.workspace_id, key, ...params])
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

const unproven = new Forbidden({
  code: "forbidden",
  detail: "Only users who have confirmed their e-mail address can invite: open the link in the mail to that address"
})

/** Refuses an inviter whose address is not confirmed (contract 4, Invitations). */
export const needProven = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
  const rows = yield* draft.runSql("SELECT 1 AS found FROM users WHERE id = $1 AND NOT email_proven", [user_id])
  if (rows.length > 0) return yield* unproven
})

/** Refuses a pending invitation above the limit of the workspace's plan. The invitation with this id does not count. */
export const mayHaveAnother = Effect.fnUntraced(function* (draft: LockedDraft, id: string, limits: Policies["limits"]) {
  const limit = limits[(yield* draft.get(workspaces))!.plan].invitations
  if (limit === 0) return
  const [row] = yield* draft.runSql<{ readonly used: number }>(
    `SELECT count(*)::int AS used FROM invitations WHERE workspace_id = $1 AND open AND expires_at > $2 AND id <> $3`,
    [draft.workspace_id, draft.now, id]
  )
  const { used } = row!
  if (used < limit) return
  return yield* exceeded("invitations", `The plan of the workspace allows ${limit} pending invitations`, limit, used)
})
