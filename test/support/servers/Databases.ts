import { inject } from "vitest"
import * as TemporaryPostgres from "../../../src/program/testing/TemporaryPostgres.ts"

/** The statement that creates a database with the current schema on the PostgreSQL of the run. */
export const copyOfTemplate = (name: string): string =>
  TemporaryPostgres.copyOfTemplate(name, inject("postgres").username)

/** Drops a database of the PostgreSQL of the run. */
export const dropDatabase = (name: string): Promise<unknown> => TemporaryPostgres.dropDatabase(inject("postgres"), name)
