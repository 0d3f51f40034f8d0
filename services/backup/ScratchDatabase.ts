import { Effect, Redacted } from "effect"
import { isDrillRunning, type Query, take } from "../database/BackupLocks.ts"
import { type Address, Database } from "../database/Database.ts"
import { messageOf } from "../ErrorCause.ts"
import { BackupFailed } from "./BackupFailure.ts"
import { openConnection } from "./BackupSnapshot.ts"

/**
 * The database into which a drill restores: another one of the same PostgreSQL. Its name has the number of the database of
 * Sheaf, of which no other installation on that PostgreSQL has the same. While no drill runs, it is a leftover.
 */
const name = "'sheaf_drill_' || d.oid"

interface Found {
  readonly name: string
  readonly exists: boolean
  readonly role: string
  readonly creates: boolean
  /** The schema in which Sheaf has its tables, quoted. */
  readonly schema: string
  /** Whether a drill is running. */
  readonly isUsed: boolean
}

const foundText = `SELECT ${name} AS name, EXISTS (SELECT FROM pg_database s WHERE s.datname = ${name}) AS exists,
    quote_ident(r.rolname) AS role, r.rolcreatedb OR r.rolsuper AS creates, quote_ident(current_schema()) AS schema,
    ${isDrillRunning} AS "isUsed"
  FROM pg_database d, pg_roles r WHERE d.datname = current_database() AND r.rolname = current_user`

const find = Effect.fnUntraced(function* (query: Query) {
  const [found] = yield* query<Found>(foundText)
  return found!
})

/**
 * Drops a scratch database. It ends the connections to it first: with FORCE, PostgreSQL refuses to end an autovacuum
 * worker for other roles than a superuser, and without, it ends the worker itself.
 */
const drop = Effect.fnUntraced(function* (query: Query, database: string) {
  yield* query(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1 AND usename = current_user",
    [database]
  )
  yield* query(`DROP DATABASE IF EXISTS ${database}`)
})

/** Drops what a killed drill has left. The caller has the lock of drills. */
const dropLeftover = Effect.fnUntraced(function* (query: Query) {
  const { exists, name } = yield* find(query)
  if (!exists) return
  yield* drop(query, name)
  yield* Effect.logInfo(`dropped the database ${name}, which a killed drill had left`)
})

/** Drops what a killed drill has left, unless a drill is running. */
export const removeLeftover = Effect.gen(function* () {
  const { write } = yield* Database
  const [found] = yield* write.unsafe<Found>(foundText)
  if (!found!.exists || found!.isUsed) return
  const query = yield* openConnection
  if (yield* take(query, "drill")) yield* dropLeftover(query)
}).pipe(Effect.scoped)

const addressOf = (address: Address, database: string): Address => {
  if (!("url" in address)) return { ...address, database }
  const url = new URL(Redacted.value(address.url))
  url.pathname = `/${database}`
  if (url.searchParams.has("dbname")) url.searchParams.delete("dbname")
  return { url: Redacted.make(url.href) }
}

/** Fails unless the role may create databases. */
export const requireRight = Effect.fnUntraced(function* (query: Query) {
  const { creates, role } = yield* find(query)
  if (creates) return
  return yield* new BackupFailed({
    message: `The role ${role} may not create databases, and a drill restores into one: ALTER ROLE ${role} CREATEDB`
  })
})

/**
 * Creates an empty scratch database, and drops it when the scope closes. `query` runs on a connection to the database of
 * Sheaf, which has the lock of drills.
 */
export const make = Effect.fnUntraced(function* (query: Query) {
  const { address } = yield* Database
  yield* dropLeftover(query)
  const { name, schema } = yield* find(query)
  yield* Effect.acquireRelease(query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`), () =>
    Effect.catch(drop(query, name), (error) =>
      Effect.logWarning(`the database ${name} is dropped by the next drill or start: ${messageOf(error)}`)
    )
  )
  const scratch = Database.layer(addressOf(address, name))
  // A role may have a schema of its own, by its search_path.
  yield* Effect.provide(
    Effect.flatMap(Database, ({ write }) => write.unsafe(`CREATE SCHEMA IF NOT EXISTS ${schema}`)),
    scratch,
    { local: true }
  )
  return scratch
})
