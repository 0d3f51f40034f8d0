import { Clock, Effect, Redacted } from "effect"
import { inject } from "vitest"
import {
  insertPiece,
  readTable,
  type StoredTable,
  storedTables,
  withoutReferences
} from "../../../services/backup/TableRows.ts"
import { Database } from "../../../services/database/Database.ts"
import { systemRandomness } from "../../../services/Randomness.ts"
import * as Tokens from "../../../services/Tokens.ts"
import * as Restores from "../../../services/writer/Restores.ts"
import * as TemporaryPostgres from "../../../src/program/testing/TemporaryPostgres.ts"
import { epoch, startApp, type TestApp } from "../TestApp.ts"

/** The rows of a database at a moment, as a backup has them. */
export interface SavedRows {
  readonly backup_at: string
  readonly tables: ReadonlyArray<readonly [table: StoredTable, pieces: ReadonlyArray<Uint8Array>]>
}

type Query = Parameters<typeof storedTables>[0]

/** An App whose database goes back to the rows of an earlier moment within a second. Its files are not restored. */
export interface RestorableApp {
  readonly app: TestApp
  readonly save: () => Promise<SavedRows>
  /**
   * Stops the App, restores the rows as `sheaf restore` does, and starts another App on them, which it returns. Its clock
   * continues that of the first.
   */
  readonly restore: (saved: SavedRows, endsCredentials?: boolean) => Promise<TestApp>
  readonly stop: () => Promise<void>
}

export const startRestorable = async (): Promise<RestorableApp> => {
  const postgres = inject("postgres")
  const place = {
    database: await TemporaryPostgres.createDatabase(postgres),
    key: Redacted.value(Tokens.make(systemRandomness, "sfk"))
  }
  let app = await startApp({ databaseOf: place })

  /** Runs an effect in a transaction, with the queries of that. */
  const within = <A, E>(effect: (query: Query) => Effect.Effect<A, E, any>): Promise<A> =>
    Effect.flatMap(Database, ({ write }) =>
      write.withTransaction(effect(((text, params = []) => write.unsafe(text, params)) as Query))
    ).pipe(Effect.provide(Database.layer({ ...postgres, database: place.database })), Effect.runPromise as any)

  return {
    get app() {
      return app
    },
    save: () =>
      within((query) =>
        Effect.gen(function* () {
          const tables: Array<SavedRows["tables"][number]> = []
          for (const table of yield* storedTables(query)) {
            const pieces: Array<Uint8Array> = []
            yield* readTable(query, table, (piece) => Effect.sync(() => void pieces.push(piece)))
            tables.push([table, pieces])
          }
          const [last] = yield* query<{ readonly at: string }>("SELECT max(occurred_at) AS at FROM changes")
          return { backup_at: last!.at, tables }
        })
      ),
    restore: async ({ backup_at, tables }, endsCredentials = false) => {
      const { workspace_id } = app
      const now = await app.run(Clock.currentTimeMillis)
      const clock: Clock.Clock = Object.assign(Object.create(Clock.Clock.defaultValue()), {
        currentTimeMillis: Effect.succeed(now),
        currentTimeMillisUnsafe: () => now
      })
      await app.stop()
      await within((query) =>
        Effect.gen(function* () {
          // With the rows of contents, which no backup has.
          yield* query(`TRUNCATE ${tables.map(([{ name }]) => name).join(", ")}, restores CASCADE`)
          yield* withoutReferences(
            query,
            Effect.forEach(tables, ([table, pieces]) =>
              Effect.forEach(pieces, (piece) => insertPiece(query, table, piece))
            )
          )
          yield* Effect.provideService(Restores.renewAll(backup_at, endsCredentials), Clock.Clock, clock)
        })
      )
      app = await startApp({ databaseOf: { ...place, workspace_id } })
      await app.advance(now - epoch)
      return app
    },
    stop: async () => {
      await app.stop()
      await TemporaryPostgres.dropDatabase(postgres, place.database)
    }
  }
}
