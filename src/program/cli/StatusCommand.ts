import { Effect } from "effect"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { lastBackup } from "../../../services/backup/BackupAttempts.ts"
import { lastDrill } from "../../../services/backup/DrillRecords.ts"
import { Database } from "../../../services/database/Database.ts"
import * as Migrations from "../../../services/database/Migrations.ts"
import * as ProcessLock from "../../../services/database/ProcessLock.ts"
import { DiskSpace } from "../../../services/files/DiskSpace.ts"
import { load } from "../../server/settings/Config.ts"
import { usingFiles } from "../UsingFile.ts"
import { probe } from "./AddressProbe.ts"
import { ports } from "./CommandServices.ts"
import { command } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { build } from "../../server/Version.ts"

interface Sizes {
  readonly users: number
  readonly workspaces: number
  readonly notes: number
  readonly files: number
  readonly file_bytes: number
}

const sizesText = `SELECT (SELECT count(*) FROM users)::float8 AS users,
  (SELECT count(*) FROM workspaces WHERE deleted_at IS NULL)::float8 AS workspaces,
  (SELECT coalesce(sum(notes), 0) FROM heads)::float8 AS notes, b.files::float8 AS files, b.bytes::float8 AS file_bytes
  FROM (SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM blobs) b`

/** Bytes of a file, or of all files below a directory; 0 if it does not exist: a running server deletes files meanwhile. */
const bytesOf = async (path: string): Promise<number> => {
  try {
    const found = await lstat(path)
    if (!found.isDirectory()) return found.size
    let bytes = 0
    for (const name of await readdir(path)) bytes += await bytesOf(join(path, name))
    return bytes
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    return 0
  }
}

export const status = command("status", {
  description:
    "Show whether Sheaf runs on the database, since when, whether its address responds, how much it stores, and the last " +
    "backup and restore drill. Starts the embedded database if no server does",
  examples: [["sheaf status --json", "Show the state as JSON, for a program"]],
  input: {},
  run: Effect.fnUntraced(function* () {
    const settings = yield* load
    const { dataDir, databaseUrl, host, port, publicUrl } = settings
    const found = yield* Effect.gen(function* () {
      const { write: sql } = yield* Database
      const { count, since } = yield* ProcessLock.processes
      const schema = yield* Migrations.state
      const [database] = yield* sql.unsafe<{ readonly version: string; readonly bytes: number }>(
        "SELECT current_setting('server_version') AS version, pg_database_size(current_database())::float8 AS bytes"
      )
      // An earlier schema may not have all tables.
      const [sizes] = schema === "current" ? yield* sql.unsafe<Sizes>(sizesText) : []
      const backup = schema === "current" ? yield* lastBackup : undefined
      const drill = schema === "current" ? yield* lastDrill : undefined
      return {
        version: build.version,
        built_from: build.date,
        running: count > 0,
        // Each worker of a node is one.
        processes: count,
        running_since: since,
        public_url: publicUrl,
        address: `${host}:${port}`,
        ...(yield* probe(settings)),
        database: databaseUrl === undefined ? "embedded" : "DATABASE_URL",
        postgres_version: database!.version,
        schema,
        database_bytes: database!.bytes,
        users: sizes?.users ?? null,
        workspaces: sizes?.workspaces ?? null,
        notes: sizes?.notes ?? null,
        files: sizes?.files ?? null,
        file_bytes: sizes?.file_bytes ?? null,
        last_backup_at: backup?.at ?? null,
        last_backup: backup?.target ?? null,
        last_backup_bytes: backup?.bytes ?? null,
        last_backup_error: backup?.error ?? null,
        last_drill_at: drill?.ended_at ?? null,
        last_drill: drill?.target ?? null,
        last_drill_error: drill?.error ?? null,
        search_index_bytes: yield* usingFiles("DATA_DIR", dataDir, () => bytesOf(join(dataDir, "search"))),
        disk_free_bytes: (yield* DiskSpace).space().free
      }
    }).pipe(Effect.provide(ports))
    yield* Output.show(found)
  })
})
