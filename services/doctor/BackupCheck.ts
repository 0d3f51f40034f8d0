import { Effect } from "effect"
import { lastBackup } from "../backup/BackupAttempts.ts"
import { type Faults, Skipped } from "./Check.ts"

/** Checks that the last backup succeeded, scheduled or by command. */
export const backupCheck = {
  name: "backups",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const last = yield* lastBackup
    if (last === undefined) return yield* new Skipped({ reason: "no backup has been made" })
    if (last.error !== null) {
      faults.add({
        problem: `The last backup, to ${last.target}, failed at ${last.at}: ${last.error}.`,
        remedy: "Remove the cause, then run sheaf backup, or wait for the next one of BACKUP_EVERY."
      })
    }
  })
}
