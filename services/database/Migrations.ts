import { Context, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrator from "effect/sql/Migrator"
import { Database } from "./Database.ts"
import { ground } from "./migrations/0001_ground.ts"
import { idempotency } from "./migrations/0002_idempotency.ts"
import { oneOrder } from "./migrations/0003_one_order.ts"
import { apiKeys } from "./migrations/0004_api_keys.ts"
import { people } from "./migrations/0005_people.ts"
import { claimHolders } from "./migrations/0006_claim_holders.ts"
import { trashLists } from "./migrations/0007_trash_lists.ts"
import { credentials } from "./migrations/0008_credentials.ts"
import { refreshFamilies } from "./migrations/0009_refresh_families.ts"
import { historyAndCounters } from "./migrations/0010_history_and_counters.ts"
import { endings } from "./migrations/0011_endings.ts"
import { mailTurns } from "./migrations/0012_mail_turns.ts"
import { templates } from "./migrations/0013_templates.ts"
import { notebookLists } from "./migrations/0014_notebook_lists.ts"
import { attachments } from "./migrations/0015_attachments.ts"
import { searchSnapshots } from "./migrations/0016_search_snapshots.ts"
import { aroundNotes } from "./migrations/0017_around_notes.ts"
import { webPush } from "./migrations/0018_web_push.ts"
import { shares } from "./migrations/0019_shares.ts"
import { webhooks } from "./migrations/0020_webhooks.ts"
import { exports } from "./migrations/0021_exports.ts"
import { collations } from "./migrations/0022_collations.ts"
import { imports } from "./migrations/0023_imports.ts"
import { claims } from "./migrations/0024_claims.ts"
import { textOrder } from "./migrations/0025_text_order.ts"
import { importSources } from "./migrations/0026_import_sources.ts"
import { shareBreaks } from "./migrations/0027_share_breaks.ts"
import { deliveryAttempts } from "./migrations/0028_delivery_attempts.ts"
import { restoring } from "./migrations/0029_restoring.ts"
import { emailConfirmations } from "./migrations/0030_email_confirmations.ts"
import { erasedAndUploaded } from "./migrations/0033_erased_and_uploaded.ts"
import { secretKey } from "./migrations/0034_secret_key.ts"
import { erasedBodies } from "./migrations/0036_erased_bodies.ts"
import { webhookPace } from "./migrations/0037_webhook_pace.ts"
import { eventBodies } from "./migrations/0038_event_bodies.ts"
import { stagedFiles } from "./migrations/0039_staged_files.ts"
import { makers } from "./migrations/0040_makers.ts"
import { authenticatedSessions } from "./migrations/0042_authenticated_sessions.ts"
import { searchFiles } from "./migrations/0043_search_files.ts"
import { setupLinks } from "./migrations/0044_setup_links.ts"
import { erasure } from "./migrations/0045_erasure.ts"
import { backups } from "./migrations/0046_backups.ts"
import { operators } from "./migrations/0047_operators.ts"
import { series } from "./migrations/0048_series.ts"
import { via } from "./migrations/0049_via.ts"
import { noteAliases } from "./migrations/0050_note_aliases.ts"
import { erasedChanges } from "./migrations/0051_erased_changes.ts"
import { firstOperator } from "./migrations/0052_first_operator.ts"
import { alarms } from "./migrations/0053_alarms.ts"
import { restores } from "./migrations/0054_restores.ts"
import * as TextOrder from "./TextOrder.ts"

/** Advisory lock for what must happen only once on a database, since several processes may start at the same time. */
const startLock = 0x5e4f_0001

const all = {
  "0001_ground": ground,
  "0002_idempotency": idempotency,
  "0003_one_order": oneOrder,
  "0004_api_keys": apiKeys,
  "0005_people": people,
  "0006_claim_holders": claimHolders,
  "0007_trash_lists": trashLists,
  "0008_credentials": credentials,
  "0009_refresh_families": refreshFamilies,
  "0010_history_and_counters": historyAndCounters,
  "0011_endings": endings,
  "0012_mail_turns": mailTurns,
  "0013_templates": templates,
  "0014_notebook_lists": notebookLists,
  "0015_attachments": attachments,
  "0016_search_snapshots": searchSnapshots,
  "0017_around_notes": aroundNotes,
  "0018_web_push": webPush,
  "0019_shares": shares,
  "0020_webhooks": webhooks,
  "0021_exports": exports,
  "0022_collations": collations,
  "0023_imports": imports,
  "0024_claims": claims,
  "0025_text_order": textOrder,
  "0026_import_sources": importSources,
  "0027_share_breaks": shareBreaks,
  "0028_delivery_attempts": deliveryAttempts,
  "0029_restoring": restoring,
  "0030_email_confirmations": emailConfirmations,
  "0033_erased_and_uploaded": erasedAndUploaded,
  "0034_secret_key": secretKey,
  "0036_erased_bodies": erasedBodies,
  "0037_webhook_pace": webhookPace,
  "0038_event_bodies": eventBodies,
  "0039_staged_files": stagedFiles,
  "0040_makers": makers,
  "0042_authenticated_sessions": authenticatedSessions,
  "0043_search_files": searchFiles,
  "0044_setup_links": setupLinks,
  "0045_erasure": erasure,
  "0046_backups": backups,
  "0047_operators": operators,
  "0048_series": series,
  "0049_via": via,
  "0050_note_aliases": noteAliases,
  "0051_erased_changes": erasedChanges,
  "0052_first_operator": firstOperator,
  "0053_alarms": alarms,
  "0054_restores": restores
}

/** The migrations of this version of Sheaf, by number and name. A test replaces them to be another version. */
export const Known = Context.Reference<Readonly<Record<string, Effect.Effect<unknown, unknown, SqlClient.SqlClient>>>>(
  "sheaf/database/Migrations",
  { defaultValue: () => all }
)

const numberOf = (name: string): number => Number.parseInt(name, 10)

const versions = Effect.map(Known, (known) => Object.keys(known).map(numberOf))

/** The number of the current schema: that of its last migration. */
export const latest = Effect.map(versions, (versions) => Math.max(...versions))

/** Whether a version of the schema is one that this Sheaf can create. */
export const isKnown = (version: number) => Effect.map(versions, (versions) => versions.includes(version))

/** A newer version of Sheaf has written the database. */
export class NewerSchema extends Schema.TaggedError<NewerSchema>()("NewerSchema", { message: Schema.String }) {}

/** The number of the schema of the database, 0 if it has none. */
export const version = Effect.gen(function* () {
  const { read } = yield* Database
  const [found] = yield* read.unsafe("SELECT 1 FROM pg_class WHERE oid = to_regclass('migrations')")
  if (found === undefined) return 0
  const [row] = yield* read.unsafe<{ readonly last: number | null }>(
    "SELECT max(migration_id)::int AS last FROM migrations"
  )
  return row?.last ?? 0
})

/** Whether the database has no schema, that of an older or a newer version, or the current one. */
export const state = Effect.gen(function* () {
  const [last, wanted] = [yield* version, yield* latest]
  return last === wanted ? "current" : last === 0 ? "none" : last < wanted ? "older" : "newer"
})

/** A migration of this version. */
export interface Migration {
  readonly id: number
  readonly name: string
  /** When it was applied (RFC 3339); null if it was not. */
  readonly applied_at: string | null
}

/** All migrations of this version, in their order. */
export const list = Effect.gen(function* () {
  const { read } = yield* Database
  const rows =
    (yield* state) === "none"
      ? []
      : yield* read.unsafe<{ readonly id: number; readonly applied_at: string }>(
          `SELECT migration_id::int AS id,
            to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS applied_at FROM migrations`
        )
  const applied = new Map(rows.map(({ applied_at, id }) => [id, applied_at]))
  return Object.keys(yield* Known).map((key): Migration => {
    const [, id, name] = /^(\d+)_(.+)$/.exec(key)!
    return { id: Number(id), name: name!, applied_at: applied.get(Number(id)) ?? null }
  })
})

/** Refuses a newer schema, in which this version could write wrong data. */
export const refuseNewer = Effect.gen(function* () {
  if ((yield* state) === "newer") {
    return yield* new NewerSchema({
      message: "A newer version of Sheaf wrote this database: use that version or a later one"
    })
  }
})

/** Runs an effect in a transaction, under the advisory lock of all starts (contract 1, "first start"). */
export const locked = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { write } = yield* Database
    return yield* write.withTransaction(
      Effect.gen(function* () {
        // Rebuilding parts of a large database takes long, and so does the backup before it.
        yield* write.unsafe("SET LOCAL statement_timeout = 0")
        yield* write.unsafe("SET LOCAL lock_timeout = 0")
        // A frozen process does not keep the lock.
        yield* write.unsafe("SET LOCAL idle_in_transaction_session_timeout = '120s'")
        yield* write.unsafe("SELECT pg_advisory_xact_lock($1::bigint)", [String(startLock)])
        yield* write.unsafe("SET LOCAL lock_timeout = '120s'")
        // PostgreSQL caches that a name did not exist before the wait, until the transaction opens a table.
        yield* write.unsafe("SELECT FROM pg_class LIMIT 1")
        return yield* effect
      })
    )
  })

/** Migrates the database up to a version of the schema, by default the current one. Called only inside `locked`. */
export const migrate = Effect.fnUntraced(function* (version?: number) {
  const { write } = yield* Database
  const wanted = Object.entries(yield* Known).filter(([name]) => version === undefined || numberOf(name) <= version)
  yield* Migrator.make({})({ loader: Migrator.fromRecord(Object.fromEntries(wanted)), table: "migrations" }).pipe(
    Effect.provideService(SqlClient.SqlClient, write)
  )
})

/**
 * Brings the schema up to date, then runs `next`, under the same lock. `before` runs first if the database has an older
 * schema, whose number it gets.
 */
export const run = <A, E, R, E2 = never, R2 = never>(
  next: Effect.Effect<A, E, R>,
  before: (schema: number) => Effect.Effect<unknown, E2, R2> = () => Effect.void
) =>
  Effect.gen(function* () {
    yield* refuseNewer
    if ((yield* state) === "older") yield* before(yield* version)
    yield* migrate()
    yield* TextOrder.refresh
    return yield* next
  }).pipe(locked)
