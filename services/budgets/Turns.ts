import { Context, Effect, Exit, Layer } from "effect"
import { Unavailable } from "../Errors.ts"
import type { Budget, Sliced } from "./Budget.ts"

/** So many pieces of work wait for one key at most. */
const maxWaiting = 20

interface Job {
  readonly work: Sliced<unknown>
  readonly budget: Budget
  readonly end: (exit: Exit.Exit<unknown>) => void
}

const overloaded = new Unavailable({
  code: "overloaded",
  detail: "Too much work of this workspace is waiting",
  retry_after: 2
})

/**
 * The main loop, shared: work in slices goes round by key, a slice for each, and between two slices requests are served.
 * The work of one key is done in its order, one after the other, so that it may rely on nobody changing what it works on.
 * A key is a workspace: whoever has much to do waits for themselves.
 */
export class Turns extends Context.Service<
  Turns,
  {
    /** Does the work in turns. When its caller goes away it is left where it is. */
    readonly run: <A>(key: string, budget: Budget, work: () => Sliced<A>) => Effect.Effect<A, Unavailable>
    /** The same for work that is bounded by something else, such as the bytes that it is about: none is refused. */
    readonly runBounded: <A>(key: string, budget: Budget, work: () => Sliced<A>) => Effect.Effect<A>
    readonly waiting: () => number
  }
>()("sheaf/limits/Turns") {
  static readonly layer = Layer.sync(Turns, () => {
    /** By key, in the order of their turns. */
    const jobs = new Map<string, Array<Job>>()
    let isDue = false

    const drop = (key: string, job: Job) => {
      const own = jobs.get(key)
      const place = own?.indexOf(job) ?? -1
      if (own === undefined || place < 0) return
      own.splice(place, 1)
      if (own.length === 0) jobs.delete(key)
    }

    const slice = (job: Job): Exit.Exit<unknown> | undefined => {
      try {
        job.budget.resume()
        const { done, value } = job.work.next()
        return done === true ? Exit.succeed(value) : undefined
      } catch (defect) {
        return Exit.die(defect)
      }
    }

    const turn = () => {
      isDue = false
      const [next] = jobs
      if (next === undefined) return
      const [key, own] = next
      // To the end of the round.
      if (jobs.size > 1) {
        jobs.delete(key)
        jobs.set(key, own)
      }
      const job = own[0]!
      const exit = slice(job)
      if (exit !== undefined) {
        job.budget.resume()
        drop(key, job)
        job.end(exit)
      }
      arrange()
    }

    const arrange = () => {
      if (isDue || jobs.size === 0) return
      isDue = true
      setImmediate(turn)
    }

    const runBounded = <A>(key: string, budget: Budget, work: () => Sliced<A>) =>
      Effect.callback<A>((resume) => {
        const own = jobs.get(key) ?? []
        const job: Job = { work: work(), budget, end: (exit) => resume(exit as Exit.Exit<A>) }
        own.push(job)
        jobs.set(key, own)
        arrange()
        return Effect.sync(() => {
          drop(key, job)
          // What is cut off in the midst ends its own affairs.
          job.work.return(undefined as never)
        })
      })

    return Turns.of({
      runBounded,
      run: <A>(key: string, budget: Budget, work: () => Sliced<A>) =>
        Effect.suspend((): Effect.Effect<A, Unavailable> =>
          (jobs.get(key)?.length ?? 0) >= maxWaiting ? Effect.fail(overloaded) : runBounded(key, budget, work)
        ),
      waiting: () => [...jobs.values()].reduce((sum, own) => sum + own.length, 0)
    })
  })
}
