import type { PgClient } from "@effect/sql-pg/PgClient"
import { Data, Effect } from "effect"
import { Blobs } from "./Blobs.ts"
import { unusedFor } from "./BlobTable.ts"
import { mayRemoveFiles } from "../database/BackupLocks.ts"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"

/** Milliseconds after which staged bytes that were not kept are deleted: their upload URLs have expired. */
const stagedFor = 24 * 3_600_000

const batch = 500

interface Unused {
  readonly workspace_id: string
  readonly sha256: string
}

/** Files of an erased workspace are in use: a backup reads them, or another node removes them. */
export class FilesInUse extends Data.TaggedError("FilesInUse")<{}> {}

/** Conditions of blobs that are collected. $3 is a time. */
const longUnused = "refs = 0 AND unused_since < $3"
/** An upload that is about to use a blob first clears `released` in its row, so that the blob is not collected. */
const released = "refs = 0 AND released AND unused_since <= $3"
const erased = "true"

/**
 * Removes the bytes first, and then their row, under its lock: after an interruption the row is found again. An upload
 * that needs the blob meanwhile waits for the lock, and then finds that it must store the bytes again. Nothing is
 * removed while a backup runs, whose snapshot may refer to the bytes. Returns the number of removed blobs.
 */
const collect = Effect.fnUntraced(function* (
  sql: PgClient,
  blobs: Blobs["Service"],
  { sha256, workspace_id }: Unused,
  condition: typeof longUnused | typeof released | typeof erased,
  ...time: ReadonlyArray<string>
) {
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      // Longer than a store takes to give up: the lock must not end before the removal does.
      yield* sql.unsafe("SET LOCAL idle_in_transaction_session_timeout = '120s'")
      const [free] = yield* sql.unsafe<{ readonly is: boolean }>(`SELECT ${mayRemoveFiles} AS is`)
      if (!free!.is) return 0
      const [row] = yield* sql.unsafe(
        `SELECT 1 FROM blobs WHERE workspace_id = $1 AND sha256 = $2 AND ${condition} FOR UPDATE SKIP LOCKED`,
        [workspace_id, sha256, ...time]
      )
      if (row === undefined) return 0
      yield* blobs.remove({ workspace_id, sha256 })
      yield* sql.unsafe("DELETE FROM blobs WHERE workspace_id = $1 AND sha256 = $2", [workspace_id, sha256])
      return 1
    })
  )
})

/**
 * Removes blobs that no record uses, and staged bytes that were never kept. Several nodes can do it at the same time.
 */
export const collectBlobs = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const blobs = yield* Blobs
  while ((yield* blobs.sweep(stagedFor)) > 0);
  yield* deleteInBatches(sql, "staged_files", "created_at < $1", yield* ago(stagedFor))
  const cutoff = yield* ago(unusedFor)
  while (true) {
    const unused = yield* sql.unsafe<Unused>(
      `SELECT workspace_id, sha256 FROM blobs WHERE refs = 0 AND unused_since < $1
      ORDER BY unused_since LIMIT ${batch}`,
      [cutoff]
    )
    let collected = 0
    for (const each of unused) collected += yield* collect(sql, blobs, each, longUnused, cutoff)
    // None was collected: another node is doing it, or a backup is running.
    if (unused.length < batch || collected === 0) return
  }
})

/** Removes the released blobs of a workspace at once. Returns their number. */
export const collectReleased = Effect.fnUntraced(function* (
  sql: PgClient,
  blobs: Blobs["Service"],
  workspace_id: string
) {
  const now = yield* ago(0)
  let collected = 0
  while (true) {
    const some = yield* runSql<Unused>(
      sql,
      `SELECT workspace_id, sha256 FROM blobs WHERE workspace_id = $1 AND refs = 0 AND released AND unused_since <= $2
        LIMIT ${batch}`,
      [workspace_id, now]
    )
    let gone = 0
    for (const each of some) gone += yield* orUnavailable(collect(sql, blobs, each, released, now))
    collected += gone
    // None was collected: another request is doing it, or a backup is running.
    if (some.length < batch || gone === 0) return collected
  }
})

/** Removes the bytes of an erased workspace, with their rows. No record uses them any more. */
export const eraseBlobs = Effect.fnUntraced(function* (sql: PgClient, blobs: Blobs["Service"], workspace_id: string) {
  while (true) {
    const rows = yield* sql.unsafe<Unused>(
      `SELECT workspace_id, sha256 FROM blobs WHERE workspace_id = $1 LIMIT ${batch}`,
      [workspace_id]
    )
    for (const row of rows) if ((yield* collect(sql, blobs, row, erased)) === 0) return yield* new FilesInUse()
    if (rows.length < batch) return
  }
})
