import { Clock, Context, Effect, Layer, Redacted, Schedule } from "effect"
import type { UserId, WorkspaceId } from "../Ids.ts"
import { Forbidden, Unauthorized, type Unavailable } from "../Errors.ts"
import { isDeletedText } from "./IdentityTables.ts"
import { isForeign } from "./KnownDevices.ts"
import type { Plan, PrincipalShape, Role } from "../Principal.ts"
import type { Reach } from "../Reach.ts"
import { ChangeLog } from "../writer/ChangeLog.ts"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import { NodeBus } from "../database/NodeBus.ts"
import { traced } from "../Traced.ts"
import { adminScopes, effective, scopesOf } from "./Scopes.ts"
import * as Tokens from "../Tokens.ts"
import { type Watched, CredentialWatch } from "./CredentialWatch.ts"

/** A credential with its user, in the workspace of a call. */
export interface Credential extends Omit<PrincipalShape, "ip" | "user_agent" | "names_foreign_device"> {
  /** Whether the user is a member of the workspace. Other users may do nothing there and learn nothing about it. */
  readonly isMember: boolean
  /**
   * From when the workspace, and the server for its operators, need a sign-in with two factors that the credential has not,
   * in Unix milliseconds; Infinity if they do not.
   */
  readonly workspaceBarredFrom: number
  readonly serverBarredFrom: number
}

interface Row {
  readonly id: string
  readonly user_id: UserId
  readonly home_id: WorkspaceId
  readonly workspace_id: WorkspaceId | null
  readonly role: Role | null
  readonly plan: Plan | null
  readonly scopes: ReadonlyArray<string> | null
  readonly notebooks: Reach | null
  readonly is_operator: boolean
  readonly is_suspended: boolean
  /** Whether it began with a password alone. */
  readonly has_one_factor: boolean
  readonly second_factor_from: string | null
  readonly device_id: string | null
  readonly expires_at: string | null
  readonly app_name: string | null
  readonly app_workspace: WorkspaceId | null
}

interface Entry {
  readonly credential: Credential
  readonly read_at: number
}

const invalid = new Unauthorized({ code: "invalid_token", detail: "The credential is not valid" })
/** The refusal of a user whom an operator has suspended. */
export const suspended = new Forbidden({
  code: "account_suspended",
  detail: "This account is suspended: ask the operator of the server"
})
const expired = new Unauthorized({ code: "token_expired", detail: "The credential has expired" })

/** Maximum number of cached credentials. The oldest entry is evicted first. */
const maxKnown = 20_000
/** Maximum number of devices per credential whose owner is cached. */
const maxDevices = 100
/** Milliseconds after which a cached credential is read again, also without news. */
const knownFor = 60_000

// A key has its creator's current role, and ends when they leave or their account ends (contract 4).
const keyText = `SELECT k.id, k.user_id, u.workspace_id AS home_id, m.workspace_id, m.role, w.plan, k.scopes, k.notebooks,
    u.is_operator, u.suspended_at IS NOT NULL AS is_suspended, NULL AS device_id,
    CASE WHEN k.secret_hash = $1 THEN k.expires_at ELSE least(k.previous_secret_expires_at, k.expires_at) END AS expires_at,
    NULL AS app_name, NULL AS app_workspace, false AS has_one_factor, NULL AS second_factor_from
  FROM (
    SELECT * FROM api_keys WHERE secret_hash = $1 UNION ALL SELECT * FROM api_keys WHERE previous_secret_hash = $1
  ) k
  JOIN users u ON u.id = k.user_id AND NOT ${isDeletedText("u.id")}
  JOIN workspaces w ON w.workspace_id = k.workspace_id AND w.deleted_at IS NULL
  JOIN members m ON m.workspace_id = k.workspace_id AND m.user_id = k.user_id`

const sessionText = `SELECT s.id, s.user_id, s.workspace_id AS home_id, m.workspace_id, m.role, m.plan,
    s.app -> 'scopes' AS scopes, s.app -> 'notebooks' AS notebooks, u.is_operator, u.suspended_at IS NOT NULL AS is_suspended, s.device_id,
    s.until AS expires_at, s.app ->> 'name' AS app_name, s.app ->> 'workspace_id' AS app_workspace,
    s.signed_in_by = 'password' AND s.second_factor IS NULL AS has_one_factor, m.second_factor_from
  FROM (
    SELECT *, access_expires_at AS until FROM sessions WHERE access_hash = $1
    UNION ALL SELECT *, previous_access_expires_at FROM sessions WHERE previous_access_hash = $1
  ) s
  JOIN users u ON u.id = s.user_id
  LEFT JOIN (
    SELECT m.workspace_id, m.user_id, m.role, w.plan, w.second_factor_from FROM members m
    JOIN workspaces w ON w.workspace_id = m.workspace_id AND w.deleted_at IS NULL
  ) m ON m.user_id = s.user_id AND m.workspace_id = coalesce(s.app ->> 'workspace_id', $2, s.workspace_id)`

