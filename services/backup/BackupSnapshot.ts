import { Effect, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import type { Query } from "../database/BackupLocks.ts"
import { clientOf, Database } from "../database/Database.ts"

/** Values have one form on every server: bytes in hexadecimal, times in ISO 8601 and UTC. */
const settings = [
  "SET statement_timeout = 0",
  // The connection waits while files are read.
  "SET idle_in_transaction_session_timeout = 0",
  "SET datestyle = ISO",
  "SET intervalstyle = postgres",
  "SET bytea_output = hex",
  "SET extra_float_digits = 1"
]

/** Opens a separate connection to the database, until the scope closes. */
export const openConnection: Effect.Effect<Query, SqlError.SqlError, Database | Scope.Scope> = Effect.gen(function* () {
  const { address } = yield* Database
  const client = yield* Effect.provide(clientOf(address, "write", 1), Reactivity.layer)
  const connection = yield* client.reserve
  // Unprepared: each text is used once, or names a cursor whose rows change.
  const query: Query = (text, params = []) => connection.executeUnprepared(text, params, undefined)
  for (const setting of settings) yield* query(setting)
  return query
})

/**
 * Opens a snapshot of the database on a separate connection, until the scope closes. `before` runs on that connection
 * before the snapshot is taken.
 */
export const openSnapshot = <E, R>(
  before: (query: Query) => Effect.Effect<void, E, R>
): Effect.Effect<Query, E | SqlError.SqlError, R | Database | Scope.Scope> =>
  Effect.gen(function* () {
    const query = yield* openConnection
    yield* before(query)
    yield* query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    return query
  })
