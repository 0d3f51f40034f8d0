import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { statfs } from "node:fs/promises"
import { lastBackup } from "../backup/BackupAttempts.ts"
import { attempt, BackupFailed, reasonOf } from "../backup/BackupFailure.ts"
import { isInBucket, placeAt, problemOf } from "../backup/BackupPlaces.ts"
import type { Access } from "../files/S3Place.ts"
import { type Faults, Skipped } from "./Check.ts"

export interface BackupTarget {
  /** The directory or bucket of backups (BACKUP_TO). */
  readonly backupTo: string | undefined
  readonly s3Access: Access | undefined
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`

/** Writes a file to the place of backups, reads it, and removes it. */
const probe = Effect.fnUntraced(function* (to: string, access: Access | undefined) {
  const content = randomBytes(32)
  const place = yield* placeAt(`${to}/sheaf-probe-${content.toString("hex").slice(0, 16)}`, access)
  const upload = place.upload()
  const stored = Effect.gen(function* () {
    yield* attempt(async () => {
      await upload.receive(
        (async function* () {
          yield content
        })(),
        AbortSignal.timeout(30_000)
      )
      await upload.commit()
    })
    const found = yield* attempt(() => place.read().toArray())
    if (!Buffer.concat(found as ReadonlyArray<Buffer>).equals(content)) {
      return yield* new BackupFailed({ message: "it returns other bytes than were written" })
    }
  })
  yield* stored.pipe(
    Effect.ensuring(Effect.ignore(attempt(() => upload.abandon()))),
    // A failure to remove it is a fault of its own, unless the write has failed already.
    Effect.onError(() => Effect.ignore(attempt(place.remove)))
  )
  yield* attempt(place.remove)
}, Effect.scoped)

/** Checks that a backup could be written to BACKUP_TO now, and that a directory has room for one as large as the last. */
export const backupTargetCheck = ({ backupTo: to, s3Access }: BackupTarget) => ({
  name: "backup target",
  run: Effect.fnUntraced(function* (faults: Faults) {
    if (to === undefined) return yield* new Skipped({ reason: "BACKUP_TO is not set" })
    const problem = problemOf(to)
    if (problem !== undefined) {
      faults.add({ problem: `${problem}.`, remedy: "Set BACKUP_TO to the absolute path of a directory that exists." })
    }
    const failure = yield* Effect.match(probe(to, s3Access), {
      onSuccess: () => undefined,
      onFailure: (error) => reasonOf(error, to)
    })
    if (failure !== undefined) {
      // The reason is known already.
      if (problem !== undefined) return
      faults.add({
        problem: `Backups cannot be written to BACKUP_TO: ${failure}.`,
        remedy: "Create the directory or the bucket, and let the user of the server read, write and delete there."
      })
      return
    }
    if (isInBucket(to)) return
    const { bavail, bsize } = yield* attempt(() => statfs(to))
    const needed = (yield* lastBackup)?.bytes ?? 0
    if (bavail * bsize < needed) {
      faults.add({
        problem: `BACKUP_TO has ${mebibytes(bavail * bsize)} free, and the last backup has ${mebibytes(needed)}.`,
        remedy: "Free space there, lower BACKUP_KEEP, or move the backups to a larger disk."
      })
    }
  })
})
