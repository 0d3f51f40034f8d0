import { type Cause, Clock, Effect, Exit, Metric } from "effect"
import * as Attempts from "./Attempts.ts"
import { type Claims, inRealTime } from "./Claims.ts"
import { Deliveries } from "./Deliveries.ts"
import * as LogReader from "./LogReader.ts"
import { maxRetryTime } from "./RetryPolicy.ts"
import { Sender } from "./Sender.ts"
import { Webhooks } from "./Webhooks.ts"
import type { Unstored, WebhookState } from "./WebhookState.ts"
import type { WebhookStore } from "./WebhookStore.ts"

/** Number of finished attempts of a webhook after which the oldest are deleted. */
const trimEvery = 1_000
/**
 * Milliseconds for which a webhook without work is held. In workspaces with many webhooks, a claim, read and release for
 * each change would cost more.
 */
const idleTimeout = 2_000
/** Milliseconds after which a body is read again before it is sent, because its note may have been erased since. */
const bodyLife = 1_000

const tries = Metric.counter("sheaf_webhook_tries_total", {
  description: "Attempts of webhook deliveries by outcome: succeeded, pending (to be retried), failed",
  incremental: true
})

const countTries = ({ deliveries }: Unstored) => {
  const counts = { succeeded: 0, pending: 0, failed: 0 }
  for (const [, tried] of deliveries) if (tried !== undefined) counts[tried.next === null ? tried.status : "pending"]++
  return Effect.forEach(Object.entries(counts), ([outcome, count]) =>
    count === 0 ? Effect.void : Metric.update(Metric.withAttributes(tries, { outcome }), count)
  )
}

/** Waits for the webhook to be woken, no longer than until its next attempt is due. */
const woken = Effect.fnUntraced(function* ({ due_at, wake }: WebhookState) {
  const left = Math.max(0, due_at - (yield* Clock.currentTimeMillis))
  yield* left === Infinity ? wake.await : Effect.timeoutOption(wake.await, left)
})

/** Makes the sender, which reads a body again if its note may have been erased since. */
const senderOf = Effect.fnUntraced(function* (store: WebhookStore) {
  const attempt = yield* Attempts.make
  const clock = yield* Clock.Clock
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  return new Sender(
    () => clock.currentTimeMillisUnsafe(),
    (config, due, ended, { workspace_id }) => {
      // The delivery stays pending and is attempted again.
      const untried = (cause: Cause.Cause<unknown>) => {
        fork(Effect.logWarning(`delivery ${due.id} could not be attempted`, cause))
        ended(undefined)
      }
      const send = (body: string) =>
        attempt(config, { ...due, body }, false, (exit) =>
          Exit.isSuccess(exit) ? ended(exit.value) : untried(exit.cause)
        )
      if (performance.now() - due.readAt < bodyLife) return void send(due.body)
      const read = Effect.matchCause(store.bodyOf(workspace_id, due), {
        onFailure: untried,
        // A delivery that is not stored yet is stored as pending, and loaded again.
        onSuccess: (body) => void (body === undefined ? ended(undefined) : send(body))
      })
      fork(read)
    }
  )
})

/** Returns the function that processes a webhook until there is no more work: the fiber of its phases. */
export const make = Effect.fnUntraced(function* (store: WebhookStore, claims: Claims) {
  const webhooks = yield* Webhooks
  const deliveries = yield* Deliveries
  const advance = yield* LogReader.make(deliveries.bodies)
  const sender = yield* senderOf(store)

  const disable = (hook: WebhookState, reason: Parameters<typeof webhooks.disable>[2]) =>
    Effect.map(webhooks.disable(hook.workspace_id, hook.id, reason), () => hook.apply("changed"))

  /** Stores results, and disables a webhook whose endpoint is gone or has failed for too long. */
  const settle = Effect.fnUntraced(function* (hook: WebhookState, isIdle = false) {
    const unstored = hook.toStore(isIdle)
    if (unstored === undefined) return
    const now = yield* Clock.currentTimeMillis
    yield* countTries(unstored)
    hook.settled(unstored, yield* store.settle(hook, unstored, now))
    if (hook.finished >= trimEvery) {
      hook.finished = 0
      yield* deliveries.trim(hook.workspace_id, hook.id)
    }
    const isGone = unstored.deliveries.some(([, tried]) => tried?.status_code === Attempts.gone)
    if (isGone || now - hook.failing_since >= maxRetryTime) yield* disable(hook, isGone ? "gone" : "failing")
  })

  /** Ends a webhook with its credential, or gives its deliveries to the sender: retries, then those made from the log. */
  const send = Effect.fnUntraced(function* (hook: WebhookState) {
    const config = hook.config!
    const now = yield* Clock.currentTimeMillis
    if (config.ends_at <= now) return yield* disable(hook, "key_ended")
    if (hook.isDueAgain(now)) yield* store.take(hook)
    if (hook.isToRefill) yield* advance(hook, config)
    sender.add(hook)
  })

  /** Waits for the end of what is being sent, or some time for more work. Returns whether to continue. */
  const waited = Effect.fnUntraced(function* (hook: WebhookState) {
    const isOn = hook.phase === "sending"
    if (!hook.isIdle) {
      yield* isOn && hook.due.length === 0 ? woken(hook) : hook.wake.await
      return true
    }
    if (!isOn) return false
    if (hook.isBehind) return true
    hook.apply("rest")
    const next = Effect.provideService(woken(hook), Clock.Clock, yield* Clock.Clock)
    yield* Effect.ensuring(
      inRealTime(Effect.timeoutOption(next, idleTimeout)),
      Effect.sync(() => hook.apply("wake"))
    )
    if (hook.wake.isOpen() || hook.isDueAgain(yield* Clock.currentTimeMillis)) return true
    yield* settle(hook, true)
    return hook.wake.isOpen()
  })

  const work = Effect.fnUntraced(function* (hook: WebhookState) {
    for (let isMore = true; isMore;) {
      hook.wake.closeUnsafe()
      if (hook.isToSettle) yield* settle(hook)
      // The hold has expired, for example while the machine was suspended: another node may have the webhook.
      if ((yield* Clock.currentTimeMillis) >= hook.held_until) yield* claims.renew([hook])
      if (hook.phase === "stale") {
        hook.apply("read")
        hook.read(yield* store.load(hook))
      }
      if (hook.phase === "sending") yield* send(hook)
      if (hook.phase === "stale") continue
      if (hook.phase !== "sending") hook.drop()
      isMore = yield* waited(hook)
    }
    if (hook.phase === "off" && hook.config !== undefined && hook.waiting > 0) yield* store.closeWaiting(hook)
  })

  return (hook: WebhookState) =>
    Effect.catchCause(work(hook), (cause) => Effect.logWarning(`webhook ${hook.id} could not be processed`, cause))
})
