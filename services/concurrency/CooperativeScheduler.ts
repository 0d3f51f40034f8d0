import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../Errors.ts"
import type { Budget, Sliced } from "./Budget.ts"
import { RoundRobinSemaphore } from "./RoundRobinSemaphore.ts"

/** Does the work of one key in order, one after the other, so that nothing else changes its data meanwhile. */
const byKey = () =>
  new RoundRobinSemaphore({
    permits: Infinity,
    permitsPerKey: 1,
    // The main thread limits the searches of all workspaces (`Search.ts`).
    maxWaiting: Infinity,
    maxWaitingPerKey: 19,
    detail: "Too much work of this workspace is waiting"
  })

/** Number of turns of the event loop between two slices of work of low priority. */
const lowPriorityTurns = 8

/** Does one slice after each pause. */
const sliced = <A>(work: Sliced<A>, budget: Budget, pause: Effect.Effect<unknown>): Effect.Effect<A> =>
  Effect.flatMap(pause, () => {
    budget.resume()
    const { done, value } = work.next()
    if (done !== true) return sliced(work, budget, pause)
    budget.resume()
    return Effect.succeed(value)
  })

/**
 * Shares a thread between keys, such as workspaces: in each turn of the event loop the work of each key does one slice.
 * Messages and responses are handled between two turns.
 */
export class CooperativeScheduler extends Context.Service<
  CooperativeScheduler,
  {
    /** Does work in slices; interrupted work ends between two of them. Fails with `overloaded`. */
    readonly run: <A>(key: string, budget: Budget, work: () => Sliced<A>) => Effect.Effect<A, Unavailable>
    /** The same with low priority, at the same time as other work of the key. */
    readonly runAtLowPriority: <A>(key: string, budget: Budget, work: () => Sliced<A>) => Effect.Effect<A, Unavailable>
  }
>()("sheaf/concurrency/CooperativeScheduler") {
  static readonly layer = Layer.sync(CooperativeScheduler, () => {
    const doing = <A>(budget: Budget, work: () => Sliced<A>, pause: Effect.Effect<unknown>) =>
      Effect.acquireUseRelease(
        Effect.sync(work),
        (work) => sliced(work, budget, pause),
        // Work that is interrupted between two slices frees what it holds.
        (work) => Effect.sync(() => void work.return(undefined as never))
      )
    const normal = byKey()
    const low = byKey()
    const pause = Effect.all(Array<Effect.Effect<void>>(lowPriorityTurns).fill(Effect.yieldNow), { discard: true })
    return CooperativeScheduler.of({
      run: (key, budget, work) => normal.withPermit(key, doing(budget, work, Effect.yieldNow)),
      runAtLowPriority: (key, budget, work) => low.withPermit(key, doing(budget, work, pause))
    })
  })
}
