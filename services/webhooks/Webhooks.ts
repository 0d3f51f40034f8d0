import { Clock, Context, Effect, Layer } from "effect"
import {
  type BadRequest,
  type Condition,
  type Forbidden,
  type Invalid,
  type NotFound,
  type Stale,
  type Unauthorized,
  type Unavailable
} from "../Errors.ts"
import type { SecurityEvent } from "../EventTypes.ts"
import * as Ids from "../Ids.ts"
import { SecurityMails } from "../identity/SecurityMails.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Lists } from "../lists/Lists.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Outgoing } from "../outgoing/Outgoing.ts"
import { Principal } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import { type Actor, actorOf, OperatorActor, systemActor } from "../writer/Actor.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import type { Draft } from "../writer/Draft.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { exceeded } from "../workspaces/Quotas.ts"
import { makeSecret } from "./Signature.ts"
import { asOf, expected, missing, shownAt, shownOf } from "./ShownWebhooks.ts"
import {
  cursors,
  type DisabledReason,
  type EventRights,
  needReadable,
  type Webhook,
  type WebhookCreate,
  webhookList,
  type WebhookRow,
  webhooks,
  type WebhookUpdate
} from "./Webhook.ts"
import { openAll } from "./WebhookSecrets.ts"
import { byOperator, callerIn, isMember, type SetBy } from "./WebhookSetters.ts"

/** Maximum number of webhooks per workspace (contract 9). */
const maxHooks = 200
/** Milliseconds for which the previous secret signs after a change: 24 hours. */
const overlap = 24 * 3600_000

const log = (draft: Draft, row: WebhookRow, type: SecurityEvent, more: object = {}): void =>
  AuditTrail.log(draft, {
    type,
    resource: "webhook",
    resource_id: row.id,
    // A path or a query may contain secrets.
    data: { host: new URL(row.url).host, events: row.events, ...more }
  })

/** Endpoints that receive events (contract 9). */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (
      input: WebhookCreate
    ) => Effect.Effect<Webhook, Forbidden | Invalid | NotFound | Unauthorized | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<Webhook, NotFound | Unavailable, Principal>
    readonly update: (
      id: string,
      input: WebhookUpdate,
      condition?: Condition<Webhook>
    ) => Effect.Effect<Webhook, Forbidden | Invalid | NotFound | Stale | Unauthorized | Unavailable, Principal>
    readonly delete: (
      id: string,
      condition?: Condition<Webhook>
    ) => Effect.Effect<void, NotFound | Stale | Unavailable, Principal>
    /** Creates a webhook of the operator, which may receive all events. */
    readonly issue: (
      workspace_id: Ids.WorkspaceId,
      input: WebhookCreate
    ) => Effect.Effect<Webhook, Forbidden | Invalid | NotFound | Unavailable>
    /** Changes a webhook of the operator. */
    readonly reissue: (
      workspace_id: Ids.WorkspaceId,
      id: string,
      input: Pick<WebhookUpdate, "active" | "events" | "secret">
    ) => Effect.Effect<void, NotFound | Unavailable>
    readonly revoke: (workspace_id: Ids.WorkspaceId, id: string) => Effect.Effect<void, NotFound | Unavailable>
    /** Disables a webhook and logs the reason. */
    readonly disable: (
      workspace_id: Ids.WorkspaceId,
      id: string,
      reason: DisabledReason
    ) => Effect.Effect<void, Unavailable>
  }
