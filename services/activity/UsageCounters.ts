import { Cause, Clock, Context, Effect, Layer, Schedule, Semaphore } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { Unavailable } from "../Errors.ts"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database, isConnectionError } from "../database/Database.ts"
import { ago } from "../database/DeleteInBatches.ts"

const dayLength = 24 * 3600_000
/** Milliseconds for which counts are kept: 400 days, like audit entries on the larger plans. */
const requestLife = 400 * dayLength
/** Interval of writes. Counts of at most this time are lost if the process is killed. */
const flushInterval = "3 seconds"
/** Maximum number of workspaces in one statement. */
const batch = 1_000
/** Maximum number of workspaces that one query checks for old counts. */
const pruneReach = 500

/** Requests of a workspace on a day that are not stored yet. */
interface RequestCount {
  readonly workspace_id: WorkspaceId
  readonly date: string
  requests: number
}

/** Ordered, so that two nodes do not deadlock. Counts of a deleted workspace are dropped. */
const add = `INSERT INTO request_days (workspace_id, date, api_requests)
  SELECT workspace_id, date, sum(requests::bigint)::bigint
  FROM unnest($1::text[], $2::text[], $3::text[]) AS x(workspace_id, date, requests)
  JOIN workspaces USING (workspace_id)
  GROUP BY workspace_id, date ORDER BY workspace_id, date
  ON CONFLICT (workspace_id, date) DO UPDATE SET api_requests = request_days.api_requests + excluded.api_requests`

/** A lost connection in a transaction also breaks its end, where it is a defect. */
const orUnavailable = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, Unavailable> =>
  Effect.catchCause(effect, (cause) => {
    const isBroken = cause.reasons.some((reason) =>
      isConnectionError(
        Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
      )
    )
    return isBroken ? Effect.fail(Unavailable.database) : Effect.orDie(Effect.failCause(cause))
  })

/**
 * Counts the requests of workspaces by day (contract 4, GET /usage). Counts are in memory, and every few seconds added to
 * the stored ones: counting does not delay a request, and several nodes can count.
 *
 * Counts that could not be stored stay in memory. If a COMMIT gets no response, it is unknown whether it succeeded: then
 * these counts are dropped, because a missing request does no harm, but a request that counts twice does.
 */
export class UsageCounters extends Context.Service<
  UsageCounters,
  {
    /** Counts a request on the current day in UTC. */
    readonly count: (workspace_id: WorkspaceId) => void
    /** Stores the counts. Runs every 3 seconds, when the server stops, and before `GET /usage`. */
    readonly flush: Effect.Effect<void, Unavailable>
    /** Deletes the counts of days that are too old. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/activity/UsageCounters") {
  static readonly layer = Layer.effect(
    UsageCounters,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const clock = yield* Clock.Clock
      const turn = Semaphore.makeUnsafe(1)

      let today = new Map<string, RequestCount>()
      let begins = NaN
      let date = ""
      /** Counts of past days. They are few: without the database, requests are refused after a minute. */
      let earlier: Array<RequestCount> = []

      const isOpen = (count: RequestCount) => count.requests > 0

      const beginDay = (now: number) => {
        for (const count of today.values()) if (isOpen(count)) earlier.push(count)
        today = new Map()
        begins = now - (now % dayLength)
        date = new Date(begins).toISOString().slice(0, 10)
      }

      const count = (workspace_id: WorkspaceId) => {
        const now = clock.currentTimeMillisUnsafe()
        if (!(now >= begins && now < begins + dayLength)) beginDay(now)
        const count = today.get(workspace_id)
        if (count === undefined) today.set(workspace_id, { workspace_id, date, requests: 1 })
        else count.requests++
      }

      /** Returns the counts to store, and drops workspaces without requests since the last time. */
      const open = (): ReadonlyArray<RequestCount> => {
        earlier = earlier.filter(isOpen)
        for (const count of today.values()) if (!isOpen(count)) today.delete(count.workspace_id)
        return [...earlier, ...today.values()]
      }

      const store = Effect.fnUntraced(function* (counts: ReadonlyArray<RequestCount>) {
        const requests = counts.map((count) => count.requests)
        let isCommitting = false
        const stored = sql.withTransaction(
          Effect.map(
            sql.unsafe(add, [
              counts.map((count) => count.workspace_id),
              counts.map((count) => count.date),
              requests.map(String)
            ]),
            () => {
              isCommitting = true
            }
          )
        )
        const exit = yield* Effect.exit(stored)
        // Subtract, because more requests may have been counted meanwhile.
        if (isCommitting) counts.forEach((count, index) => (count.requests -= requests[index]!))
        return yield* exit
      })

      const storeAll = Effect.fnUntraced(function* () {
        const counts = open()
        for (let from = 0; from < counts.length; from += batch) yield* store(counts.slice(from, from + batch))
      })

      // One at a time and uninterruptible, so that it is known which counts are stored.
      const flush = turn.withPermit(Effect.uninterruptible(orUnavailable(Effect.suspend(storeAll))))

      const pruneAll = Effect.fnUntraced(function* () {
        const before = (yield* ago(requestLife)).slice(0, 10)
        for (let last = ""; ;) {
          // The first day of a workspace shows whether any is due.
          const due = (yield* read.unsafe<{ workspace_id: WorkspaceId }>(
            `SELECT workspace_id FROM workspaces w WHERE workspace_id > $1 AND (
              SELECT date FROM request_days d WHERE d.workspace_id = w.workspace_id ORDER BY date LIMIT 1
            ) < $2 ORDER BY workspace_id LIMIT ${pruneReach}`,
            [last, before]
          )).map((row) => row.workspace_id)
          yield* sql.unsafe("DELETE FROM request_days WHERE workspace_id = ANY($1::text[]) AND date < $2", [
            due,
            before
          ])
          if (due.length < pruneReach) return
          last = due.at(-1)!
        }
      })

      yield* Effect.addFinalizer(() =>
        Effect.catchCause(flush, (cause) => Effect.logWarning("the last request counts were not stored", cause))
      )
      const rounds = (yield* BackgroundWork).rounds("request counts")
      yield* Effect.forkScoped(
        Effect.repeat(
          flush.pipe(
            // The counts stay in memory until the next time.
            Effect.catchTag("Unavailable", () => Effect.void),
            Effect.catchCause((cause) => Effect.logWarning("request counts were not stored", cause)),
            rounds
          ),
          Schedule.spaced(flushInterval)
        )
      )

      return UsageCounters.of({
        count,
        flush,
        prune: Effect.orDie(pruneAll())
      })
    })
  )
}
