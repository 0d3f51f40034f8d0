import { Clock, Data, type Duration, Effect, FiberSet, Latch, Metric, Schedule } from "effect"
import * as GroupTurns from "./GroupTurns.ts"
import { NodeBus } from "../database/NodeBus.ts"
import * as Overdue from "./Overdue.ts"
import * as QueueStore from "./QueueStore.ts"
import type { Claimable, Claimed, QueueRow } from "./QueueStore.ts"

/** A try failed; another one may not. */
export class Retry extends Data.TaggedError("Retry")<{ readonly reason: string }> {}

/** A try failed, and so would all others. */
export class Drop extends Data.TaggedError("Drop")<{ readonly reason: string }> {}

export type Failure =
  | { readonly outcome: "retried"; readonly reason: string; readonly next_at: string }
  | { readonly outcome: "dropped" | "given_up"; readonly reason: string }

export type Outcome = "done" | Failure["outcome"]

export interface Options<Row extends QueueRow> extends Claimable<Row> {
  /** How much is tried at a time on this node. */
  readonly concurrency: number
  /** One try. It bounds its own time, and may be repeated: a node can die before it is known to be done. */
  readonly run: (job: Claimed<Row>) => Effect.Effect<void, Retry | Drop>
  /**
   * Milliseconds from a failed try to the next one; undefined gives up. `age`: the milliseconds since the row was made.
   * For an age of 0 it also tells whether a try that nobody saw the end of was the last.
   */
  readonly backoff: (attempt: number, age: number) => number | undefined
  /** Hears of a failed try, before what becomes of it is stored. */
  readonly failed: (job: Claimed<Row>, failure: Failure) => Effect.Effect<void>
  /** What the outcomes are called in the metrics. */
  readonly outcomes: Readonly<Record<Outcome, string>>
  /** What is under way when the service ends may still be ended. */
  readonly drain: Duration.Input
}

/**
 * How long after a failed try the next one comes, in milliseconds: the last delay holds for all further ones. What is so
 * old that it would be older than `patience` by then is given up.
 */
export const backoffBy =
  (delays: readonly [number, ...ReadonlyArray<number>], patience: number): Options<QueueRow>["backoff"] =>
  (attempt, age) => {
    const delay = delays[attempt - 1] ?? delays.at(-1)!
    return age + delay > patience ? undefined : delay
  }

const renewEvery = 30_000
/** What nobody said that it is there is found after so long. */
const lookEvery = 5_000

/** As the sockets are, also when the program runs on a test's clock. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

const iso = (millis: number): string => new Date(millis).toISOString()

/**
 * Work that is stored: rows of a table, each tried until it is done, dropped or given up, at least once and never by two
 * processes at a time. Owners add rows in the commit of the change that they tell of, and then `wake` the queue. A row
 * ends with its work: what is to be remembered of it is kept by its owner, elsewhere.
 */
