import type { Reads } from "../database/ReachedRows.ts"
import { Clock, Effect } from "effect"
import { Database, runSql } from "../database/Database.ts"
import type { AuditAction, EventType } from "../EventTypes.ts"
import { base62, type WorkspaceId } from "../Ids.ts"
import { Randomness } from "../Randomness.ts"
import { operatorActor } from "./Actor.ts"
import { auditId } from "./AuditTrail.ts"
import { eventId } from "./LogEntry.ts"

/**
 * After a restore, nothing that was issued in the lost part of the history is taken for a present one (contract 6, "After
 * a restore"). Positions carry the epoch of the workspace, which a restore renews. Versions and revisions are plain
 * numbers: those up to the backup name the same states as before, and changes after the restore get numbers above all
 * that the lost part can have given. So entity tags, which contain versions, need no epoch, and old clients are safe.
 */

/** The last restore of a workspace, as clients see it. */
export interface Restore {
  /**
   * The moment of the backup (RFC 3339); null if the operator has restored the database by other means, or if the client
   * has missed an earlier restore too: the backup may lack what the client has from before that moment.
   */
  readonly backup_at: string | null
  readonly restored_at: string
  /** A record with this or a greater revision was changed after the restore; any other is as in the backup. */
  readonly least_revision: number
}

/** The start of the least revisions: they fit 32 bits until 2043. */
const start = Date.UTC(2026, 0, 1)

/**
 * Milliseconds for each revision: of two restores of the same backup, the later one begins above all revisions of the
 * first, unless a record was changed more often than four times a second all the time between them.
 */
const perRevision = 250

/** Bytes of a random number that distinguishes two restores where the clock cannot, because it is before the backup. */
const randomBytes = 3

const renewText = `WITH renewed AS (
    UPDATE heads h SET epoch = $1, least_revision = greatest($2::int, 1 + (
      SELECT coalesce(max(revision), 0) FROM records r WHERE r.workspace_id = h.workspace_id
    )) RETURNING workspace_id
  ), noted AS (
    INSERT INTO restores (workspace_id, backup_at, restored_at, ends_credentials, announced)
    SELECT workspace_id, $3, $4, $5, false FROM renewed
    ON CONFLICT (workspace_id) DO UPDATE SET backup_at = excluded.backup_at, restored_at = excluded.restored_at,
      ends_credentials = excluded.ends_credentials, announced = false
  ) SELECT count(*)::int AS count FROM renewed`

/**
 * Begins a new epoch of all workspaces, in the transaction of a restore. Returns their number. `endsCredentials`: the next
 * start ends all sessions and API keys.
 */
export const renewAll = Effect.fnUntraced(function* (backup_at: string | null, endsCredentials = false) {
  const { write: sql } = yield* Database
  const now = yield* Clock.currentTimeMillis
  const { bytes, text } = yield* Randomness
  const backup = backup_at === null ? 0 : Date.parse(backup_at)
  const isBehind = now <= backup
  if (isBehind) yield* Effect.logWarning("the clock of this machine is before the backup was made: set it")
  const least =
    Math.floor((Math.max(now, backup) - start) / perRevision) +
    (isBehind ? bytes(randomBytes).readUIntBE(0, randomBytes) : 0)
  const [renewed] = yield* runSql<{ readonly count: number }>(sql, renewText, [
    text(8),
    String(Math.max(1, least)),
    backup_at,
    new Date(now).toISOString(),
    endsCredentials
  ])
  return renewed!.count
})

interface Unannounced extends Omit<Restore, "least_revision"> {
  readonly workspace_id: WorkspaceId
  readonly seq: number
  readonly ends_credentials: boolean
}

/** Number of workspaces whose entries one statement writes. */
const atOnce = 1_000

const unannouncedText = `SELECT r.workspace_id, r.backup_at, r.restored_at, r.ends_credentials, h.seq::float8 AS seq
  FROM restores r JOIN heads h USING (workspace_id) WHERE NOT r.announced
  ORDER BY r.workspace_id LIMIT ${atOnce} FOR UPDATE OF h`

const event = "workspace.restored" satisfies EventType & AuditAction

