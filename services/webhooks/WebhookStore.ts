import { Clock, Effect, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import type { WorkspaceId } from "../Ids.ts"
import type { Scope } from "../identity/Scopes.ts"
import { Outgoing } from "../outgoing/Outgoing.ts"
import { Database } from "../database/Database.ts"
import * as RequestBatcher from "../database/RequestBatcher.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { seqOfEvent } from "../writer/LogEntry.ts"
import type { Due } from "./Attempts.ts"
import type { DeliveryBodies } from "./DeliveryBodies.ts"
import { counter, CursorRows, DeliveryRows, putText } from "./DeliveryRows.ts"
import { type EventRights, typesOf } from "./Webhook.ts"
import { type Stored, takenChars, type Unstored, type WebhookState } from "./WebhookState.ts"
import { signersOf } from "./WebhookSecrets.ts"

/** Maximum number of deliveries that are loaded at a time. */
const maxTaken = 50
/** Maximum number of rows in one statement. */
const maxStored = 200

/** Maximum number of concurrent statements of the dispatcher. The other connections are for the writes of requests. */
const statements = 3

/**
 * Commits without a flush to disk. After a crash of PostgreSQL, lost deliveries are made and sent again; a crash of Sheaf
 * loses none.
 */
const unflushed = "set_config('synchronous_commit', 'off', true)"

interface Row extends Omit<Stored, "config" | "due_at" | "failing_since"> {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly scopes: ReadonlyArray<Scope>
  readonly secret: string
  readonly previous_secret: string | null
  readonly active: boolean
  readonly expires_at: string | null
  readonly failing_since: string | null
  readonly due_at: string | null
}

/** The changes of a webhook to store. */
interface News extends Unstored {
  readonly hook: WebhookState
  /** The time of the store, in milliseconds since 1970. */
  readonly at: number
}

/** An attempt as it is stored. A body that is null is made from the log. */
type StoredDue = Omit<Due, "body" | "readAt"> & { readonly body: string | null }

export const iso = (millis: number): string => new Date(millis).toISOString()

/** A time in milliseconds since 1970; Infinity if there is none. */
export const millisOf = (time: string | null): number => (time === null ? Infinity : Date.parse(time))

/** The cursor of a webhook after deliveries are stored. */
const cursorOf = ({ at, deliveries, hook, position }: News) => {
  const failures = deliveries.slice(1 + deliveries.findLastIndex(([, tried]) => tried?.status === "succeeded"))
  const times = deliveries.flatMap(([due, tried]) => {
    if (tried === undefined) return due.created_at
    return tried.next?.next_attempt_at ?? []
  })
  return {
    webhook_id: hook.id,
    position,
    due_at: times.toSorted()[0] ?? null,
    failing_since: failures.some(([, tried]) => tried !== undefined) ? iso(at) : null,
    is_used: failures.length < deliveries.length,
    is_slow: hook.isSlow
  }
}

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

export const servicesOf = Effect.fnUntraced(function* (rights: EventRights, bodies: DeliveryBodies) {
  const { read, write } = yield* Database
  return { read, write, secrets: yield* Secrets, outgoing: yield* Outgoing, rights, bodies }
})
type Services = Effect.Success<ReturnType<typeof servicesOf>>

/** The SQL of the work on webhooks. Statements that lock several cursors lock them in the order of their ids. */
export class WebhookStore {
  /** Names this process as the holder of webhooks. */
  readonly self = crypto.randomUUID()
  readonly #semaphore = Semaphore.makeUnsafe(statements)
  readonly #services: Services

  constructor(services: Services) {
    this.#services = services
  }

  get read() {
    return this.#services.read
  }

  run<A extends object>(text: string, params: ReadonlyArray<unknown>) {
    return this.#semaphore.withPermits(1)(this.#services.write.unsafe<A>(text, params))
  }

  /** Reads the settings of a webhook and the number of its pending deliveries. */
  readonly load = Effect.fnUntraced({ self: this as WebhookStore }, function* (hook: WebhookState) {
    const { outgoing, rights, secrets } = this.#services
    const [row] = yield* this.run<Row>(
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
      [hook.workspace_id, hook.id, iso(yield* Clock.currentTimeMillis)]
    )
    if (row === undefined) return undefined
    const { active, events, scopes, url } = row
    const config = {
      url,
      target: outgoing.target(url),
      signers: signersOf(secrets, row),
      active,
      ends_at: millisOf(row.expires_at),
      // A ping is only sent to the tested webhook, by `Deliveries.test`.
      types: new Set<string>(typesOf(events).filter((type) => type !== "ping")),
      resources: new Set(rights.readableBy({ role: "admin", scopes: new Set(scopes) }))
    }
    return { ...row, config, due_at: millisOf(row.due_at), failing_since: millisOf(row.failing_since) } satisfies Stored
  })

  /** Advances the positions of webhooks of a workspace, and stores their deliveries and results in the same statement. */
  readonly #storeNews = RequestBatcher.make<string, News, number | undefined, SqlError.SqlError>({
    concurrency: 1,
    maxWeight: maxStored,
    weigh: ({ deliveries }) => 1 + deliveries.length,
    run: (workspace_id, group) => {
      const time = Math.max(...group.map(({ at }) => at))
      const rows = new DeliveryRows()
      const cursors = new CursorRows()
      for (const news of group) {
        for (const [due, tried] of news.deliveries) rows.put(workspace_id, news.hook.id, due, tried)
        cursors.add(workspace_id, cursorOf(news))
      }
      // `last_used_at` has a resolution of one minute, so that the ETag of a webhook does not change more often.
      const params = [workspace_id, this.self, iso(time), iso(time - 60_000), ...cursors.params, ...rows.params]
      return Effect.map(
        this.run<{ readonly webhook_id: string; readonly failing_since: string | null }>(
          storeText(cursors, rows),
          params
        ),
        (held) => {
          const ours = new Map(held.map((row) => [row.webhook_id, millisOf(row.failing_since)]))
          return group.map(({ hook }) => ours.get(hook.id))
        }
      )
    }
  })

  /**
   * Stores deliveries, results and the position of a webhook. Returns the time of its first failure after the last
   * success; undefined if this node no longer holds it: then nothing is stored.
   */
  settle(hook: WebhookState, unstored: Unstored, at: number) {
    return this.#storeNews(hook.workspace_id, { ...unstored, hook, at })
  }

  /** Loads attempts that are due; without any, the time of the next. */
  readonly take = Effect.fnUntraced({ self: this as WebhookStore }, function* (hook: WebhookState) {
    const inMemory = [...hook.due, ...hook.queue, ...hook.running, ...hook.results.map(([due]) => due)]
    const time = iso(yield* Clock.currentTimeMillis)
    const readAt = performance.now()
    const rows = yield* this.run<StoredDue>(
      `SELECT id, event_id, event_type, resource_id, created_at, attempt, body FROM (
        SELECT *, sum(chars) OVER (ORDER BY next_attempt_at, id) - chars AS before FROM (
          SELECT id, event_id, event_type, resource_id, created_at, attempt, body, chars, next_attempt_at
          FROM webhook_deliveries
          WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at <= $3
            AND id <> ALL($4::text[])
          ORDER BY next_attempt_at LIMIT ${maxTaken}
        ) due
      ) counted WHERE before < ${takenChars} ORDER BY before`,
      [hook.workspace_id, hook.id, time, inMemory.map(({ id }) => id)]
    )
    const seqs = rows.flatMap(({ body, event_id }) => (body === null ? seqOfEvent(event_id) : []))
    // As many as one call makes: at least one.
    const made = seqs.length === 0 ? undefined : (yield* this.#services.bodies.of(hook.workspace_id, seqs)).bodies
    const due = rows.flatMap((row): Due | [] => {
      const body = row.body ?? made?.get(seqOfEvent(row.event_id))
      return body === undefined ? [] : { ...row, body, readAt }
    })
    hook.due.push(...due)
    if (due.length > 0) return
    const [next] = yield* this.run<{ readonly due_at: string | null }>(
      `SELECT min(next_attempt_at) AS due_at FROM webhook_deliveries
      WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at > $3`,
      [hook.workspace_id, hook.id, time]
    )
    hook.due_at = millisOf(next!.due_at)
  })

  /** Reads the body of a delivery again: its note may have been erased. Undefined if the delivery is not stored. */
  readonly bodyOf = Effect.fnUntraced({ self: this as WebhookStore }, function* (workspace_id: WorkspaceId, due: Due) {
    const { bodies } = this.#services
    const [row] = yield* this.read.unsafe<Pick<StoredDue, "body">>(
      "SELECT body FROM webhook_deliveries WHERE workspace_id = $1 AND id = $2 AND status = 'pending'",
      [workspace_id, due.id]
    )
    if (row === undefined || row.body !== null) return row?.body ?? undefined
    bodies.forget(workspace_id)
    const seq = seqOfEvent(due.event_id)
    return (yield* bodies.of(workspace_id, [seq])).bodies.get(seq)
  })

  /** Ends the pending deliveries of an inactive webhook. */
  closeWaiting(hook: WebhookState) {
    return this.run(
      `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL,
        error = coalesce(error, 'the webhook was deactivated before it was sent')
      WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at IS NOT NULL`,
      [hook.workspace_id, hook.id]
    )
  }
}
