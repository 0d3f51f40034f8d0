import { type Cause, Clock, Context, Effect, Exit, FiberSet, Latch, Layer, Metric, Schedule } from "effect"
import { ChangeLog } from "../writer/ChangeLog.ts"
import { NodeBus } from "../database/NodeBus.ts"
import * as Overdue from "../jobs/Overdue.ts"
import * as Attempts from "./Attempts.ts"
import { Deliveries } from "./Deliveries.ts"
import { Hook, HookedWorkspace, keyOf } from "./Hook.ts"
import * as HookStore from "./HookStore.ts"
import * as LogReader from "./LogReader.ts"
import { patience } from "./RetryPolicy.ts"
import { Sender } from "./Sender.ts"
import type { EventRights } from "./WebhookRights.ts"
import { Webhooks } from "./Webhooks.ts"

/** What nobody said that it is there is found after so long. */
const lookEvery = 5_000
const renewEvery = 10_000
/** Webhooks that this node works on at a time. */
const mostHooks = 20_000
const mostClaimed = 200
/** Finished attempts of a webhook after which the oldest of them are ended. */
const trimEvery = 1_000
/**
 * A webhook with nothing to do is held on to for so long: to be claimed, read and released again for each change costs
 * more, where a workspace has many of them.
 */
const linger = 2_000
/** Between two looks at workspaces whose webhooks others may hold. */
const breath = 20
/** What is under way when the service ends may still be answered. */
const drain = 10_000

/** As the sockets are, also when the program runs on a test's clock. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** Milliseconds after which a body is read again before it is sent, because its note may have been erased since. */
const bodyLife = 1_000

const isDue = ({ due_at }: Hook, now: number): boolean => due_at !== null && Date.parse(due_at) <= now

const tries = Metric.counter("sheaf_webhook_tries_total", {
  description: "Tries of webhook deliveries, by what came of them: succeeded, pending (to be tried again), failed",
  incremental: true
})
const working = Metric.gauge("sheaf_webhooks_working", {
  description: "Webhooks that this node is sending to"
})

