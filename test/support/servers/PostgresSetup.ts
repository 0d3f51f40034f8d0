import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { Database } from "../../../services/database/Database.ts"
import * as Migrations from "../../../services/database/Migrations.ts"
import * as EmbeddedPostgres from "../../../src/postgres/EmbeddedPostgres.ts"
import { template } from "./Databases.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL of this test run. */
    postgres: EmbeddedPostgres.EmbeddedPostgres
  }
}

/** Starts one embedded PostgreSQL for the whole run; each test file has its own databases on it. */
export default async (project: TestProject) => {
  const directory = mkdtempSync(join(tmpdir(), "sheaf-tests-"))
  const scope = Effect.runSync(Scope.make())
  const postgres = await Effect.runPromise(
    // Each test thread may run several nodes at the same time.
    EmbeddedPostgres.start({ directory, connections: 200 }).pipe(Effect.provideService(Scope.Scope, scope))
  )
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const asRole = (username: string) =>
          PgConnection.make({ ...postgres, username, host: postgres.socketDirectory, database: "postgres" })
        const superuser = yield* asRole("sheaf")
        // The App's role also creates the databases of the tests.
        yield* superuser.query(`ALTER ROLE ${postgres.username} CREATEDB`)
        // Commits do not wait for the disk, because the databases are dropped after the run.
        yield* superuser.query(`ALTER ROLE ${postgres.username} SET synchronous_commit = off`)
        const owner = yield* asRole(postgres.username)
        yield* owner.query(`CREATE DATABASE ${template}`)
        yield* Effect.provide(Migrations.run(Effect.void), Database.layer({ ...postgres, database: template }), {
          local: true
        })
      })
    )
  )
  project.provide("postgres", postgres)
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  }
}
