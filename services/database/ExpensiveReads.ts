import { Context, Effect, Layer } from "effect"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import type { Unavailable } from "../Errors.ts"
import { Database, orUnavailable, poolSizes } from "./Database.ts"
import { within } from "./ReachedRows.ts"

/**
 * Reads that scan many rows to return few (lists with filters, or in an order without an index), and pages that may be
 * megabytes. They have few connections, which workspaces take in turn, and a short time-out. A statement is cancelled
 * when its caller goes away.
 */
export class ExpensiveReads extends Context.Service<
  ExpensiveReads,
  {
    /** `isCommon`: many requests use exactly this text, so that it stays prepared. */
    readonly query: <Row extends object>(
      workspace_id: string,
      text: string,
      params: ReadonlyArray<unknown>,
      isCommon?: boolean
    ) => Effect.Effect<ReadonlyArray<Row>, Unavailable>
    readonly waiting: () => number
  }
>()("sheaf/database/ExpensiveReads") {
  static readonly layer = Layer.effect(
    ExpensiveReads,
    Effect.gen(function* () {
      const { heavy } = yield* Database
      const semaphore = new RoundRobinSemaphore({
        permits: poolSizes.heavy,
        permitsPerKey: 1,
        maxWaiting: 500,
        maxWaitingPerKey: 64,
        detail: "Too many expensive requests are waiting"
      })
      return ExpensiveReads.of({
        query: <Row extends object>(
          workspace_id: string,
          text: string,
          params: ReadonlyArray<unknown>,
          isCommon = false
        ) => {
          const rows = Effect.withFiber((fiber) => {
            const own = within(fiber, text, params)
            const statement = heavy.use((connection) => connection.query(own.text, own.params, isCommon))
            return Effect.map(statement, (result) => result.rows as ReadonlyArray<object> as ReadonlyArray<Row>)
          })
          return semaphore.withPermit(workspace_id, orUnavailable(rows))
        },
        waiting: () => semaphore.waiting
      })
    })
  )
}
