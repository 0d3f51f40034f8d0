import type { PgClient } from "@effect/sql-pg/PgClient"
import { Cause, Context, Deferred, Effect, Exit, Latch, Layer, Metric, Scope } from "effect"
import type { SqlError } from "effect/sql"
import { Unavailable } from "../Errors.ts"
import { Database, isConnectionError, isExhausted, reconnecting, runSql } from "../database/Database.ts"
import type { Draft } from "./Draft.ts"
import * as Statement from "./Statement.ts"

/** `stale`: another node wrote meanwhile, and nothing of the draft was stored. */
export type Outcome = "stored" | "stale"

/** Minimum number of waiting drafts for a second flush during another one: with fewer it costs more than it saves. */
const least = 16
const maxRows = 400
const maxBytes = 4 * 1024 * 1024

const flushSeconds = Metric.histogram("sheaf_committer_flush_seconds", {
  description: "Time of a flush: one statement, one commit",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
})
const flushDrafts = Metric.histogram("sheaf_committer_flush_drafts", {
  description: "Drafts in a flush",
  boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256]
})

/** `lost`: an earlier try lost its connection, and may have stored the drafts. */
interface Tries {
  lost: boolean
}

interface Waiting {
  readonly draft: Draft
  readonly deferred: Deferred.Deferred<Outcome, Unavailable>
}

/**
 * Group commit: stores the waiting drafts of all workspaces in one statement and one commit. A large draft is stored
 * alone, at the same time. At most two flushes run at a time: with two, PostgreSQL and this process do not take turns
 * waiting for each other. Drafts that arrive meanwhile share the next flush, which makes each of them cheap.
 */
export class Committer extends Context.Service<
  Committer,
  {
    readonly store: (draft: Draft) => Effect.Effect<Outcome, Unavailable>
    /**
     * Checks that the head still has the seq that an empty draft expects: then what its writes returned is still valid.
     */
    readonly verify: (draft: Draft) => Effect.Effect<Outcome, Unavailable>
    /** Number of drafts that wait for a flush, for metrics. */
    readonly waiting: () => number
  }
