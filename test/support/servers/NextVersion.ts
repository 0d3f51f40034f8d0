/**
 * Sheaf as its next version: with one more migration, which changes a table and rows. Takes the arguments of `main.ts`:
 *   node test/support/servers/NextVersion.ts [command]
 */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "../../../services/database/Migrations.ts"
import * as Cli from "../../../src/program/cli/Cli.ts"
import * as Program from "../../../src/program/Program.ts"

const next = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE users ADD COLUMN next_name text")
  yield* sql.unsafe("UPDATE users SET next_name = name, name = 'Renamed by the next version'")
})

const references = Context.make(Migrations.Known, { ...Effect.runSync(Migrations.Known), "9999_next": next })
const args = process.argv.slice(2)
if (args.length === 0) Program.run(references)
else Cli.run(args, references)
