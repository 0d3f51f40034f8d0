import { Effect } from "effect"
import type { Query } from "../database/BackupLocks.ts"
import * as Migrations from "../database/Migrations.ts"
import { type LogGap, logGaps, logKeptSince } from "../activity/LogGaps.ts"
import { Progress } from "../Progress.ts"
import * as BlobCheck from "../files/BlobCheck.ts"
import { BackupFailed } from "./BackupFailure.ts"
import { fileLine, fileName } from "./BackupFormat.ts"
import { type CheckedBackup, restore } from "./Restore.ts"
import { openSnapshot } from "./BackupSnapshot.ts"
import { RunningSum } from "./RunningSum.ts"
import { fetchFiles, readTable, storedTables } from "./TableRows.ts"

/** A part of the database or of the files that differs from the backup. */
export interface Difference {
  readonly part: string
  readonly problem: string
}

/** Maximum number of files that are reported; the others are counted. */
const maxReported = 1000

const gapsText = `WITH s AS (SELECT workspace_id, seq FROM heads) ${logGaps("$1")} ORDER BY 1 LIMIT 100`

/** Reads all files, and finds those that are missing or damaged. Returns the number of files. */
const compareFiles = Effect.fnUntraced(function* ({ manifest }: CheckedBackup, add: (found: Difference) => void) {
  const excused = new Set(manifest.files.unreadable.map(fileName))
  const { checked, next } = yield* BlobCheck.check({ isQuick: false })
  while (true) {
    const faults = yield* next
    if (faults.length === 0) return checked()
    for (const fault of faults) {
      const part = fileName(fault)
      if (!excused.has(part)) add({ part, problem: `is ${fault.problem}` })
    }
  }
})

/** Compares the files that records use with the list in the backup, whose reader has compared their bytes. */
const compareList = Effect.fnUntraced(function* (
  query: Query,
  { manifest: { files } }: CheckedBackup,
  add: (found: Difference) => void
) {
  const missing = new Set(files.unreadable.filter(({ problem }) => problem === "missing").map(fileName))
  const list = new RunningSum()
  let count = 0
  yield* fetchFiles(query, (rows) =>
    Effect.sync(() => {
      for (const row of rows) {
        if (missing.has(fileName(row))) continue
        list.add(fileLine(row, row.size))
        count++
      }
    })
  )
  if (list.sum().sha256 !== files.sha256) {
    add({ part: "files", problem: `are others: records use ${count}, and the backup has ${files.count}` })
  }
  return count
})

/**
 * Compares the database and the files with a backup, and writes nothing: the rows of each table, by their number and
 * hash; the change logs, which have no holes; each file, by its hash. Without `hasFiles` the files are those of the list in
 * the backup.
 */
export const verify = Effect.fnUntraced(function* (backup: CheckedBackup, version: string, hasFiles = true) {
  const { header, manifest } = backup
  const schema = yield* Migrations.version
  if (schema !== header.schema) {
    return yield* new BackupFailed({
      message: `The database has the schema ${schema} (this is Sheaf ${version}) and the backup ${header.schema} (of Sheaf ${header.version}), so their rows cannot be compared: restore and verify with the version of Sheaf that made the backup`
    })
  }
  const differences: Array<Difference> = []
  const query = yield* openSnapshot(() => Effect.void)
  const tables = yield* storedTables(query)
  const progress = yield* Progress
  const total = Object.values(manifest.tables).reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  for (const table of tables) {
    const part = `tables/${table.name}`
    const expected = manifest.tables[table.name]
    if (expected === undefined) {
      differences.push({ part, problem: "is not in the backup" })
      continue
    }
    const found = yield* readTable(query, table, (piece) =>
      Effect.sync(() => progress({ what: "Comparing rows", done: (done += piece.length), total, unit: "bytes" }))
    )
    if (found.rows !== expected.rows) {
      differences.push({ part, problem: `has ${found.rows} rows, and ${expected.rows} in the backup` })
    } else if (found.sha256 !== expected.sha256) differences.push({ part, problem: "has other values than the backup" })
  }
  for (const name of Object.keys(manifest.tables)) {
    if (!tables.some((table) => table.name === name)) {
      differences.push({ part: `tables/${name}`, problem: "is missing in the database" })
    }
  }
  yield* query("SET LOCAL enable_seqscan = on")
  for (const { count, first, head, last, workspace_id } of yield* query<LogGap>(gapsText, [yield* logKeptSince])) {
    differences.push({
      part: `changes/${workspace_id}`,
      problem: `has ${count} entries from ${first} to ${last}, and the workspace is at ${head}`
    })
  }
  let more = 0
  const add = (found: Difference) => {
    if (differences.length < maxReported) differences.push(found)
    else more++
  }
  const files = yield* hasFiles ? compareFiles(backup, add) : compareList(query, backup, add)
  return {
    differences,
    /** Number of differences that are not in the list. */
    more,
    tables: tables.length,
    rows: Object.values(manifest.tables).reduce((total, { rows }) => total + rows, 0),
    files
  }
}, Effect.scoped)

/**
 * Restores a backup into an empty database, and compares both. Returns what was restored. Without `keepsFiles`, files are
 * only read.
 */
export const restoreVerified = Effect.fnUntraced(function* (backup: CheckedBackup, version: string, keepsFiles = true) {
  const restored = yield* restore({
    backup,
    keepsFiles,
    prepare: Effect.void,
    // The caller has it.
    keepSecretKey: () => Effect.void
  })
  // The rows of an earlier schema have been migrated: the restore compared them before that with the hashes of the backup.
  const isSame = backup.header.schema === (yield* Migrations.latest)
  const { differences, more } = isSame ? yield* verify(backup, version, keepsFiles) : { differences: [], more: 0 }
  if (differences.length > 0) {
    const [{ part, problem }] = differences as [Difference]
    return yield* new BackupFailed({
      message: `The restored database differs from the backup in ${differences.length + more} parts: ${part} ${problem}`
    })
  }
  return restored
})
