import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "../../../services/database/Migrations.ts"

const statements = (texts: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.forEach(texts, (text) => sql.unsafe(text)))

/** Runs an `ALTER TABLE` on each table of the current version. */
const onEachTable = (change: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql.unsafe<{ readonly name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        AND relname NOT IN ('migrations', 'later') ORDER BY relname`
    )
    yield* statements(tables.map(({ name }) => `ALTER TABLE ${name} ${change}`))
  })

const known = Effect.runSync(Migrations.Known)

const expanded = {
  ...known,
  "9001_expand_tables": Effect.andThen(
    onEachTable("ADD COLUMN later_a text, ADD COLUMN later_b int NOT NULL DEFAULT 7"),
    statements(["CREATE TABLE later (workspace_id text PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE)"])
  )
}

/** The migrations of later versions. */
export const laterVersions = {
  /** One more, which changes a table and rows: the current version cannot run with it. */
  next: {
    ...known,
    "9999_next": statements([
      "ALTER TABLE users ADD COLUMN next_name text",
      "UPDATE users SET next_name = name, name = 'Renamed by the next version'"
    ])
  },
  /** One more, with which the current version can run: each table has further columns. */
  expanded,
  /** One after that, with which `expanded` can run, and the current version cannot. */
  contracted: { ...expanded, "9002_contract_from_9001_tables": onEachTable("DROP COLUMN later_a") }
} as const

export type LaterVersion = keyof typeof laterVersions

export const migrationsOf = (version: LaterVersion) => Context.make(Migrations.Known, laterVersions[version])
