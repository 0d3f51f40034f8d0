import { Clock, Effect, FiberSet, Latch, Metric } from "effect"
import { isGone, type ProcessLock } from "../database/ProcessLock.ts"
import type { WorkspaceId } from "../Ids.ts"
import * as Overdue from "../jobs/QueueLag.ts"
import { ownerOf } from "../workspaces/WorkspaceTables.ts"
import { type HookedWorkspace, WebhookState } from "./WebhookState.ts"
import { iso, millisOf, type WebhookStore } from "./WebhookStore.ts"

/** Milliseconds between checks of all workspaces, for work without a notification. */
const pollInterval = 5_000
/** Milliseconds between two checks of workspaces whose webhooks other nodes may hold. */
const lookPause = 20
/** Milliseconds after which a hold expires. A node that does not renew it is frozen or cannot reach the database. */
const holdLife = 30_000
/** Maximum number of webhooks that this node holds at a time, and in one claim. */
const maxHooks = 20_000
const maxClaimed = 200

const working = Metric.gauge("sheaf_webhooks_working", {
  description: "Webhooks that this node is sending to"
})

interface Claimed {
  readonly workspace_id: WorkspaceId
  readonly webhook_id: string
  readonly is_slow: boolean
  readonly owner: string
}

/** Processes a webhook until there is no more work. */
type Work = (hook: WebhookState) => Effect.Effect<void>

const orLog = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>, otherwise: A) =>
  Effect.catchCause(effect, (cause) => Effect.as(Effect.logWarning(what, cause), otherwise))

/** Uses the real clock, as sockets do, also when the program runs on a test clock. */
export const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/**
 * The webhooks that this node holds. One node holds a webhook while there is work. It claims webhooks with work in
 * workspaces that have changed, and every few seconds in all.
 */
export class Claims {
  readonly held = new Set<WebhookState>()
  readonly #workspaces = new Map<string, HookedWorkspace>()
  /** Number of active webhooks by workspace, at the last look; and whether a webhook has changed on this node since. */
  #counts: ReadonlyMap<string, number> = new Map()
  #isChanged = false
  /** Workspaces with changes since the last look. */
  readonly #grown = new Set<string>()
  readonly #awake = Latch.makeUnsafe()
  #isLooking = false
  readonly #fibers: FiberSet.FiberSet<void>
  readonly #store: WebhookStore
  readonly #processLock: ProcessLock["Service"]

  constructor(store: WebhookStore, processLock: ProcessLock["Service"], fibers: FiberSet.FiberSet<void>) {
    this.#store = store
    this.#processLock = processLock
    this.#fibers = fibers
  }

  of(workspace_id: string): Iterable<WebhookState> {
    return this.#workspaces.get(workspace_id)?.hooks.values() ?? []
  }

