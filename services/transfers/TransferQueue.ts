import { Context, Effect, Layer } from "effect"
import * as Ids from "../Ids.ts"
import * as Queue from "../jobs/Queue.ts"
import { ownerOf } from "../workspaces/WorkspaceTables.ts"
import { ExportRuns } from "./exports/ExportRuns.ts"
import { ImportRuns } from "./imports/ImportRuns.ts"
import { mostRunning, transfers } from "./TransferTable.ts"

const seconds = 1_000

/**
 * How long after a failed try the next one comes. What eight tries did not do is given up: those count too that ended with
 * their process.
 */
const delays = [5, 30, 120, 120, 120, 120, 120].map((each) => each * seconds)

export const backoff = (attempt: number): number | undefined => delays[attempt - 1]

/** Each has a thread of its own, with its memory. */
const concurrency = 2

/** Milliseconds of a first try while another owner waits: small imports and exports end within it. */
const firstTime = 3_000

const importPrefix = `${Ids.prefixes.import}_`

/**
 * What takes its time: rows of `transfers`, each worked on by one process at a time. Owners of workspaces take turns, and a
 * long one lets others pass (`GroupTurns`). What is cut short begins again, here or on another node, and does no harm.
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
      const exports = yield* ExportRuns
      const imports = yield* ImportRuns
      const runsOf = (id: string) => (id.startsWith(importPrefix) ? imports : exports)
      const { wake } = yield* Queue.make({
        table: transfers,
        key: "workspace_id",
        concurrency,
        concurrencyPerKey: { onAll: mostRunning, turns: { groupOf: ownerOf, firstTime } },
        run: ({ id, workspace_id }) => runsOf(id).run(workspace_id, id),
        backoff,
        failed: ({ id, workspace_id }, { outcome, reason }) =>
          Effect.andThen(
            Effect.logWarning(`${id} was ${outcome}: ${reason}`),
            outcome === "retried"
              ? Effect.void
              : runsOf(id).fail(
                  workspace_id,
                  id,
                  outcome === "dropped" ? reason : "It could not be done in several tries"
                )
          ),
        outcomes: { done: "done", retried: "retried", dropped: "failed", given_up: "given_up" },
        // It takes as long as it takes: what is cut short begins anew.
        drain: "0 seconds"
      })
      return TransferQueue.of({ wake })
    })
  )
}
