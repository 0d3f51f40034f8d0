import { Effect } from "effect"
import { dirname } from "node:path"
import { Database } from "../database/Database.ts"
import { messageOf } from "../ErrorCause.ts"
import type { Access } from "../files/S3Place.ts"
import { attempt } from "./BackupFailure.ts"
import { placeAt } from "./BackupPlaces.ts"

/** The error of an attempt that neither succeeded nor failed: the process was stopped, or has ended. */
export const interrupted = "It was interrupted"

interface Unsuccessful {
  readonly id: string
  readonly target: string
  /** Whether the process has ended without a result. */
  readonly isOpen: boolean
}

/**
 * Attempts without an end, and failed ones since the last success, which had a name: each attempt removes what earlier
 * ones have left. A success may be in the future: a clock was ahead when it began.
 */
const unsuccessfulText = `SELECT id, target, ended_at IS NULL AS "isOpen" FROM backups
  WHERE bytes IS NULL AND right(target, 1) <> '/' AND (
    ended_at IS NULL OR started_at > coalesce((SELECT max(started_at) FROM backups WHERE bytes IS NOT NULL), '')
  )`

/**
 * Removes what earlier attempts have left, and ends the attempt of a process that has ended: it has succeeded if the
 * backup is complete. The caller has the lock of backups. `now`: RFC 3339.
 */
export const settle = Effect.fnUntraced(function* (access: Access | undefined, now: string) {
  const { write: sql } = yield* Database
  const look = Effect.fnUntraced(function* ({ isOpen, target }: Unsuccessful) {
    const place = yield* placeAt(target, access)
    // In this order: a frozen process cannot complete its backup afterwards.
    yield* attempt(place.clean)
    return isOpen ? yield* attempt(place.size) : undefined
  }, Effect.scoped)
  /** Folders that cannot be used now. Each further look would wait as long for a store that does not respond. */
  const unusable = new Set<string>()
  for (const row of yield* sql.unsafe<Unsuccessful>(unsuccessfulText)) {
    const folder = dirname(row.target)
    const size = unusable.has(folder)
      ? undefined
      : yield* Effect.catch(look(row), (error) => {
          unusable.add(folder)
          return Effect.as(
            Effect.logWarning(`what a backup has left at ${row.target} cannot be removed: ${messageOf(error)}`),
            undefined
          )
        })
    if (!row.isOpen) continue
    yield* sql.unsafe("UPDATE backups SET ended_at = $2, bytes = $3::bigint, error = $4 WHERE id = $1", [
      row.id,
      now,
      size === undefined ? null : String(size),
      size === undefined ? interrupted : null
    ])
  }
})
