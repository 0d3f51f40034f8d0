import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrator from "effect/sql/Migrator"
import { Database } from "./Database.ts"
import { ground } from "./migrations/0001_ground.ts"
import { idempotency } from "./migrations/0002_idempotency.ts"
import { oneOrder } from "./migrations/0003_one_order.ts"
import { apiKeys } from "./migrations/0004_api_keys.ts"

/** One lock for all that happens once on a database: several processes may start at once. */
const startLock = 0x5e4f_0001

const migrations = Migrator.fromRecord({ "0001_ground": ground, "0002_idempotency": idempotency, "0003_one_order": oneOrder, "0004_api_keys": apiKeys })

/** Brings the schema up to date, then runs `bootstrap`, under one advisory lock (contract 1, "first start"). */
export const run = <A, E, R>(bootstrap: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const { write } = yield* Database
    return yield* write.withTransaction(Effect.gen(function*() {
      yield* write.unsafe("SET LOCAL lock_timeout = '120s'")
      yield* write.unsafe("SET LOCAL idle_in_transaction_session_timeout = '120s'")
      yield* write.unsafe("SELECT pg_advisory_xact_lock($1::bigint)", [String(startLock)])
      yield* Migrator.make({})({ loader: migrations, table: "migrations" }).pipe(
        Effect.provideService(SqlClient.SqlClient, write)
      )
      return yield* bootstrap
    }))
  })
