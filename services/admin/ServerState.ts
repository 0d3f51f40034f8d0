import { Context, Effect, Layer } from "effect"
import { BackupSchedule, type Plan } from "../backup/BackupSchedule.ts"
import { type DrillPlan, RestoreDrills } from "../backup/RestoreDrills.ts"
import { Database, runSql } from "../database/Database.ts"
import type { Unavailable } from "../Errors.ts"
import { DiskSpace } from "../files/DiskSpace.ts"
import { isDeletedText } from "../identity/IdentityTables.ts"
import { Mailer } from "../mail/Mailer.ts"
import { SearchThread } from "../search/SearchThread.ts"
import { traced } from "../Traced.ts"
import { Nodes } from "./Nodes.ts"
import type { ServerStatus } from "./ServerStatus.ts"

type Counts = Pick<
  ServerStatus,
  | "database_bytes"
  | "file_bytes"
  | "files"
  | "jobs_failed"
  | "mails_failed"
  | "notes"
  | "postgres_version"
  | "users"
  | "workspaces"
>

const countsText = `SELECT current_setting('server_version') AS postgres_version,
  pg_database_size(current_database())::float8 AS database_bytes,
  (SELECT count(*) FROM users WHERE NOT ${isDeletedText("users.id")})::float8 AS users,
  (SELECT count(*) FROM workspaces WHERE deleted_at IS NULL)::float8 AS workspaces,
  (SELECT coalesce(sum(notes), 0) FROM heads)::float8 AS notes,
  (SELECT count(*) FROM failed_mails)::float8 AS mails_failed,
  ((SELECT count(*) FROM exports WHERE status = 'failed') + (SELECT count(*) FROM imports WHERE status = 'failed'))::float8
    AS jobs_failed,
  b.files::float8 AS files, b.bytes::float8 AS file_bytes
  FROM (SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM blobs) b`

const timeOf = (millis: number | undefined): string | null =>
  millis === undefined ? null : new Date(millis).toISOString()

const secondsOf = (millis: number | undefined): number | null => (millis === undefined ? null : millis / 1000)

const drillsOf = ({ alarm, dueAt, every, isRunning, last }: DrillPlan) => ({
  every_seconds: secondsOf(every),
  running: isRunning,
  next_at: timeOf(dueAt),
  overdue: alarm !== undefined,
  last: last ?? null
})

const planOf = ({ alarm, dueAt, every, isEncrypted, isRunning, keep, succeededAt, to }: Plan, drills: DrillPlan) => ({
  to,
  every_seconds: secondsOf(every),
  keep,
  encrypted: isEncrypted,
  running: isRunning,
  last_success_at: timeOf(succeededAt),
  next_at: timeOf(dueAt),
  overdue: alarm !== undefined,
  drills: drillsOf(drills)
})

interface Options extends Pick<ServerStatus, "public_url" | "version"> {
  /** Bytes of memory that the search indexes may use. */
  readonly searchMemory: number
  readonly releaseNotes: Effect.Effect<string | null>
}

/** The state of the server as a whole, for operators (contract 11). */
export class ServerState extends Context.Service<
  ServerState,
  { readonly get: Effect.Effect<ServerStatus, Unavailable> }
>()("sheaf/admin/ServerState") {
  static readonly layer = ({ public_url, releaseNotes, searchMemory, version }: Options) =>
    Layer.effect(
      ServerState,
      Effect.gen(function* () {
        const { read } = yield* Database
        const nodes = yield* Nodes
        const disk = yield* DiskSpace
        const search = yield* SearchThread
        const mailer = yield* Mailer
        const backups = yield* BackupSchedule
        const drills = yield* RestoreDrills

        const get = Effect.gen(function* () {
          const [counts] = yield* runSql<Counts>(read, countsText)
          const held = search.held()
          const plan = yield* backups.plan
          const drillPlan = yield* drills.plan
          const status: ServerStatus = {
            version,
            release_notes: yield* releaseNotes,
            public_url,
            nodes: (yield* nodes.list).length,
            ...counts!,
            disk_free_bytes: disk.space().free,
            mail: mailer.hasSmtp,
            search: {
              indexes: held.workspaces,
              memory_bytes: held.bytes,
              memory_limit_bytes: searchMemory,
              files: held.files,
              file_bytes: held.fileBytes
            },
            backups: plan === undefined || drillPlan === undefined ? null : planOf(plan, drillPlan)
          }
          return status
        })
        return ServerState.of({ get: traced("ServerState.get")(() => get)() })
      })
    )
}