const announceText = `WITH given AS (
    SELECT * FROM unnest($1::text[], $2::float8[], $3::text[], $4::text[], $5::text[], $6::text[])
      AS g (workspace_id, seq, event_id, audit_id, data, occurred_at)
  ), head AS (
    UPDATE heads h SET seq = g.seq::bigint FROM given g WHERE h.workspace_id = g.workspace_id
  ), log AS (
    INSERT INTO changes (workspace_id, seq, id, type, resource, resource_id, data, occurred_at)
    SELECT workspace_id, seq::bigint, event_id, '${event}', 'workspace', workspace_id, data::json, occurred_at FROM given
  ), audit AS (
    INSERT INTO audit_entries (workspace_id, id, action, resource_type, resource_id, metadata, occurred_at)
    SELECT workspace_id, audit_id, '${event}', 'workspace', workspace_id,
      (data::jsonb || '${JSON.stringify({ by: operatorActor.by })}')::json, occurred_at FROM given
  )
  UPDATE restores r SET announced = true FROM given g WHERE r.workspace_id = g.workspace_id`

const endOf = (table: string): string =>
  `UPDATE ${table} SET expires_at = $2 WHERE workspace_id = ANY($1::text[]) AND ends_with IS NOT NULL AND expires_at > $2`

/** Ends credentials of the workspaces $1 at the time $2, with the records that end with a key (contract 4). */
const endText = `WITH ended_sessions AS (DELETE FROM sessions WHERE workspace_id = ANY($1::text[])),
  resets AS (DELETE FROM password_resets WHERE workspace_id = ANY($1::text[])),
  links AS (DELETE FROM identity_links WHERE workspace_id = ANY($1::text[])),
  codes AS (DELETE FROM authorization_codes WHERE workspace_id = ANY($1::text[])),
  keys AS (DELETE FROM api_keys WHERE workspace_id = ANY($1::text[])),
  ${["shares", "invitations"].map((table) => `ended_${table} AS (${endOf(table)})`).join(", ")} ${endOf("webhooks")}`

/**
 * Appends `workspace.restored` to the log and the audit log of each workspace whose restore is not in them yet. Runs in
 * the transaction of a start: a restore itself writes nothing that its backup does not have, so that they can be compared.
 */
export const announceAll = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const randomness = yield* Randomness
  while (true) {
    const found = yield* sql.unsafe<Unannounced>(unannouncedText)
    if (found.length === 0) return
    const ending = found.filter(({ ends_credentials }) => ends_credentials).map(({ workspace_id }) => workspace_id)
    if (ending.length > 0) yield* sql.unsafe(endText, [ending, new Date(yield* Clock.currentTimeMillis).toISOString()])
    yield* sql.unsafe(announceText, [
      found.map(({ workspace_id }) => workspace_id),
      found.map(({ seq }) => seq + 1),
      found.map(({ seq }) => eventId(randomness, seq + 1)),
      found.map(({ restored_at }) => auditId(randomness, Date.parse(restored_at))),
      found.map(({ backup_at, ends_credentials, restored_at }) =>
        JSON.stringify({ backup_at, restored_at, ...(ends_credentials ? { credentials_ended: true } : {}) })
      ),
      found.map(({ restored_at }) => restored_at)
    ])
  }
})

/** Begins a new epoch of a database that was restored by other means, also while a server runs. */
export const reset = Effect.flatMap(Database, ({ write }) =>
  write.withTransaction(Effect.tap(renewAll(null), () => announceAll))
)

/** The last restore of a workspace, for a client that was there at a time (Unix milliseconds); undefined if there was none. */
export const restoreOf = (sql: Reads, workspace_id: WorkspaceId, since = Date.UTC(5000)) =>
  sql
    .unsafe<Restore>(
      `SELECT r.restored_at, h.least_revision, CASE WHEN NOT EXISTS (
        SELECT FROM audit_entries a WHERE a.workspace_id = $1 AND a.id >= $3 AND a.action = '${event}'
          AND a.occurred_at > $2 AND a.occurred_at < r.restored_at
      ) THEN r.backup_at END AS backup_at
      FROM restores r JOIN heads h USING (workspace_id) WHERE r.workspace_id = $1`,
      // Ids begin with the time: only entries since then are read.
      [workspace_id, new Date(since).toISOString(), `al_${base62(since, 8)}`]
    )
    .pipe(Effect.map(([restore]) => restore))
