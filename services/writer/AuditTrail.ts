import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AuditAction, AuditedType, SecurityEvent } from "../EventTypes.ts"
import type { ResourceType } from "../Resources.ts"
import * as Ids from "../Ids.ts"
import type { PrincipalShape } from "../Principal.ts"
import type { RandomnessShape } from "../Randomness.ts"
import type { Actor } from "./Actor.ts"
import type { Draft } from "./Draft.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/** An entry of the audit log as it is stored (contract 9): written together with what it records, and never changed. */
export const auditEntries = Table.make(
  "audit_entries",
  {
    id: Column.text(),
    action: Column.text<AuditAction>(),
    actor_id: Column.nullable(Column.text()),
    resource_type: Column.text<AuditedType>(),
    resource_id: Column.text(),
    ip: Column.nullable(Column.text()),
    user_agent: Column.nullable(Column.text()),
    metadata: Column.json<object>(),
    occurred_at: Column.text()
  },
  { key: ["id"], appendOnly: true }
)
type AuditRow = Table.Row<typeof auditEntries>

export interface Audited {
  readonly resource: AuditedType
  readonly resource_id: string
  /** Details, without secrets and without content. */
  readonly data?: object
}

/** Sorts after all entries of the log with the same time. */
const lastPlace = 62 ** 7 - 1

/**
 * Makes the id of an entry. Ids sort by time, then by place in the log, so that entries with the same time keep their
 * order.
 */
export const auditId = (randomness: RandomnessShape, millis: number, place = lastPlace): string =>
  `al_${Ids.base62(millis, 8)}${Ids.base62(place, 7)}${randomness.text(7)}`

const longestAgent = 400

/** How an entry of the log and of the audit log names the operator. */
const sourceOf = ({ by }: Actor): object => (by === undefined ? {} : { by })

const auditRow = (
  id: string,
  actor: Actor,
  now: string,
  entry: Audited & { readonly action: AuditAction }
): AuditRow => ({
  id,
  action: entry.action,
  actor_id: actor.user_id,
  resource_type: entry.resource,
  resource_id: entry.resource_id,
  ip: actor.ip,
  user_agent: actor.user_agent?.slice(0, longestAgent).toWellFormed() ?? null,
  metadata: { ...entry.data, ...sourceOf(actor) },
  occurred_at: now
})

const insert = `INSERT INTO ${auditEntries.name}
    (workspace_id, id, action, actor_id, resource_type, resource_id, ip, user_agent, metadata, occurred_at)
  SELECT workspace_id, $2, $3, $4, $5, $6, $7, $8, $9::json, $10 FROM workspaces WHERE workspace_id = $1
  ON CONFLICT DO NOTHING`

/**
 * Inserts an entry without a draft. Does nothing if the id exists already, or the workspace does not exist.
 */
export const insertEntry = (
  sql: SqlClient.SqlClient,
  workspace_id: string,
  actor: Actor,
  millis: number,
  entry: Audited & { readonly action: AuditAction },
  id: string
) => {
  const row = auditRow(id, actor, new Date(millis).toISOString(), entry)
  return sql.unsafe(insert, [
    workspace_id,
    row.id,
    row.action,
    row.actor_id,
    row.resource_type,
    row.resource_id,
    row.ip,
    row.user_agent,
    JSON.stringify(row.metadata),
    row.occurred_at
  ])
}

/** Adds an entry to the audit log alone, for an action that is no event of the workspace. */
export const audit = (draft: Draft, entry: Audited & { readonly action: AuditAction }): void =>
  draft.add(
    auditEntries,
    auditRow(
      auditId(draft.randomness, draft.millis, draft.head.seq * 1000 + Math.min(draft.rows, 999)),
      draft.actor,
      draft.now,
      entry
    )
  )

/** The type of a credential in the audit log: an app that a user connected has a session. */
export const credentialType = (kind: PrincipalShape["kind"]): "api_key" | "session" =>
  kind === "api_key" ? kind : "session"

/** Maximum number of changed records that an entry lists. */
const maxListed = 50

/**
 * The same write, which also adds an audit entry if it changes records and an MCP tool made it: with the credential, the
 * tool, and the ids of the records.
 */
export const auditTool =
  <D extends Draft, A, E, R>(
    { app, change_set, credential_id, kind, tool }: PrincipalShape,
    method: (draft: D) => Effect.Effect<A, E, R>
  ): ((draft: D) => Effect.Effect<A, E, R>) =>
  (draft) => {
    if (tool === undefined) return method(draft)
    const before = draft.touched.length
    return Effect.mapEager(method(draft), (made) => {
      const changed = [...new Set(draft.touched.slice(before))]
      if (changed.length > 0) {
        const data = {
          tool,
          ...(app === undefined ? {} : { app }),
          ...(change_set === undefined ? {} : { change_set_id: change_set.id }),
          records: changed.slice(0, maxListed)
        }
        audit(draft, { action: "tool.called", resource: credentialType(kind), resource_id: credential_id, data })
      }
      return made
    })
  }

/** Appends a security event to the log and the audit log. All processes drop cached permissions in the workspace. */
export const log = (
  draft: Draft,
  entry: Audited & { readonly type: SecurityEvent; readonly resource: ResourceType }
): void => {
  draft.changesAccess = true
  const data = draft.actor.by === undefined ? entry.data : { ...entry.data, ...sourceOf(draft.actor) }
  draft.append({ type: entry.type, resource: entry.resource, resource_id: entry.resource_id, data })
  audit(draft, { ...entry, action: entry.type })
}
