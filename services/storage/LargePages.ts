import { Context, Effect, Layer } from "effect"
import { FairQueue } from "../budgets/FairQueue.ts"
import type { Unavailable } from "../Errors.ts"

/**
 * Pages whose bytes are counted, because they may be of megabytes: each costs the database, this process and its memory
 * what thousands of small ones do. Workspaces take turns.
 */
export class LargePages extends Context.Service<LargePages, {
  readonly inTurn: <A, E, R>(workspace_id: string, page: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Unavailable, R>
}>()("sheaf/storage/LargePages") {
  static readonly layer = Layer.sync(LargePages, () => {
    const queue = new FairQueue({
      concurrency: 2,
      concurrencyPerKey: 1,
      maxWaitingPerKey: 256,
      maxWaiting: 1_000,
      maxWait: "15 seconds",
      detail: "Too many large pages are waiting"
    })
    return LargePages.of({ inTurn: (workspace_id, page) => queue.run(workspace_id, {}, page) })
  })
}
