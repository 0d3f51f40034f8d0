import { Cache, Clock, Context, Duration, Effect, Layer, Redacted, Schedule } from "effect"
import { Unauthorized, type Unavailable } from "../Errors.ts"
import type { Role } from "../Principal.ts"
import { Database, orUnavailable } from "../storage/Database.ts"
import { traced } from "../Traced.ts"
import { digestOf, isWellFormed } from "./ApiKeySecret.ts"
import { effective } from "./Scopes.ts"

/** Who a credential stands for. */
export interface Credential {
  readonly credential_id: string
  readonly user_id: string
  readonly workspace_id: string
  readonly role: Role
  readonly scopes: ReadonlySet<string>
  readonly expires_at: number
}

interface KeyRow {
  readonly id: string
  readonly user_id: string
  readonly workspace_id: string
  readonly role: Role
  readonly scopes: ReadonlyArray<string>
  readonly expires_at: string | null
}

const invalid = new Unauthorized({ code: "invalid_token", detail: "The credential is not valid" })
const expired = new Unauthorized({ code: "token_expired", detail: "The credential has expired" })

/** Finds out who calls. */
export class Credentials extends Context.Service<Credentials, {
  readonly authenticate: (secret: Redacted.Redacted) => Effect.Effect<Credential, Unauthorized | Unavailable>
  /** From now on this node asks the database for a secret of this digest. */
  readonly forget: (digest: string) => Effect.Effect<void>
  /** Notes a successful request. */
  readonly used: (workspace_id: string, credential_id: string) => void
  /** Writes down what was noted: every few seconds, at the end, and before anyone asks. */
  readonly writeDown: Effect.Effect<void, Unavailable>
}>()("sheaf/identity/Credentials") {
  static readonly layer = Layer.effect(
    Credentials,
    Effect.gen(function*() {
      const { read, write: sql } = yield* Database
      const clock = yield* Clock.Clock

      // A key acts with its maker's present role, and ends when they leave (contract 4).
      const lookup = Effect.fnUntraced(function*(digest: string) {
        const now = new Date(clock.currentTimeMillisUnsafe()).toISOString()
        const [row] = yield* orUnavailable(read.unsafe<KeyRow>(
          `SELECT k.id, k.user_id, k.workspace_id, m.role, k.scopes,
            CASE WHEN k.secret_hash = $1 THEN k.expires_at ELSE least(k.previous_secret_expires_at, k.expires_at) END AS expires_at
          FROM (
            SELECT * FROM api_keys WHERE secret_hash = $1
            UNION ALL SELECT * FROM api_keys WHERE previous_secret_hash = $1 AND previous_secret_expires_at > $2
          ) k
          JOIN workspaces w ON w.id = k.workspace_id AND w.deleted_at IS NULL
          JOIN members m ON m.workspace_id = k.workspace_id AND m.user_id = k.user_id`,
          [digest, now]
        ))
        if (row === undefined) return undefined
        return {
          credential_id: row.id,
          user_id: row.user_id,
          workspace_id: row.workspace_id,
          role: row.role,
          scopes: effective(row.scopes),
          expires_at: row.expires_at === null ? Infinity : Date.parse(row.expires_at)
        } satisfies Credential
      })

      // Short-lived, so that a key that was ended anywhere is refused everywhere within a second.
      const known = yield* Cache.make({
        capacity: 10_000,
        timeToLive: Duration.millis(900),
        lookup
      })

      const uses = new Map<string, { readonly workspace_id: string; readonly id: string; readonly at: number }>()

      const writeDown = Effect.suspend(() => {
        if (uses.size === 0) return Effect.void
        const all = [...uses.values()]
        uses.clear()
        return Effect.asVoid(orUnavailable(sql.unsafe(
          `UPDATE api_keys k SET last_used_at = x.at FROM unnest($1::text[], $2::text[], $3::text[]) AS x(workspace_id, id, at)
          WHERE k.workspace_id = x.workspace_id AND k.id = x.id AND (k.last_used_at IS NULL OR k.last_used_at < x.at)`,
          [all.map(({ workspace_id }) => workspace_id), all.map(({ id }) => id), all.map(({ at }) => new Date(at).toISOString())]
        ))).pipe(Effect.onError(() =>
          Effect.sync(() => {
            for (const use of all) if (!uses.has(use.id)) uses.set(use.id, use)
          })
        ))
      })
      yield* Effect.addFinalizer(() => Effect.ignore(writeDown))
      yield* Effect.forkScoped(Effect.repeat(
        Effect.catchCause(writeDown, (cause) => Effect.logDebug("the use of keys was not written down", cause)),
        Schedule.spaced("5 seconds")
      ))

      return Credentials.of({
        authenticate: traced("Credentials.authenticate")(function*(secret: Redacted.Redacted) {
          const text = Redacted.value(secret)
          if (!isWellFormed(text)) return yield* invalid
          const credential = yield* Cache.get(known, digestOf(text))
          if (credential === undefined) return yield* invalid
          if (credential.expires_at !== Infinity && credential.expires_at <= clock.currentTimeMillisUnsafe()) {
            return yield* expired
          }
          return credential
        }),
        forget: (digest) => Cache.invalidate(known, digest),
        used: (workspace_id, id) => void uses.set(id, { workspace_id, id, at: clock.currentTimeMillisUnsafe() }),
        writeDown
      })
    })
  )
}
