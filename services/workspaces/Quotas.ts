import { Context, Effect, Layer, Metric } from "effect"
import { Forbidden } from "../Errors.ts"
import type { Head } from "../writer/WriterCache.ts"
import type { Counter } from "../tables/Counters.ts"
import type { Draft } from "../writer/Draft.ts"
import { resourceCounters } from "../Resources.ts"
import { type PlanLimits, Plans } from "./Plans.ts"
import { workspaces } from "./WorkspaceTables.ts"

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

interface Quota {
  readonly name: keyof PlanLimits
  /** The current use. */
  readonly used: (head: Head) => number
  readonly allowed: (limit: number) => string
}

/** Texts and files share one storage. */
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
 * What the plan of a workspace allows, decided inside the write that uses it: the guard on the head, which holds the
 * counters, makes it safe against any other write at the same time.
 */
export class Quotas extends Context.Service<
  Quotas,
  {
    /** Counts so much more, or refuses it; nothing more is never refused. */
    readonly take: (draft: Draft, counter: Counter, more: number) => Effect.Effect<void, Forbidden>
  }
>()("sheaf/workspaces/Quotas") {
  static readonly layer = Layer.effect(
    Quotas,
    Effect.map(Plans, ({ limits }) => {
      /** Below it, it is within any plan: the workspace need not be looked at. */
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
