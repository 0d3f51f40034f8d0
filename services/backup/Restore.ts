import { Clock, Effect, Option } from "effect"
import { type Query, take } from "../database/BackupLocks.ts"
import { Database } from "../database/Database.ts"
import * as Migrations from "../database/Migrations.ts"
import * as ProcessLock from "../database/ProcessLock.ts"
import { Blobs } from "../files/Blobs.ts"
import { Randomness } from "../Randomness.ts"
import { renewAll } from "../writer/Restores.ts"
import { type Key, readSeal } from "./BackupEncryption.ts"
import { Progress } from "../Progress.ts"
import { attempt, BackupFailed } from "./BackupFailure.ts"
import { fileName, type Header, type Manifest } from "./BackupFormat.ts"
import { keepMarkRow, type KeyMarks, type MarkRows, marksOf } from "./BackupKey.ts"
import type { BackupPlace } from "./BackupPlace.ts"
import { type Part, readBackup } from "./BackupReader.ts"
import { insertPiece, type StoredTable, storedTables, withoutReferences } from "./TableRows.ts"

/** A backup that was read as a whole, and found to be complete and undamaged. */
export interface CheckedBackup {
  readonly place: BackupPlace
  readonly key: Key | undefined
  readonly header: Header
  readonly manifest: Manifest
  /** The secret key in base64, if the backup has it. */
  readonly secretKey: string | undefined
  readonly keyMarks: KeyMarks
  /** Bytes of its files and rows. */
  readonly bytes: number
}

/** Bytes of a part with files or rows. */
const bytesOf = (part: Part): number =>
  part.kind === "file" ? part.size : part.kind === "rows" ? part.piece.length : 0

/** Opens a backup. `next` returns its parts, and fails if the backup is damaged or cannot be read. */
const open = (place: BackupPlace, key: Key | undefined) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => readBackup(place, key)),
      (parts) => Effect.promise(() => parts.return(undefined))
    ),
    (parts) =>
      attempt(async (): Promise<Part> => {
        const { done, value } = await parts.next()
        if (done) throw new Error("nothing follows the end of a backup")
        return value
      })
  )

/** Refuses a backup whose schema this version cannot create. */
const known = Effect.fnUntraced(function* (header: Header, version: string) {
  if (yield* Migrations.isKnown(header.schema)) return header
  return yield* new BackupFailed({
    message: `Another version of Sheaf (${header.version}, schema ${header.schema}) made this backup, and this one is ${version}, schema ${yield* Migrations.latest}: use that version or a later one`
  })
})

/** Returns how a backup is encrypted. */
export const sealOf = (place: BackupPlace) => attempt(() => readSeal(place.read()))

/** Reads a whole backup, and checks each part of it. Changes nothing. `version`: of this Sheaf. */
export const check = Effect.fnUntraced(function* (place: BackupPlace, version: string, key?: Key) {
  const next = yield* open(place, key)
  let header: Header | undefined
  const progress = yield* Progress
  let secretKey: string | undefined
  const markRows: MarkRows = new Map()
  let bytes = 0
  while (true) {
    const part = yield* next
    progress({ what: "Checking the backup", done: (bytes += bytesOf(part)), unit: "bytes" })
    if (part.kind === "header") header = yield* known(part.header, version)
    else if (part.kind === "secretKey") secretKey = part.text
    else if (part.kind === "rows") keepMarkRow(markRows, part.table, part.piece)
    else if (part.kind === "end") {
      const { manifest } = part
      return { place, key, header: header!, manifest, secretKey, keyMarks: marksOf(markRows), bytes }
    }
  }
}, Effect.scoped)

/** A relation in the schema of the database that belongs to no extension. */
const foundText = `SELECT c.relname::text AS name FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY 1 LIMIT 1`

const requireEmpty = Effect.fnUntraced(function* (query: Query) {
  const [found] = yield* query<{ readonly name: string }>(foundText)
  if (found !== undefined) {
    return yield* new BackupFailed({
      message: `The database is not empty: it has ${found.name}. Restore into an empty database`
    })
  }
})

/** The table of the database for a table of the backup, or none if it is not of Sheaf. */
const tableFor = Effect.fnUntraced(function* (tables: ReadonlyArray<StoredTable>, stored: Header["tables"][number]) {
  const table = tables.find(({ name }) => name === stored.name)
  if (table !== undefined && JSON.stringify(table.columns) !== JSON.stringify(stored.columns)) {
    return yield* new BackupFailed({
      message: `The table ${stored.name} of the backup has other columns than in its version of Sheaf`
    })
  }
  return Option.fromNullishOr(table)
})

/** Credentials that the backup brings to life again although they may have been ended since. */
interface BroughtBack {
  readonly operators: ReadonlyArray<string>
  readonly users: number
  readonly members: number
  readonly sessions: number
  readonly api_keys: number
  readonly webhooks: number
  readonly shares: number
  readonly invitations: number
}

