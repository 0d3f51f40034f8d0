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

/** Work by key, in the order of their turns. */
type Jobs = Map<string, Array<Job>>

/** So many turns in a row go past those who come last. */
const maxPassed = 7

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
    /** The same for work that nobody waits for: it has its turns when no other work has, and every eighth. */
    readonly runLast: <A>(key: string, budget: Budget, work: () => Sliced<A>) => Effect.Effect<A>
    readonly waiting: () => number
  }
>()("sheaf/limits/Turns") {
  static readonly layer = Layer.sync(Turns, () => {
    const jobs: Jobs = new Map()
    const last: Jobs = new Map()
    let passed = 0
    let isDue = false

    const drop = (jobs: Jobs, key: string, job: Job) => {
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
      const isLast = last.size > 0 && (jobs.size === 0 || passed >= maxPassed)
      passed = isLast || last.size === 0 ? 0 : passed + 1
      const round = isLast ? last : jobs
      const [next] = round
      if (next === undefined) return
      const [key, own] = next
      // To the end of the round.
      if (round.size > 1) {
        round.delete(key)
        round.set(key, own)
      }
      const job = own[0]!
      const exit = slice(job)
      if (exit !== undefined) {
        job.budget.resume()
        drop(round, key, job)
        job.end(exit)
      }
      arrange()
    }

    const arrange = () => {
      if (isDue || jobs.size + last.size === 0) return
      isDue = true
      setImmediate(turn)
    }

    const runIn = <A>(jobs: Jobs, key: string, budget: Budget, work: () => Sliced<A>) =>
      Effect.callback<A>((resume) => {
        const own = jobs.get(key) ?? []
        const job: Job = { work: work(), budget, end: (exit) => resume(exit as Exit.Exit<A>) }
        own.push(job)
        jobs.set(key, own)
        arrange()
        return Effect.sync(() => {
          drop(jobs, key, job)
          // What is cut off in the midst ends its own affairs.
          job.work.return(undefined as never)
        })
      })

    return Turns.of({
      runBounded: (key, budget, work) => runIn(jobs, key, budget, work),
      runLast: (key, budget, work) => runIn(last, key, budget, work),
      run: <A>(key: string, budget: Budget, work: () => Sliced<A>) =>
        Effect.suspend((): Effect.Effect<A, Unavailable> =>
          (jobs.get(key)?.length ?? 0) >= maxWaiting ? Effect.fail(overloaded) : runIn(jobs, key, budget, work)
        ),
      waiting: () => [...jobs.values(), ...last.values()].reduce((sum, own) => sum + own.length, 0)
    })
  })
}
