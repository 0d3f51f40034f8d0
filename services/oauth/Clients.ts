import { Clock, Context, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { Database, orUnavailable } from "../database/Database.ts"
import { NotFound, type RateLimited, type Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import { Throttles } from "../limits/Throttles.ts"
import { traced } from "../Traced.ts"
import { ClientDocuments, isDocument } from "./ClientDocuments.ts"
import * as ClientMetadata from "./ClientMetadata.ts"
import { type OAuthError, refusal } from "./OAuthError.ts"

/** How a server knows a client: by the host of its document, by its registration, or by the operator. */
export type ClientKind = "document" | "registration" | "operator"

export interface Client extends ClientMetadata.ClientMetadata {
  readonly id: string
  readonly kind: ClientKind
}

/** A client that is stored here, as the operator sees it. Times are RFC 3339. */
export interface StoredClient extends ClientMetadata.ClientMetadata {
  readonly id: string
  readonly is_typed: boolean
  readonly created_at: string
  readonly connected_at: string | null
}

/** Maximum number of registered clients that no user has connected. The oldest one is erased first. */
const maxUnused = 10_000
const day = 24 * 3600_000
/** Milliseconds after which a registration is erased: that no user has connected, and after the last connection ended. */
const life = { unused: day, ended: 90 * day }

const columns = "id, name, redirect_uris, is_typed, created_at, connected_at"

const unknown = refusal("invalid_client", "The server does not know this client: register it again")

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

/** The programs that users can connect (contract 4, Connected apps). */
export class Clients extends Context.Service<
  Clients,
  {
    /** Finds a client by its id: the URL of its document, or the id of a registration. */
    readonly find: (client_id: string) => Effect.Effect<Client, OAuthError | Unavailable>
    /** Registers a client (RFC 7591): at most 20 an hour from one network. */
    readonly register: (
      metadata: unknown,
      ip: string | null
    ) => Effect.Effect<StoredClient, OAuthError | RateLimited | Unavailable>
    /** Records that a user has connected a client. */
    readonly connected: (client_id: string) => Effect.Effect<void, Unavailable>
    /** Adds a client for which the operator vouches. */
    readonly add: (metadata: unknown) => Effect.Effect<StoredClient, OAuthError | Unavailable>
    readonly list: Effect.Effect<ReadonlyArray<StoredClient>, Unavailable>
    /** Removes a stored client. What users have connected with it stays until they or the operator end it. */
    readonly remove: (id: string) => Effect.Effect<void, NotFound | Unavailable>
    /** Erases registrations that are no longer used. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/oauth/Clients") {
  static readonly layer = Layer.effect(
    Clients,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const documents = yield* ClientDocuments
      const throttles = yield* Throttles

      const store = Effect.fnUntraced(function* (metadata: ClientMetadata.ClientMetadata, is_typed: boolean) {
        const now = new Date(yield* Clock.currentTimeMillis).toISOString()
        const [row] = yield* orUnavailable(
          sql.unsafe<StoredClient>(
            `INSERT INTO oauth_clients (id, name, redirect_uris, is_typed, created_at) VALUES ($1, $2, $3::text[], $4, $5)
            ON CONFLICT (id) DO UPDATE SET is_typed = oauth_clients.is_typed OR excluded.is_typed,
              created_at = excluded.created_at
            RETURNING ${columns}`,
            [idOf(metadata), metadata.name, metadata.redirect_uris, is_typed, now]
          )
        )
        return row!
      })

      const trim = orUnavailable(
        sql.unsafe(
          `DELETE FROM oauth_clients WHERE id IN (
            SELECT id FROM oauth_clients WHERE connected_at IS NULL AND NOT is_typed
            ORDER BY created_at DESC OFFSET ${maxUnused}
          )`
        )
      )

      return Clients.of({
        find: traced("Clients.find")(function* (client_id: string) {
          if (isDocument(client_id)) {
            return { ...(yield* documents.get(client_id)), id: client_id, kind: "document" } as const
          }
          const [row] = yield* orUnavailable(
            read.unsafe<StoredClient>(`SELECT ${columns} FROM oauth_clients WHERE id = $1`, [client_id])
          )
          if (row === undefined) return yield* unknown
          const { id, is_typed, name, redirect_uris } = row
          return { id, name, redirect_uris, kind: is_typed ? "operator" : "registration" } as const
        }),
        register: traced("Clients.register")(function* (metadata: unknown, ip: string | null) {
          yield* throttles.clientRegistration(ip)
          const row = yield* store(yield* ClientMetadata.read(metadata), false)
          yield* trim
          return row
        }),
        connected: traced("Clients.connected")(function* (client_id: string) {
          const now = new Date(yield* Clock.currentTimeMillis).toISOString()
          yield* orUnavailable(sql.unsafe("UPDATE oauth_clients SET connected_at = $2 WHERE id = $1", [client_id, now]))
        }),
        add: traced("Clients.add")((metadata: unknown) =>
          Effect.flatMap(ClientMetadata.read(metadata), (read) => store(read, true))
        ),
        list: orUnavailable(
          read.unsafe<StoredClient>(`SELECT ${columns} FROM oauth_clients ORDER BY created_at DESC LIMIT 500`)
        ),
        remove: traced("Clients.remove")(function* (id: string) {
          const removed = yield* orUnavailable(sql.unsafe("DELETE FROM oauth_clients WHERE id = $1 RETURNING id", [id]))
          if (removed.length === 0) return yield* NotFound.of("client")
        }),
        prune: Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.asVoid(
            Effect.orDie(
              sql.unsafe(
                `DELETE FROM oauth_clients c WHERE NOT is_typed AND id IN (
                  SELECT id FROM oauth_clients WHERE coalesce(connected_at, created_at) < $1 ORDER BY created_at LIMIT 1000
                ) AND (connected_at IS NULL OR connected_at < $2
                  AND NOT EXISTS (SELECT FROM sessions s WHERE s.app ->> 'client_id' = c.id))`,
                [new Date(now - life.unused).toISOString(), new Date(now - life.ended).toISOString()]
              )
            )
          )
        )
      })
    })
  )
}
