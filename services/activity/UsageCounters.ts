import { Cause, Clock, Context, Effect, Layer, Schedule, Semaphore } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { Unavailable } from "../Errors.ts"
import { Database, isConnectionError } from "../database/Database.ts"
import { ago } from "../database/Prune.ts"

const dayLength = 24 * 3600_000
/** As long as audit entries on the larger plans. */
const requestLife = 400 * dayLength
/** At the most so much is lost when the process is killed. */
const writeEvery = "3 seconds"
/** Workspaces that one statement tells of. */
const batch = 1_000
/** Workspaces that are looked at for what is too old in one query. */
const pruneReach = 500

/** Requests of a workspace on a day that are not written down yet. */
interface Tally {
  readonly workspace_id: WorkspaceId
  readonly date: string
  requests: number
}

/** Ordered, so that two nodes do not wait for each other. Of a workspace that is gone nothing is kept. */
const add = `INSERT INTO request_days (workspace_id, date, api_requests)
  SELECT workspace_id, date, sum(requests::bigint)::bigint
  FROM unnest($1::text[], $2::text[], $3::text[]) AS x(workspace_id, date, requests)
  JOIN workspaces USING (workspace_id)
  GROUP BY workspace_id, date ORDER BY workspace_id, date
  ON CONFLICT (workspace_id, date) DO UPDATE SET api_requests = request_days.api_requests + excluded.api_requests`

/** A line that breaks in a transaction shows in its end too, which is a defect there. */
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
 * Counts the requests of workspaces by day (contract 4, GET /usage). In memory, then every few seconds added to what is
 * written: so that counting costs a request nothing, and several nodes count together.
 *
 * What could not be written stays counted. Where a COMMIT goes unanswered, nobody knows whether it took place: then
 * those few seconds count as written, for a request that is missing harms nobody, and one that counts twice does.
 */
export class UsageCounters extends Context.Service<
  UsageCounters,
  {
    /** Counts a request, on the present day in UTC. */
    readonly count: (workspace_id: WorkspaceId) => void
    /** Writes down what was counted: every few seconds, at the end, and before anyone asks. */
    readonly writeDown: Effect.Effect<void, Unavailable>
    /** Ends the days that are too long ago. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/activity/UsageCounters") {
  static readonly layer = Layer.effect(
    UsageCounters,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const clock = yield* Clock.Clock
      const turn = Semaphore.makeUnsafe(1)

      let today = new Map<string, Tally>()
      let begins = NaN
      let date = ""
      /** Of days that have ended: few, for without the database nobody is let in for longer than a minute. */
      let earlier: Array<Tally> = []

      const isOpen = (tally: Tally) => tally.requests > 0

      const beginDay = (now: number) => {
        for (const tally of today.values()) if (isOpen(tally)) earlier.push(tally)
        today = new Map()
        begins = now - (now % dayLength)
        date = new Date(begins).toISOString().slice(0, 10)
      }

      const count = (workspace_id: WorkspaceId) => {
        const now = clock.currentTimeMillisUnsafe()
        if (!(now >= begins && now < begins + dayLength)) beginDay(now)
        const tally = today.get(workspace_id)
        if (tally === undefined) today.set(workspace_id, { workspace_id, date, requests: 1 })
        else tally.requests++
      }

      /** What is to be written. Whoever has not called since the last time is let go of. */
      const open = (): ReadonlyArray<Tally> => {
        earlier = earlier.filter(isOpen)
        for (const tally of today.values()) if (!isOpen(tally)) today.delete(tally.workspace_id)
        return [...earlier, ...today.values()]
      }

      const store = Effect.fnUntraced(function* (tallies: ReadonlyArray<Tally>) {
        const requests = tallies.map((tally) => tally.requests)
        let isCommitting = false
        const stored = sql.withTransaction(
          Effect.map(
            sql.unsafe(add, [
              tallies.map((tally) => tally.workspace_id),
              tallies.map((tally) => tally.date),
              requests.map(String)
            ]),
            () => {
              isCommitting = true
            }
          )
        )
        const exit = yield* Effect.exit(stored)
        // More may have been counted meanwhile.
        if (isCommitting) tallies.forEach((tally, index) => (tally.requests -= requests[index]!))
        return yield* exit
      })

      const storeAll = Effect.fnUntraced(function* () {
        const tallies = open()
        for (let from = 0; from < tallies.length; from += batch) yield* store(tallies.slice(from, from + batch))
      })

      // One at a time, and what was begun is ended, so that it is known what is written.
      const writeDown = turn.withPermit(Effect.uninterruptible(orUnavailable(Effect.suspend(storeAll))))

      const pruneAll = Effect.fnUntraced(function* () {
        const before = (yield* ago(requestLife)).slice(0, 10)
        for (let last = ""; ;) {
          // One look at the first day of each tells whether any is due.
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
        Effect.catchCause(writeDown, (cause) => Effect.logWarning("the last requests were not counted", cause))
      )
      yield* Effect.forkScoped(
        Effect.repeat(
          writeDown.pipe(
            // They stay counted: the next time makes up for it.
            Effect.catchTag("Unavailable", () => Effect.void),
            Effect.catchCause((cause) => Effect.logWarning("requests were not written down", cause))
          ),
          Schedule.spaced(writeEvery)
        )
      )

      return UsageCounters.of({
        count,
        writeDown,
        prune: Effect.orDie(pruneAll())
      })
    })
  )
}
