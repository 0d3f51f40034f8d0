import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import * as EmbeddedPostgres from "../../../src/postgres/EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL of this test run. */
    postgres: EmbeddedPostgres.EmbeddedPostgres
  }
}

/** One embedded PostgreSQL for the whole run; each test file has databases of its own on it. */
export default async (project: TestProject) => {
  const directory = mkdtempSync(join(tmpdir(), "sheaf-tests-"))
  const scope = Effect.runSync(Scope.make())
  const postgres = await Effect.runPromise(
    // Each thread of tests may have several nodes at a time.
    EmbeddedPostgres.start({ directory, connections: 200 }).pipe(Effect.provideService(Scope.Scope, scope))
  )
  // The App's own role, which alone may make the databases of the tests too.
  const role = `ALTER ROLE ${postgres.username} CREATEDB`
  await Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        PgConnection.make({ ...postgres, username: "sheaf", host: postgres.socketDirectory, database: "postgres" }),
        (connection) => connection.query(role)
      )
    )
  )
  project.provide("postgres", postgres)
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  }
}
