import { Context, Effect, Layer } from "effect"
import * as Queue from "../jobs/Queue.ts"
import { dueReverts } from "./ChangeSet.ts"
import { RevertRuns } from "./RevertRuns.ts"

/** Milliseconds between tries, and after which a revert that fails is given up. */
const backoff = Queue.backoffBy([5_000, 30_000, 120_000], 30 * 60_000)

/** The queue of reverts. A workspace has one at a time on each node: the writes of two would only wait for each other. */
export class RevertQueue extends Context.Service<
  RevertQueue,
  {
    /** Starts new reverts. To be called after the commit that adds one. */
    readonly wake: Effect.Effect<void>
  }
>()("sheaf/changesets/RevertQueue") {
  static readonly layer = Layer.effect(
    RevertQueue,
    Effect.gen(function* () {
      const runs = yield* RevertRuns
      const { wake } = yield* Queue.make({
        table: dueReverts,
        key: "workspace_id",
        concurrency: 4,
        concurrencyPerKey: { onEach: 1 },
        run: ({ id, workspace_id }) => runs.run(workspace_id, id),
        backoff,
        failed: ({ id, workspace_id }, { outcome, reason }) =>
          Effect.andThen(
            Effect.logWarning(`${id} was ${outcome}: ${reason}`),
            outcome === "retried" ? Effect.void : runs.fail(workspace_id, id)
          ),
        outcomes: { done: "done", retried: "retried", dropped: "failed", given_up: "given_up" },
        // An interrupted revert continues with its next step.
        drain: "0 seconds"
      })
      return RevertQueue.of({ wake })
    })
  )
}
