import { Data, Effect, Schedule } from "effect"
import { BackgroundWork } from "../../concurrency/BackgroundWork.ts"
import { Database } from "../../database/Database.ts"
import { messageOf } from "../../ErrorCause.ts"
import { columnsOf } from "../../tables/Column.ts"
import { auditList } from "../AuditEntry.ts"
import { type AuditDestination, chainOf } from "./AuditDestination.ts"
import { appendEntries, type SentEntry, type StoredEnd } from "./AuditLogFile.ts"
import { sendEntries } from "./AuditSending.ts"

/** The lock of the process that writes: one at a time, so that there is one order. */
const writingLock = 0x5e4f_0016
/** Entries of a batch. */
const batchSize = 200
/** Interval at which each process looks for entries. */
const lookEvery = "2 seconds"

const trigger = "audit_entries_queued"

/** Milliseconds for which PostgreSQL keeps the lock of a process that does not respond. */
const lockLife = 30_000

class NotWritten extends Data.TaggedError("NotWritten")<{ readonly message: string }> {}

/** Queues each entry with its commit from now on, also those of commands and of earlier versions. */
const queueing = Effect.gen(function* () {
  const { write } = yield* Database
  const [found] = yield* write.unsafe("SELECT 1 AS found FROM pg_trigger WHERE tgname = $1", [trigger])
  if (found !== undefined) return
  yield* write.withTransaction(
    Effect.gen(function* () {
      // Writes wait for the lock on the table as long as this does.
      yield* write.unsafe("SET LOCAL lock_timeout = '500ms'")
      yield* write.unsafe(
        `CREATE OR REPLACE TRIGGER ${trigger} AFTER INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION queue_audit_entry()`
      )
    })
  )
})

const nextText = `SELECT place::text, workspace_id, ${columnsOf(auditList.shape)}
  FROM audit_unsent JOIN audit_entries USING (workspace_id, id) ORDER BY audit_unsent.place LIMIT ${batchSize}`

const storeText = `INSERT INTO audit_chains (destination, n, hash, first_hash) VALUES ($1, $2, $3, $4)
  ON CONFLICT (destination) DO UPDATE SET n = $2, hash = $3, first_hash = $4`

/**
 * Writes the entries that wait, in the order in which they were added, and starts to look for new ones. Each process looks, and a lock
 * decides which one writes. The lines are written before they leave the queue: a file then has each once, because what it
 * has beyond the stored end is read first; a collector may get those of a killed process again.
 */
export const start = Effect.fnUntraced(function* (destination: AuditDestination) {
  const database = yield* Database
  const { write } = database
  const chain = chainOf(destination)
  const rounds = (yield* BackgroundWork).rounds("audit log")
  let isFailing = false

  const send = (entries: ReadonlyArray<SentEntry>, stored: StoredEnd | undefined) => {
    // A process that was stopped meanwhile has lost the lock.
    const until = performance.now() + lockLife / 2
    return Effect.tryPromise({
      try: () =>
        destination.kind === "file"
          ? appendEntries(destination.path, entries, stored, until)
          : sendEntries(destination, entries, stored),
      catch: (error) => new NotWritten({ message: messageOf(error) })
    })
  }

  /** Returns whether more entries may wait. */
  const writeBatch = write.withTransaction(
    Effect.gen(function* () {
      const [lock] = yield* write.unsafe<{ readonly held: boolean }>(
        "SELECT pg_try_advisory_xact_lock($1::bigint) AS held",
        [String(writingLock)]
      )
      if (!lock!.held) return false
      const rows = yield* write.unsafe<SentEntry & { readonly place: string }>(nextText)
      if (rows.length === 0) return false
      yield* write.unsafe(`SET LOCAL idle_in_transaction_session_timeout = ${lockLife}`)
      const [stored] = yield* write.unsafe<StoredEnd>(
        "SELECT n::float8 AS n, hash, first_hash FROM audit_chains WHERE destination = $1",
        [chain]
      )
      const entries = rows.map(({ place: _, ...entry }) => entry)
      const { first_hash, hash, n } = yield* send(entries, stored)
      yield* write.unsafe(storeText, [chain, n, hash, first_hash])
      yield* write.unsafe("DELETE FROM audit_unsent WHERE place = ANY($1::bigint[])", [rows.map(({ place }) => place)])
      return rows.length === batchSize
    })
  )

  const look = rounds(
    Effect.repeat(writeBatch, { while: (isMore) => isMore }).pipe(
      Effect.matchCauseEffect({
        onSuccess: Effect.fnUntraced(function* () {
          if (isFailing) yield* Effect.logInfo("the audit log is written again")
          isFailing = false
        }),
        onFailure: Effect.fnUntraced(function* (cause) {
          if (!isFailing) yield* Effect.logError("the audit log cannot be written: its entries wait", cause)
          isFailing = true
        })
      })
    )
  )

  yield* queueing.pipe(
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: 60 }),
    Effect.orDie,
    Effect.provideService(Database, database)
  )
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))
  return { isFailing: () => isFailing }
})
