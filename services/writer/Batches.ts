import type { PgClient } from "@effect/sql-pg/PgClient"
import { Cause, type Clock, Deferred, Effect, Exit } from "effect"
import { SqlError } from "effect/sql"
import { NotFound, type Unavailable } from "../Errors.ts"
import type { WorkspaceId } from "../Ids.ts"
import type { RandomnessShape } from "../Randomness.ts"
import { WriterCache, type Head } from "./WriterCache.ts"
import type { ChangeLog } from "./ChangeLog.ts"
import { type Committer, isStored } from "./Committer.ts"
import { counters, noCounts } from "../tables/Counters.ts"
import { type Database, isConnectionError, reconnecting, unavailableOf } from "../database/Database.ts"
import type { Actor } from "./Actor.ts"
import { CurrentDraft, Draft } from "./Draft.ts"
import { LockedDraft } from "./LockedDraft.ts"
import type { Mailbox, Mailboxes, Waiting } from "./Mailboxes.ts"
import * as RowReads from "./RowReads.ts"
import * as Statement from "./Statement.ts"
import type { Table } from "../tables/Table.ts"

const maxBatch = 200
const maxBatchRows = 400
const maxBatchBytes = 4 * 1024 * 1024

/** Returns "refused" if PostgreSQL rejects a statement of a batch. A lost connection stays a defect. */
const refusable = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A | "refused", E> =>
  Effect.catchDefect(effect, (defect) => (isConnectionError(defect) ? Effect.die(defect) : Effect.succeed("refused")))

/** The SQL failure among the causes of an exit. */
const sqlErrorOf = (exit: Exit.Exit<unknown, unknown>): SqlError.SqlError | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  return exit.cause.reasons
    .map((reason) =>
      Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    )
    .find(SqlError.isSqlError)
}

/** The exit for the caller: SQL failures after which it can try again become `Unavailable`, others are defects. */
const exitForCaller = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  const error = sqlErrorOf(exit)
  if (error === undefined) return exit
  const unavailable = unavailableOf(error)
  return unavailable === undefined ? Exit.die(error) : Exit.fail(unavailable)
}

const takeBatch = (mailbox: Mailbox): Array<Waiting> => {
  // A locked write runs alone.
  let count = 0
  while (count < mailbox.waiting.length && count < maxBatch && !mailbox.waiting[count]!.locked) count++
  return mailbox.waiting.splice(0, Math.max(count, 1)).filter((each) => !each.cancelled)
}

const headColumns = ["least_revision", ...["seq", ...counters].map((column) => `${column}::float8 AS ${column}`)].join(
  ", "
)

interface Dependencies {
  readonly database: Database["Service"]
  readonly committer: Committer["Service"]
  readonly log: ChangeLog["Service"]
  readonly clock: Clock.Clock
  readonly randomness: RandomnessShape
  readonly mailboxes: Mailboxes
}

