import { Schema } from "effect"
import { interrupted } from "../backup/BackupLeftovers.ts"
import { isBackupRunning } from "../database/BackupLocks.ts"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"

/** An attempt to back up (contract 11). */
export const ServerBackup = Schema.Struct({
  id: Fields.ownId("bk"),
  kind: Schema.Literals(["scheduled", "manual"]).annotate({
    description: "Whether the schedule began it.",
    examples: ["scheduled"]
  }),
  target: Fields.text("The file, or the object in a bucket.", "/backup/sheaf-2026-03-01T12-00-00Z.tar.zst"),
  encrypted: Schema.Boolean.annotate({ description: "Whether it is encrypted (age).", examples: [true] }),
  bytes: Schema.NullOr(Fields.count("Its size; null while it runs, or if it failed.", 52_428_800)),
  error: Schema.NullOr(Fields.text("Why it failed; else null.", "The disk is full")).annotate({ examples: [null] }),
  started_at: Fields.time("When it began."),
  ended_at: Schema.NullOr(Fields.time("When it ended; null while it runs, and after its process was killed."))
}).annotate({ identifier: "ServerBackup" })
export type ServerBackup = typeof ServerBackup.Type

/** A signed URL of a backup. */
export const BackupDownload = Schema.Struct({
  url: Fields.text(
    "Downloads the backup without further authorization, as long as the caller is an operator.",
    "https://sheaf.example/files/backups/bk_7Kd2mQx9vT4sWx7Yb2Nc5E0a?user=us_1&expires=1772366400&signature=x"
  ),
  expires_at: Fields.time("Until when the URL works.")
}).annotate({ identifier: "BackupDownload" })
export type BackupDownload = typeof BackupDownload.Type

export const serverBackupList = listOf(ServerBackup, {
  path: "/admin/backups",
  // The next backup ends an attempt whose process has ended.
  from: `(SELECT id, kind, target, encrypted, bytes::float8 AS bytes,
      CASE WHEN ended_at IS NULL AND NOT ${isBackupRunning} THEN '${interrupted}' ELSE error END AS error,
      started_at, ended_at FROM backups) b`,
  sort: ["-started_at"],
  filter: ["id", "kind", "target", "encrypted", "started_at"],
  words: ["target"],
  enums: ["kind"],
  // Those that stay, and the last hundred of the others.
  unindexedSorts: ["started_at"]
})
