import { Context, Effect, Layer, Metric } from "effect"
import { Forbidden } from "../Errors.ts"
import type { Draft } from "../storage/Draft.ts"
import { Plans } from "./Plans.ts"
import { workspaces } from "./Rows.ts"

const refusals = Metric.counter("sheaf_quota_refusals_total", {
  description: "What was refused because a quota is used up",
  incremental: true
})

/** 403 `quota_exceeded` (contract 4, Plans): reading and deleting go on. */
export const exceeded = (quota: string, detail: string, limit: number, used: number) =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(refusals, { quota }), 1),
    Effect.fail(new Forbidden({ code: "quota_exceeded", detail, extra: { quota, limit, used } }))
  )

/**
 * What the plan of a workspace allows, decided inside the write that uses it: the guard on the head, which holds the
 * counter, makes it safe against any other write at the same time.
 */
export class Quotas extends Context.Service<Quotas, {
  /** Counts one more note, or refuses it. */
  readonly takeNote: (draft: Draft) => Effect.Effect<void, Forbidden>
}>()("sheaf/workspaces/Quotas") {
  static readonly layer = Layer.effect(
    Quotas,
    Effect.map(Plans, ({ limits }) => {
      /** Below it, it is within any plan: the workspace need not be looked at. */
      const least = Math.min(...Object.values(limits).map(({ notes }) => notes === 0 ? Infinity : notes))

      return Quotas.of({
        takeNote: (draft) => {
          const used = draft.head.notes
          if (used < least) {
            draft.countNotes(1)
            return Effect.void
          }
          return Effect.flatMap(draft.get(workspaces), (workspace) => {
            const limit = limits[workspace!.plan].notes
            if (limit !== 0 && used >= limit) {
              return exceeded("notes", `The plan of the workspace allows ${limit} notes`, limit, used)
            }
            draft.countNotes(1)
            return Effect.void
          })
        }
      })
    })
  )
}
