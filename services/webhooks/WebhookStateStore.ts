import { Clock, Effect, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import type { WorkspaceId } from "../Ids.ts"
import type { Scope } from "../identity/Scopes.ts"
import { Outgoing } from "../outgoing/Outgoing.ts"
import { Database } from "../database/Database.ts"
import * as RequestBatcher from "../database/RequestBatcher.ts"
import { isGone, ProcessLock } from "../database/ProcessLock.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { seqOfEvent } from "../writer/LogEntry.ts"
import { ownerOf } from "../workspaces/WorkspaceTables.ts"
import type { Due } from "./Attempts.ts"
import type { DeliveryBodies } from "./DeliveryBodies.ts"
import { counter, CursorRows, DeliveryRows, putText } from "./DeliveryRows.ts"
import { type EventRights, typesOf } from "./Webhook.ts"
import { type WebhookState, takenChars, type Unstored } from "./WebhookState.ts"
import { signersOf } from "./WebhookSecrets.ts"

/** Milliseconds after which a hold expires. A node that does not renew it is frozen or cannot reach the database. */
const holdLife = 30_000
/** Maximum number of deliveries that are loaded at a time. */
const mostTaken = 50
/** Maximum number of rows in one statement. */
const maxStored = 200

/** Maximum number of concurrent statements of the dispatcher. The other connections are for the writes of requests. */
const statements = 3

/**
 * Commits without a flush to disk. After a crash of PostgreSQL, lost deliveries are made and sent again; a crash of Sheaf
 * loses none.
 */
const unflushed = "set_config('synchronous_commit', 'off', true)"

interface Row {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly scopes: ReadonlyArray<Scope>
  readonly secret: string
  readonly previous_secret: string | null
  readonly active: boolean
  readonly expires_at: string | null
  readonly position: number
  readonly failing_since: string | null
  readonly head: number
  readonly waiting: number
  readonly chars: number
  readonly due_at: string | null
}

/** The new state of a webhook that is to be stored. */
interface News extends Unstored {
  readonly webhook_id: string
  readonly is_slow: boolean
  /** The time of the store, in milliseconds since 1970. */
  readonly at: number
}

/** An attempt as it is stored. A body that is null is made from the log. */
type StoredDue = Omit<Due, "body" | "readAt"> & { readonly body: string | null }

interface StoredCursor {
  readonly webhook_id: string
  readonly failing_since: string | null
}

const iso = (millis: number): string => new Date(millis).toISOString()

/** $1 is the workspace, $2 the holder, $3 the time, $4 the time one minute before. */
const storeText = (cursors: CursorRows, rows: DeliveryRows): string => {
  const param = counter(5)
  return `WITH locked AS (
    SELECT ${cursors.selected} FROM ${cursors.from(param)}
    JOIN webhook_cursors c ON c.workspace_id = x.workspace_id AND c.webhook_id = x.webhook_id
    WHERE x.workspace_id = $1 AND c.holder = $2 ORDER BY c.webhook_id FOR UPDATE OF c
  ), held AS (
    UPDATE webhook_cursors c SET position = greatest(c.position, x.position), due_at = least(c.due_at, x.due_at),
      is_slow = x.is_slow,
      failing_since = CASE WHEN x.is_used THEN x.failing_since ELSE coalesce(c.failing_since, x.failing_since) END,
      last_used_at = CASE WHEN x.is_used AND coalesce(c.last_used_at, '') < $4 THEN $3 ELSE c.last_used_at END
    FROM locked x WHERE c.workspace_id = x.workspace_id AND c.webhook_id = x.webhook_id
    RETURNING c.webhook_id, c.failing_since
  ), stored AS (${putText(rows, param, "JOIN held ON held.webhook_id = x.webhook_id")})
  SELECT webhook_id, failing_since, ${unflushed} FROM held`
}

/** The SQL of the dispatcher. Statements that lock several cursors lock them in the order of their ids. */
export const make = Effect.fnUntraced(function* (rights: EventRights, bodies: DeliveryBodies) {
  const { read, write } = yield* Database
  const secrets = yield* Secrets
  const outgoing = yield* Outgoing
  const processLock = yield* ProcessLock
  const self = crypto.randomUUID()
  const room = yield* Semaphore.make(statements)
  const run = <A extends object>(text: string, params: ReadonlyArray<unknown>) =>
    room.withPermits(1)(write.unsafe<A>(text, params))

  const now = Effect.map(Clock.currentTimeMillis, iso)
  const until = Effect.map(Clock.currentTimeMillis, (millis) => millis + holdLife)

  /** Claims webhooks that have work and that no node holds, in these workspaces or in all. */
  const claim = Effect.fnUntraced(function* (
    workspaces: ReadonlyArray<string> | undefined,
    held: ReadonlyArray<string>,
    limit: number
  ) {
    const held_until = yield* until
    const rows = yield* run<{
      readonly workspace_id: WorkspaceId
      readonly webhook_id: string
      readonly is_slow: boolean
      readonly owner: string
    }>(
      `UPDATE webhook_cursors t SET holder = $1, held_until = $2, presence = $7 FROM (
        SELECT c.workspace_id, c.webhook_id FROM webhook_cursors c
        JOIN webhooks w ON w.workspace_id = c.workspace_id AND w.id = c.webhook_id
        JOIN heads h ON h.workspace_id = c.workspace_id
        WHERE (c.held_until <= $3 OR ${isGone("c.presence")}) AND (
            c.due_at <= $3 OR (w.active AND NOT c.is_full AND c.position < h.seq) OR (NOT w.active AND c.due_at IS NOT NULL)
          )
          ${workspaces === undefined ? "AND $4::text[] IS NULL" : "AND c.workspace_id = ANY($4::text[])"}
          AND c.webhook_id <> ALL($5::text[])
        LIMIT $6::int FOR UPDATE OF c SKIP LOCKED
      ) due WHERE t.workspace_id = due.workspace_id AND t.webhook_id = due.webhook_id
      RETURNING t.workspace_id, t.webhook_id, t.is_slow, ${ownerOf("t.workspace_id")} AS owner`,
      [self, iso(held_until), yield* now, workspaces ?? null, held, String(limit), processLock.holder()]
    )
    return { rows, held_until }
  })

  /** Renews holds. Webhooks that another node holds now end here. */
  const renew = Effect.fnUntraced(function* (hooks: ReadonlyArray<WebhookState>) {
    const held_until = yield* until
    const rows = yield* run<{ readonly webhook_id: string }>(
      `WITH locked AS (
        SELECT t.workspace_id, t.webhook_id FROM webhook_cursors t
        JOIN unnest($3::text[], $4::text[]) AS held (workspace_id, webhook_id) USING (workspace_id, webhook_id)
        WHERE t.holder = $1 ORDER BY t.workspace_id, t.webhook_id FOR UPDATE OF t
      )
      UPDATE webhook_cursors t SET held_until = $2 FROM locked held
      WHERE t.workspace_id = held.workspace_id AND t.webhook_id = held.webhook_id
      RETURNING t.webhook_id`,
      [self, iso(held_until), hooks.map((hook) => hook.workspace_id), hooks.map((hook) => hook.id)]
    )
    const ours = new Set(rows.map((row) => row.webhook_id))
    for (const hook of hooks) {
      if (ours.has(hook.id)) hook.held_until = held_until
      else hook.isEnding = true
      hook.wake.openUnsafe()
    }
  })

  /** Releases a webhook. Returns whether there is new work for it. */
  const release = Effect.fnUntraced(function* (hook: WebhookState) {
    const [row] = yield* run<{ readonly is_behind: boolean }>(
      `UPDATE webhook_cursors c SET holder = NULL, held_until = '', is_full = $4, due_at = (
        SELECT min(next_attempt_at) FROM webhook_deliveries
        WHERE workspace_id = $2 AND webhook_id = $3 AND status = 'pending' AND next_attempt_at IS NOT NULL)
      WHERE workspace_id = $2 AND webhook_id = $3 AND holder = $1
      RETURNING NOT $4 AND position < (SELECT seq FROM heads WHERE workspace_id = $2) AS is_behind`,
      [self, hook.workspace_id, hook.id, hook.config?.active === true && hook.room <= 0]
    )
    return row?.is_behind === true
  })

  /** Reads the settings of a webhook and the number of its pending deliveries. */
  const load = Effect.fnUntraced(function* (hook: WebhookState) {
    hook.isStale = false
    const [row] = yield* run<Row>(
      `SELECT w.url, w.events, w.scopes, w.secret, w.active, w.expires_at,
        CASE WHEN w.previous_secret_expires_at > $3 THEN w.previous_secret END AS previous_secret,
        c.position::float8 AS position, c.failing_since, h.seq::float8 AS head, d.waiting, d.chars, d.due_at
      FROM webhooks w
      JOIN webhook_cursors c ON c.workspace_id = w.workspace_id AND c.webhook_id = w.id
      JOIN heads h ON h.workspace_id = w.workspace_id
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS waiting, coalesce(sum(chars), 0)::float8 AS chars, min(next_attempt_at) AS due_at
        FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending'
      ) d WHERE w.workspace_id = $1 AND w.id = $2`,
      [hook.workspace_id, hook.id, yield* now]
    )
    if (row === undefined) {
      hook.config = undefined
      return
    }
    const { events, scopes } = row
    hook.config = {
      url: row.url,
      target: outgoing.target(row.url),
      signers: signersOf(secrets, row),
      active: row.active,
      ends_at: row.expires_at === null ? Infinity : Date.parse(row.expires_at),
      // A ping is only sent to the tested webhook, by `Deliveries.test`.
      types: new Set(typesOf(events).filter((type) => type !== "ping")),
      resources: new Set(rights.readableBy({ role: "admin", scopes: new Set(scopes) }))
    }
    hook.position = Math.max(hook.position, row.position)
    hook.stored = row.position
    hook.head = Math.max(hook.head, row.head)
    hook.waits(row.waiting, row.chars)
    hook.due_at = row.due_at
    hook.failing_since = row.failing_since
  })

  /**
   * Advances the positions of webhooks of a workspace, and stores their new deliveries and results in the same statement.
   * Returns the stored cursors; undefined for webhooks that this node no longer holds, for which nothing is stored.
   */
  const storeNews = RequestBatcher.make<string, News, StoredCursor | undefined, SqlError.SqlError>({
    concurrency: 1,
    maxWeight: maxStored,
    weigh: ({ deliveries }) => 1 + deliveries.length,
    run: Effect.fnUntraced(function* (workspace_id: string, group: ReadonlyArray<News>) {
      const time = Math.max(...group.map(({ at }) => at))
      const rows = new DeliveryRows()
      const cursors = new CursorRows()
      for (const { at, deliveries, is_slow, position, webhook_id } of group) {
        let due_at: string | null = null
        let failing_since: string | null = null
        let is_used = false
        for (const [due, tried] of deliveries) {
          rows.put(workspace_id, webhook_id, due, tried)
          const next = tried === undefined ? due.created_at : (tried.next?.next_attempt_at ?? null)
          if (next !== null && (due_at === null || next < due_at)) due_at = next
          if (tried?.status === "succeeded") {
            is_used = true
            failing_since = null
          } else if (tried !== undefined) failing_since ??= iso(at)
        }
        cursors.add(workspace_id, { webhook_id, position, due_at, failing_since, is_used, is_slow })
      }
      const held = yield* run<StoredCursor>(storeText(cursors, rows), [
        workspace_id,
        self,
        iso(time),
        // `last_used_at` has a resolution of one minute, so that the ETag of a webhook does not change more often.
        iso(time - 60_000),
        ...cursors.params,
        ...rows.params
      ])
      const ours = new Map(held.map((row) => [row.webhook_id, row]))
      return group.map(({ webhook_id }) => ours.get(webhook_id))
    })
  })

  /** Stores the new deliveries, results and position of a webhook. */
  const settle = (hook: WebhookState, unstored: Unstored, at: number) =>
    Effect.map(
      storeNews(hook.workspace_id, { ...unstored, webhook_id: hook.id, is_slow: hook.isSlow, at }),
      (cursor) => {
        if (cursor === undefined) hook.isEnding = true
        else {
          hook.stored = Math.max(hook.stored, unstored.position)
          hook.failing_since = cursor.failing_since
        }
      }
    )

  /** Returns the attempts whose bodies are stored or could be made from the log in one call: at least one. */
  const withBodies = Effect.fnUntraced(function* (workspace_id: WorkspaceId, rows: ReadonlyArray<StoredDue>) {
    const seqs = rows.flatMap(({ body, event_id }) => (body === null ? seqOfEvent(event_id) : []))
    const made = seqs.length === 0 ? undefined : (yield* bodies.of(workspace_id, seqs)).bodies
    return rows.flatMap(({ body, ...row }) => {
      const whole = body ?? made?.get(seqOfEvent(row.event_id))
      return whole === undefined ? [] : { ...row, body: whole }
    })
  })

  /** Loads attempts that are due. */
  const take = Effect.fnUntraced(function* (hook: WebhookState) {
    const inMemory = [...hook.due, ...hook.queue, ...hook.running, ...hook.results.map(([due]) => due)].map(
      ({ id }) => id
    )
    const time = yield* now
    const readAt = performance.now()
    const rows = yield* run<StoredDue>(
      `SELECT id, event_id, event_type, resource_id, created_at, attempt, body FROM (
        SELECT *, sum(chars) OVER (ORDER BY next_attempt_at, id) - chars AS before FROM (
          SELECT id, event_id, event_type, resource_id, created_at, attempt, body, chars, next_attempt_at
          FROM webhook_deliveries
          WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at <= $3
            AND id <> ALL($4::text[])
          ORDER BY next_attempt_at LIMIT ${mostTaken}
        ) due
      ) counted WHERE before < ${takenChars} ORDER BY before`,
      [hook.workspace_id, hook.id, time, inMemory]
    )
    const due = yield* withBodies(hook.workspace_id, rows)
    hook.due.push(...due.map((row) => ({ ...row, readAt })))
    if (due.length === 0) {
      const [next] = yield* run<{ readonly due_at: string | null }>(
        `SELECT min(next_attempt_at) AS due_at FROM webhook_deliveries
        WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at > $3`,
        [hook.workspace_id, hook.id, time]
      )
      hook.due_at = next!.due_at
    }
  })

  /** Reads the body of a delivery again: its note may have been erased. Undefined if the delivery is not stored. */
  const bodyOf = Effect.fnUntraced(function* (workspace_id: WorkspaceId, { event_id, id }: Due) {
    const [row] = yield* read.unsafe<Pick<StoredDue, "body">>(
      "SELECT body FROM webhook_deliveries WHERE workspace_id = $1 AND id = $2 AND status = 'pending'",
      [workspace_id, id]
    )
    if (row === undefined) return undefined
    if (row.body !== null) return row.body
    bodies.forget(workspace_id)
    const seq = seqOfEvent(event_id)
    return (yield* bodies.of(workspace_id, [seq])).bodies.get(seq)
  })

  /** Ends the pending deliveries of an inactive webhook. */
  const closeWaiting = (hook: WebhookState) =>
    run(
      `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL,
        error = coalesce(error, 'the webhook was deactivated before it was sent')
      WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at IS NOT NULL`,
      [hook.workspace_id, hook.id]
    )

  /** Returns when the next webhook that no node holds is due; null if there is none. */
  const nextDue = Effect.fnUntraced(function* () {
    const [row] = yield* read.unsafe<{ readonly due_at: string | null }>(
      "SELECT min(due_at) AS due_at FROM webhook_cursors WHERE due_at IS NOT NULL AND held_until <= $1",
      [yield* now]
    )
    return row!.due_at
  })

  /** Number of active webhooks by workspace, for workspaces that have any. */
  const workspaces = Effect.map(
    read.unsafe<{ readonly workspace_id: string; readonly count: number }>(
      "SELECT workspace_id, count(*)::int AS count FROM webhooks WHERE active GROUP BY workspace_id"
    ),
    (rows): ReadonlyMap<string, number> => new Map(rows.map(({ count, workspace_id }) => [workspace_id, count]))
  )

  return { claim, renew, release, load, take, settle, bodyOf, closeWaiting, nextDue, workspaces }
})

export type WebhookStateStore = Effect.Success<ReturnType<typeof make>>
