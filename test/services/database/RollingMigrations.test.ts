import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, inject, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import * as Migrations from "../../../services/database/Migrations.ts"
import { currentDatabase, dropDatabase, emptyDatabase } from "../../support/servers/Databases.ts"
import { rollingProblems } from "../../support/servers/RollingProblems.ts"

/** Runs an effect on a new database. */
const on = async <A, E>(database: string, effect: Effect.Effect<A, E, Database>): Promise<A> => {
  try {
    return await Effect.runPromise(
      Effect.provide(effect, Database.layer({ ...inject("postgres"), database }), { local: true })
    )
  } finally {
    await dropDatabase(database)
  }
}

const kinds = Object.entries(Effect.runSync(Migrations.Known)).flatMap(([name, migration]) => {
  const [, id, kind] = /^(\d+)_(expand|contract)_/.exec(name) ?? []
  return kind === undefined ? [] : [{ id: Number(id), kind: kind as "expand" | "contract", migration, name }]
})

it("the version before can run with each migration whose name says so", async () => {
  for (const { id, kind, migration, name } of kinds) {
    const earlier = Effect.andThen(Migrations.locked(Migrations.migrate(id - 1)), rollingProblems(migration, kind))
    expect(await on(await emptyDatabase(), earlier), name).toEqual([])
  }
})

const cases: ReadonlyArray<readonly ["expand" | "contract", string, ReadonlyArray<string>]> = [
  ["expand", "ALTER TABLE notes ADD COLUMN rating int", []],
  ["expand", "ALTER TABLE notes ADD COLUMN rating int NOT NULL DEFAULT 0", []],
  ["expand", "CREATE TABLE ratings (workspace_id text PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE)", []],
  ["expand", "CREATE TABLE ratings (id int); CREATE INDEX ON ratings (id); INSERT INTO ratings VALUES (1)", []],
  ["expand", "CREATE FUNCTION rated() RETURNS int LANGUAGE sql RETURN 1", []],
  ["expand", "ALTER TABLE notes ADD COLUMN rating int NOT NULL", ["requires notes.rating of notes"]],
  [
    "expand",
    "ALTER TABLE notes ADD COLUMN rating float DEFAULT random()",
    ["rewrites notes", "makes an index of notes"]
  ],
  ["expand", "ALTER TABLE notes RENAME COLUMN title TO heading", expect.arrayContaining(["removes notes.title"])],
  ["expand", "ALTER TABLE notes DROP COLUMN pinned", expect.arrayContaining(["removes notes.pinned"])],
  ["expand", "ALTER TABLE devices ALTER COLUMN name DROP NOT NULL", ["changes devices.name"]],
  ["expand", "ALTER TABLE notes ADD CHECK (title <> 'x')", ["requires constraint notes_title_check1 of notes"]],
  [
    "expand",
    "CREATE UNIQUE INDEX rated ON notes (workspace_id, title)",
    ["requires index rated of notes", "makes an index of notes"]
  ],
  [
    "expand",
    "CREATE INDEX rated ON notes (workspace_id, title)",
    ["requires index rated of notes", "makes an index of notes"]
  ],
  [
    "expand",
    "CREATE TABLE ratings (workspace_id text REFERENCES workspaces)",
    ["refuses deletions of workspaces: constraint ratings_workspace_id_fkey"]
  ],
  [
    "expand",
    "CREATE TRIGGER rated AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION erase_note()",
    ["requires trigger rated of notes"]
  ],
  [
    "expand",
    "CREATE OR REPLACE FUNCTION erased_response(response json) RETURNS json LANGUAGE sql STABLE STRICT RETURN NULL::json",
    ["changes function erased_response(json)"]
  ],
  ["expand", "UPDATE users SET name = 'x'", ["changes rows of users"]],
  ["expand", "DROP TRIGGER notes_erased ON notes", ["removes trigger notes_erased"]],
  ["contract", "ALTER TABLE note_contents DROP COLUMN title_key", []],
  ["contract", "DROP TRIGGER notes_erased ON notes", []],
  ["contract", "ALTER TABLE devices ALTER COLUMN name DROP NOT NULL", ["changes devices.name"]]
]

it("the version before cannot run with a migration that changes or removes anything, or keeps requests waiting", async () => {
  const found = await on(
    await currentDatabase(),
    Effect.forEach(cases, ([kind, text]) => {
      const migration = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.forEach(text.split("; "), (statement) => sql.unsafe(statement))
      )
      return Effect.map(rollingProblems(migration, kind), (problems) => [kind, text, problems])
    })
  )
  expect(found).toEqual(cases)
})
