import { Effect } from "effect"
import {
  insertPiece,
  readTable,
  type StoredTable,
  storedTables,
  withoutReferences
} from "../../../services/backup/TableRows.ts"
import { Database } from "../../../services/database/Database.ts"
import * as Restores from "../../../services/writer/Restores.ts"
import { startApp, type TestApp } from "../TestApp.ts"

/** The rows of a database at a moment, as a backup has them. */
export interface SavedRows {
  readonly backup_at: string
  readonly tables: ReadonlyArray<readonly [table: StoredTable, pieces: ReadonlyArray<Uint8Array>]>
}

const queryOf = ({ write }: typeof Database.Service) =>
  ((text: string, params: ReadonlyArray<unknown> = []) => write.unsafe(text, params)) as Parameters<
    typeof storedTables
  >[0]

export const saveRows = (app: TestApp): Promise<SavedRows> =>
  app.run(
    Effect.gen(function* () {
      const database = yield* Database
      const query = queryOf(database)
      const tables: Array<SavedRows["tables"][number]> = []
      yield* database.write.withTransaction(
        Effect.gen(function* () {
          for (const table of yield* storedTables(query)) {
            const pieces: Array<Uint8Array> = []
            yield* readTable(query, table, (piece) => Effect.sync(() => void pieces.push(piece)))
            tables.push([table, pieces])
          }
        })
      )
      const [now] = yield* database.read.unsafe<{ at: string }>("SELECT max(occurred_at) AS at FROM changes")
      return { backup_at: now!.at, tables }
    })
  )

/**
 * Restores the rows into the database of an App, whose own node must not be used any more, and starts another node on it.
 */
export const restoreRows = async (app: TestApp, { backup_at, tables }: SavedRows): Promise<TestApp> => {
  await app.run(
    Effect.gen(function* () {
      const database = yield* Database
      const query = queryOf(database)
      yield* database.write.withTransaction(
        Effect.gen(function* () {
          yield* query(`TRUNCATE ${tables.map(([{ name }]) => name).join(", ")}, restores`)
          yield* withoutReferences(
            query,
            Effect.forEach(tables, ([table, pieces]) =>
              Effect.forEach(pieces, (piece) => insertPiece(query, table, piece))
            )
          )
          yield* Restores.renewAll(backup_at)
        })
      )
    })
  )
  return startApp({ databaseOf: app })
}