/**
 * A credential has admin scopes as long as its user is an operator, whose sign-in has the factors that operators need: others
 * could make a key with these scopes.
 */
const held = ({ is_operator, scopes }: Row, isBarred: boolean): ReadonlySet<string> => {
  const mayAdminister = is_operator && !isBarred
  const all = effective(scopes ?? scopesOf({ is_operator: mayAdminister }))
  return mayAdminister ? all : all.difference(new Set<string>(adminScopes))
}

/** Authenticates callers. */
export class Credentials extends Context.Service<
  Credentials,
  {
    /**
     * Returns the credential, for a session token in the workspace `wanted` or the user's personal one, for an app in its own. It is cached
     * until there is news of the user or the workspace: on this node at once, on other nodes within a second. A node that
     * receives no news for two seconds reads for every call (contract 4).
     */
    readonly authenticate: (
      secret: Redacted.Redacted,
      wanted: WorkspaceId | undefined
    ) => Effect.Effect<Credential, Unauthorized | Forbidden | Unavailable>
    /** Whether a device belongs to another user. The result is cached as long as the credential. */
    readonly isForeignDevice: (credential: Credential, device_id: string) => Effect.Effect<boolean, Unavailable>
    /** Calls `onEnd` once when the credential is no longer valid in its workspace. Returns a function that stops this. */
    readonly watch: (credential: Watched, onEnd: () => void) => () => void
    /** Records the time of a successful request. */
    readonly used: (credential: PrincipalShape) => void
    /** Stores the recorded uses. Runs every 5 seconds, when the server stops, and before requests that return them. */
    readonly flush: Effect.Effect<void, Unavailable>
  }