>()("sheaf/writer/Committer") {
  static readonly layer = Layer.effect(
    Committer,
    Effect.gen(function* () {
      const { read, refusals, write } = yield* Database
      const scope = yield* Scope.Scope
      const context = yield* Effect.context<never>()
      const waiting: Array<Waiting> = []
      const due = Latch.makeUnsafe()
      let underWay = 0

      const once = Effect.fnUntraced(function* (
        drafts: ReadonlyArray<Draft>,
        { params, text }: Statement.Statement,
        tries: Tries,
        held: "wait" | "skip"
      ) {
        const rows = yield* write.unsafe<{ workspace_id: string }>(text, params)
        const stored = new Set(rows.map((row) => row.workspace_id))
        const outcomes = new Map<Draft, Outcome>()
        for (const draft of drafts) {
          if (stored.has(draft.workspace_id)) outcomes.set(draft, "stored")
          else if (held === "wait") {
            outcomes.set(draft, tries.lost && (yield* isStored(write, draft)) ? "stored" : "stale")
          }
        }
        return outcomes
      })

      /**
       * After a lost connection the outcome is unknown, and the statement may still be running. Running it again is
       * safe: the guard lets at most one of the two through, and `isStored` then finds the draft's own entries.
       */
      const execute = (drafts: ReadonlyArray<Draft>, tries: Tries, held: "wait" | "skip") =>
        Effect.flatMap(Statement.make(drafts, held), (statement) =>
          Effect.tapError(once(drafts, statement, tries, held), (error) =>
            Effect.sync(() => {
              if (isConnectionError(error)) tries.lost = true
            })
          ).pipe(Effect.retry({ while: isConnectionError, ...reconnecting }))
        )

      const alone = (each: Waiting, tries?: Tries) => Effect.forkIn(settle([each], "wait", tries), scope)

      const resolve = Effect.fnUntraced(function* (
        group: ReadonlyArray<Waiting>,
        outcomes: ReadonlyMap<Draft, Outcome>,
        tries: Tries
      ) {
        for (const each of group) {
          const outcome = outcomes.get(each.draft)
          if (outcome !== undefined) Deferred.doneUnsafe(each.deferred, Exit.succeed(outcome))
          // Another node holds the head, or has moved it. Finding out may take long, so the other drafts do not wait
          // for it.
          else yield* alone(each, tries)
        }
      })

      const refuse = (group: ReadonlyArray<Waiting>, error: Unavailable) =>
        Effect.sync(() => {
          for (const { deferred } of group) Deferred.doneUnsafe(deferred, Exit.fail(error))
        })

      const settle = (
        group: ReadonlyArray<Waiting>,
        held: "wait" | "skip",
        tries: Tries = { lost: false }
      ): Effect.Effect<void> =>
        Effect.matchCauseEffect(
          execute(
            group.map((each) => each.draft),
            tries,
            held
          ),
          {
            onSuccess: (outcomes) => {
              refusals.record(undefined)
              return resolve(group, outcomes, tries)
            },
            onFailure: (cause) => {
              const failed = cause.reasons.find(Cause.isFailReason)
              refusals.record(failed?.error)
              // The last try was refused, but an earlier one may have been executed.
              const isUnknown = tries.lost && group.length === 1
              if (isUnknown || (failed !== undefined && isConnectionError(failed.error))) {
                return refuse(group, Unavailable.database)
              }
              if (failed !== undefined && isExhausted(failed.error)) return refuse(group, Unavailable.exhausted)
              // One draft is faulty: each is stored alone, so that only that one fails.
              if (group.length > 1) return Effect.forEach(group, (each) => alone(each, tries), { discard: true })
              return Effect.sync(() => Deferred.doneUnsafe(group[0]!.deferred, Exit.die(Cause.squash(cause))))
            }
          }
        )

      const isLarge = (draft: Draft) => draft.rows > maxRows || draft.bytes > maxBytes

      /**
       * Takes the drafts of the next flush: all that wait, or half of them if there are enough for two flushes; none if
       * too few wait during another flush.
       */
      const take = (): Array<Waiting> => {
        const group: Array<Waiting> = []
        if (underWay > 0 && waiting.length < least) return group
        const size = underWay === 0 && waiting.length >= 2 * least ? waiting.length >> 1 : waiting.length
        let rows = 0
        let bytes = 0
        while (group.length < size) {
          const { draft } = waiting[0]!
          if (group.length > 0 && (rows + draft.rows > maxRows || bytes + draft.bytes > maxBytes)) break
          rows += draft.rows
          bytes += draft.bytes
          group.push(waiting.shift()!)
        }
        return group
      }

      // Two permanent fibers: a fiber for each flush would be added to the scope and removed again each time.
      const flush = Effect.gen(function* () {
        while (true) {
          yield* due.await
          const group = take()
          if (group.length > 0) {
            underWay++
            const begun = performance.now()
            yield* settle(group, "skip")
            flushSeconds.updateUnsafe((performance.now() - begun) / 1000, context)
            flushDrafts.updateUnsafe(group.length, context)
            underWay--
          }
          // In the same step as the check of what waits: a draft added in between would wait for ever.
          if (waiting.length === 0 || group.length === 0) due.closeUnsafe()
          else due.openUnsafe()
        }
      })
      yield* Effect.forkIn(flush, scope)
      yield* Effect.forkIn(flush, scope)

      const store = (draft: Draft) => {
        const deferred = Deferred.makeUnsafe<Outcome, Unavailable>()
        const each = { draft, deferred }
        const start = Effect.suspend((): Effect.Effect<unknown> => {
          if (isLarge(draft)) return alone(each)
          waiting.push(each)
          due.openUnsafe()
          return Effect.void
        })
        return Effect.andThen(start, Deferred.await(deferred))
      }

      const verify = (draft: Draft) =>
        Effect.map(
          runSql(read, "SELECT 1 AS found FROM heads WHERE workspace_id = $1 AND seq = $2::bigint", [
            draft.workspace_id,
            String(draft.expected)
          ]),
          (rows): Outcome => (rows.length === 1 ? "stored" : "stale")
        )

      return Committer.of({ store, verify, waiting: () => waiting.length })
    })
  )
}

/**
 * Whether a draft of unknown outcome was stored: the id of its last log entry is unique, and that entry can only have
 * been written together with all the rest.
 */
export const isStored = (sql: PgClient, draft: Draft): Effect.Effect<boolean, SqlError.SqlError> => {
  const { witness } = draft
  if (witness === undefined) return Effect.succeed(false)
  return Effect.map(
    sql.unsafe("SELECT 1 AS found FROM changes WHERE workspace_id = $1 AND seq = $2::bigint AND id = $3", [
      draft.workspace_id,
      String(witness.seq),
      witness.id
    ]),
    (rows) => rows.length === 1
  )
}