/** Undoes the transaction of a dry run, after all that its commit would have checked. */
class Undone {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** Runs batches of writes over drafts, and stores the drafts. */
export const make = ({
  clock,
  committer,
  database: { refusals, whole, write: sql },
  log,
  mailboxes,
  randomness
}: Dependencies) => {
  const readBase = (client: PgClient, workspace_id: WorkspaceId, lock: string) =>
    client
      .unsafe<Head>(`SELECT ${headColumns} FROM heads WHERE workspace_id = $1 ${lock}`, [workspace_id])
      .pipe(
        Effect.flatMap(([head]) =>
          head === undefined ? Effect.fail(NotFound.of("workspace")) : Effect.succeed(new WriterCache(head))
        )
      )

  const store = (draft: Draft) =>
    Effect.flatMap(Statement.make([draft]), ({ params, text }) =>
      Effect.map(sql.unsafe(text, params), (rows) => {
        if (rows.length !== 1) throw new Error("a locked head has moved")
      })
    )

  const together = RowReads.together(whole)
  const within = RowReads.each(sql)

  const draftOn = (workspace_id: WorkspaceId, base: WriterCache) =>
    new Draft({
      workspace_id,
      base,
      millis: clock.currentTimeMillisUnsafe(),
      randomness,
      client: whole,
      readRows: together
    })

  const lockedDraftOn = (workspace_id: WorkspaceId, base: WriterCache) =>
    new LockedDraft(
      { workspace_id, base, millis: clock.currentTimeMillisUnsafe(), randomness, client: sql, readRows: within },
      store
    )

  /** Runs one write over the draft. A failure undoes only the changes of this write, and is returned to its caller. */
  const run = (draft: Draft, each: Waiting) =>
    Effect.suspend(() => {
      draft.actor = each.options.actor
      return Effect.map(Effect.exit(draft.attempt(each.run)), exitForCaller)
    })

  const publish = (draft: Draft, first: number, entries: Draft["appended"]) => {
    const { changesAccess, head, workspace_id } = draft
    // A user who is suspended, or no longer an operator, is in no entry of the log.
    if (head.seq >= first || changesAccess) log.publish({ workspace_id, first, last: head.seq, entries, changesAccess })
  }

  const load = (draft: Draft, batch: ReadonlyArray<Waiting>) => {
    const byTable = new Map<Table<any>, Array<ReadonlyArray<string>>>()
    for (const { options } of batch) {
      for (const [table, ...key] of options.needs ?? []) {
        const keys = byTable.get(table)
        keys === undefined ? byTable.set(table, [key]) : keys.push(key)
      }
    }
    if (byTable.size === 0) return Effect.void
    return Effect.forEach(byTable, ([table, keys]) => draft.load(table, keys), { concurrency: 4, discard: true })
  }

  /**
   * Runs a batch with an optimistic lock: over the cached base, and the guard on the head refuses the draft if another
   * node has written meanwhile (`stale`). `refused`: PostgreSQL rejects the batch because of one write in it. In both
   * cases nothing was stored.
   */
  const attempt = Effect.fnUntraced(function* (mailbox: Mailbox, batch: Array<Waiting>) {
    const base = mailbox.base ?? (yield* readBase(whole, mailbox.workspace_id, ""))
    mailboxes.hold(mailbox, base)
    const draft = draftOn(mailbox.workspace_id, base)
    if ((yield* refusable(load(draft, batch))) === "refused") return "refused"
    const exits: Array<readonly [Waiting, Exit.Exit<unknown, unknown>]> = []
    for (let index = 0; index < batch.length; index++) {
      const each = batch[index]!
      if (each.cancelled) continue
      if (draft.rows >= maxBatchRows || draft.bytes >= maxBatchBytes) {
        // The draft is full: the rest goes into the next batch, before later writes.
        mailbox.waiting.unshift(...batch.splice(index))
        break
      }
      const exit = yield* run(draft, each)
      exits.push([each, exit])
    }
    const outcome = draft.isEmpty
      ? // Results of writes that changed nothing must be valid too: another node may have written since a read.
        exits.length === 0
        ? "stored"
        : yield* committer.verify(draft)
      : yield* refusable(committer.store(draft))
    if (outcome !== "stored") {
      mailboxes.hold(mailbox, undefined)
      return outcome
    }
    mailboxes.hold(mailbox, draft.isEmpty ? base : draft.nextBase())
    publish(draft, draft.expected + 1, draft.appended)
    for (const [each, exit] of exits) Deferred.doneUnsafe(each.deferred, exit)
    return outcome
  })

  /** Whether a transaction was committed whose COMMIT got no response: looks up the draft's last entry in the log. */
  const isCommitted = (draft: LockedDraft) =>
    isStored(sql, draft).pipe(
      Effect.retry({ while: isConnectionError, ...reconnecting }),
      Effect.orElseSucceed(() => false)
    )

  /**
   * Runs each write of a batch in a separate transaction that locks the head first, so that no other node can write to
   * the workspace until the commit.
   */
  const attemptLocked = Effect.fnUntraced(function* (mailbox: Mailbox, batch: Array<Waiting>) {
    mailboxes.hold(mailbox, undefined)
    for (const each of batch) {
      if (each.cancelled) continue
      let draft: LockedDraft | undefined
      let first = 0
      let written: Draft["appended"] = []
      let result: Exit.Exit<unknown> | undefined
      const once = sql.withTransaction(
        Effect.gen(function* () {
          const base = yield* readBase(sql, mailbox.workspace_id, "FOR UPDATE")
          first = base.head.seq + 1
          draft = lockedDraftOn(mailbox.workspace_id, base)
          yield* load(draft, [each])
          draft.actor = each.options.actor
          const value = yield* each.run(draft)
          written = draft.appended
          yield* draft.settle()
          if (each.isDry) {
            yield* sql.unsafe("SET CONSTRAINTS ALL IMMEDIATE")
            return yield* Effect.fail(new Undone(value))
          }
          // Entries that were settled earlier are only in the log: readers then read all of them from there.
          if (written.length !== draft.head.seq - first + 1) written = []
          result = Exit.succeed(value)
          return value
        })
      )
      const ended = yield* Effect.exit(
        Effect.catchIf(
          once,
          (error) => error instanceof Undone,
          ({ value }) => Effect.succeed(value)
        )
      )
      if (each.isDry) {
        Deferred.doneUnsafe(each.deferred, exitForCaller(ended))
        continue
      }
      refusals.record(sqlErrorOf(ended))
      let exit = exitForCaller(ended)
      if (Exit.isFailure(exit) && result !== undefined && (yield* isCommitted(draft!))) exit = result
      if (draft !== undefined && Exit.isSuccess(exit)) publish(draft, first, written)
      Deferred.doneUnsafe(each.deferred, exit)
    }
  })

  const execute = Effect.fnUntraced(function* (mailbox: Mailbox, batch: Array<Waiting>) {
    if (batch[0]!.locked) return yield* attemptLocked(mailbox, batch)
    for (let tries = 0; tries < 2; tries++) {
      const outcome = yield* attempt(mailbox, batch)
      if (outcome === "stored") return
      // Each write runs alone, so that only the faulty one fails.
      if (outcome === "refused") break
    }
    yield* attemptLocked(mailbox, batch)
  })

  /** Runs one batch of the writes that wait in a mailbox, and returns the results to their callers. */
  const process = Effect.fnUntraced(function* (mailbox: Mailbox) {
    const batch = takeBatch(mailbox)
    if (batch.length === 0) return
    const exit = exitForCaller(yield* Effect.exit(execute(mailbox, batch)))
    if (Exit.isFailure(exit)) {
      mailboxes.hold(mailbox, undefined)
      for (const each of batch) Deferred.doneUnsafe(each.deferred, exit)
    }
  })

  /** Makes a workspace: stores its head and what `method` puts into the draft, in one transaction. */
  const begin = <A, E, R>(
    workspace_id: WorkspaceId,
    actor: Actor,
    method: (draft: LockedDraft) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | Unavailable, R> =>
    Effect.suspend(() => {
      const draft = lockedDraftOn(workspace_id, new WriterCache({ ...noCounts, seq: 0, least_revision: 1 }))
      draft.actor = actor
      let entries: Draft["appended"] = []
      const insertHead = sql.unsafe("INSERT INTO heads (workspace_id, seq, epoch, notes) VALUES ($1, 0, $2, 0)", [
        workspace_id,
        randomness.text(8)
      ])
      let result: Exit.Exit<A> | undefined
      const filled = Effect.tap(Effect.provideService(method(draft), CurrentDraft, draft), (value) => {
        entries = draft.appended
        return Effect.map(draft.settle(), () => (result = Exit.succeed(value)))
      })
      return Effect.gen(function* () {
        let exit = exitForCaller(yield* Effect.exit(sql.withTransaction(Effect.andThen(insertHead, filled))))
        if (Exit.isFailure(exit) && result !== undefined && (yield* isCommitted(draft))) exit = result
        if (Exit.isSuccess(exit)) publish(draft, 1, entries)
        return yield* exit as Exit.Exit<A, E | Unavailable>
      })
    })

  return { begin, process }
}
