import { Clock, Effect, References } from "effect"
import type { SqlError } from "effect/sql"
import type { Readable } from "node:stream"
import { isDrillRunning, keepFiles, type Query, take } from "../database/BackupLocks.ts"
import type { Database } from "../database/Database.ts"
import * as Migrations from "../database/Migrations.ts"
import { type BlobKey, Blobs } from "../files/Blobs.ts"
import { BlobDamaged } from "../files/CheckedBlobs.ts"
import type { Access } from "../files/S3Place.ts"
import { type Attempt, recorded } from "./BackupAttempts.ts"
import { encrypting, type Encryption, ending, type Stage } from "./BackupEncryption.ts"
import { Progress } from "../Progress.ts"
import { attempt, BackupFailed } from "./BackupFailure.ts"
import {
  fileLine,
  fileName,
  header,
  type Manifest,
  names,
  type Sum,
  tableName,
  type UnreadableFile
} from "./BackupFormat.ts"
import { maxUnreadable } from "./BackupReader.ts"
import type { BackupPlace } from "./BackupPlace.ts"
import { newPlace } from "./BackupPlaces.ts"
import { BackupWriter } from "./BackupWriter.ts"
import { openSnapshot } from "./BackupSnapshot.ts"
import { fetchFiles, type FileRow, readTable, storedTables } from "./TableRows.ts"
import { RunningSum } from "./RunningSum.ts"

interface Options {
  /** A new file, or a directory in which the backup gets a name with the time; or the s3:// URL of either. */
  readonly path: string
  /** To the store of a bucket. */
  readonly access?: Access | undefined
  /** The version of Sheaf. */
  readonly version: string
  /** The settings of the server, as JSON without secrets. */
  readonly configuration: string
  /** The secret key in base64, to include it. */
  readonly secretKey: string | undefined
  /** By default it is not encrypted. */
  readonly encryption?: Encryption | undefined
  /** Default: `manual`. */
  readonly kind?: Attempt["kind"]
  /** The time of the caller's clock, in Unix milliseconds; by default of this one. */
  readonly time?: number
  /** Decides, once no other backup can run, whether this one is still needed. */
  readonly isDue?: Effect.Effect<boolean, SqlError.SqlError, Database>
}

/** The name of a backup in a directory. */
const nameOf = (time: Date, isEncrypted: boolean): string =>
  `sheaf-${time.toISOString().slice(0, 19).replaceAll(":", "-")}Z.tar.zst${isEncrypted ? ending : ""}`

/** Takes the locks of a backup, before its snapshot. */
const lock = ({ isDue = Effect.succeed(true) }: Options) =>
  Effect.fnUntraced(function* (query: Query) {
    if (!(yield* take(query, "backup"))) {
      const [found] = yield* query<{ readonly isDrill: boolean }>(`SELECT ${isDrillRunning} AS "isDrill"`)
      const message = `${found!.isDrill ? "A restore drill" : "Another backup"} of this database is running`
      return yield* new BackupFailed({ message, isSkipped: true })
    }
    if (!(yield* isDue)) return yield* new BackupFailed({ message: "The backup is not due", isSkipped: true })
    yield* keepFiles(query)
  })

/** Whether the disk cannot read these bytes of a file. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof BlobDamaged || (error instanceof Error && "code" in error && error.code === "EIO")

const zeros = new Uint8Array(64 * 1024)

/**
 * The bytes of a file, exactly as many as its row has. The size of an entry is written before its bytes, so zeros take
 * the place of bytes that are missing or damaged.
 */
async function* exactly(stream: Readable, size: number, damaged: () => void): AsyncGenerator<Uint8Array> {
  let rest = size
  let isLonger = false
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      isLonger = chunk.length > rest
      if (isLonger) break
      rest -= chunk.length
      yield chunk
    }
    if (isLonger || rest > 0) damaged()
  } catch (error) {
    if (!isUnreadable(error)) throw error
    damaged()
  }
  for (; rest > 0; rest -= Math.min(rest, zeros.length)) yield zeros.subarray(0, rest)
}

