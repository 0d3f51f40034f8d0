import { Context, Effect, Predicate, Schedule, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Migrator from "effect/sql/Migrator"
import { Database } from "./Database.ts"
import { schema } from "./migrations/0001_schema.ts"
import { connectedApps } from "./migrations/0002_connected_apps.ts"
import { userIdentities } from "./migrations/0003_user_identities.ts"
import { secondFactors } from "./migrations/0004_second_factors.ts"
import { changeSets } from "./migrations/0005_change_sets.ts"
import { noteContents } from "./migrations/0006_note_contents.ts"
import { limitedKeys } from "./migrations/0007_limited_keys.ts"
import { departures } from "./migrations/0008_departures.ts"
import { linkReadings } from "./migrations/0009_link_readings.ts"
import { notebookChanges } from "./migrations/0010_notebook_changes.ts"
import { revertsOfCredentials } from "./migrations/0011_reverts_of_credentials.ts"
import { limitedTransfers } from "./migrations/0012_limited_transfers.ts"
import { restoreDrills } from "./migrations/0013_expand_restore_drills.ts"
import { keyRequests } from "./migrations/0014_expand_key_requests.ts"
import { auditExport } from "./migrations/0015_expand_audit_export.ts"
import { importPreviews } from "./migrations/0016_expand_import_previews.ts"
import * as TextOrder from "./TextOrder.ts"

/** Advisory lock for what must happen only once on a database, since several processes may start at the same time. */
const startLock = 0x5e4f_0001

const all = {
  "0001_schema": schema,
  "0002_connected_apps": connectedApps,
  "0003_user_identities": userIdentities,
  "0004_second_factors": secondFactors,
  "0005_change_sets": changeSets,
  "0006_note_contents": noteContents,
  "0007_limited_keys": limitedKeys,
  "0008_departures": departures,
  "0009_link_readings": linkReadings,
  "0010_notebook_changes": notebookChanges,
  "0011_reverts_of_credentials": revertsOfCredentials,
  "0012_limited_transfers": limitedTransfers,
  "0013_expand_restore_drills": restoreDrills,
  "0014_expand_key_requests": keyRequests,
  "0015_expand_audit_export": auditExport,
  "0016_expand_import_previews": importPreviews
}

/** The migrations of this version of Sheaf, by number and name. A test replaces them to be another version. */
export const Known = Context.Reference<Readonly<Record<string, Effect.Effect<unknown, unknown, SqlClient.SqlClient>>>>(
  "sheaf/database/Migrations",
  { defaultValue: () => all }
)

const numberOf = (name: string): number => Number.parseInt(name, 10)

/**
 * The earliest schema whose Sheaf can run with a migration (CONTRIBUTING, Migrations). `expand_…` adds what earlier versions
 * do not use; `contract_from_13_…` removes what Sheaf does not use since schema 13. With any other migration only versions that
 * have it can run, so that all nodes stop first.
 */
const runsFrom = (migration: string): number => {
  const [, id, kind, from] = /^(\d+)_(?:(expand|contract_from_(\d+))_)?/.exec(migration)!
  return Number(from ?? (kind === undefined ? id : 0))
}

const versions = Effect.map(Known, (known) => Object.keys(known).map(numberOf))

/** The number of the current schema: that of its last migration. */
export const latest = Effect.map(versions, (versions) => Math.max(...versions))

/** Whether a version of the schema is one that this Sheaf can create. */
export const isKnown = (version: number) => Effect.map(versions, (versions) => versions.includes(version))

/** Whether a version from before 0.1.0 has written the database: its migrations were others. */
const isUnreleased = Effect.gen(function* () {
  const { read } = yield* Database
  const [first] = yield* read.unsafe<{ readonly name: string }>("SELECT name FROM migrations WHERE migration_id = 1")
  return first !== undefined && `0001_${first.name}` !== Object.keys(all)[0]
})

/** A version of Sheaf that this one can't follow has written the database. */
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

/**
 * Whether the database has no schema, that of an older version, one that this version can use, or that of a newer version with
 * which it cannot run.
 */
export const state = Effect.gen(function* () {
  const { read } = yield* Database
  const [last, wanted] = [yield* version, yield* latest]
  if (last <= wanted) return last === wanted ? "current" : last === 0 ? "none" : "older"
  const unknown = yield* read.unsafe<{ readonly migration: string }>(
    "SELECT migration_id || '_' || name AS migration FROM migrations WHERE migration_id > $1",
    [wanted]
  )
  return unknown.every(({ migration }) => runsFrom(migration) <= wanted) ? "current" : "newer"
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
  if ((yield* state) !== "newer") return
  const message = (yield* isUnreleased)
    ? "A version of Sheaf from before 0.1.0 wrote this database: export its workspaces with that version, and import them into a new database (docs/operating.md, Upgrade)"
    : "A newer version of Sheaf wrote this database: use that version or a later one"
  return yield* new NewerSchema({ message })
})

/** The first migration after a schema with which a Sheaf that knows the schema `running` cannot run; undefined if there is none. */
export const firstStop = (schema: number, running: number) =>
  Effect.map(Known, (known) => Object.keys(known).find((name) => numberOf(name) > schema && runsFrom(name) > running))

/** Tables were in use for too long for a migration while other processes run. */
export class TablesInUse extends Schema.TaggedError<TablesInUse>()("TablesInUse", { message: Schema.String }) {}

const isLockTimeout = (error: unknown): boolean =>
  SqlError.isSqlError(error)
    ? error.reason._tag === "LockTimeoutError"
    : Predicate.hasProperty(error, "cause") && isLockTimeout(error.cause)

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

/** Migrates while other processes run: it waits for a table for half a second, since their requests wait meanwhile. */
const migrateWhileOthersRun = Effect.gen(function* () {
  const { write } = yield* Database
  yield* write.unsafe("SET LOCAL lock_timeout = '500ms'")
  yield* migrate()
}).pipe(
  Effect.catchIf(isLockTimeout, () =>
    Effect.fail(
      new TablesInUse({
        message:
          "The database was not migrated, because its tables are in use, as by a backup or an export: start again later"
      })
    )
  )
)

/**
 * Brings the schema up to date, then runs `next`, under the same lock. If the database has an older schema, `before` runs first
 * with its number, and returns whether other processes run meanwhile.
 */
export const run = <A, E, R, E2 = never, R2 = never>(
  next: Effect.Effect<A, E, R>,
  before: (schema: number) => Effect.Effect<boolean, E2, R2> = () => Effect.succeed(false)
) =>
  Effect.gen(function* () {
    yield* refuseNewer
    const doOthersRun = (yield* state) === "older" && (yield* before(yield* version))
    yield* doOthersRun ? migrateWhileOthersRun : migrate()
    yield* TextOrder.refresh
    return yield* next
  }).pipe(
    locked,
    Effect.retry({
      while: (error) => error instanceof TablesInUse,
      schedule: Schedule.spaced("1 second"),
      times: 60
    })
  )
