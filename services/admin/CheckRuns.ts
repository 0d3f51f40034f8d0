import { Clock, Context, Effect, FiberSet, Layer, Schedule } from "effect"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database, orUnavailable } from "../database/Database.ts"
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

type Options = Omit<ServerChecks, "isQuick" | "isRepair" | "report">

/** Number of runs that stay. */
const mostKept = 20
/** How often a run reports, and the milliseconds after which one that has not reported counts as interrupted. */
const reportEvery = "1 second"
const lostAfter = 60_000

const running = new Conflict({ code: "invalid_state", detail: "The checks are running already" })
const missing = NotFound.of("check run")

const iso = (millis: number): string => new Date(millis).toISOString()

/** $1 is the time before which a run without an end counts as interrupted. */
const selected = `SELECT id, results, started_at, ended_at, CASE WHEN ended_at IS NOT NULL THEN 'ended'
  WHEN seen_at < $1 THEN 'interrupted' ELSE 'running' END AS state FROM check_runs`

/** Runs of the checks of `sheaf doctor` on the running server, one at a time, for operators (contract 11). */
export class CheckRuns extends Context.Service<
  CheckRuns,
  {
    /** The last runs, the latest first. */
    readonly list: Effect.Effect<ReadonlyArray<CheckRun>, Unavailable>
    readonly get: (id: string) => Effect.Effect<CheckRun, NotFound | Unavailable>
    /** Begins a run in the background. `thorough`: it reads the bytes of all files, and the search indexes. */
    readonly begin: (thorough: boolean) => Effect.Effect<CheckRun, Conflict | NotFound | Unavailable, Principal>
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
          return yield* orUnavailable(
            read.unsafe<CheckRun>(`${selected} ORDER BY started_at DESC, id DESC LIMIT ${mostKept}`, [yield* lost])
          )
        })

        const get = Effect.fnUntraced(function* (id: string) {
          const [run] = yield* orUnavailable(write.unsafe<CheckRun>(`${selected} WHERE id = $2`, [yield* lost, id]))
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

        const begin = Effect.fnUntraced(function* (thorough: boolean) {
          const id = `cr_${randomness.text(24)}`
          const now = iso(yield* Clock.currentTimeMillis)
          const change = Effect.fnUntraced(function* (draft: LockedDraft) {
            yield* draft.execute(
              `DELETE FROM check_runs WHERE (ended_at IS NULL AND seen_at < $1)
              OR id IN (SELECT id FROM check_runs WHERE ended_at IS NOT NULL ORDER BY started_at DESC OFFSET ${mostKept - 1})`,
              [yield* lost]
            )
            yield* draft.execute(
              "INSERT INTO check_runs (id, started_at, seen_at, results) VALUES ($1, $2, $2, '[]')",
              [id, now]
            )
          })
          yield* audit("server.check_requested", id, { data: { thorough }, change }).pipe(
            orConflict("check_runs_running", running)
          )
          const run = Effect.catchCause(check(id, thorough), (cause) =>
            Effect.logWarning("the checks of the server could not be completed", cause)
          )
          yield* FiberSet.run(under, rounds(Effect.provideContext(run, services)))
          return yield* get(id)
          // A run that was stored begins, also when the caller disconnects.
        }, Effect.uninterruptible)

        return CheckRuns.of({
          list: traced("CheckRuns.list")(() => list)(),
          get: traced("CheckRuns.get")(get),
          begin: traced("CheckRuns.begin")(begin)
        })
      })
    )
}
