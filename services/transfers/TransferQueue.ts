import { Context, Effect, Layer } from "effect"
import * as Queue from "../storage/Queue.ts"
import { ExportRuns } from "./ExportRuns.ts"
import { mostRunning, transfers } from "./TransferTable.ts"

const seconds = 1_000

/** How long after a failed try the next one comes. One that four tries did not do is given up. */
const delays = [5 * seconds, 30 * seconds, 120 * seconds] as const

export const backoff = (attempt: number): number | undefined => delays[attempt - 1]

/** Each has a thread of its own, with its memory. */
const concurrency = 2

/**
 * What takes its time: rows of `transfers`, each worked on by one process at a time, workspaces in turn. What is cut short
 * begins anew, here or on another node, and does no harm.
 */
export class TransferQueue extends Context.Service<
  TransferQueue,
  {
    /** There is a new one: said after its commit. */
    readonly wake: Effect.Effect<void>
  }
>()("sheaf/transfers/TransferQueue") {
  static readonly layer = Layer.effect(
    TransferQueue,
    Effect.gen(function* () {
      const runs = yield* ExportRuns
      const { wake } = yield* Queue.make({
        table: transfers,
        key: "workspace_id",
        concurrency,
        concurrencyPerKey: mostRunning,
        run: ({ id, workspace_id }) => runs.run(workspace_id, id),
        backoff,
        failed: ({ id, workspace_id }, { outcome, reason }) =>
          Effect.andThen(
            Effect.logWarning(`export ${id} was ${outcome}: ${reason}`),
            outcome === "retried"
              ? Effect.void
              : runs.fail(workspace_id, id, outcome === "dropped" ? reason : "It could not be made in several tries")
          ),
        outcomes: { done: "done", retried: "retried", dropped: "failed", given_up: "given_up" },
        // It takes as long as it takes: what is cut short begins anew.
        drain: "0 seconds"
      })
      return TransferQueue.of({ wake })
    })
  )
}