  /** Looks soon for webhooks of a workspace that have work. */
  #lookAt(workspace_id: string): void {
    this.#grown.add(workspace_id)
    this.#awake.openUnsafe()
  }

  /** Deliveries of a webhook have become due. */
  due(workspace_id: string, webhook_id: string): void {
    this.#workspaces.get(workspace_id)?.hooks.get(webhook_id)?.signal("changed")
    this.#lookAt(workspace_id)
  }

  /** A webhook was created, changed or deleted. */
  changed(workspace_id: string, webhook_id: string): void {
    this.#isChanged = true
    this.due(workspace_id, webhook_id)
  }

  /** The log of a workspace has grown to `seq`. */
  grew(workspace_id: string, seq: number): void {
    const count = this.#counts.get(workspace_id)
    if (count === undefined) return
    for (const hook of this.of(workspace_id)) hook.grown(seq)
    // If this node holds all webhooks of the workspace, the calls above are enough.
    if ((this.#workspaces.get(workspace_id)?.hooks.size ?? 0) < count) this.#lookAt(workspace_id)
  }

  get isBusy(): boolean {
    return this.#isLooking || this.#awake.isOpen() || this.#grown.size > 0 || this.held.values().some((h) => h.isBusy)
  }

  /** When the next webhook that no node holds is due, and the next of these and of this node; Infinity if none is. */
  readonly nextDue = Effect.fnUntraced({ self: this as Claims }, function* () {
    const [row] = yield* this.#store.read.unsafe<{ readonly due_at: string | null }>(
      "SELECT min(due_at) AS due_at FROM webhook_cursors WHERE due_at IS NOT NULL AND held_until <= $1",
      [iso(yield* Clock.currentTimeMillis)]
    )
    const free = millisOf(row!.due_at)
    return { free, any: this.held.values().reduce((first, { due_at }) => Math.min(first, due_at), free) }
  })

  /** Claims webhooks that have work and that no node holds, in these workspaces or in all. */
  readonly #claim = Effect.fnUntraced(
    { self: this as Claims },
    function* (within: ReadonlyArray<string> | undefined, limit: number) {
      const now = yield* Clock.currentTimeMillis
      const held_until = now + holdLife
      const held = [...this.held].map(({ id }) => id)
      const rows = yield* this.#store.run<Claimed>(
        `UPDATE webhook_cursors t SET holder = $1, held_until = $2, presence = $7 FROM (
        SELECT c.workspace_id, c.webhook_id FROM webhook_cursors c
        JOIN webhooks w ON w.workspace_id = c.workspace_id AND w.id = c.webhook_id
        JOIN heads h ON h.workspace_id = c.workspace_id
        WHERE (c.held_until <= $3 OR ${isGone("c.presence")}) AND (
            c.due_at <= $3 OR (w.active AND NOT c.is_full AND c.position < h.seq) OR (NOT w.active AND c.due_at IS NOT NULL)
          )
          ${within === undefined ? "AND $4::text[] IS NULL" : "AND c.workspace_id = ANY($4::text[])"}
          AND c.webhook_id <> ALL($5::text[])
        LIMIT $6::int FOR UPDATE OF c SKIP LOCKED
      ) due WHERE t.workspace_id = due.workspace_id AND t.webhook_id = due.webhook_id
      RETURNING t.workspace_id, t.webhook_id, t.is_slow, ${ownerOf("t.workspace_id")} AS owner`,
        [this.#store.self, iso(held_until), iso(now), within ?? null, held, String(limit), this.#processLock.holder()]
      )
      return rows.map(({ is_slow, owner, webhook_id, workspace_id }) => {
        const known = this.#workspaces.get(workspace_id)
        const workspace = known ?? { id: workspace_id, owner, hooks: new Map<string, WebhookState>() }
        const hook = new WebhookState(workspace, webhook_id, held_until, is_slow)
        this.#workspaces.set(workspace_id, workspace)
        workspace.hooks.set(webhook_id, hook)
        this.held.add(hook)
        return hook
      })
    }
  )

  /** Renews holds. Webhooks that another node holds now end here. */
  readonly renew = Effect.fnUntraced({ self: this as Claims }, function* (hooks: ReadonlyArray<WebhookState>) {
    const held_until = (yield* Clock.currentTimeMillis) + holdLife
    const rows = yield* this.#store.run<{ readonly webhook_id: string }>(
      `WITH locked AS (
        SELECT t.workspace_id, t.webhook_id FROM webhook_cursors t
        JOIN unnest($3::text[], $4::text[]) AS held (workspace_id, webhook_id) USING (workspace_id, webhook_id)
        WHERE t.holder = $1 ORDER BY t.workspace_id, t.webhook_id FOR UPDATE OF t
      )
      UPDATE webhook_cursors t SET held_until = $2 FROM locked held
      WHERE t.workspace_id = held.workspace_id AND t.webhook_id = held.webhook_id
      RETURNING t.webhook_id`,
      [this.#store.self, iso(held_until), hooks.map((hook) => hook.workspace_id), hooks.map((hook) => hook.id)]
    )
    const ours = new Set(rows.map((row) => row.webhook_id))
    for (const hook of hooks) {
      if (ours.has(hook.id)) hook.held_until = held_until
      else hook.apply("end")
      hook.wake.openUnsafe()
    }
  })

  /** Renews all holds. */
  readonly renewAll = Effect.suspend(() => {
    const renewed = this.held.size === 0 ? Effect.void : this.renew([...this.held])
    return orLog("the holds of webhooks could not be renewed", renewed, undefined)
  })

  /** Releases a webhook, and looks at its workspace again if there is new work for it. */
  readonly #release = Effect.fnUntraced({ self: this as Claims }, function* (hook: WebhookState) {
    const { id, workspace } = hook
    const isOn = hook.config?.active === true
    // Otherwise the service stops, or another node holds the webhook.
    const isOurs = hook.phase !== "ending"
    hook.release()
    const freed = this.#store.run<{ readonly is_behind: boolean }>(
      `UPDATE webhook_cursors c SET holder = NULL, held_until = '', is_full = $4, due_at = (
        SELECT min(next_attempt_at) FROM webhook_deliveries
        WHERE workspace_id = $2 AND webhook_id = $3 AND status = 'pending' AND next_attempt_at IS NOT NULL)
      WHERE workspace_id = $2 AND webhook_id = $3 AND holder = $1
      RETURNING NOT $4 AND position < (SELECT seq FROM heads WHERE workspace_id = $2) AS is_behind`,
      [this.#store.self, workspace.id, id, isOn && hook.room <= 0]
    )
    // Otherwise the hold expires by itself.
    const [row] = yield* orLog(`webhook ${id} could not be released`, freed, [])
    this.held.delete(hook)
    workspace.hooks.delete(id)
    if (workspace.hooks.size === 0) this.#workspaces.delete(workspace.id)
    // The log has grown meanwhile, or a look has left out the webhook, which was still held, after a change of it.
    const isMore = isOn && (row?.is_behind === true ? hook.room > 0 : hook.isBehind)
    if (isOurs && (isMore || hook.wake.isOpen())) this.#grown.add(workspace.id)
    this.#awake.openUnsafe()
    yield* Metric.update(working, this.held.size)
  })

  /** Claims webhooks with work and returns the time of the next look. `isAll`: also without notifications. */
  readonly #look = Effect.fnUntraced({ self: this as Claims }, function* (isAll: boolean, work: Work) {
    if (this.#isChanged || isAll) {
      this.#isChanged = false
      const rows = yield* this.#store.read.unsafe<{ readonly workspace_id: string; readonly count: number }>(
        "SELECT workspace_id, count(*)::int AS count FROM webhooks WHERE active GROUP BY workspace_id"
      )
      this.#counts = new Map(rows.map(({ count, workspace_id }) => [workspace_id, count]))
    }
    const within = isAll ? undefined : [...this.#grown]
    this.#grown.clear()
    let isMore = within === undefined || within.length > 0
    while (isMore && this.held.size < maxHooks) {
      const claimed = yield* this.#claim(within, Math.min(maxClaimed, maxHooks - this.held.size))
      for (const hook of claimed) yield* FiberSet.run(this.#fibers, Effect.ensuring(work(hook), this.#release(hook)))
      yield* Metric.update(working, this.held.size)
      isMore = claimed.length === maxClaimed
    }
    const now = yield* Clock.currentTimeMillis
    const due = yield* this.nextDue()
    if (isAll) yield* Overdue.report("webhook_deliveries", now, due.any)
    return Math.min(now + pollInterval, due.free)
  })

  /** Claims webhooks for ever, and processes each of them by `work`. */
  readonly loop = Effect.fnUntraced({ self: this as Claims }, function* (work: Work) {
    // The start of the process has more urgent work.
    let next = (yield* Clock.currentTimeMillis) + pollInterval
    let lookedAt = performance.now()
    while (true) {
      const now = yield* Clock.currentTimeMillis
      // A clock that is set back does not delay the look.
      const left = Math.max(0, Math.min(next - now, pollInterval))
      const isWoken = yield* Effect.timeoutOption(this.#awake.await, left)
      this.#isLooking = true
      this.#awake.closeUnsafe()
      // An uninterrupted series of changes must not delay due deliveries of other workspaces.
      const isTime = isWoken._tag === "None" || (yield* Clock.currentTimeMillis) >= next
      const isAll = isTime || performance.now() - lookedAt > pollInterval
      if (isAll) lookedAt = performance.now()
      next = yield* Effect.uninterruptible(
        orLog("due webhooks could not be read", this.#look(isAll, work), now + pollInterval)
      )
      this.#isLooking = false
      yield* inRealTime(Effect.sleep(lookPause))
    }
  })

  /** Starts no more attempts, and waits until the results of running ones are stored. */
  readonly end = Effect.suspend(() => {
    for (const hook of this.held) hook.signal("end")
    return Effect.interruptible(FiberSet.awaitEmpty(this.#fibers))
  })
}