>()("sheaf/identity/Credentials") {
  /** `operatorSecondFactorFrom`: from when operators need a sign-in with two factors (OPERATOR_SECOND_FACTOR). */
  static readonly layer = (options: { readonly operatorSecondFactorFrom: number }) =>
    Layer.effect(
      Credentials,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const clock = yield* Clock.Clock
        const bus = yield* NodeBus
        const log = yield* ChangeLog
        const watches = new CredentialWatch(read, clock)
        const known = new Map<string, Entry>()
        /** Number of notifications received: a credential that was read before the latest one is not cached. */
        let notifications = 0

        const drop = (workspace_id: string) => {
          notifications++
          for (const [key, { credential }] of known) {
            if (credential.workspace_id === workspace_id || credential.home_id === workspace_id) known.delete(key)
          }
          watches.doubt(workspace_id)
        }
        yield* bus.subscribe({
          access: drop,
          gap: () => {
            notifications++
            known.clear()
            watches.doubt()
          }
        })
        // Runs before the response to the request that made the change.
        log.observe(({ changesAccess, workspace_id }) => {
          if (changesAccess) drop(workspace_id)
        })
        yield* Effect.forkScoped(watches.guard(bus.isCutOff))

        const lookup = Effect.fnUntraced(function* (key: string, text: string, wanted: WorkspaceId | undefined) {
          const isKey = text.startsWith("sfk_")
          if ((!isKey && !Tokens.isWellFormed("sfa", text)) || (isKey && !Tokens.isWellFormed("sfk", text)))
            return yield* invalid
          const before = notifications
          const digest = Tokens.digestOf(text)
          const rows = yield* orUnavailable(
            isKey ? read.unsafe<Row>(keyText, [digest]) : read.unsafe<Row>(sessionText, [digest, wanted ?? null])
          )
          const [row] = rows
          if (row === undefined) return yield* invalid
          const expires_at = row.expires_at === null ? Infinity : Date.parse(row.expires_at)
          if (expires_at <= clock.currentTimeMillisUnsafe()) return yield* expired
          if (row.is_suspended) return yield* suspended
          const isMember = row.workspace_id !== null
          const from = row.second_factor_from === null ? Infinity : Date.parse(row.second_factor_from)
          const serverBarredFrom = row.has_one_factor && row.is_operator ? options.operatorSecondFactorFrom : Infinity
          const credential: Credential = {
            kind: isKey ? "api_key" : row.app_name === null ? "session" : "app",
            credential_id: row.id,
            user_id: row.user_id,
            home_id: row.home_id,
            workspace_id: row.workspace_id ?? row.app_workspace ?? wanted ?? row.home_id,
            isMember,
            role: row.role ?? "viewer",
            reach: row.notebooks ?? undefined,
            plan: row.plan ?? "free",
            digest,
            scopes: held(row, serverBarredFrom <= clock.currentTimeMillisUnsafe()),
            workspaceBarredFrom: row.has_one_factor ? from : Infinity,
            serverBarredFrom,
            device_id: row.device_id,
            app: row.app_name ?? undefined,
            expires_at
          }
          if (isMember && before === notifications && !bus.isCutOff()) {
            if (known.size >= maxKnown) known.delete(known.keys().next().value!)
            known.set(key, { credential, read_at: clock.currentTimeMillisUnsafe() })
          }
          return credential
        })

        /** By cached credential: it is replaced when there is news of its user or workspace. */
        const foreign = new WeakMap<Credential, Map<string, boolean>>()

        /** By the digest of the token. */
        const uses = new Map<string, { readonly credential: PrincipalShape; at: number }>()

        const flush = Effect.suspend(() => {
          if (uses.size === 0) return Effect.void
          const all = [...uses.values()]
          uses.clear()
          return Effect.asVoid(
            runSql(
              sql,
              `WITH x AS (
            SELECT workspace_id, id, max(at) AS at, array_agg(digest) AS digests
            FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS x(workspace_id, id, at, digest) GROUP BY 1, 2
          ),
          sessions_used AS (
            UPDATE sessions s SET last_active_at = greatest(s.last_active_at, x.at),
              access_used = s.access_used OR s.access_hash = ANY(x.digests) FROM x
            WHERE s.workspace_id = x.workspace_id AND s.id = x.id
              AND (s.last_active_at < x.at OR NOT s.access_used AND s.access_hash = ANY(x.digests))
          )
          UPDATE api_keys k SET last_used_at = x.at FROM x
          WHERE k.workspace_id = x.workspace_id AND k.id = x.id AND (k.last_used_at IS NULL OR k.last_used_at < x.at)`,
              [
                all.map(({ credential }) =>
                  credential.kind === "api_key" ? credential.workspace_id : credential.home_id
                ),
                all.map(({ credential }) => credential.credential_id),
                all.map(({ at }) => new Date(at).toISOString()),
                all.map(({ credential }) => credential.digest)
              ]
            )
          ).pipe(
            Effect.onError(() =>
              Effect.sync(() => {
                for (const use of all) if (!uses.has(use.credential.digest)) uses.set(use.credential.digest, use)
              })
            )
          )
        })
        yield* Effect.addFinalizer(() => Effect.ignore(flush))
        yield* Effect.forkScoped(
          Effect.repeat(
            Effect.catchCause(flush, (cause) => Effect.logDebug("the last use of credentials was not stored", cause)),
            Schedule.spaced("5 seconds")
          )
        )

        return Credentials.of({
          authenticate: traced("Credentials.authenticate")(
            (secret: Redacted.Redacted, wanted: WorkspaceId | undefined) => {
              const text = Redacted.value(secret)
              // A header cannot contain a line break, so the key is unambiguous.
              const key = wanted === undefined || text.startsWith("sfk_") ? text : `${text}\n${wanted}`
              const entry = known.get(key)
              if (entry !== undefined) {
                const now = clock.currentTimeMillisUnsafe()
                if (entry.credential.expires_at <= now) return Effect.fail(expired)
                if (now - entry.read_at < knownFor && !bus.isCutOff()) return Effect.succeed(entry.credential)
              }
              return lookup(key, text, wanted)
            }
          ),
          isForeignDevice: traced("Credentials.isForeignDevice")((credential: Credential, device_id: string) => {
            const seen = foreign.get(credential)?.get(device_id)
            if (seen !== undefined) return Effect.succeed(seen)
            return Effect.map(orUnavailable(isForeign(read, credential.user_id, device_id)), (is) => {
              let devices = foreign.get(credential)
              if (devices === undefined) foreign.set(credential, (devices = new Map()))
              if (devices.size >= maxDevices) devices.clear()
              devices.set(device_id, is)
              return is
            })
          }),
          watch: (credential, onEnd) => watches.add(credential, onEnd),
          used: (credential) => {
            const use = uses.get(credential.digest)
            const at = clock.currentTimeMillisUnsafe()
            if (use === undefined) uses.set(credential.digest, { credential, at })
            else use.at = at
          },
          flush
        })
      })
    )
}
