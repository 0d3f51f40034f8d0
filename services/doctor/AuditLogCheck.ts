import { Clock, Effect } from "effect"
import { createReadStream, existsSync } from "node:fs"
import { createInterface } from "node:readline"
import { type AuditDestination, chainOf } from "../activity/audit/AuditDestination.ts"
import type { StoredEnd } from "../activity/audit/AuditLogFile.ts"
import { type AuditLine, genesis, parseLine } from "../activity/audit/AuditLine.ts"
import { Database } from "../database/Database.ts"
import { type Faults, Skipped } from "./Check.ts"

/** Milliseconds that an entry may wait. */
const patience = 5 * 60_000

const remedy = "Compare the file with a copy that others cannot change, and find out who changed it."

/** Checks that each line is as it was written, and that lines follow each other from the first to the last stored one. */
const checkFile = async (path: string, stored: StoredEnd | undefined, faults: Faults) => {
  // Nothing was written yet, or it was rotated.
  if (!existsSync(path)) return
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity })
  let before: AuditLine | undefined
  let number = 0
  let hasEnd = stored === undefined
  for await (const text of lines) {
    number++
    const line = parseLine(text)
    const add = (what: string) => faults.add({ problem: `${path}: line ${number} ${what}.`, remedy })
    if (line === undefined) {
      add("is no line of an audit log")
      continue
    }
    if (!line.isIntact) add("was changed")
    if (number === 1) {
      const isCut =
        stored?.first_hash != null ? stored.first_hash !== line.hash : line.n === 1 && line.prev !== genesis.hash
      if (isCut) add("is not the first one that was written: lines before it were removed")
    } else if (before !== undefined && line.prev !== before.hash) {
      add(
        `(n ${line.n}) does not follow line ${number - 1} (n ${before.n}): lines were removed, added or put in another order`
      )
    }
    before = line
    if (line.hash === stored?.hash) hasEnd = true
    if (faults.isFull) break
  }
  lines.close()
  // An empty file was rotated.
  if (number > 0 && !hasEnd && !faults.isFull) {
    faults.add({
      problem: `${path} does not have the line with the number ${stored?.n}: lines at its end were removed.`,
      remedy
    })
  }
}

/** Checks that no entry waits for AUDIT_LOG, and the chain of its file. */
export const auditLogCheck = ({
  auditLog,
  isQuick
}: {
  readonly auditLog: AuditDestination | undefined
  readonly isQuick: boolean
}) => ({
  name: "audit log",
  run: Effect.fnUntraced(function* (faults: Faults) {
    if (auditLog === undefined) return yield* new Skipped({ reason: "AUDIT_LOG is not set" })
    const { write } = yield* Database
    const [waiting] = yield* write.unsafe<{ readonly since: string }>(
      `SELECT occurred_at AS since FROM audit_unsent JOIN audit_entries USING (workspace_id, id)
      ORDER BY audit_unsent.place LIMIT 1`
    )
    const isLate = waiting !== undefined && Date.parse(waiting.since) < (yield* Clock.currentTimeMillis) - patience
    if (isLate) {
      faults.add({
        problem: `Entries have waited for AUDIT_LOG since ${waiting.since}.`,
        remedy: "Check that the server runs and that the destination accepts lines: its log has the reason."
      })
    }
    if (auditLog.kind !== "file") return
    if (isQuick) return isLate ? undefined : yield* new Skipped({ reason: "a quick run does not read the file" })
    const [stored] = yield* write.unsafe<StoredEnd>(
      "SELECT n::float8 AS n, hash, first_hash FROM audit_chains WHERE destination = $1",
      [chainOf(auditLog)]
    )
    yield* Effect.promise(() => checkFile(auditLog.path, stored, faults))
  })
})
