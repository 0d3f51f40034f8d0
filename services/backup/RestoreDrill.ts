import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { statfs } from "node:fs/promises"
import { type Query, takeDrill } from "../database/BackupLocks.ts"
import { Database } from "../database/Database.ts"
import type { Access } from "../files/S3Place.ts"
import type { Key } from "./BackupEncryption.ts"
import { attempt, BackupFailed } from "./BackupFailure.ts"
import { placeAt } from "./BackupPlaces.ts"
import { openConnection } from "./BackupSnapshot.ts"
import { recordedDrill } from "./DrillRecords.ts"
import { check, sealOf } from "./Restore.ts"
import { restoreVerified } from "./RestoreVerify.ts"
import * as ScratchDatabase from "./ScratchDatabase.ts"

interface Options {
  /** Returns the backup, once no other drill or backup can run; undefined if none is due. */
  readonly find: Effect.Effect<string | undefined, SqlError.SqlError, Database>
  /** To the store of a bucket. */
  readonly access: Access | undefined
  /** Opens an encrypted backup. */
  readonly key?: Key | undefined
  /** The version of Sheaf. */
  readonly version: string
  readonly dataDir: string
  /** The time of the caller's clock, in Unix milliseconds; by default of this one. */
  readonly time?: number
}

const requireOpen = Effect.fnUntraced(function* (place: Parameters<typeof sealOf>[0], key: Key | undefined) {
  if (key !== undefined || (yield* sealOf(place)) === "none") return
  return yield* new BackupFailed({
    message: `The backup is encrypted, and a server has nothing that opens it: run sheaf restore ${place.name} --drill where the identity or the passphrase is`
  })
})

/**
 * Fails if the embedded database has no room for a copy of itself and for PostgreSQL's log of the copy. The disk of another
 * PostgreSQL cannot be measured.
 */
const requireRoom = Effect.fnUntraced(function* (query: Query, dataDir: string) {
  const { address } = yield* Database
  if ("url" in address) return
  const [found] = yield* query<{ readonly bytes: number }>(
    "SELECT 2 * pg_database_size(current_database())::float8 AS bytes"
  )
  const { bavail, bsize } = yield* attempt(() => statfs(dataDir))
  const [needed, free] = [found!.bytes, bavail * bsize].map((bytes) => Math.ceil(bytes / 2 ** 20))
  if (needed! > free!) {
    return yield* new BackupFailed({
      message: `A drill needs ${needed} MiB for a copy of the database, and ${free} MiB are free on the disk of DATA_DIR`
    })
  }
})

/**
 * Restores a backup into a scratch database, compares both, drops the database, and records the result. The files of the
 * backup are read and compared with their hashes, and not kept. What Sheaf serves is neither read nor changed.
 */
export const drill = Effect.fnUntraced(function* ({ access, dataDir, find, key, time, version }: Options) {
  const query = yield* openConnection
  if (!(yield* takeDrill(query))) {
    return yield* new BackupFailed({
      message: "A backup or another restore drill of this database is running",
      isSkipped: true
    })
  }
  const target = yield* find
  if (target === undefined) return yield* new BackupFailed({ message: "No restore drill is due", isSkipped: true })
  const run = Effect.gen(function* () {
    const place = yield* placeAt(target, access)
    yield* requireOpen(place, key)
    yield* ScratchDatabase.requireRight(query)
    yield* requireRoom(query, dataDir)
    const backup = yield* check(place, version, key)
    const scratch = yield* ScratchDatabase.make(query)
    const { unreadable, ...restored } = yield* Effect.provide(restoreVerified(backup, version, false), scratch, {
      local: true
    })
    return { ...restored, file: target, bytes: backup.bytes, unreadable }
  })
  return yield* recordedDrill(target, time ?? (yield* Clock.currentTimeMillis), Effect.scoped(run))
}, Effect.scoped)
