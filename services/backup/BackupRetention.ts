import { Effect } from "effect"
import { Database } from "../database/Database.ts"
import type { Access } from "../files/S3Place.ts"
import { attempt } from "./BackupFailure.ts"
import { placeAt } from "./BackupPlaces.ts"

interface Stored {
  readonly id: string
  readonly target: string
}

/**
 * Removes scheduled backups of a directory or bucket, except the newest ones, first the backup and then its row. Other
 * files are never removed: only backups with a row are this installation's.
 */
export const removeOld = Effect.fnUntraced(function* (to: string, keep: number, access: Access | undefined) {
  const { write: sql } = yield* Database
  const old = yield* sql.unsafe<Stored>(
    `SELECT id, target FROM backups WHERE kind = 'scheduled' AND bytes IS NOT NULL AND starts_with(target, $1)
    ORDER BY started_at DESC OFFSET $2::int`,
    [`${to}/`, String(keep)]
  )
  const removeOne = Effect.fnUntraced(function* ({ id, target }: Stored) {
    const place = yield* placeAt(target, access)
    yield* attempt(place.remove)
    yield* sql.unsafe("DELETE FROM backups WHERE id = $1", [id])
  }, Effect.scoped)
  for (const each of old) {
    yield* Effect.catch(removeOne(each), (error) =>
      Effect.logWarning(`the old backup ${each.target} cannot be removed; the next backup tries again`, error)
    )
  }
})
