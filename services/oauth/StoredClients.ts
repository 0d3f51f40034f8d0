import { Clock, Context, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { Database, runSql } from "../database/Database.ts"
import { NotFound, type Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import { traced } from "../Traced.ts"
import * as ClientMetadata from "./ClientMetadata.ts"
import type { OAuthError } from "./OAuthError.ts"

/** A client that is stored here. Times are RFC 3339. */
export interface StoredClient extends ClientMetadata.ClientMetadata {
  readonly id: string
  /** Whether the operator has added it. */
  readonly is_by_operator: boolean
  readonly created_at: string
  /** When a user last connected it; null if no user ever did. */
  readonly connected_at: string | null
}

/** Maximum number of registered clients that no user has connected. The oldest one is erased first. */
const maxUnused = 10_000
const day = 24 * 3600_000
/** Milliseconds after which a registration is erased: that no user has connected, and without an app after the last consent. */
const life = { unused: day, ended: 90 * day }

const columns = "id, name, redirect_uris, is_by_operator, created_at, connected_at"

/**
 * The id of a client follows from its metadata: clients have no secret, so that the same registration from many machines
 * is one client (RFC 7591, section 3.2.1), and a client whose registration was erased gets its id back.
 */
const idOf = ({ name, redirect_uris }: ClientMetadata.ClientMetadata): string => {
  const digest = createHash("sha256")
    .update(JSON.stringify([name, redirect_uris.toSorted()]))
    .digest()
  return `oc_${Ids.base62(digest.readUIntBE(0, 6), 9)}${Ids.base62(digest.readUIntBE(6, 6), 9)}`
}

/** Clients without a document: they have registered themselves, or the operator has added them. */
export class StoredClients extends Context.Service<
  StoredClients,
  {
    readonly find: (id: string) => Effect.Effect<StoredClient | undefined, Unavailable>
    /** Stores a client that registers itself. */
    readonly register: (metadata: unknown) => Effect.Effect<StoredClient, OAuthError | Unavailable>
    /** Stores a client that the operator knows. */
    readonly add: (metadata: unknown) => Effect.Effect<StoredClient, OAuthError | Unavailable>
    /** Returns at most 500 clients after `after`. */
    readonly list: (after: StoredClient | undefined) => Effect.Effect<ReadonlyArray<StoredClient>, Unavailable>
    /** Removes a client. What users have connected with it stays until they or the operator end it. */
    readonly remove: (id: string) => Effect.Effect<void, NotFound | Unavailable>
    /** Records that a user has connected a client. */
    readonly connected: (client_id: string) => Effect.Effect<void, Unavailable>
    /** Erases registrations that are no longer used. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/oauth/StoredClients") {
  static readonly layer = Layer.effect(
    StoredClients,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database

      const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

      const store = Effect.fnUntraced(function* (metadata: unknown, is_by_operator: boolean) {
        const client = yield* ClientMetadata.read(metadata)
        const [row] = yield* runSql<StoredClient>(
          sql,
          `INSERT INTO oauth_clients (id, name, redirect_uris, is_by_operator, created_at) VALUES ($1, $2, $3::text[], $4, $5)
            ON CONFLICT (id) DO UPDATE SET is_by_operator = oauth_clients.is_by_operator OR excluded.is_by_operator,
              created_at = excluded.created_at
            RETURNING ${columns}`,
          [idOf(client), client.name, client.redirect_uris, is_by_operator, yield* now]
        )
        return row!
      })

      const trim = runSql(
        sql,
        `DELETE FROM oauth_clients WHERE id IN (
            SELECT id FROM oauth_clients WHERE connected_at IS NULL AND NOT is_by_operator
            ORDER BY created_at DESC OFFSET ${maxUnused}
          )`
      )

      return StoredClients.of({
        find: traced("StoredClients.find")((id: string) =>
          Effect.map(
            runSql<StoredClient>(read, `SELECT ${columns} FROM oauth_clients WHERE id = $1`, [id]),
            ([client]) => client
          )
        ),
        register: traced("StoredClients.register")((metadata: unknown) => Effect.tap(store(metadata, false), trim)),
        add: traced("StoredClients.add")((metadata: unknown) => store(metadata, true)),
        list: traced("StoredClients.list")((after: StoredClient | undefined) =>
          runSql<StoredClient>(read, `SELECT ${columns} FROM oauth_clients WHERE id > $1 ORDER BY id LIMIT 500`, [
            after?.id ?? ""
          ])
        ),
        remove: traced("StoredClients.remove")(function* (id: string) {
          const removed = yield* runSql(sql, "DELETE FROM oauth_clients WHERE id = $1 RETURNING id", [id])
          if (removed.length === 0) return yield* NotFound.of(`client: ${id}`)
        }),
        connected: traced("StoredClients.connected")(function* (client_id: string) {
          yield* runSql(sql, "UPDATE oauth_clients SET connected_at = $2 WHERE id = $1", [client_id, yield* now])
        }),
        prune: Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.asVoid(
            Effect.orDie(
              sql.unsafe(
                `DELETE FROM oauth_clients WHERE id IN (
                  SELECT id FROM oauth_clients c WHERE NOT is_by_operator AND (
                    connected_at IS NULL AND created_at < $1 OR connected_at < $2
                    AND NOT EXISTS (SELECT FROM sessions s WHERE s.app ->> 'client_id' = c.id)
                  ) LIMIT 1000
                )`,
                [new Date(now - life.unused).toISOString(), new Date(now - life.ended).toISOString()]
              )
            )
          )
        )
      })
    })
  )
}