const broughtBackText = `SELECT
  ARRAY(SELECT email FROM users WHERE is_operator ORDER BY created_at, id LIMIT 50) AS operators,
  (SELECT count(*) FROM users)::float8 AS users, (SELECT count(*) FROM members)::float8 AS members,
  (SELECT count(*) FROM sessions WHERE expires_at > $1)::float8 AS sessions,
  (SELECT count(*) FROM api_keys WHERE expires_at IS NULL OR expires_at > $1)::float8 AS api_keys,
  (SELECT count(*) FROM webhooks WHERE active AND (expires_at IS NULL OR expires_at > $1))::float8 AS webhooks,
  (SELECT count(*) FROM shares WHERE expires_at IS NULL OR expires_at > $1)::float8 AS shares,
  (SELECT count(*) FROM invitations WHERE accepted_at IS NULL AND expires_at > $1)::float8 AS invitations`

const broughtBack = Effect.fnUntraced(function* (query: Query) {
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const [found] = yield* query<BroughtBack>(broughtBackText, [now])
  return found!
})

interface Options<E> {
  readonly backup: CheckedBackup
  /** Whether the next start ends all sessions and API keys. */
  readonly endsCredentials?: boolean
  /** Whether files are kept; otherwise they are only read, and compared with their hashes. Default: true. */
  readonly keepsFiles?: boolean
  /** Runs once the database is known to be empty and this process alone restores into it. */
  readonly prepare: Effect.Effect<void, E>
  /** Stores the secret key of the backup. */
  readonly keepSecretKey: (text: string) => Effect.Effect<void, E>
}

/**
 * Restores a checked backup into an empty database: first the files, then all rows in one transaction, which also
 * migrates them to the current schema and begins a new epoch, which ends the cursors of all clients. An interrupted restore leaves an empty
 * database, and files that a repetition overwrites.
 */
export const restore = Effect.fnUntraced(function* <E>({
  backup,
  endsCredentials = false,
  keepsFiles = true,
  keepSecretKey,
  prepare
}: Options<E>) {
  const { header, key, manifest, place } = backup
  const { write } = yield* Database
  const blobs = yield* Blobs
  const connection = yield* write.reserve
  const guard: Query = (text, params = []) => connection.execute(text, params, undefined)
  if (!(yield* take(guard, "restore"))) {
    return yield* new BackupFailed({ message: "Another restore into this database is running" })
  }
  if (yield* ProcessLock.isAnyThere) {
    return yield* new BackupFailed({ message: "Sheaf is running on this database: restore into an empty database" })
  }
  yield* requireEmpty(guard)
  yield* prepare

  const unreadable = new Set(manifest.files.unreadable.map(fileName))
  const progress = yield* Progress
  const randomness = yield* Randomness
  let bytes = 0
  const next = Effect.tap(yield* open(place, key), (part) =>
    Effect.sync(() =>
      progress({ what: "Restoring", done: (bytes += bytesOf(part)), total: backup.bytes, unit: "bytes" })
    )
  )
  let part = yield* next
  for (; part.kind !== "rows" && part.kind !== "end"; part = yield* next) {
    if (part.kind === "secretKey") yield* keepSecretKey(part.text)
    if (part.kind !== "file" || !keepsFiles || unreadable.has(fileName(part.key))) continue
    const name = `rs_${randomness.text(24)}`
    const { sha256 } = yield* blobs.stage(part.content, name, part.size)
    // It was checked before: the backup has changed meanwhile.
    if (sha256 !== part.key.sha256) {
      return yield* new BackupFailed({
        message: `The backup is damaged: ${fileName(part.key)} does not match its hash`
      })
    }
    yield* blobs.keep(name, part.key)
  }

  const query: Query = (text, params) => write.unsafe(text, params)
  /** Inserts all rows. The last part comes only after all rows were compared with the manifest again. */
  const fill = Effect.gen(function* () {
    const tables = yield* storedTables(query)
    const missing = tables.find((table) => !header.tables.some(({ name }) => name === table.name))
    if (missing !== undefined) {
      return yield* new BackupFailed({ message: `The backup does not have the table ${missing.name}` })
    }
    for (; part.kind !== "end"; part = yield* next) {
      if (part.kind !== "rows") {
        return yield* new BackupFailed({ message: "The backup is damaged: its parts are in another order" })
      }
      const table = yield* tableFor(tables, part.table)
      if (Option.isSome(table)) yield* insertPiece(query, table.value, part.piece)
    }
    return header.tables.map(({ name }) => name).filter((name) => !tables.some((table) => table.name === name))
  })
  return yield* Migrations.locked(
    Effect.gen(function* () {
      yield* requireEmpty(query)
      // The settings of requests avoid scans of whole tables, which the checks of all rows need.
      yield* query("SET LOCAL enable_seqscan = on")
      yield* query("SET LOCAL enable_bitmapscan = on")
      yield* Migrations.migrate(header.schema)
      const foreign = yield* withoutReferences(query, fill)
      yield* Migrations.migrate()
      return {
        created_at: header.created_at,
        version: header.version,
        schema: header.schema,
        workspaces: yield* renewAll(header.created_at, endsCredentials),
        brought_back: yield* broughtBack(query),
        rows: Object.values(manifest.tables).reduce((total, { rows }) => total + rows, 0),
        files: manifest.files.count - manifest.files.unreadable.filter(({ problem }) => problem === "damaged").length,
        /** Files that the backup itself does not have. */
        unreadable: manifest.files.unreadable,
        /** Tables of other programs, which are not restored. */
        foreign
      }
    })
  )
}, Effect.scoped)