/** Writes the files that records of the snapshot use, and returns the part of the manifest about them. */
const writeFiles = Effect.fnUntraced(function* (query: Query, writer: BackupWriter) {
  const blobs = yield* Blobs
  const progress = yield* Progress
  const [all] = yield* query<{ readonly bytes: number }>(
    "SELECT coalesce(sum(size), 0)::float8 AS bytes FROM blobs WHERE refs > 0"
  )
  const list = new RunningSum()
  const unreadable: Array<UnreadableFile> = []
  let count = 0
  let size = 0

  const report = Effect.fnUntraced(function* ({ sha256, workspace_id }: BlobKey, problem: UnreadableFile["problem"]) {
    unreadable.push({ workspace_id, sha256, problem })
    if (unreadable.length > maxUnreadable) {
      return yield* new BackupFailed({
        message: `More than ${maxUnreadable} files are missing or damaged: run sheaf files check`
      })
    }
  })

  const writeFile = Effect.fnUntraced(function* (row: FileRow) {
    // Faults are returned, so they need not be logged.
    const read = Effect.provideService(blobs.read(row), References.MinimumLogLevel, "None")
    const stream = yield* Effect.acquireRelease(read, (stream) => Effect.sync(() => stream.destroy()))
    let isDamaged = false
    const content = exactly(stream, row.size, () => (isDamaged = true))
    yield* attempt(() => writer.addStream(fileName(row), row.size, content))
    count++
    size += row.size
    progress({ what: "Backing up files", done: size, total: all!.bytes, unit: "bytes" })
    list.add(fileLine(row, row.size))
    if (isDamaged) yield* report(row, "damaged")
  }, Effect.scoped)

  yield* fetchFiles(query, (rows) =>
    Effect.forEach(rows, (row) => Effect.catchTag(writeFile(row), "BlobMissing", () => report(row, "missing")), {
      discard: true
    })
  )
  return { manifest: { count, unreadable, ...list.sum() }, size }
})

/** Writes the archive of a snapshot to a place. */
const writeArchive = Effect.fnUntraced(function* (
  query: Query,
  place: BackupPlace,
  encrypt: Stage,
  time: Date,
  schema: number,
  { configuration, secretKey, version }: Options
) {
  const tables = yield* storedTables(query)
  const [server] = yield* query<{ readonly version: number }>(
    "SELECT current_setting('server_version_num')::int AS version"
  )
  const writer = yield* Effect.acquireRelease(
    Effect.sync(() => new BackupWriter(place.upload(), time, encrypt)),
    (writer, exit) =>
      exit._tag === "Success"
        ? Effect.void
        : Effect.catch(
            attempt(() => writer.abandon()),
            (error) => Effect.logWarning("what an incomplete backup has left is removed by the next one", error)
          )
  )
  const parts: Record<string, Sum> = {}
  const add = Effect.fnUntraced(function* (name: string, bytes: string) {
    parts[name] = yield* attempt(() => writer.add(name, bytes))
  })

  const beginning = header({
    version,
    schema,
    postgres: server!.version,
    created_at: time.toISOString(),
    tables: tables.map(({ columns, name }) => ({ name, columns }))
  })
  yield* add(names.header, JSON.stringify(beginning, null, 2))
  yield* add(names.configuration, configuration)
  if (secretKey !== undefined) yield* add(names.secretKey, secretKey)
  // Versions before the first attachments have no files.
  const files = tables.some(({ name }) => name === "blobs")
    ? yield* writeFiles(query, writer)
    : { manifest: { count: 0, unreadable: [], ...new RunningSum().sum() }, size: 0 }
  const sums: Record<string, Manifest["tables"][string]> = {}
  const progress = yield* Progress
  let tableBytes = 0
  for (const table of tables) {
    let piece = 0
    sums[table.name] = yield* readTable(query, table, (bytes) => {
      progress({ what: "Backing up rows", done: (tableBytes += bytes.length), unit: "bytes" })
      return attempt(() => writer.add(tableName(table.name, ++piece), bytes))
    })
  }
  const manifest: Manifest = { parts, tables: sums, files: files.manifest }
  yield* attempt(() => writer.add(names.manifest, JSON.stringify(manifest, null, 2)))
  return {
    file: place.name,
    bytes: yield* Effect.uninterruptible(attempt(() => writer.end())),
    created_at: beginning.created_at,
    schema,
    rows: Object.values(sums).reduce((total, { rows }) => total + rows, 0),
    files: files.manifest.count,
    file_bytes: files.size,
    unreadable: files.manifest.unreadable
  }
}, Effect.scoped)

/**
 * Writes a backup of one moment while the server runs, and records the attempt. Files that the snapshot refers to are not
 * removed before it ends. After a failure, such as a full disk, no file has the name of the backup.
 */
export const backup = Effect.fnUntraced(function* (options: Options) {
  const time = new Date(options.time ?? (yield* Clock.currentTimeMillis))
  const isEncrypted = options.encryption !== undefined
  const place = yield* newPlace(options.path, nameOf(time, isEncrypted), options.access)
  const encrypt = yield* encrypting(options.encryption)
  const schema = yield* Migrations.version
  if (schema === 0) return yield* new BackupFailed({ message: "The database is empty: there is nothing to back up" })
  const query = yield* openSnapshot(lock(options))
  return yield* recorded(
    {
      kind: options.kind ?? "manual",
      target: place.name,
      encrypted: isEncrypted,
      startedAt: time.getTime(),
      access: options.access
    },
    writeArchive(query, place, encrypt, time, schema, options)
  )
}, Effect.scoped)
