import { Clock, Context, Effect, Layer } from "effect"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import { type BadRequest, type Condition, Conflict, NotFound, type Stale, type Unavailable } from "../Errors.ts"
import { seqOfEvent } from "../writer/LogEntry.ts"
import * as Ids from "../Ids.ts"
import { Lists } from "../lists/Lists.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Outgoing } from "../outgoing/Outgoing.ts"
import { Principal } from "../Principal.ts"
import { actorOf } from "../writer/Actor.ts"
import { columnsOf } from "../tables/Column.ts"
import { Database, runSql } from "../database/Database.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Secrets } from "../secrets/Secrets.ts"
import type { SyncedRecord } from "../records/SyncedRecord.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { ownerOf } from "../workspaces/WorkspaceTables.ts"
import * as Attempts from "./Attempts.ts"
import * as DeliveryBodies from "./DeliveryBodies.ts"
import type { Delivery, DeliveryRequest } from "./Delivery.ts"
import * as DeliveryEnds from "./DeliveryCleanup.ts"
import { counter, DeliveryRows, putText } from "./DeliveryRows.ts"
import { type PermitKey, permitKey, requested } from "./Permits.ts"
import { expected as expectedWebhook, missing as missingWebhook } from "./ShownWebhooks.ts"
import { deliveryList, type Webhook } from "./Webhook.ts"
import { type Sealed, signersOf } from "./WebhookSecrets.ts"

const missing = NotFound.of("delivery")

/** A webhook as its tests and retries need it. */
interface Hook extends Attempts.Endpoint {
  readonly workspace_id: Ids.WorkspaceId
  readonly id: string
  readonly permits: PermitKey
}

/** A delivery as it is stored. The body of its request is null if it is made from the log. */
type ListedDelivery = Omit<Delivery, "request"> & {
  readonly request: (Omit<DeliveryRequest, "body"> & { readonly body: string | null }) | null
}

/** An attempt that the call that stored it makes itself. */
type NewAttempt = Omit<Attempts.Due, "body" | "readAt"> & { readonly body: string | null }

/** Deliveries of webhooks, with tests and retries by users (contract 9). */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    readonly list: (
      webhook_id: string,
      query: PageQuery
    ) => Effect.Effect<Page, BadRequest | NotFound | Unavailable, Principal>
    /** Sends a `ping` and returns its delivery. */
    readonly test: (
      webhook_id: string,
      condition?: Condition<Webhook>
    ) => Effect.Effect<Delivery, NotFound | Stale | Unavailable, Principal>
    /** Sends the event of an attempt again, as a new attempt. If an attempt is waiting already, it becomes due now. */
    readonly retry: (
      webhook_id: string,
      id: string
    ) => Effect.Effect<Delivery, NotFound | Conflict | Unavailable, Principal>
    /** Deletes deliveries that are too old or too many, and ends interrupted attempts. */
    readonly prune: Effect.Effect<void>
    /** Deletes a batch of the deliveries of a webhook that are too many. */
    readonly trim: (workspace_id: string, webhook_id: string) => Effect.Effect<void>
    /** Calls the listener when deliveries of a webhook have become due. */
    readonly onDue: (listener: (workspace_id: string, webhook_id: string) => void) => void
    readonly bodies: DeliveryBodies.DeliveryBodies
  }
