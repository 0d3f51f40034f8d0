import { Effect, FiberSet, Layer, Schedule } from "effect"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { ChangeLog } from "../writer/ChangeLog.ts"
import { NodeBus } from "../database/NodeBus.ts"
import { ProcessLock } from "../database/ProcessLock.ts"
import { Claims, inRealTime } from "./Claims.ts"
import { Deliveries } from "./Deliveries.ts"
import type { EventRights } from "./Webhook.ts"
import { servicesOf, WebhookStore } from "./WebhookStore.ts"
import * as WebhookWork from "./WebhookWork.ts"

/** Milliseconds between renewals of holds. */
const renewInterval = 10_000
/** Milliseconds for which running attempts may still end when the service stops. */
const drain = 10_000

/** Passes on what happens in workspaces to their webhooks. */
const notify = Effect.fnUntraced(function* (claims: Claims) {
  const deliveries = yield* Deliveries
  const log = yield* ChangeLog
  const bus = yield* NodeBus
  const changeAll = (workspace_id: string) => {
    for (const hook of claims.of(workspace_id)) hook.signal("changed")
  }
  log.observe(({ changesAccess, entries, last, workspace_id }) => {
    const changed = entries.filter(({ change }) => changesAccess && change.resource === "webhook")
    // Only the changed webhooks: otherwise each new webhook would cause a read of all others.
    for (const { change } of changed) claims.changed(workspace_id, change.resource_id)
    // The end of a key or a membership ends webhooks too. Entries of writes in several steps are not in `entries`.
    if (changesAccess && changed.length < Math.max(entries.length, 1)) changeAll(workspace_id)
    claims.grew(workspace_id, last)
  })
  yield* bus.subscribe({
    log: (workspace_id, seq) => claims.grew(workspace_id, seq),
    // Another node has changed access to the workspace, which may include its webhooks.
    access: changeAll
  })
  deliveries.onDue((workspace_id, webhook_id) => claims.due(workspace_id, webhook_id))
})

/**
 * Sends events to webhooks (contract 9). It reads the log from the position of each webhook, makes deliveries of the
 * subscribed events, and sends them until they succeed. One node holds a webhook while there is work, and stores the
 * result after an attempt: a crash leads to a repetition, never to a loss.
 */
export const layer = (rights: EventRights) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { bodies } = yield* Deliveries
      const background = yield* BackgroundWork
      const store = new WebhookStore(yield* servicesOf(rights, bodies))
      const claims = new Claims(store, yield* ProcessLock, yield* FiberSet.make<void>())
      const work = yield* WebhookWork.make(store, claims)
      yield* notify(claims)
      background.add({
        name: "webhook deliveries",
        isBusy: () => claims.isBusy,
        nextDue: Effect.map(Effect.orDie(claims.nextDue()), ({ any }) => any),
        runNow: () => {
          for (const hook of claims.held) if (hook.results.length > 0) hook.storeNow()
        }
      })
      yield* Effect.forkScoped(Effect.repeat(claims.renewAll, Schedule.spaced(renewInterval)))
      // Results of running attempts are stored. Other deliveries are sent after the next start, or by another node.
      yield* Effect.addFinalizer(() => inRealTime(Effect.timeoutOption(claims.end, drain)))
      yield* Effect.forkScoped(claims.loop(work))
    })
  )
