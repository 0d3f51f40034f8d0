import { Clock, Data, type Duration, Effect, FiberSet, Latch, Metric, Schedule } from "effect"
import * as GroupTurns from "./GroupTurns.ts"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { NodeBus } from "../database/NodeBus.ts"
import * as Overdue from "./QueueLag.ts"
import * as QueueStore from "./QueueStore.ts"
import type { Claimable, Claimed, QueueRow } from "./QueueStore.ts"

/** A try failed, and another one may succeed. */
export class Retry extends Data.TaggedError("Retry")<{ readonly reason: string }> {}

/** A try failed, and all others would fail too. */
export class Drop extends Data.TaggedError("Drop")<{ readonly reason: string }> {}

export type Failure =
  | { readonly outcome: "retried"; readonly reason: string; readonly next_at: string }
  | { readonly outcome: "dropped" | "given_up"; readonly reason: string }

export type Outcome = "done" | Failure["outcome"]

export interface Options<Row extends QueueRow> extends Claimable<Row> {
  /** Maximum number of concurrent tries on this node. */
  readonly concurrency: number
  /** One try. It limits its own time, and may be repeated: a node can die before the result is stored. */
  readonly run: (job: Claimed<Row>) => Effect.Effect<void, Retry | Drop>
  /**
   * Milliseconds from a failed try to the next one; undefined gives up. `age`: milliseconds since the row was made.
   * Also called with an age of 0, to find out whether a try without a result was the last.
   */
  readonly backoff: (attempt: number, age: number) => number | undefined
  /** Called after a failed try, before the outcome is stored. */
  readonly failed: (job: Claimed<Row>, failure: Failure) => Effect.Effect<void>
  /** The names of the outcomes in the metrics. */
  readonly outcomes: Readonly<Record<Outcome, string>>
  /** How long running tries may continue when the service stops. */
  readonly drain: Duration.Input
}

/**
 * Delays in milliseconds between tries; the last delay is used for all further ones. Gives up a row that would be older
 * than `maxRetryTime` milliseconds at the next try.
 */
export const backoffBy =
  (delays: readonly [number, ...ReadonlyArray<number>], maxRetryTime: number): Options<QueueRow>["backoff"] =>
  (attempt, age) => {
    const delay = delays[attempt - 1] ?? delays.at(-1)!
    return age + delay > maxRetryTime ? undefined : delay
  }

/** Milliseconds between renewals of claims. */
const renewInterval = 30_000
/** Maximum milliseconds between two looks at the table: a row without a call of `wake` is found by then. */
const pollInterval = 5_000

/** Database time-outs use real time, even when the program runs on a test clock. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

const iso = (millis: number): string => new Date(millis).toISOString()

/**
 * A durable job queue: rows of a table, each tried until it is done, dropped or given up, at least once and never by
 * two processes at a time. The owner of the queue adds rows in the commit of the change that causes the work, and then
 * calls `wake`. A row is deleted when its work ends: the owner stores any result elsewhere. The owner may also delete a
 * row itself: `notifyEnded` then ends a running try.
 */