>()("sheaf/webhooks/Deliveries") {
  /** `synced` and `more`: the record types of other folders. */
  static readonly layer = (synced: ReadonlyArray<SyncedRecord>, more: ReadonlyArray<DeliveryBodies.Listed>) =>
    Layer.effect(
      Deliveries,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const lists = yield* Lists
        const secrets = yield* Secrets
        const outgoing = yield* Outgoing
        const writer = yield* Writer
        const attempt = yield* Attempts.make
        const bodies = yield* DeliveryBodies.make(synced, more)
        const { endLost, prune, trim } = DeliveryEnds.make(sql)
        const listeners: Array<(workspace_id: string, webhook_id: string) => void> = []
        /** For tests and retries, whose callers wait. */
        const semaphore = new RoundRobinSemaphore({
          ...requested,
          maxWaiting: 200,
          maxWaitingPerKey: 20,
          detail: "Too many tests and retries of webhooks are running"
        })

        const hookOf = Effect.fnUntraced(function* (id: string) {
          const { workspace_id } = yield* Principal
          const [row] = yield* runSql<{ readonly url: string; readonly owner: string } & Sealed>(
            read,
            `SELECT url, secret, CASE WHEN previous_secret_expires_at > $3 THEN previous_secret END AS previous_secret,
                ${ownerOf("w.workspace_id")} AS owner
              FROM webhooks w WHERE workspace_id = $1 AND id = $2`,
            [workspace_id, id, new Date(yield* Clock.currentTimeMillis).toISOString()]
          )
          if (row === undefined) return yield* missingWebhook
          const { owner, url } = row
          const target = outgoing.target(url)
          const permits = permitKey(owner, workspace_id, target)
          return { workspace_id, id, url, target, signers: signersOf(secrets, row), permits } satisfies Hook
        })

        /** Adds the beginnings of bodies to deliveries whose bodies are not stored. */
        const withBodies = Effect.fnUntraced(function* (workspace_id: string, shown: ReadonlyArray<ListedDelivery>) {
          const seqs = shown.flatMap(({ event_id, request }) => (request?.body === null ? seqOfEvent(event_id) : []))
          const made = seqs.length === 0 ? undefined : yield* bodies.beginnings(workspace_id, seqs)
          return shown.map((each): Delivery => {
            const { event_id, request } = each
            if (request === null) return { ...each, request }
            return { ...each, request: { ...request, body: request.body ?? made?.get(seqOfEvent(event_id)) ?? "" } }
          })
        })

        const lookUp = Effect.fnUntraced(function* ({ id: webhook_id, workspace_id }: Hook, id: string) {
          const rows = yield* runSql<ListedDelivery>(
            sql,
            `SELECT ${columnsOf(deliveryList.shape)} FROM ${deliveryList.from}
              WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3`,
            [workspace_id, webhook_id, id]
          )
          return (yield* withBodies(workspace_id, rows))[0]
        })

        const found = Effect.fnUntraced(function* (hook: Hook, id: string) {
          return (yield* lookUp(hook, id)) ?? (yield* missing)
        })

        /** Stores an attempt, unless the webhook was deleted meanwhile. */
        const put = ({ id, workspace_id }: Hook, due: Attempts.Due, tried?: Attempts.Tried) => {
          const rows = new DeliveryRows()
          rows.put(workspace_id, id, due, tried, null)
          const within = "JOIN webhooks w ON w.workspace_id = x.workspace_id AND w.id = x.webhook_id"
          return runSql(sql, putText(rows, counter(1), within), rows.params)
        }

        /** Makes an attempt that the dispatcher does not process, and stores its result. */
        const tryOnce = Effect.fnUntraced(function* (hook: Hook, due: Attempts.Due) {
          const tried = yield* Effect.callback<Attempts.Tried>((resume) =>
            Effect.sync(attempt(hook, due, true, resume))
          )
          yield* put(hook, due, tried)
          if (tried.status === "failed") return
          yield* runSql(
            sql,
            `UPDATE webhook_cursors SET failing_since = NULL
              WHERE workspace_id = $1 AND webhook_id = $2 AND failing_since IS NOT NULL`,
            [hook.workspace_id, hook.id]
          )
        })

        const tested = Effect.fnUntraced(function* (hook: Hook, condition: Condition<Webhook> | undefined) {
          const { id: resource_id, workspace_id } = hook
          const { created_at, event_id, id, seq } = yield* writer.writeLocked(
            workspace_id,
            { actor: actorOf(yield* Principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              yield* expectedWebhook(draft, resource_id, condition)
              draft.append({ type: "ping", resource: "webhook", resource_id })
              const id = draft.newId("dl")
              return { id, created_at: draft.now, event_id: draft.witness!.id, seq: draft.head.seq }
            })
          )
          // A repeated request with the same Idempotency-Key does not send again.
          const sent = yield* lookUp(hook, id)
          if (sent !== undefined) return sent
          const body = (yield* bodies.of(workspace_id, [seq])).bodies.get(seq)!
          const event = { event_id, event_type: "ping", resource_id, body, readAt: performance.now() }
          const due = { id, created_at, attempt: 1, ...event }
          yield* put(hook, due)
          yield* tryOnce(hook, due)
          return yield* found(hook, id)
        })

        /** Makes the waiting attempt of a delivery's event due now. Returns its id, or undefined if there is none. */
        const hastened = (draft: LockedDraft, webhook_id: string, id: string) =>
          Effect.map(
            runSql<{ readonly id: string }>(
              draft.sql,
              `UPDATE webhook_deliveries w SET next_attempt_at = least(w.next_attempt_at, $4) FROM webhook_deliveries d
                WHERE d.workspace_id = $1 AND d.webhook_id = $2 AND d.id = $3 AND w.workspace_id = $1 AND w.webhook_id = $2
                  AND w.event_id = d.event_id AND w.status = 'pending' AND w.next_attempt_at IS NOT NULL
                RETURNING w.id`,
              [draft.workspace_id, webhook_id, id, draft.now]
            ),
            ([row]) => row?.id
          )

        /** Adds an attempt of a delivery's event, which the caller makes; undefined while another one is running. */
        const added = (draft: LockedDraft, webhook_id: string, id: string) =>
          Effect.map(
            runSql<NewAttempt>(
              draft.sql,
              `INSERT INTO webhook_deliveries (workspace_id, id, webhook_id, event_id, event_type, resource_id, status,
                  attempt, created_at, body, chars)
                SELECT d.workspace_id, $4, d.webhook_id, d.event_id, d.event_type, d.resource_id, 'pending',
                  last.attempt + 1, $5, d.body, d.chars
                FROM webhook_deliveries d CROSS JOIN LATERAL (
                  SELECT attempt, status FROM webhook_deliveries l
                  WHERE l.workspace_id = $1 AND l.webhook_id = $2 AND l.event_id = d.event_id
                  ORDER BY l.attempt DESC LIMIT 1
                ) last
                WHERE d.workspace_id = $1 AND d.webhook_id = $2 AND d.id = $3 AND last.status <> 'pending'
                ON CONFLICT (workspace_id, webhook_id, event_id, attempt) DO NOTHING
                RETURNING id, event_id, event_type, resource_id, created_at, attempt, body`,
              [draft.workspace_id, webhook_id, id, draft.newId("dl"), draft.now]
            ),
            ([row]) => row
          )

        const sentAgain = Effect.fnUntraced(function* (hook: Hook, id: string) {
          const { id: webhook_id, workspace_id } = hook
          yield* endLost(workspace_id, webhook_id)
          yield* found(hook, id)
          // The write sets what this call does after it. A repeated request with the same Idempotency-Key runs no write
          // and does nothing.
          let isHastened = false
          let row: NewAttempt | undefined
          const attempt_id = yield* writer.changeLocked(
            Effect.fnUntraced(function* (draft: LockedDraft) {
              row = undefined
              const waiting = yield* hastened(draft, webhook_id, id)
              isHastened = waiting !== undefined
              if (waiting !== undefined) return waiting
              row = yield* added(draft, webhook_id, id)
              if (row !== undefined) return row.id
              return yield* new Conflict({
                code: "invalid_state",
                detail: "The event is already being sent again",
                retry_after: 15
              })
            })
          )
          if (isHastened) {
            yield* runSql(
              sql,
              `UPDATE webhook_cursors SET due_at = least(due_at, $3) WHERE workspace_id = $1 AND webhook_id = $2`,
              [workspace_id, webhook_id, new Date(yield* Clock.currentTimeMillis).toISOString()]
            )
            for (const listener of listeners) listener(workspace_id, webhook_id)
          }
          if (row !== undefined) {
            const seq = seqOfEvent(row.event_id)
            const body = row.body ?? (yield* bodies.of(workspace_id, [seq])).bodies.get(seq)
            // The log is kept longer than deliveries, so this is rare.
            if (body === undefined) return yield* missing
            yield* tryOnce(hook, { ...row, body, readAt: performance.now() })
          }
          return yield* found(hook, attempt_id)
        })

        return Deliveries.of({
          list: traced("Deliveries.list")(function* (webhook_id: string, query: PageQuery) {
            const { workspace_id } = yield* Principal
            const text = "SELECT FROM webhooks WHERE workspace_id = $1 AND id = $2"
            const [hook] = yield* runSql(read, text, [workspace_id, webhook_id])
            if (hook === undefined) return yield* missingWebhook
            const page = yield* lists.page({
              spec: deliveryList,
              query,
              workspace_id,
              within: webhook_id,
              where: "webhook_id = $2",
              params: [webhook_id]
            })
            const shown = page.items.map((item) => JSON.parse(item) as ListedDelivery)
            const items = (yield* withBodies(workspace_id, shown)).map((each) => JSON.stringify(each))
            return { ...page, items }
          }),
          test: traced("Deliveries.test")(function* (webhook_id: string, condition?: Condition<Webhook>) {
            const hook = yield* hookOf(webhook_id)
            return yield* semaphore.withPermit(hook.permits, tested(hook, condition))
          }),
          retry: traced("Deliveries.retry")(function* (webhook_id: string, id: string) {
            const hook = yield* hookOf(webhook_id)
            return yield* semaphore.withPermit(hook.permits, sentAgain(hook, id))
          }),
          prune,
          trim,
          onDue: (listener) => void listeners.push(listener),
          bodies
        })
      })
    )
}
