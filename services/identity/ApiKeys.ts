import { Cache, Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import { hash } from "node:crypto"
import { crc32 } from "node:zlib"
import { Unauthorized, type Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { Role } from "../Principal.ts"
import { Database, orUnavailable } from "../storage/Database.ts"
import { traced } from "../Traced.ts"
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

const checksum = (text: string): string => Ids.base62(crc32(text), 6)

/** `sfk_`, 30 random characters, and 6 that check them (contract 4). */
export const newSecret = (): Redacted.Redacted => {
  const text = `sfk_${Ids.random(30)}`
  return Redacted.make(text + checksum(text))
}

/** Whether a text can be a key at all: told without asking the database. */
export const isWellFormed = (secret: string): boolean =>
  /^sfk_[0-9A-Za-z]{36}$/.test(secret) && checksum(secret.slice(0, 34)) === secret.slice(34)

const digest = (secret: string): Buffer => hash("sha256", secret, "buffer")

const invalid = new Unauthorized({ code: "invalid_token", detail: "The credential is not valid" })
const expired = new Unauthorized({ code: "token_expired", detail: "The credential has expired" })

/** API keys: opaque secrets, of which only the SHA-256 is stored. */
export class ApiKeys extends Context.Service<ApiKeys, {
  readonly create: (key: {
    readonly workspace_id: string
    readonly user_id: string
    readonly name: string
    readonly scopes: ReadonlyArray<string>
    readonly secret: Redacted.Redacted
    readonly now: number
  }) => Effect.Effect<string>
  readonly authenticate: (secret: Redacted.Redacted) => Effect.Effect<Credential, Unauthorized | Unavailable>
}>()("sheaf/identity/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function*() {
      const { read, write: sql } = yield* Database

      const lookup = Effect.fnUntraced(function*(hex: string) {
        const [row] = yield* orUnavailable(read.unsafe<{
          id: string
          user_id: string
          workspace_id: string
          role: Role
          scopes: Array<string>
          expires_at: string | null
        }>(
          `SELECT k.id, k.user_id, k.workspace_id, m.role, k.scopes, k.expires_at
          FROM api_keys k
          JOIN workspaces w ON w.id = k.workspace_id AND w.deleted_at IS NULL
          JOIN members m ON m.workspace_id = k.workspace_id AND m.user_id = k.user_id
          WHERE k.secret_hash = decode($1, 'hex')`,
          [hex]
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

      return ApiKeys.of({
        create: traced("ApiKeys.create")(function*(key) {
          const id = Ids.make("ak", key.now)
          const secret = Redacted.value(key.secret)
          yield* Effect.orDie(
            sql`INSERT INTO api_keys (id, workspace_id, user_id, name, prefix, secret_hash, scopes, created_at)
            VALUES (${id}, ${key.workspace_id}, ${key.user_id}, ${key.name}, ${secret.slice(0, 12)},
              ${digest(secret)}, ${key.scopes}, ${new Date(key.now).toISOString()})`
          )
          return id
        }),
        authenticate: traced("ApiKeys.authenticate")(function*(secret: Redacted.Redacted) {
          const text = Redacted.value(secret)
          if (!isWellFormed(text)) return yield* invalid
          const credential = yield* Cache.get(known, hash("sha256", text, "hex"))
          if (credential === undefined) return yield* invalid
          if (credential.expires_at !== Infinity && credential.expires_at <= (yield* Clock.currentTimeMillis)) {
            return yield* expired
          }
          return credential
        })
      })
    })
  )
}
