import { Clock, Effect } from "effect"
import { readdirSync, readFileSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { BackupFailed, filesLeftOut, reasonOf, SystemFailure } from "../../services/backup/BackupFailure.ts"
import { Database } from "../../services/database/Database.ts"
import * as LastVersion from "../../services/database/LastVersion.ts"
import * as Migrations from "../../services/database/Migrations.ts"
import * as ProcessLock from "../../services/database/ProcessLock.ts"
import type { Unavailable } from "../../services/Errors.ts"
import { ConfigError, type Settings } from "../server/settings/Config.ts"
import * as KeyCheck from "./KeyCheck.ts"
import { secretKeyFile } from "../server/settings/ServedSettings.ts"
import { makeDirectory } from "./MakeDirectory.ts"
import { version } from "../server/Version.ts"

/** The backups that precede migrations and changes of PostgreSQL's major version: the way back to the earlier version. */

/** Number of these backups that are kept. */
const kept = 3

const pattern = /^upgrade-from-(.+)-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)\.tar\.zst(\.part)?$/

const directoryOf = ({ dataDir }: Settings): string => join(dataDir, "backups")

/**
 * The path of a new backup of an installation such as `0.1.0+89288c7-schema-45`. Creates its directory, and removes what killed
 * processes left of unfinished backups. Throws the error of the file system.
 */
export const newPath = (settings: Settings, from: string, now: number): string => {
  const directory = directoryOf(settings)
  makeDirectory(directory)
  for (const name of readdirSync(directory)) {
    if (pattern.exec(name)?.[3] !== undefined) rmSync(join(directory, name), { force: true })
  }
  return join(directory, `upgrade-from-${from}-${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}.tar.zst`)
}

/**
 * Removes all but the last three of these backups, after one is complete. It replaces an earlier one from the same
 * installation, whose upgrade did not succeed: otherwise repeated attempts would remove the backups of earlier upgrades.
 */
export const prune = (settings: Settings, path: string): void => {
  const directory = directoryOf(settings)
  const found = readdirSync(directory).flatMap((name) => {
    const [, from, time, part] = pattern.exec(name) ?? []
    return time === undefined || part !== undefined ? [] : [{ path: join(directory, name), from, time }]
  })
  const made = found.find((each) => each.path === path)
  const others = found.filter((each) => each !== made).toSorted((one, other) => (one.time < other.time ? 1 : -1))
  const earlier = others.filter(({ from }) => from !== made?.from)
  for (const each of others) {
    if (!earlier.slice(0, kept - 1).includes(each)) rmSync(each.path, { force: true })
  }
}

/**
 * Whether other processes run on the database while it is migrated from a schema. Refuses if one of them cannot run with a
 * migration: its writes would be wrong, and missing in the backup.
 */
export const othersRun = Effect.fnUntraced(function* (schema: number) {
  const running = yield* ProcessLock.oldestSchema
  if (running === undefined) return false
  const stop = yield* Migrations.firstStop(schema, running)
  if (stop === undefined) return true
  return yield* new ConfigError({
    message: `The database must be migrated, and a Sheaf of an earlier version is running on it, which cannot run with the migration ${stop}: stop all nodes first`
  })
})

/** Calls the file system. */
const onDisk = <A>(call: () => A) => Effect.try({ try: call, catch: (cause) => new SystemFailure({ cause }) })

/** The first schema that has files. */
const firstWithFiles = 15

/**
 * The key of the database, if DATA_DIR has it: it is then as safe in the backup. The operator keeps a key of SECRET_KEY, and
 * the previous key during a change of the key.
 */
const keyOf = Effect.fnUntraced(function* (settings: Settings, schema: number) {
  if (settings.secretKey !== undefined) return undefined
  const known = yield* KeyCheck.stateAt(schema)
  return known === "current" || known === "none"
    ? yield* onDisk(() => readFileSync(secretKeyFile(settings), "utf8"))
    : undefined
})

/** Fails early if the disk has no room for the files: most, such as pictures, are compressed already. */
const requireRoom = Effect.fnUntraced(function* (settings: Settings, schema: number) {
  if (schema < firstWithFiles) return
  const { write } = yield* Database
  const [files] = yield* write.unsafe<{ readonly bytes: number }>(
    "SELECT coalesce(sum(size), 0)::float8 AS bytes FROM blobs WHERE refs > 0"
  )
  const { bavail, bsize } = yield* onDisk(() => statfsSync(directoryOf(settings)))
  const [needed, free] = [files!.bytes, bavail * bsize].map((bytes) => Math.ceil(bytes / 2 ** 20))
  if (needed! > free!) {
    return yield* new BackupFailed({
      message: `the files have ${needed} MiB, and ${free} MiB are free on the disk of DATA_DIR`
    })
  }
})

const refused = (error: BackupFailed | SystemFailure | Unavailable) =>
  new ConfigError({
    message: `The database was not migrated, because the backup before it failed: ${reasonOf(error, "the backup")}. Correct this, or migrate without a backup: sheaf migrate up --no-backup`
  })

/** Runs a statement from time to time, because the server ends a transaction that is idle for two minutes. */
const stayAwake = Effect.gen(function* () {
  const { write } = yield* Database
  return yield* Effect.uninterruptible(write.unsafe("SELECT 1")).pipe(
    Effect.andThen(Effect.sleep("30 seconds")),
    Effect.forever
  )
}).pipe(Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))

/**
 * Writes a backup of everything before the migration of an older schema, and returns its path. Called only under the lock
 * of the start, before the first migration. Fails with one line; the database is then unchanged.
 */
export const make = (settings: Settings) => (schema: number) =>
  Effect.gen(function* () {
    const earlier = yield* LastVersion.find
    const from = `${earlier === undefined ? "" : `${earlier}-`}schema-${schema}`
    const now = yield* Clock.currentTimeMillis
    const path = yield* onDisk(() => newPath(settings, from, now))
    yield* requireRoom(settings, schema)
    yield* Effect.annotateLogs(Effect.logInfo("writing a backup before the migration"), { schema, file: path })
    // Loaded when it is needed: few starts migrate.
    const { backup } = yield* Effect.promise(() => import("../../services/backup/Backup.ts"))
    const { bytes, unreadable } = yield* backup({
      path,
      version,
      configuration: JSON.stringify(settings, null, 2),
      secretKey: yield* keyOf(settings, schema)
    })
    yield* onDisk(() => prune(settings, path))
    yield* Effect.annotateLogs(Effect.logInfo("the backup before the migration is complete"), { file: path, bytes })
    if (unreadable.length > 0) {
      yield* Effect.logWarning(filesLeftOut("the backup", unreadable.length))
    }
    return path
  }).pipe(
    Effect.raceFirst(stayAwake),
    Effect.catchTags({ BackupFailed: refused, SystemFailure: refused, Unavailable: refused })
  )
