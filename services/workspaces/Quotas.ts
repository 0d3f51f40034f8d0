import { Context, Effect, Layer, Metric } from "effect"
import { Forbidden } from "../Errors.ts"
import type { Head } from "../writer/WriterCache.ts"
import type { Counter } from "../tables/Counters.ts"
import type { Draft } from "../writer/Draft.ts"
import { resourceCounters } from "../Resources.ts"
import { type PlanLimits, Plans } from "./Plans.ts"
import { workspaces } from "./WorkspaceTables.ts"

const refusals = Metric.counter("sheaf_quota_refusals_total", {
  description: "Requests that were refused because a quota is used up",
  incremental: true
})

/** Fails with 403 `quota_exceeded` (contract 4, Plans). Reads and deletions are still allowed. */
export const exceeded = (quota: string, detail: string, limit: number, used: number) =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(refusals, { quota }), 1),
    Effect.fail(new Forbidden({ code: "quota_exceeded", detail, extra: { quota, limit, used } }))
  )

interface Quota {
  readonly name: keyof PlanLimits
  /** The current use. */
  readonly used: (head: Head) => number
  readonly allowed: (limit: number) => string
}

/** Texts and files share one quota. */
const storage: Quota = {
  name: "storage_bytes",
  used: ({ file_bytes, text_bytes }) => text_bytes + file_bytes,
  allowed: (limit) => `${limit} bytes of notes, their history, templates, and files`
}

/** The quota of each counter. */
const quotas = {
  ...Object.fromEntries(
    resourceCounters.map((name): [string, Quota] => [
      name,
      { name, used: (head) => head[name], allowed: (limit) => `${limit} ${name}` }
    ])
  ),
  text_bytes: storage,
  file_bytes: storage
} as Readonly<Record<Counter, Quota>>

/**
 * Checks the quotas of a workspace's plan inside the write that uses them. The guard on the head, which contains the
 * counters, makes this safe against concurrent writes.
 */
export class Quotas extends Context.Service<
  Quotas,
  {
    /** Adds `more` to the counter, or refuses. A decrease is never refused. */
    readonly take: (draft: Draft, counter: Counter, more: number) => Effect.Effect<void, Forbidden>
  }
>()("sheaf/workspaces/Quotas") {
  static readonly layer = Layer.effect(
    Quotas,
    Effect.map(Plans, ({ limits }) => {
      /** The lowest limit of all plans: up to it, the plan of the workspace need not be read. */
      const least = (name: keyof PlanLimits): number =>
        Math.min(...Object.values(limits).map((plan) => (plan[name] === 0 ? Infinity : plan[name])))
      const leasts = Object.fromEntries(Object.values(quotas).map(({ name }) => [name, least(name)]))

      return Quotas.of({
        take: (draft, counter, more) => {
          const { allowed, name, used: usedOf } = quotas[counter]
          const used = usedOf(draft.head)
          if (more <= 0 || used + more <= leasts[name]!) {
            draft.count(counter, more)
            return Effect.void
          }
          return Effect.flatMap(draft.get(workspaces), (workspace) => {
            const limit = limits[workspace!.plan][name]
            if (limit !== 0 && used + more > limit) {
              return exceeded(name, `The plan of the workspace allows ${allowed(limit)}`, limit, used)
            }
            draft.count(counter, more)
            return Effect.void
          })
        }
      })
    })
  )
}
