import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "../../../services/database/Migrations.ts"

const next = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE users ADD COLUMN next_name text")
  yield* sql.unsafe("UPDATE users SET next_name = name, name = 'Renamed by the next version'")
})

/** The migrations of the next version: one more, which changes a table and rows. */
export const nextMigrations = Context.make(Migrations.Known, {
  ...Effect.runSync(Migrations.Known),
  "9999_next": next
})
