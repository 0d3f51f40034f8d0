import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { inject } from "vitest"

/** A database with the current schema, from which those of the tests are copied. */
export const template = "sheaf_template"

/** The statement that makes a database of its own: whole files are copied in less than half the time of single pages. */
export const copyOfTemplate = (name: string): string =>
  `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`

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