export const make = Effect.fnUntraced(function* <Row extends QueueRow>(options: Options<Row>) {
  const bus = yield* NodeBus
  const store = yield* QueueStore.make(options)
  const { concurrency } = options
  const { name } = options.table

  const awake = Latch.makeUnsafe()
  const claims = new Map<string, QueueStore.Claim<Row>>()
  /** The key or group that had the last turn. */
  let served = ""
  /** When it was last looked for claims of those that have died: so soon also at the start. */
  let tookOverAt = Number.NEGATIVE_INFINITY
  /** There is work that other nodes do not know of. */
  let isNew = false

  const tries = Metric.counter(`sheaf_${name}_total`, {
    description: `Tries of ${name}, by what came of them: ${Object.values(options.outcomes).join(", ")}`,
    incremental: true
  })
  const waiting = Metric.gauge(`sheaf_${name}_waiting`, {
    description: `Rows of ${name} that are not ended, of all nodes`
  })
  const running = Metric.gauge(`sheaf_${name}_running`, {
    description: `Tries of ${name} that are under way on this node`
  })
  const counted = (outcome: Outcome) =>
    Metric.update(Metric.withAttributes(tries, { outcome: options.outcomes[outcome] }), 1)
  const countRunning = Effect.suspend(() => Metric.update(running, claims.size))

  const giveUp = (job: Claimed<Row>, outcome: "dropped" | "given_up", reason: string) =>
    options.failed(job, { outcome, reason }).pipe(Effect.andThen(store.end(job)), Effect.andThen(counted(outcome)))

  const failed = Effect.fnUntraced(function* (job: Claimed<Row>, error: Retry | Drop) {
    const { reason } = error
    if (error._tag === "Drop") return yield* giveUp(job, "dropped", reason)
    const now = yield* Clock.currentTimeMillis
    const delay = options.backoff(job.attempts, now - Date.parse(job.created_at))
    if (delay === undefined) return yield* giveUp(job, "given_up", reason)
    const next_at = iso(now + delay)
    yield* options.failed(job, { outcome: "retried", reason, next_at })
    yield* store.putOff(job, next_at)
    yield* counted("retried")
  })

  const done = (job: Claimed<Row>) => Effect.andThen(store.end(job), counted("done"))

  const isAfterLast = (attempts: number): boolean => attempts > 1 && options.backoff(attempts - 1, 0) === undefined

  /**
   * A try that was cut short does not count, unless its time was over and more tries are left: the next start, or another
   * node, begins it again, behind what else waits.
   */
  const release = Effect.fnUntraced(function* ({ isCut, job }: QueueStore.Claim<Row>) {
    const now = iso(yield* Clock.currentTimeMillis)
    yield* (isCut === "over" && !isAfterLast(job.attempts + 1) ? store.putOff(job, now) : store.release(job, now)).pipe(
      Effect.interruptible,
      Effect.timeout("2 seconds"),
      inRealTime,
      // The claim lapses.
      Effect.catchCause((cause) => Effect.logWarning(`${name} ${job.id} could not be released`, cause))
    )
  })

  const attempt = (job: Claimed<Row>) =>
    Effect.catchDefect(options.run(job), (defect) =>
      Effect.andThen(
        Effect.logWarning(`a try of ${name} ${job.id} broke`, defect),
        new Retry({ reason: "a defect of the service" })
      )
    )

  const deal = (claim: QueueStore.Claim<Row>, { job } = claim) =>
    Effect.uninterruptibleMask((restore) =>
      // The process may have died of it each time.
      isAfterLast(job.attempts)
        ? giveUp(job, "given_up", "the last try was not seen to end")
        : Effect.matchEffect(
            Effect.onInterrupt(restore(attempt(job)), () => release(claim)),
            {
              onSuccess: () => done(job),
              onFailure: (error) => failed(job, error)
            }
          )
    ).pipe(
      // The claim lapses, and it is tried again.
      Effect.catchCause((cause) => Effect.logWarning(`${name} ${job.id} could not be dealt with`, cause)),
      Effect.ensuring(
        Effect.suspend(() => {
          claims.delete(job.id)
          awake.openUnsafe()
          return countRunning
        })
      )
    )

  const underWay = yield* FiberSet.make<void>()

  /** Begins what is due and there is room for. Answers with the time by which nothing more was; undefined without room. */
  const begin = Effect.fnUntraced(function* () {
    while (claims.size < concurrency) {
      const now = yield* Clock.currentTimeMillis
      const isFromStart = served === ""
      const { claims: next, served: last } = yield* store.take(now, concurrency - claims.size, served, claims)
      served = last
      for (const claim of next) claims.set(claim.job.id, claim)
      yield* countRunning
      for (const claim of next) claim.fiber = yield* FiberSet.run(underWay, Effect.interruptible(deal(claim)))
      if (next.length === 0 && isFromStart) return now
    }
    return undefined
  })

  /** Cuts a try short where another group waits for its place. Returns the milliseconds until the next look. */
  const makeRoom = Effect.fnUntraced(function* () {
    const { concurrencyPerKey: perKey } = options
    if ("onEach" in perKey) return lookEvery
    const now = yield* Clock.currentTimeMillis
    const next = yield* store.waiting(now, served, claims, perKey.onAll, perKey.turns)
    if (next === undefined) return lookEvery
    const cut = GroupTurns.cutFor(next, [...claims.values()], now, perKey.turns)
    if (cut === undefined) return lookEvery
    if (now - Date.parse(next.next_at) < GroupTurns.patience) return GroupTurns.patience
    // The others are first.
    served = cut.claim.group
    cut.claim.isCut = cut.isOver ? "over" : "surplus"
    cut.claim.fiber?.interruptUnsafe()
    return lookEvery
  })

  /** Answers with the milliseconds until the next look: each try that ends leads to one as well. */
  const look = Effect.fnUntraced(function* () {
    const wasNew = isNew
    isNew = false
    const begun = yield* Clock.currentTimeMillis
    // A clock that is set back does not keep it waiting.
    if (Math.abs(begun - tookOverAt) >= lookEvery) {
      tookOverAt = begun
      yield* store.takeOver(begun)
    }
    const now = yield* begin()
    if (now === undefined) {
      if (wasNew) bus.notifyWork(name)
      return yield* makeRoom()
    }
    const next_at = yield* store.nextAfter(now)
    if (next_at === undefined) return lookEvery
    return Math.max(0, Math.min(lookEvery, Date.parse(next_at) - (yield* Clock.currentTimeMillis)))
  })

  const kept = <A, E>(what: string, work: Effect.Effect<A, E>, otherwise: A) =>
    Effect.catchCause(work, (cause) => Effect.as(Effect.logWarning(what, cause), otherwise))

  /** Renews all claims, and ends the tries whose claim is lost, or would be before it can be renewed again. */
  const renew = Effect.fnUntraced(function* () {
    const held = [...claims.values()]
    if (held.length === 0) return
    const until = iso((yield* Clock.currentTimeMillis) + QueueStore.claimLife)
    const renewed = store.renew(held, until).pipe(Effect.timeout(renewEvery / 2), inRealTime)
    const ids = yield* kept(`claims of ${name} were not renewed`, renewed, undefined)
    const beforeNext = iso((yield* Clock.currentTimeMillis) + 2 * renewEvery)
    for (const claim of held) {
      if (ids?.has(claim.job.id) === true) claim.until = until
      else if (ids !== undefined || claim.until <= beforeNext) claim.fiber?.interruptUnsafe()
    }
  })
  yield* Effect.forkScoped(Effect.repeat(renew(), Schedule.spaced(renewEvery)))

  // Claims are renewed meanwhile.
  yield* Effect.addFinalizer(() =>
    inRealTime(Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(underWay)), options.drain))
  )

  yield* bus.subscribe({ work: (queue) => void (queue === name && awake.openUnsafe()) })

  // What is claimed is begun: an end in between would leave it to lie until the claim lapses.
  const lookOn = Effect.gen(function* () {
    let pause = lookEvery
    while (true) {
      yield* Effect.timeoutOption(awake.await, pause)
      awake.closeUnsafe()
      pause = yield* Effect.uninterruptible(kept(`${name} that are due were not looked for`, look(), lookEvery))
    }
  })
  yield* Effect.forkScoped(lookOn)

  const count = Effect.gen(function* () {
    yield* Metric.update(waiting, yield* store.count)
    const now = yield* Clock.currentTimeMillis
    const due_at = yield* store.overdue(now)
    yield* Overdue.report(name, now, due_at === undefined ? Infinity : Date.parse(due_at))
  })
  const counts = Effect.repeat(kept(`${name} were not counted`, count, undefined), Schedule.spaced("15 seconds"))
  yield* Effect.forkScoped(Effect.delay(counts, "5 seconds"))

  return {
    /** There is new work: said after its commit. Unsaid, it is found within five seconds. */
    wake: Effect.sync(() => {
      isNew = true
      awake.openUnsafe()
    })
  }
})
