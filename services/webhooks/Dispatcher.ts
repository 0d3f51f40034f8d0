import { type Cause, Clock, Context, Effect, Exit, FiberSet, Latch, Layer, Metric, Schedule } from "effect"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { ChangeLog } from "../writer/ChangeLog.ts"
import { NodeBus } from "../database/NodeBus.ts"
import * as Overdue from "../jobs/QueueLag.ts"
import * as Attempts from "./Attempts.ts"
import { Deliveries } from "./Deliveries.ts"
import { WebhookState, HookedWorkspace, keyOf } from "./WebhookState.ts"
import * as WebhookStateStore from "./WebhookStateStore.ts"
import * as LogReader from "./LogReader.ts"
import { giveUpAfter } from "./RetryPolicy.ts"
import { Sender } from "./Sender.ts"
import type { EventRights } from "./Webhook.ts"
import { Webhooks } from "./Webhooks.ts"

/** Milliseconds between checks of all workspaces, for work without a notification. */
const pollInterval = 5_000
/** Milliseconds between renewals of holds. */
const renewInterval = 10_000
/** Maximum number of webhooks that this node processes at a time. */
const mostHooks = 20_000
/** Maximum number of webhooks in one claim. */
const mostClaimed = 200
/** Number of finished attempts of a webhook after which the oldest are deleted. */
const trimEvery = 1_000
/**
 * Milliseconds for which a webhook without work is held. In workspaces with many webhooks, a claim, read and release for
 * each change would cost more.
 */
const linger = 2_000
/** Milliseconds between two checks of workspaces whose webhooks other nodes may hold. */
const lookPause = 20
/** Milliseconds for which running attempts may still end when the service stops. */
const drain = 10_000

/** Uses the real clock, as sockets do, also when the program runs on a test clock. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** Milliseconds after which a body is read again before it is sent, because its note may have been erased since. */
const bodyLife = 1_000

const timeOf = (due_at: string | null): number => (due_at === null ? Infinity : Date.parse(due_at))

const isDue = ({ due_at }: WebhookState, now: number): boolean => due_at !== null && Date.parse(due_at) <= now

const tries = Metric.counter("sheaf_webhook_tries_total", {
  description: "Attempts of webhook deliveries by outcome: succeeded, pending (to be retried), failed",
  incremental: true
})
const working = Metric.gauge("sheaf_webhooks_working", {
  description: "Webhooks that this node is sending to"
})

/**
 * Sends events to webhooks (contract 9). It reads the log from the position of each webhook, makes deliveries of the
 * subscribed events, and sends them until they succeed. One node holds a webhook while there is work, and stores the
 * result after an attempt: a crash leads to a repetition, never to a loss.
 */