>()("sheaf/webhooks/Webhooks") {
  static readonly layer = (rights: EventRights) =>
    Layer.effect(
      Webhooks,
      Effect.gen(function* () {
        const { read } = yield* Database
        const writer = yield* Writer
        const lists = yield* Lists
        const secrets = yield* Secrets
        const outgoing = yield* Outgoing
        const securityMails = yield* SecurityMails
        const randomness = yield* Randomness

        const get = traced("Webhooks.get")(function* (id: string) {
          const { workspace_id } = yield* Principal
          const now = new Date(yield* Clock.currentTimeMillis).toISOString()
          return (yield* orUnavailable(shownAt(read, workspace_id, id, now))) ?? (yield* missing)
        })

        const create = traced("Webhooks.create")(function* (input: WebhookCreate) {
          const principal = yield* Principal
          yield* needReadable(rights, principal, input.events)
          return yield* add(principal.workspace_id, actorOf(principal), (draft) => callerIn(draft, principal), input)
        })

        const add = Effect.fnUntraced(function* <E>(
          workspace_id: Ids.WorkspaceId,
          actor: Actor,
          settings: (draft: LockedDraft) => Effect.Effect<SetBy, E>,
          input: WebhookCreate
        ) {
          yield* outgoing.check("url", input.url)
          const secret = input.secret ?? makeSecret(randomness)
          return yield* writer.writeLocked(
            workspace_id,
            { actor },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const setBy = yield* settings(draft)
              const [row] = yield* draft.runSql<{ readonly used: number }>(
                "SELECT count(*)::int AS used FROM webhooks WHERE workspace_id = $1",
                [draft.workspace_id]
              )
              const { used } = row!
              if (used >= maxHooks) {
                return yield* exceeded("webhooks", `A workspace has at most ${maxHooks} webhooks`, maxHooks, used)
              }
              const made: WebhookRow = {
                id: draft.newId("wh"),
                url: input.url,
                events: [...new Set(input.events)] as WebhookRow["events"],
                ...setBy,
                created_by: setBy.updated_by,
                secret: secrets.seal("webhook", secret),
                previous_secret: null,
                previous_secret_expires_at: null,
                active: input.active ?? true,
                disabled_reason: null,
                created_at: draft.now,
                updated_at: draft.now
              }
              draft.add(webhooks, made)
              log(draft, made, "webhook.created")
              if (actor.user_id !== null) {
                yield* securityMails.put(draft, actor.user_id, MailTemplates.webhookMade(made.url))
              }
              // It receives the events after its creation.
              draft.add(cursors, { webhook_id: made.id, position: draft.head.seq, failing_since: null })
              return shownOf(made, { secret, last_used_at: null, previous_secret_expires_at: null })
            })
          )
        })

        const changed = Effect.fnUntraced(function* (
          draft: LockedDraft,
          id: string,
          input: WebhookUpdate,
          setBy: SetBy,
          secret: string | null,
          condition?: Condition<Webhook>
        ) {
          const shown = yield* expected(draft, id, condition)
          const row = asOf((yield* draft.get(webhooks, id))!, draft.now)
          const { active = row.active, url = row.url } = input
          const events = input.events === undefined ? row.events : ([...new Set(input.events)] as WebhookRow["events"])
          const isRotated = secret !== null && openAll(secrets, row)[0] !== secret
          const changed = [
            ...(url === row.url ? [] : ["url"]),
            ...(events.join() === row.events.join() ? [] : ["events"]),
            ...(isRotated ? ["secret"] : []),
            ...(active === row.active ? [] : ["active"])
          ]
          if (changed.length === 0) return { ...shown, secret }
          const next: WebhookRow = {
            ...row,
            url,
            events,
            active,
            ...setBy,
            // If the creator has left, the caller becomes the creator.
            created_by: (yield* isMember(draft, row.created_by)) ? row.created_by : setBy.updated_by,
            disabled_reason: active ? null : row.disabled_reason,
            updated_at: draft.now,
            ...(isRotated
              ? {
                  secret: secrets.seal("webhook", secret),
                  previous_secret: row.secret,
                  previous_secret_expires_at: new Date(draft.millis + overlap).toISOString()
                }
              : {})
          }
          draft.put(webhooks, next)
          log(draft, next, "webhook.updated", { changed })
          // A webhook that is activated again receives the events from now on.
          if (active && !row.active) {
            draft.put(cursors, { webhook_id: id, position: draft.head.seq, failing_since: null })
          }
          const { previous_secret_expires_at } = isRotated ? next : shown
          return shownOf(next, { secret, last_used_at: shown.last_used_at, previous_secret_expires_at })
        })

        const update = traced("Webhooks.update")(function* (
          id: string,
          input: WebhookUpdate,
          condition?: Condition<Webhook>
        ) {
          const principal = yield* Principal
          if (input.url !== undefined) yield* outgoing.check("url", input.url)
          if (input.events !== undefined) yield* needReadable(rights, principal, input.events)
          const secret = input.secret ?? (input.rotate_secret === true ? makeSecret(randomness) : null)
          return yield* writer.changeLocked((draft) =>
            Effect.flatMap(callerIn(draft, principal), (setBy) => changed(draft, id, input, setBy, secret, condition))
          )
        })

        const remove = traced("Webhooks.delete")(function* (id: string, condition?: Condition<Webhook>) {
          const principal = yield* Principal
          yield* end(principal.workspace_id, actorOf(principal), id, condition)
        })

        // Locked, because its deliveries are deleted too: an unlocked write shares its statement with other workspaces.
        const end = (workspace_id: Ids.WorkspaceId, actor: Actor, id: string, condition?: Condition<Webhook>) =>
          writer.writeLocked(
            workspace_id,
            { actor },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              yield* expected(draft, id, condition)
              const row = (yield* draft.get(webhooks, id))!
              // The dispatcher locks the cursor before the webhook. The same order here excludes a deadlock.
              yield* draft.execute("DELETE FROM webhook_cursors WHERE workspace_id = $1 AND webhook_id = $2", [
                workspace_id,
                id
              ])
              draft.remove(webhooks, id)
              log(draft, row, "webhook.deleted")
            })
          )

        const disable = traced("Webhooks.disable")(
          (workspace_id: Ids.WorkspaceId, id: string, reason: DisabledReason) =>
            writer
              .write(
                workspace_id,
                { actor: systemActor, needs: [[webhooks, id]] },
                Effect.fnUntraced(function* (draft: Draft) {
                  const row = yield* draft.get(webhooks, id)
                  if (row === undefined || !row.active) return
                  // A change may have given it a later end since the dispatcher read it.
                  if (reason === "key_ended" && asOf(row, draft.now).active) return
                  const next = { ...row, active: false, disabled_reason: reason, updated_at: draft.now }
                  draft.put(webhooks, next)
                  log(draft, next, "webhook.disabled", { reason })
                })
              )
              // The workspace is being erased, and its webhooks with it.
              .pipe(Effect.catchTag("NotFound", () => Effect.void))
        )

        return Webhooks.of({
          list: traced("Webhooks.list")(function* (query: PageQuery) {
            const { workspace_id } = yield* Principal
            const now = new Date(yield* Clock.currentTimeMillis).toISOString()
            return yield* lists.page({ spec: webhookList, query, workspace_id, params: [now] })
          }),
          create,
          get,
          update,
          delete: remove,
          issue: (workspace_id, input) =>
            Effect.flatMap(OperatorActor, (actor) => add(workspace_id, actor, () => Effect.succeed(byOperator), input)),
          reissue: Effect.fnUntraced(function* (workspace_id, id, input) {
            yield* writer.writeLocked(workspace_id, { actor: yield* OperatorActor }, (draft) =>
              Effect.catchTag(changed(draft, id, input, byOperator, input.secret ?? null), "Stale", Effect.die)
            )
          }),
          revoke: (workspace_id, id) =>
            Effect.flatMap(OperatorActor, (actor) =>
              Effect.catchTag(end(workspace_id, actor, id), "Stale", Effect.die)
            ),
          disable
        })
      })
    )
}
