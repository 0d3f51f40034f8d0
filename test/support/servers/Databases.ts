import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import * as TemporaryPostgres from "../../../src/program/testing/TemporaryPostgres.ts"

/** Databases on the PostgreSQL of the test run. */

/** The superuser, the only role that may create roles. */
export const superuser = "sheaf"

/** Connects to a database, by default as the owner of the databases. */
export const connectTo = (database: string, username = inject("postgres").username) => {
  const postgres = inject("postgres")
  return PgConnection.make({ ...postgres, host: postgres.socketDirectory, username, database })
}

/** Runs a statement on a database, and returns its rows. */
export const sqlOn = (database: string, text: string, username?: string): Promise<ReadonlyArray<any>> =>
  connectTo(database, username).pipe(
    Effect.flatMap((connection) => connection.query(text)),
    Effect.map(({ rows }) => rows),
    Effect.scoped,
    Effect.runPromise
  )

/** The DATABASE_URL of a database. */
export const databaseUrl = (database: string, username = inject("postgres").username): string =>
  `postgres://${username}@localhost/${database}?host=${encodeURIComponent(inject("postgres").socketDirectory)}`

/** Creates an empty database, and returns its name. */
export const emptyDatabase = async (options = ""): Promise<string> => {
  const database = `empty_${randomBytes(6).toString("hex")}`
  await sqlOn("postgres", `CREATE DATABASE ${database} OWNER ${inject("postgres").username} ${options}`, superuser)
  return database
}

/** Creates a database with the current schema, and returns its name. */
export const currentDatabase = (): Promise<string> => TemporaryPostgres.createDatabase(inject("postgres"))

export const dropDatabase = (name: string): Promise<unknown> => TemporaryPostgres.dropDatabase(inject("postgres"), name)