export class Dispatcher extends Context.Service<Dispatcher, { readonly working: () => number }>()(
  "sheaf/webhooks/Dispatcher"
) {
  static readonly layer = (rights: EventRights) =>
    Layer.effect(
      Dispatcher,
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const deliveries = yield* Deliveries
        const log = yield* ChangeLog
        const bus = yield* NodeBus
        const store = yield* WebhookStateStore.make(rights, deliveries.bodies)
        const advance = yield* LogReader.make(deliveries.bodies)

        const awake = Latch.makeUnsafe()
        const hooks = new Map<string, WebhookState>()
        /** Number of active webhooks by workspace, at the last check. */
        let hooked: ReadonlyMap<string, number> = new Map()
        /** Workspaces with changes since the last check. */
        const grown = new Set<string>()
        /** Whether a webhook was created or changed on this node since the last check. */
        let isChanged = false

        const workspaces = new Map<string, HookedWorkspace>()
        const onChange = (workspace_id: string, seq: number): void => {
          const count = hooked.get(workspace_id)
          if (count === undefined) return
          for (const hook of hooksOf(workspace_id)) hook.grown(seq)
          // If this node processes all webhooks of the workspace, the calls above are enough.
          if ((workspaces.get(workspace_id)?.hooks.size ?? 0) >= count) return
          grown.add(workspace_id)
          awake.openUnsafe()
        }
        const hooksOf = (workspace_id: string): Iterable<WebhookState> => workspaces.get(workspace_id)?.hooks ?? []

        log.observe(({ changesAccess, entries, last, workspace_id }) => {
          const changed = entries.filter(({ change }) => changesAccess && change.resource === "webhook")
          if (changed.length > 0) {
            isChanged = true
            grown.add(workspace_id)
            // Only the changed webhooks: otherwise each new webhook would cause a read of all others.
            for (const { change } of changed) hooks.get(keyOf(workspace_id, change.resource_id))?.look()
            awake.openUnsafe()
          }
          // The end of a key or a membership ends webhooks too. Entries of writes in several steps are not in `entries`.
          if (changesAccess && changed.length < Math.max(entries.length, 1)) {
            for (const hook of hooksOf(workspace_id)) hook.look()
          }
          onChange(workspace_id, last)
        })
        yield* bus.subscribe({
          log: onChange,
          // Another node has changed access to the workspace, which may include its webhooks.
          access: (workspace_id) => {
            for (const hook of hooksOf(workspace_id)) hook.look()
          }
        })
        deliveries.onDue((workspace_id, webhook_id) => {
          const hook = hooks.get(keyOf(workspace_id, webhook_id))
          if (hook !== undefined) hook.look()
          grown.add(workspace_id)
          awake.openUnsafe()
        })

        let isLooking = false
        const background = yield* BackgroundWork
        background.add({
          name: "webhook deliveries",
          isBusy: () => isLooking || awake.isOpen() || grown.size > 0 || hooks.values().some(({ isBusy }) => isBusy),
          nextDue: Effect.map(Effect.orDie(store.nextDue()), (due_at) =>
            hooks.values().reduce((first, hook) => Math.min(first, timeOf(hook.due_at)), timeOf(due_at))
          ),
          hurry: () => {
            for (const hook of hooks.values()) hook.settleSoon()
          }
        })

        const serving = yield* FiberSet.make<void>()

        const attempt = yield* Attempts.make
        const fork = Effect.runForkWith(yield* Effect.context<never>())
        const clock = yield* Clock.Clock
        const sender = new Sender(
          () => clock.currentTimeMillisUnsafe(),
          (config, due, ended, { workspace_id }) => {
            // The delivery stays pending and is attempted again.
            const untried = (cause: Cause.Cause<unknown>) => {
              fork(Effect.logWarning(`delivery ${due.id} could not be attempted`, cause))
              ended(undefined)
            }
            const send = (due: Attempts.Due) =>
              attempt(config, due, false, (exit) => (Exit.isSuccess(exit) ? ended(exit.value) : untried(exit.cause)))
            if (performance.now() - due.readAt < bodyLife) {
              send(due)
              return
            }
            fork(
              Effect.matchCause(store.bodyOf(workspace_id, due), {
                onFailure: untried,
                // A delivery that is not stored yet is stored as pending, and loaded again.
                onSuccess: (body) => void (body === undefined ? ended(undefined) : send({ ...due, body }))
              })
            )
          }
        )

        /** Stores results, and disables a webhook whose endpoint is gone or has failed for too long. */
        const settle = Effect.fnUntraced(function* (hook: WebhookState, isIdle = false) {
          const unstored = hook.toStore(isIdle)
          hook.storeSoon()
          if (unstored === undefined) return
          const tried = unstored.deliveries.flatMap(([, each]) => each ?? [])
          const now = yield* Clock.currentTimeMillis
          const counts = { succeeded: 0, pending: 0, failed: 0 }
          for (const { next, status } of tried) {
            counts[next === null ? status : "pending"]++
            if (next !== null && (hook.due_at === null || next.next_attempt_at < hook.due_at)) {
              hook.due_at = next.next_attempt_at
            }
          }
          for (const [outcome, count] of Object.entries(counts)) {
            if (count > 0) yield* Metric.update(Metric.withAttributes(tries, { outcome }), count)
          }
          yield* store.settle(hook, unstored, now)
          hook.waiting -= counts.succeeded + counts.failed
          // The number is exact only after the webhook is read, and when nothing waits.
          if (hook.waiting === 0) hook.waitingChars = 0
          hook.finished += tried.length
          if (hook.finished >= trimEvery) {
            hook.finished = 0
            yield* deliveries.trim(hook.workspace_id, hook.id)
          }
          const isGone = tried.some(({ status_code }) => status_code === Attempts.gone)
          const { failing_since } = hook
          const isFailing = failing_since !== null && now - Date.parse(failing_since) >= giveUpAfter
          if (isGone || isFailing) {
            yield* webhooks.disable(hook.workspace_id, hook.id, isGone ? "gone" : "failing")
            hook.isStale = true
          }
        })

        /** Waits for the webhook to be woken, no longer than until its next attempt is due. */
        const woken = (hook: WebhookState): Effect.Effect<unknown> =>
          hook.due_at === null
            ? hook.wake.await
            : Effect.timeoutOption(
                hook.wake.await,
                Math.max(0, Date.parse(hook.due_at) - clock.currentTimeMillisUnsafe())
              )

        const waiting = <A>(hook: WebhookState, wait: Effect.Effect<A>) =>
          Effect.suspend(() => {
            hook.isWaiting = true
            return Effect.ensuring(
              wait,
              Effect.sync(() => {
                hook.isWaiting = false
              })
            )
          })

        /** Processes a webhook until there is no more work. */
        const work = Effect.fnUntraced(function* (hook: WebhookState) {
          while (true) {
            hook.wake.closeUnsafe()
            if (hook.isToSettle) yield* settle(hook)
            // The hold has expired, for example while the machine was suspended: another node may have the webhook.
            if ((yield* Clock.currentTimeMillis) >= hook.held_until) yield* store.renew([hook])
            if (hook.isStale) yield* store.load(hook)
            const { config } = hook
            if (config?.active === true && config.ends_at <= (yield* Clock.currentTimeMillis)) {
              yield* webhooks.disable(hook.workspace_id, hook.id, "key_ended")
              hook.isStale = true
              continue
            }
            const isOff = config === undefined || !config.active || hook.isEnding
            if (isOff) {
              hook.due = []
              hook.queue = []
            } else {
              if (hook.due.length === 0 && isDue(hook, yield* Clock.currentTimeMillis)) yield* store.take(hook)
              if (hook.isToRefill) yield* advance(hook, config)
              sender.add(hook)
            }
            if (hook.isIdle) {
              if (config !== undefined && !config.active && hook.waiting > 0) yield* store.closeWaiting(hook)
              if (isOff) return
              if (hook.isStale || (hook.isBehind && hook.room > 0)) continue
              // More work may arrive soon.
              const next = Effect.provideService(woken(hook), Clock.Clock, clock)
              yield* waiting(hook, inRealTime(Effect.timeoutOption(next, linger)))
              if (hook.wake.isOpen() || isDue(hook, yield* Clock.currentTimeMillis)) continue
              yield* settle(hook, true)
              if (!hook.wake.isOpen()) return
            } else {
              yield* waiting(hook, isOff || hook.due.length > 0 ? hook.wake.await : woken(hook))
            }
          }
        })

        const forget = (hook: WebhookState) => {
          hook.close()
          hooks.delete(hook.key)
          const { hooks: others, id } = hook.workspace
          others.delete(hook)
          if (others.size === 0) workspaces.delete(id)
        }

        const serve = (hook: WebhookState) =>
          work(hook).pipe(
            Effect.catchCause((cause) => Effect.logWarning(`webhook ${hook.id} could not be processed`, cause)),
            Effect.ensuring(
              Effect.flatMap(
                Effect.catchCause(
                  Effect.andThen(
                    Effect.sync(() => hook.drop()),
                    store.release(hook)
                  ),
                  (cause) =>
                    // The hold expires by itself.
                    Effect.as(Effect.logWarning(`webhook ${hook.id} could not be released`, cause), false)
                ),
                (isBehind) =>
                  Effect.suspend(() => {
                    forget(hook)
                    // The log has grown meanwhile.
                    if (
                      (isBehind || hook.isBehind) &&
                      !hook.isEnding &&
                      hook.config?.active === true &&
                      hook.room > 0
                    ) {
                      grown.add(hook.workspace_id)
                    }
                    awake.openUnsafe()
                    return Metric.update(working, hooks.size)
                  })
              )
            )
          )

        /** Claims webhooks that have work, in these workspaces or in all. */
        const claim = Effect.fnUntraced(function* (within: ReadonlyArray<string> | undefined) {
          while (hooks.size < mostHooks) {
            const held = [...hooks.values()].map(({ id }) => id)
            const { held_until, rows } = yield* store.claim(within, held, Math.min(mostClaimed, mostHooks - hooks.size))
            for (const { is_slow, owner, webhook_id, workspace_id } of rows) {
              const workspace = workspaces.get(workspace_id) ?? new HookedWorkspace(workspace_id, owner)
              workspaces.set(workspace_id, workspace)
              const hook = new WebhookState(workspace, webhook_id, held_until, is_slow)
              workspace.hooks.add(hook)
              hooks.set(hook.key, hook)
              hook.fiber = yield* FiberSet.run(serving, serve(hook))
            }
            yield* Metric.update(working, hooks.size)
            if (rows.length < mostClaimed) return
          }
        })

        /** Claims webhooks with work and returns the time of the next check. `isAll`: also without notifications. */
        const look = Effect.fnUntraced(function* (isAll: boolean) {
          if (isChanged || isAll) {
            isChanged = false
            hooked = yield* store.workspaces
          }
          const within = [...grown]
          grown.clear()
          if (isAll) yield* claim(undefined)
          else if (within.length > 0) yield* claim(within)
          const next = (yield* Clock.currentTimeMillis) + pollInterval
          const due_at = yield* store.nextDue()
          const due = timeOf(due_at)
          if (isAll) {
            const earliest = hooks.values().reduce((first, hook) => Math.min(first, timeOf(hook.due_at)), due)
            yield* Overdue.report("webhook_deliveries", yield* Clock.currentTimeMillis, earliest)
          }
          return Math.min(next, due)
        })

        const orLog = <A, E>(what: string, effect: Effect.Effect<A, E>, otherwise: A) =>
          Effect.catchCause(effect, (cause) => Effect.as(Effect.logWarning(what, cause), otherwise))

        const renew = Effect.gen(function* () {
          const held = [...hooks.values()]
          if (held.length === 0) return
          yield* store.renew(held)
        })
        yield* Effect.forkScoped(
          Effect.repeat(
            orLog("the holds of webhooks could not be renewed", renew, undefined),
            Schedule.spaced(renewInterval)
          )
        )

        // Results of running attempts are stored. Other deliveries are sent after the next start, or by another node.
        yield* Effect.addFinalizer(() =>
          Effect.suspend(() => {
            for (const hook of hooks.values()) {
              hook.isEnding = true
              hook.wake.openUnsafe()
            }
            return Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(serving)), drain)
          }).pipe(inRealTime)
        )

        const lookLoop = Effect.gen(function* () {
          // The start of the process has more urgent work.
          let next = (yield* Clock.currentTimeMillis) + pollInterval
          let lookedAt = performance.now()
          while (true) {
            const now = yield* Clock.currentTimeMillis
            // A clock that is set back does not delay the check.
            const left = Math.max(0, Math.min(next - now, pollInterval))
            const isWoken = yield* Effect.timeoutOption(awake.await, left)
            isLooking = true
            awake.closeUnsafe()
            // An uninterrupted series of changes must not delay due deliveries of other workspaces.
            const isTime = isWoken._tag === "None" || (yield* Clock.currentTimeMillis) >= next
            const isAll = isTime || performance.now() - lookedAt > pollInterval
            if (isAll) lookedAt = performance.now()
            next = yield* Effect.uninterruptible(
              orLog("due webhooks could not be read", look(isAll), now + pollInterval)
            )
            isLooking = false
            yield* inRealTime(Effect.sleep(lookPause))
          }
        })
        yield* Effect.forkScoped(lookLoop)

        return Dispatcher.of({ working: () => hooks.size })
      })
    )
}
