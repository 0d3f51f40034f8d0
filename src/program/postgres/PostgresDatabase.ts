import type { PgConnection } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** The database of Sheaf in the embedded PostgreSQL, and its two users: one for the cluster, one for the data. */

/** Owns the cluster, and holds the lock on it. */
export const superuser = "sheaf"
/** Owns the database, and scratch databases for drills. Sheaf reads and writes as this user. */
export const owner = "sheaf_app"
const database = "sheaf"

/** Changes the owner of tables, sequences and functions that an earlier version created as the superuser. */
const handOver = `DO $$
DECLARE found record;
BEGIN
  FOR found IN SELECT oid::regclass AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') AND relowner = '${superuser}'::regrole
  LOOP EXECUTE format('ALTER TABLE %s OWNER TO ${owner}', found.name); END LOOP;
  FOR found IN SELECT oid::regclass AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' AND relowner = '${superuser}'::regrole
  LOOP EXECUTE format('ALTER SEQUENCE %s OWNER TO ${owner}', found.name); END LOOP;
  FOR found IN SELECT oid::regprocedure AS name FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND proowner = '${superuser}'::regrole
  LOOP EXECUTE format('ALTER FUNCTION %s OWNER TO ${owner}', found.name); END LOOP;
END $$`

/** Creates the database and its owner if they do not exist, on a superuser's connection to another database. */
export const make = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  connectTo: (database: string) => Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
) {
  const role = yield* connection.query(`SELECT rolcreatedb FROM pg_roles WHERE rolname = '${owner}'`)
  if (role.rowCount === 0) yield* connection.query(`CREATE ROLE ${owner} LOGIN`)
  // For the scratch database of a drill.
  if (role.rows[0]?.["rolcreatedb"] !== true) yield* connection.query(`ALTER ROLE ${owner} CREATEDB`)
  // For checkpoints on a full disk.
  yield* connection.query(`GRANT pg_checkpoint TO ${owner}`)
  const found = yield* connection.query(
    `SELECT datdba = '${owner}'::regrole AS owned FROM pg_database WHERE datname = '${database}'`
  )
  if (found.rowCount === 0) return yield* connection.query(`CREATE DATABASE ${database} OWNER ${owner}`)
  if (found.rows[0]?.["owned"] !== true) yield* connection.query(`ALTER DATABASE ${database} OWNER TO ${owner}`)
  const inside = yield* connectTo(database)
  return yield* inside.query(handOver)
})
