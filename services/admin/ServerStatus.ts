import { Schema } from "effect"
import * as Fields from "../Fields.ts"

const RestoreDrill = Schema.Struct({
  target: Fields.text(
    "The file, or the object in a bucket, of the backup.",
    "/backup/sheaf-2026-03-01T12-00-00Z.tar.zst"
  ),
  started_at: Fields.time("When it began."),
  ended_at: Schema.NullOr(Fields.time("When it ended; null while it runs, and after its process was killed.")),
  error: Schema.NullOr(Fields.text("Why it failed; null if it succeeded, or runs.", "The backup is damaged")).annotate({
    examples: [null]
  })
}).annotate({ identifier: "RestoreDrill" })

const RestoreDrillPlan = Schema.Struct({
  every_seconds: Schema.NullOr(
    Fields.count("Seconds between scheduled drills (BACKUP_VERIFY_EVERY); null without a schedule.", 2_592_000)
  ),
  running: Schema.Boolean.annotate({ description: "Whether a drill is running.", examples: [false] }),
  next_at: Schema.NullOr(Fields.time("When the next scheduled drill is due; null without a schedule.")),
  overdue: Schema.Boolean.annotate({
    description: "Whether scheduled drills do not succeed on time.",
    examples: [false]
  }),
  last: Schema.NullOr(RestoreDrill).annotate({ description: "The last drill; null if there was none." })
}).annotate({ identifier: "RestoreDrillPlan" })

const BackupPlan = Schema.Struct({
  to: Fields.text("The directory or bucket of backups (BACKUP_TO).", "/backup"),
  every_seconds: Schema.NullOr(
    Fields.count("Seconds between scheduled backups (BACKUP_EVERY); null without a schedule.", 86_400)
  ),
  keep: Fields.count("Number of scheduled backups that stay (BACKUP_KEEP).", 7),
  encrypted: Schema.Boolean.annotate({ description: "Whether backups are encrypted (BACKUP_RECIPIENT)." }),
  running: Schema.Boolean.annotate({ description: "Whether a backup is running.", examples: [false] }),
  last_success_at: Schema.NullOr(Fields.time("When the last successful backup began; null if there is none.")),
  next_at: Schema.NullOr(Fields.time("When the next scheduled backup is due; null without a schedule.")),
  overdue: Schema.Boolean.annotate({
    description: "Whether scheduled backups do not succeed on time.",
    examples: [false]
  }),
  drills: RestoreDrillPlan.annotateKey({
    description: "Drills, which restore the newest backup into a scratch database, and compare both."
  })
}).annotate({ identifier: "BackupPlan" })

const SearchState = Schema.Struct({
  indexes: Fields.count("Number of search indexes in memory.", 12),
  memory_bytes: Fields.count("Bytes of memory that they use, approximately.", 8_388_608),
  memory_limit_bytes: Fields.count("Maximum bytes of memory of all indexes (SEARCH_MEMORY).", 268_435_456),
  files: Fields.count("Number of their files.", 24),
  file_bytes: Fields.count("Bytes of their files.", 16_777_216)
}).annotate({ identifier: "SearchState" })

/** The state of the whole server; of search indexes and the disk, that of the node of the request (contract 11). */
export const ServerStatus = Schema.Struct({
  version: Fields.text("The version of the node of the request.", "0.1.0"),
  release_notes: Schema.NullOr(
    Fields.text("The changes of the versions since the first, in Markdown; null if the package has none.", "## 0.1.0")
  ),
  public_url: Fields.text("The address of the server (PUBLIC_URL).", "https://sheaf.example"),
  nodes: Fields.count("Number of running nodes.", 1),
  postgres_version: Fields.text("The version of PostgreSQL.", "18.1"),
  database_bytes: Fields.count("Bytes of the database.", 52_428_800),
  users: Fields.count("Number of users.", 12),
  workspaces: Fields.count("Number of workspaces that are not deleted.", 14),
  notes: Fields.count("Number of notes, without those in the trash.", 1234),
  files: Fields.count("Number of stored files.", 56),
  file_bytes: Fields.count("Bytes of stored files.", 52_428_800),
  disk_free_bytes: Fields.count("Free bytes on the disk of DATA_DIR.", 10_737_418_240),
  mail: Schema.Boolean.annotate({
    description: "Whether mail reaches its recipients (SMTP_URL). If not, it is in DATA_DIR/outbox.",
    examples: [true]
  }),
  mails_failed: Fields.count("Number of mails that were given up in the last 7 days.", 0),
  jobs_failed: Fields.count("Number of exports and imports that have failed, of those that are kept.", 0),
  search: SearchState.annotateKey({ description: "The search indexes of the node of the request." }),
  backups: Schema.NullOr(BackupPlan).annotate({ description: "The plan of backups; null without BACKUP_TO." })
}).annotate({ identifier: "ServerStatus" })
export type ServerStatus = typeof ServerStatus.Type

/** A setting, with where its value comes from. */
const ServerSetting = Schema.Struct({
  name: Fields.text("The environment variable.", "PUBLIC_URL"),
  value: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])).annotate({
    description: "Its value; `(hidden)` for a secret, null if it is not set and has no default.",
    examples: ["https://sheaf.example"]
  }),
  source: Fields.text("`environment`, `default`, or the path of a file.", "environment")
}).annotate({ identifier: "ServerSetting" })
export type ServerSetting = typeof ServerSetting.Type

export const ServerSettings = Schema.Struct({
  data: Schema.Array(ServerSetting).annotate({ description: "All settings of the node of the request." })
}).annotate({ identifier: "ServerSettings" })
