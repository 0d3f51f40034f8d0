import { Context, Effect, Layer } from "effect"
import * as Ids from "../Ids.ts"
import * as Queue from "../jobs/Queue.ts"
import { ownerOf } from "../workspaces/WorkspaceTables.ts"
import { ExportRuns } from "./exports/ExportRuns.ts"
import { ImportRuns } from "./imports/ImportRuns.ts"
import { maxRunning, transfers } from "./TransferTable.ts"

const seconds = 1_000

/**
 * Milliseconds between a failed attempt and the next one. After eight attempts the job is given up; attempts that ended
 * with their process count too.
 */
const delays = [5, 30, 120, 120, 120, 120, 120].map((each) => each * seconds)

export const backoff = (attempt: number): number | undefined => delays[attempt - 1]

/** Maximum number of jobs per process: each has its own thread, with its memory. */
const concurrency = 2

/** Milliseconds of a first attempt while another owner waits: small imports and exports end within it. */
const firstTime = 3_000

const importPrefix = `${Ids.prefixes.import}_`

/**
 * The queue of exports and imports: rows of `transfers`, each run by one process at a time. Owners of workspaces take
 * turns, and a long job lets others pass (`GroupTurns`). An interrupted job is safe to start again, on any node.
 */
export class TransferQueue extends Context.Service<
  TransferQueue,
  {
    /** Starts new jobs. To be called after the commit that adds one. */
    readonly wake: Effect.Effect<void>
  }
>()("sheaf/transfers/TransferQueue") {
  static readonly layer = Layer.effect(
    TransferQueue,
    Effect.gen(function* () {
      const exports = yield* ExportRuns
      const imports = yield* ImportRuns
      const runsOf = (id: string) => (id.startsWith(importPrefix) ? imports : exports)
      const { wake } = yield* Queue.make({
        table: transfers,
        key: "workspace_id",
        concurrency,
        concurrencyPerKey: { onAll: maxRunning, turns: { groupOf: ownerOf, firstTime } },
        run: ({ id, workspace_id }) => runsOf(id).run(workspace_id, id),
        backoff,
        failed: ({ id, workspace_id }, { outcome, reason }) =>
          Effect.andThen(
            Effect.logWarning(`${id} was ${outcome}: ${reason}`),
            outcome === "retried"
              ? Effect.void
              : runsOf(id).fail(workspace_id, id, outcome === "dropped" ? reason : "It failed several times")
          ),
        outcomes: { done: "done", retried: "retried", dropped: "failed", given_up: "given_up" },
        // A job may take long, and an interrupted one starts again.
        drain: "0 seconds"
      })
      return TransferQueue.of({ wake })
    })
  )
}
