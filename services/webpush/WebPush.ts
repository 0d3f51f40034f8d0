import { Clock, Context, Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { type Condition, type Invalid, NotFound, type Stale, type Unavailable } from "../Errors.ts"
import type { NoResponse, OutgoingResponse, Refused } from "../outgoing/OutgoingResponse.ts"
import { Outgoing } from "../outgoing/Outgoing.ts"
import type { AuditAction } from "../EventTypes.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import { actorOf } from "../writer/Actor.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { traced } from "../Traced.ts"
import {
  authorization,
  authSecret,
  encrypt,
  makeEphemeral,
  publicKey,
  type Recipient,
  type VapidPair
} from "./PushMessage.ts"
import * as PushEndpoints from "./PushEndpoints.ts"
import type { PushSubscribe, PushSubscription } from "./PushSubscription.ts"
import * as VapidKeys from "./VapidKeys.ts"

/** A message to all devices of a user. */
export interface PushMessage {
  readonly user_id: string
  /** A later message with this topic replaces one that is not delivered to the device yet. */
  readonly topic?: string
  /** Seconds for which a push service keeps the message for an offline device. */
  readonly ttl: number
  readonly urgency?: "very-low" | "low" | "normal" | "high"
  /** At most `messageLength` bytes as JSON. */
  readonly payload: object
  /** Only these devices: the ones that a previous attempt did not reach. */
  readonly devices?: ReadonlyArray<string>
}

/**
 * The result of a message to a device. `sent`: its push service accepted it. `gone`: the subscription no longer exists,
 * and is deleted. `refused`: it will never be accepted. `failed`: a later attempt may succeed.
 */
export interface PushOutcome {
  readonly device_id: string
  readonly outcome: "sent" | "gone" | "refused" | "failed"
  /** For operators and debugging: without a URL or a key. */
  readonly detail: string
}

interface Subscriber extends Recipient {
  readonly device_id: string
  readonly endpoint: string
}

/** Maximum milliseconds until a push service responds: it accepts a message without contacting the device. */
const requestTimeout = 5_000
/** Maximum number of devices of a user that get a message: the ones that synced last. */
const maxDevices = 100
/** Maximum bytes of a response. Its body is not used. */
const responseBytes = 1024

const missingDevice = NotFound.of("device")
const missing = NotFound.of("push subscription")

/** Equal for equal topics: push services accept 32 characters of base64url (RFC 8030, section 5.4). */
const topicOf = (topic: string): string => hash("sha256", topic, "base64url").slice(0, 32)

const outcomeOf = ({ status }: OutgoingResponse): Omit<PushOutcome, "device_id"> => {
  const detail = `the push service returned ${status}`
  if (status >= 200 && status < 300) return { outcome: "sent", detail }
  if (status === 404 || status === 410) return { outcome: "gone", detail }
  return { outcome: status === 408 || status === 429 || status >= 500 ? "failed" : "refused", detail }
}

const failureOf = ({
  _tag,
  message
}: Refused | NoResponse | PushEndpoints.Postponed): Omit<PushOutcome, "device_id"> => ({
  outcome: _tag === "Refused" ? "refused" : "failed",
  detail: message
})

/**
 * Web Push (RFC 8030) to devices of users. A subscription ends with its device, with the credential that made it, when
 * its user leaves the workspace, and when its push service reports its end.
 */
export class WebPush extends Context.Service<
  WebPush,
  {
    /** The subscription of a device of the caller. */
    readonly get: (device_id: string) => Effect.Effect<PushSubscription, NotFound | Unavailable, Principal>
    readonly subscribe: (
      device_id: string,
      input: PushSubscribe
    ) => Effect.Effect<PushSubscription, NotFound | Invalid | Unavailable, Principal>
    readonly unsubscribe: (
      device_id: string,
      condition?: Condition<PushSubscription>
    ) => Effect.Effect<void, NotFound | Stale | Unavailable, Principal>
    /** Sends to all devices of a user, in all workspaces; does nothing when there are none. */
    readonly send: (message: PushMessage) => Effect.Effect<ReadonlyArray<PushOutcome>, Unavailable>
  }
>()("sheaf/webpush/WebPush") {
  /** `subject`: the contact for push services, an https or mailto URL. */
  static readonly layer = (options: { readonly subject: string }) =>
    Layer.effect(
      WebPush,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const secrets = yield* Secrets
        const outgoing = yield* Outgoing
        const randomness = yield* Randomness
        const sendTo = yield* PushEndpoints.make
        let known: VapidPair | undefined
        const pair = Effect.suspend(() =>
          known !== undefined
            ? Effect.succeed(known)
            : Effect.tap(orUnavailable(VapidKeys.read(read, secrets)), (found) =>
                Effect.sync(() => {
                  known = found
                })
              )
        )

        const get = Effect.fnUntraced(function* (device_id: string) {
          const { user_id, workspace_id } = yield* Principal
          const [row] = yield* runSql<{ readonly endpoint: string | null }>(
            read,
            `SELECT p.endpoint FROM devices d
              LEFT JOIN push_subscriptions p ON p.workspace_id = d.workspace_id AND p.device_id = d.id
              WHERE d.workspace_id = $1 AND d.id = $2 AND d.user_id = $3`,
            [workspace_id, device_id, user_id]
          )
          if (row === undefined) return yield* missingDevice
          return { public_key: (yield* pair).public_key, endpoint: row.endpoint }
        })

        const audit = (principal: PrincipalShape, action: AuditAction, resource_id: string, now: number) => {
          const entry = { action, resource: "device", resource_id } as const
          const id = AuditTrail.auditId(randomness, now)
          return AuditTrail.insertEntry(sql, principal.workspace_id, actorOf(principal), now, entry, id)
        }

        const subscribe = Effect.fnUntraced(function* (device_id: string, { endpoint, keys }: PushSubscribe) {
          const principal = yield* Principal
          const { credential_id, digest, home_id, kind, user_id, workspace_id } = principal
          yield* outgoing.check("endpoint", endpoint)
          const isSession = kind !== "api_key"
          const now = yield* Clock.currentTimeMillis
          const insert = sql.unsafe<{ readonly previous: string | null }>(
            // The credential may end at this moment: then the subscription cannot be bound to it.
            `INSERT INTO push_subscriptions
                (workspace_id, device_id, user_id, home_id, session_id, key_id, endpoint, p256dh, auth, created_at,
                  ends_with)
              SELECT d.workspace_id, d.id, d.user_id, $4, $5, $6, $7, $8, $9, $10,
                CASE WHEN k.previous_secret_hash = $11 THEN $11 END
              FROM devices d LEFT JOIN api_keys k ON k.workspace_id = d.workspace_id AND k.id = $6
              WHERE d.workspace_id = $1 AND d.id = $2 AND d.user_id = $3
                AND (EXISTS (SELECT FROM sessions WHERE workspace_id = $4 AND id = $5)
                  OR $11 IN (k.secret_hash, k.previous_secret_hash))
              ON CONFLICT (workspace_id, device_id) DO UPDATE SET user_id = excluded.user_id, home_id = excluded.home_id,
                session_id = excluded.session_id, key_id = excluded.key_id, endpoint = excluded.endpoint,
                p256dh = excluded.p256dh, auth = excluded.auth, created_at = excluded.created_at,
                ends_with = excluded.ends_with
              RETURNING (SELECT endpoint FROM push_subscriptions WHERE workspace_id = $1 AND device_id = $2) AS previous`,
            [
              workspace_id,
              device_id,
              user_id,
              isSession ? home_id : null,
              isSession ? credential_id : null,
              isSession ? null : credential_id,
              endpoint,
              publicKey(keys.p256dh)!,
              authSecret(keys.auth)!,
              new Date(now).toISOString(),
              digest
            ]
          )
          yield* Effect.gen(function* () {
            const [row] = yield* insert
            if (row === undefined) return yield* missingDevice
            // Browsers send the same subscription repeatedly.
            if (row.previous !== endpoint) yield* audit(principal, "device.push_subscribed", device_id, now)
          }).pipe(
            sql.withTransaction,
            Effect.catchTag("SqlError", (error) => orUnavailable(Effect.fail(error)))
          )
          return { public_key: (yield* pair).public_key, endpoint }
        })

        const unsubscribe = Effect.fnUntraced(function* (device_id: string, condition?: Condition<PushSubscription>) {
          const principal = yield* Principal
          const { user_id, workspace_id } = principal
          const { public_key } = yield* pair
          const now = yield* Clock.currentTimeMillis
          const own = "workspace_id = $1 AND device_id = $2 AND user_id = $3"
          const params = [workspace_id, device_id, user_id]
          yield* Effect.gen(function* () {
            const [row] = yield* sql.unsafe<{ readonly endpoint: string }>(
              `SELECT endpoint FROM push_subscriptions WHERE ${own} FOR UPDATE`,
              params
            )
            if (row === undefined) return yield* missing
            if (condition !== undefined) yield* condition({ public_key, endpoint: row.endpoint })
            yield* sql.unsafe(`DELETE FROM push_subscriptions WHERE ${own}`, params)
            yield* audit(principal, "device.push_unsubscribed", device_id, now)
          }).pipe(
            sql.withTransaction,
            Effect.catchTag("SqlError", (error) => orUnavailable(Effect.fail(error)))
          )
        })

        /** One subscription per endpoint, with a valid credential, in workspaces of which the user is a member. */
        const subscribersOf = (user_id: string, now: number) =>
          runSql<Subscriber>(
            read,
            `SELECT device_id, endpoint, p256dh, auth FROM (
                SELECT DISTINCT ON (p.endpoint) p.device_id, p.endpoint, p.p256dh, p.auth, d.last_sync_at
                FROM push_subscriptions p
                JOIN devices d ON d.workspace_id = p.workspace_id AND d.id = p.device_id AND d.user_id = p.user_id
                JOIN members m ON m.workspace_id = p.workspace_id AND m.user_id = p.user_id
                JOIN workspaces w ON w.workspace_id = p.workspace_id AND w.deleted_at IS NULL
                LEFT JOIN sessions s ON s.workspace_id = p.home_id AND s.id = p.session_id
                LEFT JOIN api_keys k ON k.workspace_id = p.workspace_id AND k.id = p.key_id
                WHERE p.user_id = $1 AND coalesce(s.expires_at, k.expires_at, '~') > $2
                  AND (p.ends_with IS NULL
                    OR p.ends_with = k.previous_secret_hash AND k.previous_secret_expires_at > $2)
                ORDER BY p.endpoint, p.created_at DESC
              ) each ORDER BY last_sync_at DESC LIMIT ${maxDevices}`,
            [user_id, new Date(now).toISOString()]
          )

        const forget = (user_id: string, { endpoint }: Subscriber) =>
          runSql(sql, "DELETE FROM push_subscriptions WHERE user_id = $1 AND endpoint = $2", [user_id, endpoint])

        const send = Effect.fnUntraced(function* (message: PushMessage) {
          const { devices, payload, topic, ttl, urgency = "normal", user_id } = message
          const now = yield* Clock.currentTimeMillis
          const all = yield* subscribersOf(user_id, now)
          const wanted = devices === undefined ? all : all.filter(({ device_id }) => devices.includes(device_id))
          if (wanted.length === 0) return []
          const vapid = yield* pair
          const text = JSON.stringify(payload)
          const request = ({ endpoint, ...recipient }: Subscriber) =>
            // Encrypted and signed when the request has its permit.
            Effect.suspend(() =>
              outgoing.request({
                url: endpoint,
                method: "POST",
                headers: {
                  authorization: authorization(endpoint, vapid, options.subject, now),
                  "content-encoding": "aes128gcm",
                  "content-type": "application/octet-stream",
                  ttl: String(ttl),
                  urgency,
                  ...(topic === undefined ? {} : { topic: topicOf(topic) })
                },
                body: encrypt(text, recipient, makeEphemeral(randomness)),
                timeout: requestTimeout,
                maxBytes: responseBytes
              })
            )
          const outcomeAt = Effect.fnUntraced(function* (subscriber: Subscriber) {
            const { device_id, endpoint } = subscriber
            const { detail, outcome } = yield* Effect.match(sendTo(user_id, endpoint, request(subscriber)), {
              onSuccess: outcomeOf,
              onFailure: failureOf
            })
            if (outcome === "gone") yield* forget(user_id, subscriber)
            return { device_id, outcome, detail }
          })
          // The permits per user limit the concurrent requests: no device waits for a slow one.
          return yield* Effect.forEach(wanted, outcomeAt, { concurrency: "unbounded" })
        })

        return WebPush.of({
          get: traced("WebPush.get")(get),
          subscribe: traced("WebPush.subscribe")(subscribe),
          unsubscribe: traced("WebPush.unsubscribe")(unsubscribe),
          send: traced("WebPush.send")(send)
        })
      })
    )
}