/**
 * Sends events to webhooks (contract 9): reads on in the log from the position of each, makes deliveries of what it is
 * told of, sends them, and again until they are taken. A node holds a webhook alone while there is something to do, and
 * stores what came of a try after it: a crash leads to a repetition, never to a loss.
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
        const store = yield* HookStore.make(rights, deliveries.bodies)
        const advance = yield* LogReader.make(deliveries.bodies)

        const awake = Latch.makeUnsafe()
        const hooks = new Map<string, Hook>()
        /** How many webhooks workspaces have, as it was when last looked for, */
        let hooked: ReadonlyMap<string, number> = new Map()
        /** those in which something happened since, */
        const grown = new Set<string>()
        /** and whether one was made or changed here. */
        let isChanged = false

        const workspaces = new Map<string, HookedWorkspace>()
        const hear = (workspace_id: string, seq: number): void => {
          const count = hooked.get(workspace_id)
          if (count === undefined) return
          for (const hook of hooksOf(workspace_id)) hook.grown(seq)
          // Those that are worked on here already hear of it by themselves.
          if ((workspaces.get(workspace_id)?.hooks.size ?? 0) >= count) return
          grown.add(workspace_id)
          awake.openUnsafe()
        }
        const hooksOf = (workspace_id: string): Iterable<Hook> => workspaces.get(workspace_id)?.hooks ?? []

        log.observe(({ changesAccess, entries, last, workspace_id }) => {
          const changed = entries.filter(({ change }) => changesAccess && change.resource === "webhook")
          if (changed.length > 0) {
            isChanged = true
            grown.add(workspace_id)
            // The others are set up as they were: each would be read for each that is made.
            for (const { change } of changed) hooks.get(keyOf(workspace_id, change.resource_id))?.look()
            awake.openUnsafe()
          }
          // The end of a key or a membership ends webhooks too. Entries that were stored in several steps are not at hand.
          if (changesAccess && changed.length < Math.max(entries.length, 1)) {
            for (const hook of hooksOf(workspace_id)) hook.look()
          }
          hear(workspace_id, last)
        })
        yield* bus.subscribe({
          log: hear,
          // Of what another node has changed, that node tells the webhook, until this one looks.
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

        const serving = yield* FiberSet.make<void>()

        const attempt = yield* Attempts.make
        const fork = Effect.runForkWith(yield* Effect.context<never>())
        const clock = yield* Clock.Clock
        const sender = new Sender(
          () => clock.currentTimeMillisUnsafe(),
          (config, due, ended, { workspace_id }) => {
            // It waits on, and is tried again.
            const untried = (cause: Cause.Cause<unknown>) => {
              fork(Effect.logWarning(`delivery ${due.id} could not be tried`, cause))
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
                // One that is not stored yet is stored as it waits, and taken up again.
                onSuccess: (body) => void (body === undefined ? ended(undefined) : send({ ...due, body }))
              })
            )
          }
        )

        /** Stores what came of tries, and switches off what is of no use. */
        const settle = Effect.fnUntraced(function* (hook: Hook, isIdle = false) {
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
          // What it was is counted anew when the webhook is looked at again.
          if (hook.waiting === 0) hook.waitingChars = 0
          hook.finished += tried.length
          if (hook.finished >= trimEvery) {
            hook.finished = 0
            yield* deliveries.trim(hook.workspace_id, hook.id)
          }
          const isGone = tried.some(({ status_code }) => status_code === Attempts.gone)
          const { failing_since } = hook
          const isFailing = failing_since !== null && now - Date.parse(failing_since) >= patience
          if (isGone || isFailing) {
            yield* webhooks.disable(hook.workspace_id, hook.id, isGone ? "gone" : "failing")
            hook.isStale = true
          }
        })

        /** It is woken, or its next attempt is due. */
        const woken = (hook: Hook): Effect.Effect<unknown> =>
          hook.due_at === null
            ? hook.wake.await
            : Effect.timeoutOption(
                hook.wake.await,
                Math.max(0, Date.parse(hook.due_at) - clock.currentTimeMillisUnsafe())
              )

        /** Works on a webhook until there is nothing to do. */
        const work = Effect.fnUntraced(function* (hook: Hook) {
          while (true) {
            hook.wake.closeUnsafe()
            if (hook.isToSettle) yield* settle(hook)
            // It has lapsed, such as while the machine was suspended: it may be another's.
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
              // More may come at once.
              const next = Effect.provideService(woken(hook), Clock.Clock, clock)
              yield* inRealTime(Effect.timeoutOption(next, linger))
              if (hook.wake.isOpen() || isDue(hook, yield* Clock.currentTimeMillis)) continue
              yield* settle(hook, true)
              if (!hook.wake.isOpen()) return
            } else {
              yield* isOff || hook.due.length > 0 ? hook.wake.await : woken(hook)
            }
          }
        })

        const forget = (hook: Hook) => {
          hook.close()
          hooks.delete(hook.key)
          const { hooks: others, id } = hook.workspace
          others.delete(hook)
          if (others.size === 0) workspaces.delete(id)
        }

        const serve = (hook: Hook) =>
          work(hook).pipe(
            Effect.catchCause((cause) => Effect.logWarning(`webhook ${hook.id} could not be worked on`, cause)),
            Effect.ensuring(
              Effect.flatMap(
                Effect.catchCause(
                  Effect.andThen(
                    Effect.sync(() => hook.drop()),
                    store.release(hook)
                  ),
                  (cause) =>
                    // The hold lapses.
                    Effect.as(Effect.logWarning(`webhook ${hook.id} could not be let go of`, cause), false)
                ),
                (isBehind) =>
                  Effect.suspend(() => {
                    forget(hook)
                    // It has grown in between.
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

        /** Takes up webhooks that have something to do. */
        const claim = Effect.fnUntraced(function* (within: ReadonlyArray<string> | undefined) {
          while (hooks.size < mostHooks) {
            const held = [...hooks.values()].map(({ id }) => id)
            const { held_until, rows } = yield* store.claim(within, held, Math.min(mostClaimed, mostHooks - hooks.size))
            for (const { is_slow, owner, webhook_id, workspace_id } of rows) {
              const workspace = workspaces.get(workspace_id) ?? new HookedWorkspace(workspace_id, owner)
              workspaces.set(workspace_id, workspace)
              const hook = new Hook(workspace, webhook_id, held_until, is_slow)
              workspace.hooks.add(hook)
              hooks.set(hook.key, hook)
              hook.fiber = yield* FiberSet.run(serving, serve(hook))
            }
            yield* Metric.update(working, hooks.size)
            if (rows.length < mostClaimed) return
          }
        })

        /** Answers with the time of the next look. `isAll`: of all workspaces, also where nothing was heard. */
        const look = Effect.fnUntraced(function* (isAll: boolean) {
          if (isChanged || isAll) {
            isChanged = false
            hooked = yield* store.workspaces
          }
          const within = [...grown]
          grown.clear()
          if (isAll) yield* claim(undefined)
          else if (within.length > 0) yield* claim(within)
          const next = (yield* Clock.currentTimeMillis) + lookEvery
          const due_at = yield* store.nextDue()
          const due = due_at === null ? Infinity : Date.parse(due_at)
          if (isAll) {
            const own = [...hooks.values()].map((hook) => (hook.due_at === null ? Infinity : Date.parse(hook.due_at)))
            const earliest = own.reduce((first, at) => Math.min(first, at), due)
            yield* Overdue.report("webhook_deliveries", yield* Clock.currentTimeMillis, earliest)
          }
          return Math.min(next, due)
        })

        const kept = <A, E>(what: string, effect: Effect.Effect<A, E>, otherwise: A) =>
          Effect.catchCause(effect, (cause) => Effect.as(Effect.logWarning(what, cause), otherwise))

        const renew = Effect.gen(function* () {
          const held = [...hooks.values()]
          if (held.length === 0) return
          yield* store.renew(held)
        })
        yield* Effect.forkScoped(
          Effect.repeat(kept("webhooks were not held on to", renew, undefined), Schedule.spaced(renewEvery))
        )

        // What is under way is stored; what is not begun is begun by the next start, or another node.
        yield* Effect.addFinalizer(() =>
          Effect.suspend(() => {
            for (const hook of hooks.values()) {
              hook.isEnding = true
              hook.wake.openUnsafe()
            }
            return Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(serving)), drain)
          }).pipe(inRealTime)
        )

        const lookOn = Effect.gen(function* () {
          // A start has more urgent work.
          let next = (yield* Clock.currentTimeMillis) + lookEvery
          let lookedAt = performance.now()
          while (true) {
            const now = yield* Clock.currentTimeMillis
            // A clock that is set back does not keep it waiting.
            const left = Math.max(0, Math.min(next - now, lookEvery))
            const isWoken = yield* Effect.timeoutOption(awake.await, left)
            awake.closeUnsafe()
            // Changes that follow one another without a pause do not keep what is due elsewhere waiting.
            const isTime = isWoken._tag === "None" || (yield* Clock.currentTimeMillis) >= next
            const isAll = isTime || performance.now() - lookedAt > lookEvery
            if (isAll) lookedAt = performance.now()
            next = yield* Effect.uninterruptible(kept("webhooks were not looked for", look(isAll), now + lookEvery))
            yield* inRealTime(Effect.sleep(breath))
          }
        })
        yield* Effect.forkScoped(lookOn)

        return Dispatcher.of({ working: () => hooks.size })
      })
    )
}
