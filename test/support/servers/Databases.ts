import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { inject } from "vitest"

/** A database with the current schema, from which the tests' databases are copied. */
export const template = "sheaf_template"

/** The statement that creates a copy: copying whole files takes less than half the time of copying pages. */
export const copyOfTemplate = (name: string): string =>
  `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`

/** Drops a database as the superuser, which alone may end an autovacuum worker that is using it. */
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