export const make = Effect.fnUntraced(function* <Row extends QueueRow>(options: Options<Row>) {
  const bus = yield* NodeBus
  const store = yield* QueueStore.make(options)
  const { concurrency } = options
  const { name } = options.table

  const background = yield* BackgroundWork
  const awake = Latch.makeUnsafe()
  let isLooking = false
  const claims = new Map<string, QueueStore.Claim<Row>>()
  /** The key or group that had the last turn. */
  let served = ""
  /** When the claims of dead processes were last taken over; never yet at the start. */
  let tookOverAt = Number.NEGATIVE_INFINITY
  /** Whether there is work of which other nodes were not notified. */
  let isNew = false

  const tries = Metric.counter(`sheaf_${name}_total`, {
    description: `Tries of ${name}, by outcome: ${Object.values(options.outcomes).join(", ")}`,
    incremental: true
  })
  const waiting = Metric.gauge(`sheaf_${name}_waiting`, {
    description: `Unfinished rows of ${name}, of all nodes`
  })
  const running = Metric.gauge(`sheaf_${name}_running`, {
    description: `Running tries of ${name} on this node`
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
    yield* store.postpone(job, next_at)
    yield* counted("retried")
  })

  const done = (job: Claimed<Row>) => Effect.andThen(store.end(job), counted("done"))

  const isAfterLast = (attempts: number): boolean => attempts > 1 && options.backoff(attempts - 1, 0) === undefined

  /**
   * Releases the claim of a cancelled try. The try does not count, unless its time was over and more tries are left.
   * The next start, or another node, begins it again, behind other waiting rows.
   */
  const release = Effect.fnUntraced(function* ({ isCut, job }: QueueStore.Claim<Row>) {
    const now = iso(yield* Clock.currentTimeMillis)
    yield* (
      isCut === "over" && !isAfterLast(job.attempts + 1) ? store.postpone(job, now) : store.release(job, now)
    ).pipe(
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
        Effect.logWarning(`a try of ${name} ${job.id} failed with a defect`, defect),
        new Retry({ reason: "a defect of the service" })
      )
    )

  const runClaim = (claim: QueueStore.Claim<Row>, { job } = claim) =>
    Effect.uninterruptibleMask((restore) =>
      // Each try may have crashed the process.
      isAfterLast(job.attempts)
        ? giveUp(job, "given_up", "the last try ended without a result")
        : Effect.matchEffect(
            Effect.onInterrupt(restore(attempt(job)), () => release(claim)),
            {
              onSuccess: () => done(job),
              onFailure: (error) => failed(job, error)
            }
          )
    ).pipe(
      // The claim lapses, and the row is tried again.
      Effect.catchCause((cause) => Effect.logWarning(`${name} ${job.id} could not be processed`, cause)),
      Effect.ensuring(
        Effect.suspend(() => {
          claims.delete(job.id)
          awake.openUnsafe()
          return countRunning
        })
      )
    )

  const underWay = yield* FiberSet.make<void>()

  /** Begins due rows while slots are free. Returns the time at which no more row was due; undefined without a slot. */
  const begin = Effect.fnUntraced(function* () {
    while (claims.size < concurrency) {
      const now = yield* Clock.currentTimeMillis
      const isFromStart = served === ""
      const { claims: next, served: last } = yield* store.take(now, concurrency - claims.size, served, claims)
      served = last
      for (const claim of next) claims.set(claim.job.id, claim)
      yield* countRunning
      for (const claim of next) claim.fiber = yield* FiberSet.run(underWay, Effect.interruptible(runClaim(claim)))
      if (next.length === 0 && isFromStart) return now
    }
    return undefined
  })

  /** Cancels a try if another group waits for its slot. Returns the milliseconds until the next look. */
  const freeSlot = Effect.fnUntraced(function* () {
    const { concurrencyPerKey: perKey } = options
    if ("onEach" in perKey) return pollInterval
    const now = yield* Clock.currentTimeMillis
    const next = yield* store.waiting(now, served, claims, perKey.onAll, perKey.turns)
    if (next === undefined) return pollInterval
    const cut = GroupTurns.cutFor(next, [...claims.values()], now, perKey.turns)
    if (cut === undefined) return pollInterval
    if (now - Date.parse(next.next_at) < GroupTurns.waitBeforeCut) return GroupTurns.waitBeforeCut
    // The other groups come first.
    served = cut.claim.group
    cut.claim.isCut = cut.isOver ? "over" : "surplus"
    cut.claim.fiber?.interruptUnsafe()
    return pollInterval
  })

  /** Begins what is due. Returns the milliseconds until the next look; the end of each try leads to a look as well. */
  const look = Effect.fnUntraced(function* () {
    const wasNew = isNew
    isNew = false
    const begun = yield* Clock.currentTimeMillis
    // Absolute, so that a clock that is set back causes no delay.
    if (Math.abs(begun - tookOverAt) >= pollInterval) {
      tookOverAt = begun
      yield* store.takeOver(begun)
    }
    const now = yield* begin()
    if (now === undefined) {
      if (wasNew) bus.notifyWork(name)
      return yield* freeSlot()
    }
    const next_at = yield* store.nextAfter(now)
    if (next_at === undefined) return pollInterval
    return Math.max(0, Math.min(pollInterval, Date.parse(next_at) - (yield* Clock.currentTimeMillis)))
  })

  const kept = <A, E>(what: string, work: Effect.Effect<A, E>, otherwise: A) =>
    Effect.catchCause(work, (cause) => Effect.as(Effect.logWarning(what, cause), otherwise))

  /** Renews all claims, and cancels the tries whose claim is lost, or would lapse before it can be renewed again. */
  const renew = Effect.fnUntraced(function* () {
    const held = [...claims.values()]
    if (held.length === 0) return
    const until = iso((yield* Clock.currentTimeMillis) + QueueStore.claimLife)
    const renewed = store.renew(held, until).pipe(Effect.timeout(renewInterval / 2), inRealTime)
    const ids = yield* kept(`claims of ${name} could not be renewed`, renewed, undefined)
    const beforeNext = iso((yield* Clock.currentTimeMillis) + 2 * renewInterval)
    for (const claim of held) {
      if (ids?.has(claim.job.id) === true) claim.until = until
      else if (ids !== undefined || claim.until <= beforeNext) claim.fiber?.interruptUnsafe()
    }
  })
  yield* Effect.forkScoped(Effect.repeat(renew(), Schedule.spaced(renewInterval)))

  // Waits for running tries; their claims are renewed meanwhile.
  yield* Effect.addFinalizer(() =>
    inRealTime(Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(underWay)), options.drain))
  )

  yield* bus.subscribe({
    work: (queue) => void (queue === name && awake.openUnsafe()),
    // If the message is lost, the next renewal of claims ends the try.
    ended: (queue, id) => void (queue === name && claims.get(id)?.fiber?.interruptUnsafe())
  })

  // Uninterruptible: a row that was claimed but not begun would wait until its claim lapses.
  const loop = Effect.gen(function* () {
    let pause = pollInterval
    while (true) {
      yield* Effect.timeoutOption(awake.await, pause)
      awake.closeUnsafe()
      isLooking = true
      pause = yield* Effect.uninterruptible(kept(`due ${name} could not be looked up`, look(), pollInterval))
      isLooking = false
    }
  })
  background.add({
    name,
    isBusy: () => isLooking || awake.isOpen() || claims.size > 0,
    nextDue: Effect.orDie(store.nextDue),
    runNow: () => void (claims.size === 0 && awake.openUnsafe())
  })
  yield* Effect.forkScoped(loop)

  const count = Effect.gen(function* () {
    yield* Metric.update(waiting, yield* store.count)
    const now = yield* Clock.currentTimeMillis
    const due_at = yield* store.overdue(now)
    yield* Overdue.report(name, now, due_at === undefined ? Infinity : Date.parse(due_at))
  })
  const counts = Effect.repeat(kept(`${name} could not be counted`, count, undefined), Schedule.spaced("15 seconds"))
  yield* Effect.forkScoped(Effect.delay(counts, "5 seconds"))

  return {
    /** Starts new work: called after its commit. Without the call, the work is found within five seconds. */
    wake: Effect.sync(() => {
      isNew = true
      awake.openUnsafe()
    })
  }
})
