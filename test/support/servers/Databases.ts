import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { inject } from "vitest"

/** A database with the current schema, from which those of the tests are copied. */
export const template = "sheaf_template"

/** As the superuser: an autovacuum worker, which may be at work on it, belongs to nobody else. */
export const dropDatabase = (name: string): Promise<unknown> => {
  const postgres = inject("postgres")
  return PgConnection.make({
    ...postgres,
    username: "sheaf",
    host: postgres.socketDirectory,
    database: "postgres"
  }).pipe(
    Effect.flatMap((connection) => connection.query(`DROP DATABASE ${name} WITH (FORCE)`)),
    Effect.scoped,
    Effect.runPromise
  )
}
