import { Clock, Effect, Exit, Layer } from "effect"
import { Flag } from "effect/cli"
import { execFile } from "node:child_process"
import { existsSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { backupOnDisk } from "../../../services/backup/BackupOnDisk.ts"
import * as Restore from "../../../services/backup/Restore.ts"
import { restoreVerified } from "../../../services/backup/RestoreVerify.ts"
import { Database } from "../../../services/database/Database.ts"
import { load, type Settings } from "../../server/settings/Config.ts"
import { durableRename } from "../DurableRename.ts"
import * as Ports from "../Ports.ts"
import * as EmbeddedPostgres from "../postgres/EmbeddedPostgres.ts"
import * as PostgresBinaries from "../postgres/PostgresBinaries.ts"
import * as PostgresDirectories from "../postgres/PostgresDirectories.ts"
import * as Postmaster from "../postgres/Postmaster.ts"
import * as UpgradeBackups from "../UpgradeBackups.ts"
import { usingFile } from "../UsingFile.ts"
import { version } from "../../server/Version.ts"
import { logging } from "./CommandServices.ts"
import { command } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { inWords, Refused } from "./Refused.ts"

const running = new Refused({ message: "Sheaf is running on this database: stop it, then run this command again" })

/** Renames a directory of DATA_DIR. */
const move = (from: string, to: string) => usingFile("DATA_DIR", from, () => durableRename(from, to))

/** Moves the database back that an interrupted run has moved aside. Its restore, if any, is incomplete. */
const recover = Effect.fnUntraced(function* (settings: Settings) {
  const { dataDir } = settings
  const major = PostgresDirectories.interrupted(dataDir)
  if (major === undefined) return
  const current = PostgresDirectories.current(dataDir)
  // A start may have created it, without a cluster.
  yield* usingFile("DATA_DIR", current, () => rmSync(current, { recursive: true, force: true }))
  yield* move(PostgresDirectories.aside(dataDir, major), current)
})

/** The program of an executable, or of an installation: a folder with `dist` and `node_modules`. */
const programOf = (from: string): readonly [file: string, ...args: ReadonlyArray<string>] =>
  statSync(from, { throwIfNoEntry: false })?.isDirectory() === true
    ? [join(from, "node_modules", ".bin", "node"), join(from, "dist", "main.js")]
    : [from]

/** Makes a backup by the earlier Sheaf, with its PostgreSQL. */
const backUp = Effect.fnUntraced(function* (settings: Settings, from: string, path: string) {
  const [file, ...args] = programOf(from)
  yield* Effect.tryPromise({
    try: (signal) =>
      promisify(execFile)(
        file,
        [...args, "backup", path, ...(settings.secretKey === undefined ? ["--secret-key"] : [])],
        { signal }
      ),
    catch: (error) => {
      const { message, stderr } = error as Error & { readonly stderr?: string }
      const reason = (stderr || message)
        .trim()
        .split("\n")
        .at(-1)!
        .replace(/^sheaf: /, "")
      return new Refused({ message: `The earlier Sheaf made no backup: ${reason}` })
    }
  }).pipe(
    // A backup without the bytes of missing files is complete, and its exit code is 1.
    Effect.catchIf(
      () => existsSync(path),
      () => Effect.void
    )
  )
})

/** Moves the database aside, and back if the effect fails. Refuses one that a server has opened meanwhile. */
const withoutDatabase = Effect.fnUntraced(function* <A, E, R>(
  dataDir: string,
  major: string,
  effect: Effect.Effect<A, E, R>
) {
  const [current, aside] = [PostgresDirectories.current(dataDir), PostgresDirectories.aside(dataDir, major)]
  return yield* Effect.acquireUseRelease(
    move(current, aside),
    () =>
      Effect.gen(function* () {
        const requireStopped = Effect.suspend(() =>
          Postmaster.read(join(aside, "cluster")) === undefined ? Effect.void : running
        )
        yield* requireStopped
        const made = yield* effect
        yield* requireStopped
        return made
      }),
    (_, exit) => (Exit.isSuccess(exit) ? Effect.void : move(aside, current))
  )
})

/** Removes an incomplete database, unless the server of another run is using it. */
const discard = (next: string) =>
  Effect.sync(() => {
    if (Postmaster.read(join(next, "cluster")) === undefined) rmSync(next, { recursive: true, force: true })
  })

/** Restores a backup into the empty database in `postgres.next`, and compares them. */
const restoreInto = Effect.fnUntraced(function* (backup: Restore.CheckedBackup) {
  const { write } = yield* Database
  // An interrupted run may have left rows.
  yield* write.unsafe("DROP SCHEMA public CASCADE")
  yield* write.unsafe("CREATE SCHEMA public")
  const { files, rows, unreadable } = yield* restoreVerified(backup, version)
  return { rows, files, files_left_out: unreadable.length }
})

/** Refuses a database that this command cannot move, before anything is written. */
const requireEarlier = Effect.fnUntraced(function* ({ dataDir }: Settings) {
  const current = PostgresDirectories.current(dataDir)
  const interrupted = PostgresDirectories.interrupted(dataDir)
  const directory = interrupted === undefined ? current : PostgresDirectories.aside(dataDir, interrupted)
  const major = PostgresDirectories.majorOf(directory)
  if (major === undefined) return yield* new Refused({ message: `DATA_DIR ${dataDir} has no database` })
  const binaries = yield* PostgresBinaries.locate(directory)
  if (Number(major) >= Number(binaries.major)) {
    return yield* new Refused({
      message: `The database is of PostgreSQL ${major}, and this Sheaf includes PostgreSQL ${binaries.major}: there is nothing to do`
    })
  }
  const aside = PostgresDirectories.aside(dataDir, major)
  if (interrupted === undefined && existsSync(aside)) {
    return yield* new Refused({ message: `${aside} exists, from an earlier run: move it elsewhere, or delete it` })
  }
  const server = Postmaster.read(join(directory, "cluster"))
  if (server !== undefined && Postmaster.state(server.pid) === "postgres") return yield* running
})

const upgrade = Effect.fnUntraced(function* (settings: Settings, from: string) {
  const { dataDir } = settings
  const [current, next] = [PostgresDirectories.current(dataDir), PostgresDirectories.next(dataDir)]
  const stage = Layer.unwrap(
    Effect.map(EmbeddedPostgres.start({ directory: next }), (embedded) =>
      Database.layer({ ...embedded, database: "sheaf" })
    )
  )
  const restored = yield* Effect.gen(function* () {
    // The server in `postgres.next` runs until the end: it excludes another run of this command.
    yield* recover(settings)
    const major = PostgresDirectories.majorOf(current)!
    const now = yield* Clock.currentTimeMillis
    const path = yield* usingFile("DATA_DIR", dataDir, () => UpgradeBackups.newPath(settings, `postgres-${major}`, now))
    yield* backUp(settings, from, path)
    const backup = yield* Effect.mapError(Restore.check(backupOnDisk(path), version), inWords(path))
    yield* usingFile("DATA_DIR", dataDir, () => UpgradeBackups.prune(settings, path))
    const made = yield* withoutDatabase(dataDir, major, restoreInto(backup))
    return { backup: path, earlier: PostgresDirectories.aside(dataDir, major), ...made }
  }).pipe(
    Effect.provide(
      Layer.merge(stage, Ports.blobs(settings)).pipe(Layer.provideMerge(Ports.diskSpace(settings, false)))
    ),
    Effect.tapCause(() => discard(next))
  )
  yield* move(next, current)
  return restored
})

export const postgres = command("postgres", {
  description:
    "Move the embedded database to the major version of PostgreSQL that this Sheaf includes, by a backup that the earlier Sheaf makes",
  examples: [["sheaf migrate postgres --from /opt/sheaf-0.1.0/sheaf", "With the earlier executable"]],
  input: {
    from: Flag.String("from").pipe(
      Flag.withDescription("The executable of the earlier Sheaf, or its folder with dist and node_modules")
    )
  },
  run: Effect.fnUntraced(
    function* ({ from }) {
      const settings = yield* load
      if (settings.databaseUrl !== undefined) {
        return yield* new Refused({
          message: "DATABASE_URL is set: upgrade that PostgreSQL by its own means, or restore a backup into another one"
        })
      }
      yield* Effect.provide(requireEarlier(settings), logging(settings))
      const made = yield* Effect.provide(upgrade(settings, from), logging(settings))
      yield* Output.show(
        made,
        "All sync cursors have ended: clients pull everything again.",
        `Start Sheaf. Delete ${made.earlier} when you no longer need the way back.`
      )
    },
    Effect.mapError(inWords("DATA_DIR"))
  )
})
