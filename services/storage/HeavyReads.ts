import { Clock, Context, Effect, Layer } from "effect"
import { FairQueue } from "../budgets/FairQueue.ts"
import { processorTime, putBehind } from "../budgets/StepBack.ts"
import { Unavailable } from "../Errors.ts"
import { Database, orUnavailable, poolSizes, seesBackends } from "./Database.ts"

/** The processor time that a statement may have (contract 2), and how often it is looked at, in milliseconds. */
const work = { most: 3000, interval: 250 } as const

/** Fails once a backend has worked that long. A statement that is done before the first look costs no look. */
const worked = (backend: number) =>
  Effect.gen(function* () {
    yield* Effect.sleep(work.interval)
    // Where the system does not tell it, each moment counts as work.
    const now =
      processorTime(backend) === undefined ? () => performance.now() : () => processorTime(backend) ?? Infinity
    const before = now()
    while (now() - before < work.most - work.interval) yield* Effect.sleep(work.interval)
    return yield* Unavailable.overloaded
  }).pipe(
    // The work is done in real time, also when the program around it runs on a test's clock.
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  )

/**
 * Reads that look through much to return little, lists with filters or in an order that has no index, and pages that may
 * be of megabytes. They have few connections of their own and a short time, workspaces take turns, and a statement ends
 * when its caller goes away.
 */
export class HeavyReads extends Context.Service<
  HeavyReads,
  {
    /** `isCommon`: many ask for this very text, so that it stays prepared. */
    readonly query: <Row extends object>(
      workspace_id: string,
      text: string,
      params: ReadonlyArray<unknown>,
      isCommon?: boolean
    ) => Effect.Effect<ReadonlyArray<Row>, Unavailable>
    readonly waiting: () => number
  }
>()("sheaf/storage/HeavyReads") {
  static readonly layer = Layer.effect(
    HeavyReads,
    Effect.gen(function* () {
      const { address, heavy } = yield* Database
      const isMeasured = seesBackends(address)
      const behind = new WeakSet<object>()
      const queue = new FairQueue({
        concurrency: poolSizes.heavy,
        concurrencyPerKey: 1,
        maxWaitingPerKey: 64,
        maxWaiting: 500,
        maxWait: "15 seconds",
        detail: "Too many expensive requests are waiting"
      })
      return HeavyReads.of({
        query: <Row extends object>(
          workspace_id: string,
          text: string,
          params: ReadonlyArray<unknown>,
          isCommon = false
        ) => {
          const statement = heavy.use((connection) => {
            const { processId } = connection
            const result = connection.query(text, params, isCommon)
            if (!isMeasured) return result
            if (!behind.has(connection) && putBehind(processId)) behind.add(connection)
            return Effect.raceFirst(result, worked(processId))
          })
          const rows = Effect.map(statement, (result) => result.rows as ReadonlyArray<object> as ReadonlyArray<Row>)
          return queue.run(workspace_id, {}, orUnavailable(rows))
        },
        waiting: () => queue.waiting
      })
    })
  )
}
