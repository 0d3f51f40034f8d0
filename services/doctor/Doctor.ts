import { Effect } from "effect"
import { Database } from "../database/Database.ts"
import { messageOf } from "../ErrorCause.ts"
import type { WorkspaceId } from "../Ids.ts"
import type { AuditDestination } from "../activity/audit/AuditDestination.ts"
import { auditLogCheck } from "./AuditLogCheck.ts"
import { backupCheck } from "./BackupCheck.ts"
import { type BackupTarget, backupTargetCheck } from "./BackupTargetCheck.ts"
import { type Check, type Result, run, skipped } from "./Check.ts"
import { counterCheck } from "./CounterCheck.ts"
import { repairCounters } from "./CounterRepair.ts"
import { clockCheck, settingsCheck } from "./DatabaseChecks.ts"
import { fileCheck } from "./FileCheck.ts"
import { logCheck } from "./LogCheck.ts"
import { recordCheck } from "./RecordCheck.ts"
import { searchCheck } from "./SearchCheck.ts"
import { inSnapshot } from "./Snapshot.ts"
import { storedFilesCheck } from "./StoredFilesCheck.ts"
import { textCheck } from "./TextCheck.ts"

export interface DoctorOptions extends BackupTarget {
  /** Whether counts that are wrong are corrected. */
  readonly isRepair: boolean
  /** Whether wrong counts of bytes are corrected too, which may be the only trace of a changed text. */
  readonly repairsBytes?: boolean
  /** Whether checks that read all files and search indexes are shortened or skipped. */
  readonly isQuick: boolean
  /** Where the audit log is written too (AUDIT_LOG). */
  readonly auditLog: AuditDestination | undefined
  /** The directory of files; undefined if they are in a bucket. */
  readonly filesDirectory: string | undefined
  /** The directory of the search indexes of all nodes. */
  readonly searchDirectory: string
  /** Maximum bytes of memory of a search index. */
  readonly searchMemory: number
  /** Called after each check. */
  readonly report: (result: Result) => Effect.Effect<void>
}

const repairing = (withBytes: boolean) => ({
  withBytes,
  run: (workspace_id: WorkspaceId) =>
    Effect.match(repairCounters(workspace_id, withBytes), { onSuccess: () => undefined, onFailure: messageOf })
})

/**
 * Checks the database, and what it refers to, next to running nodes. Counters, log and records are compared in one
 * snapshot.
 */
export const checkDatabase = Effect.fnUntraced(function* (options: DoctorOptions) {
  const { filesDirectory, isQuick, isRepair, repairsBytes, report, searchDirectory, searchMemory } = options
  const { write } = yield* Database
  const each = <R>(check: Check<R>) => Effect.flatMap(run(check), report)
  /** In a savepoint: a check that fails does not end the snapshot of the others. */
  const alone = <R>({ name, run }: Check<R>) =>
    each({ name, run: (faults) => write.withTransaction(Effect.suspend(() => run(faults))) })
  yield* each(settingsCheck)
  yield* each(clockCheck)
  yield* each(backupCheck)
  yield* each(backupTargetCheck(options))
  yield* each(auditLogCheck(options))
  yield* inSnapshot(
    Effect.gen(function* () {
      yield* alone(counterCheck(isRepair ? repairing(repairsBytes === true) : undefined))
      yield* alone(logCheck)
      yield* alone(recordCheck)
      yield* isQuick ? report(skipped("texts", "a quick run skips it")) : alone(textCheck)
    })
  )
  yield* each(fileCheck({ isQuick }))
  yield* each(storedFilesCheck(filesDirectory))
  yield* isQuick
    ? report(skipped("search", "a quick run skips it"))
    : each(searchCheck({ directory: searchDirectory, maxBytes: searchMemory }))
})

/** The names of these checks, for results without them. */
export const databaseChecks = [
  "database settings",
  "clock",
  "backups",
  "backup target",
  "audit log",
  "counters",
  "log",
  "records",
  "texts",
  "files",
  "stored files",
  "search"
] as const
