import { Clock, Context, Effect, FiberSet, Layer, Schedule } from "effect"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database, runSql } from "../database/Database.ts"
import { orConflict } from "../database/UniqueViolations.ts"
import type { Result } from "../doctor/Check.ts"
import type { Options as ServerChecks } from "../doctor/ServerCheck.ts"
import { Conflict, NotFound, type Unavailable } from "../Errors.ts"
import type { DiskSpace } from "../files/DiskSpace.ts"
import type { Blobs } from "../files/Blobs.ts"
import type { Mailer } from "../mail/Mailer.ts"
import type { Principal } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import { traced } from "../Traced.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { Writer } from "../writer/Writer.ts"
import type { CheckRun } from "./CheckRun.ts"
import * as ServerAudit from "./ServerAudit.ts"

interface Options extends Omit<ServerChecks, "isQuick" | "isRepair" | "report"> {
  /** Whether the server checks itself once a day. */
  readonly dailyChecks: boolean
}

/** Number of runs that stay. */
const maxKept = 20
/** Milliseconds after a run in which no daily one begins. It is looked for each hour. */
const dailyPause = 23 * 3_600_000
/** How often a run reports, and the milliseconds after which one that has not reported counts as interrupted. */
const reportEvery = "1 second"
const lostAfter = 60_000

const running = new Conflict({ code: "invalid_state", detail: "The checks are running already" })
const missing = NotFound.of("check run")

const iso = (millis: number): string => new Date(millis).toISOString()

/** $1 is the time before which a run without an end counts as interrupted. */
const selected = `SELECT id, results, started_at, ended_at, CASE WHEN ended_at IS NOT NULL THEN 'ended'
  WHEN seen_at < $1 THEN 'interrupted' ELSE 'running' END AS state FROM check_runs`

/** Makes room for a run: removes the oldest, and those whose node has ended. $1 is as above. */
const endText = `DELETE FROM check_runs WHERE (ended_at IS NULL AND seen_at < $1)
  OR id IN (SELECT id FROM check_runs WHERE ended_at IS NOT NULL ORDER BY started_at DESC OFFSET ${maxKept - 1})`

/** Runs of the checks of `sheaf doctor` on the running server, one at a time, for operators (contract 11). */
export class CheckRuns extends Context.Service<
  CheckRuns,
  {
    /** The last runs, the latest first. */
    readonly list: Effect.Effect<ReadonlyArray<CheckRun>, Unavailable>
    readonly get: (id: string) => Effect.Effect<CheckRun, NotFound | Unavailable>
    /** Begins a run in the background. `thorough`: it reads the bytes of all files, and the search indexes. */
    readonly begin: (thorough: boolean) => Effect.Effect<CheckRun, Conflict | NotFound | Unavailable, Principal>
    /** Makes a quick run, unless one began within a day on any node, and reads the result of the last one. */
    readonly daily: Effect.Effect<void, unknown>
    /** The names of the checks that found faults in the last run, as this node has read it. */
    readonly faulty: () => ReadonlyArray<string>
  }
>()("sheaf/admin/CheckRuns") {
  static readonly layer = (options: Options) =>
    Layer.effect(
      CheckRuns,
      Effect.gen(function* () {
        const { read, write } = yield* Database
        const randomness = yield* Randomness
        const audit = yield* ServerAudit.make
        const rounds = (yield* BackgroundWork).rounds("checks")
        const under = yield* FiberSet.make<void>()
        const services = yield* Effect.context<Blobs | Database | DiskSpace | Mailer | Writer>()

        const lost = Effect.map(Clock.currentTimeMillis, (now) => iso(now - lostAfter))

        const list = Effect.gen(function* () {
          return yield* runSql<CheckRun>(read, `${selected} ORDER BY started_at DESC, id DESC LIMIT ${maxKept}`, [
            yield* lost
          ])
        })

        const get = Effect.fnUntraced(function* (id: string) {
          const [run] = yield* runSql<CheckRun>(write, `${selected} WHERE id = $2`, [yield* lost, id])
          return run ?? (yield* missing)
        })

        const check = Effect.fnUntraced(function* (id: string, thorough: boolean) {
          const results: Array<Result> = []
          const store = Effect.fnUntraced(function* (isEnded: boolean) {
            const now = iso(yield* Clock.currentTimeMillis)
            yield* write.unsafe(
              `UPDATE check_runs SET results = $2::json, seen_at = $3, ended_at = CASE WHEN $4::boolean THEN $3 END
              WHERE id = $1 AND ended_at IS NULL`,
              [id, JSON.stringify(results), now, isEnded]
            )
          })
          const report = (result: Result) => Effect.sync(() => void results.push(result))
          // Loaded when it is needed: most servers seldom check themselves.
          const { checkServer } = yield* Effect.promise(() => import("../doctor/ServerCheck.ts"))
          // In a fiber of its own: some checks run in a transaction, whose writes nothing else sees before its end.
          yield* Effect.forkScoped(
            Effect.repeat(Effect.delay(Effect.ignore(store(false)), reportEvery), Schedule.forever)
          )
          yield* checkServer({ ...options, isQuick: !thorough, isRepair: false, report })
          yield* store(true)
        }, Effect.scoped)

        let faulty: ReadonlyArray<string> = []

        const readLast = Effect.gen(function* () {
          const [last] = yield* read.unsafe<Pick<CheckRun, "results">>(
            "SELECT results FROM check_runs WHERE ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT 1"
          )
          faulty = (last?.results ?? []).flatMap((result) => (result.status === "faulty" ? [result.check] : []))
        })

        const daily = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const id = `cr_${randomness.text(24)}`
          yield* write.unsafe(endText, [yield* lost])
          const begun = yield* write.unsafe(
            `INSERT INTO check_runs (id, started_at, seen_at, results) SELECT $1, $2, $2, '[]'
            WHERE NOT EXISTS (SELECT FROM check_runs WHERE started_at > $3 AND started_at <= $2)
            ON CONFLICT DO NOTHING RETURNING 1 AS begun`,
            [id, iso(now), iso(now - dailyPause)]
          )
          if (begun.length > 0) yield* Effect.provideContext(check(id, false), services)
          yield* readLast
          if (begun.length > 0 && faulty.length > 0) {
            yield* Effect.logWarning(`the daily checks found faults: ${faulty.join(", ")}`)
          }
        })

        const begin = Effect.fnUntraced(function* (thorough: boolean) {
          const id = `cr_${randomness.text(24)}`
          const now = iso(yield* Clock.currentTimeMillis)
          const change = Effect.fnUntraced(function* (draft: LockedDraft) {
            yield* draft.execute(endText, [yield* lost])
            yield* draft.execute(
              "INSERT INTO check_runs (id, started_at, seen_at, results) VALUES ($1, $2, $2, '[]')",
              [id, now]
            )
          })
          yield* audit("server.check_requested", id, { data: { thorough }, change }).pipe(
            orConflict("check_runs_running", running)
          )
          const run = Effect.catchCause(Effect.andThen(check(id, thorough), readLast), (cause) =>
            Effect.logWarning("the checks of the server could not be completed", cause)
          )
          yield* FiberSet.run(under, rounds(Effect.provideContext(run, services)))
          return yield* get(id)
          // A run that was stored begins, also when the caller disconnects.
        }, Effect.uninterruptible)

        return CheckRuns.of({
          list: traced("CheckRuns.list")(() => list)(),
          get: traced("CheckRuns.get")(get),
          begin: traced("CheckRuns.begin")(begin),
          daily: options.dailyChecks ? daily : Effect.void,
          faulty: () => faulty
        })
      })
    )
}
