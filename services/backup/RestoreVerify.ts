import { Effect } from "effect"
import * as Migrations from "../database/Migrations.ts"
import { type LogGap, logGaps, logKeptSince } from "../activity/LogGaps.ts"
import { Progress } from "../Progress.ts"
import * as BlobCheck from "../files/BlobCheck.ts"
import { BackupFailed } from "./BackupFailure.ts"
import { fileName } from "./BackupFormat.ts"
import type { CheckedBackup } from "./Restore.ts"
import { openSnapshot } from "./BackupSnapshot.ts"
import { readTable, storedTables } from "./TableRows.ts"

/** A part of the database or of the files that differs from the backup. */
export interface Difference {
  readonly part: string
  readonly problem: string
}

/** Maximum number of files that are reported; the others are counted. */
const maxReported = 1000

const gapsText = `WITH s AS (SELECT workspace_id, seq FROM heads) ${logGaps("$1")} ORDER BY 1 LIMIT 100`

/**
 * Compares the database and the files with a backup, and writes nothing: the rows of each table, by their number and
 * hash; the change logs, which have no holes; each file, by its hash.
 */
export const verify = Effect.fnUntraced(function* ({ header, manifest }: CheckedBackup, version: string) {
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
  const excused = new Set(manifest.files.unreadable.map(fileName))
  const { checked, next } = yield* BlobCheck.check({ isQuick: false })
  let more = 0
  while (true) {
    const faults = yield* next
    if (faults.length === 0) break
    for (const fault of faults) {
      const part = fileName(fault)
      if (excused.has(part)) continue
      if (differences.length < maxReported) differences.push({ part, problem: `is ${fault.problem}` })
      else more++
    }
  }
  return {
    differences,
    /** Number of differences that are not in the list. */
    more,
    tables: tables.length,
    rows: Object.values(manifest.tables).reduce((total, { rows }) => total + rows, 0),
    files: checked()
  }
}, Effect.scoped)
