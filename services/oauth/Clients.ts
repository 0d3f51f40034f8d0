import { Context, Effect, Layer } from "effect"
import type { RateLimited, Unavailable } from "../Errors.ts"
import { Throttles } from "../limits/Throttles.ts"
import { traced } from "../Traced.ts"
import { ClientDocuments, isDocument } from "./ClientDocuments.ts"
import type { ClientMetadata } from "./ClientMetadata.ts"
import { type OAuthError, refusal } from "./OAuthError.ts"
import { type StoredClient, StoredClients } from "./StoredClients.ts"

/** A program that users can connect. */
export interface Client extends ClientMetadata {
  readonly id: string
  /** How the server knows it: by the document at its own host, by its registration, or from the operator. */
  readonly known_by: "document" | "registration" | "operator"
}

const unknown = refusal("invalid_client", "The server does not know this client: register it again")

/** The programs that users can connect (contract 4, Connected apps). */
export class Clients extends Context.Service<
  Clients,
  {
    /** Finds a client by its id: the URL of its document, or the id of a stored one. */
    readonly find: (client_id: string) => Effect.Effect<Client, OAuthError | Unavailable>
    /** Registers a client (RFC 7591): at most 20 an hour from one network. */
    readonly register: (
      metadata: unknown,
      ip: string | null
    ) => Effect.Effect<StoredClient, OAuthError | RateLimited | Unavailable>
  }
>()("sheaf/oauth/Clients") {
  static readonly layer = Layer.effect(
    Clients,
    Effect.gen(function* () {
      const documents = yield* ClientDocuments
      const stored = yield* StoredClients
      const throttles = yield* Throttles
      return Clients.of({
        find: traced("Clients.find")(function* (client_id: string) {
          if (isDocument(client_id)) {
            return { ...(yield* documents.get(client_id)), id: client_id, known_by: "document" as const }
          }
          const known = /^oc_[0-9A-Za-z]{1,40}$/.test(client_id) ? yield* stored.find(client_id) : undefined
          const { id, is_by_operator, name, redirect_uris } = known ?? (yield* unknown)
          return {
            id,
            name,
            redirect_uris,
            known_by: is_by_operator ? ("operator" as const) : ("registration" as const)
          }
        }),
        register: traced("Clients.register")((metadata: unknown, ip: string | null) =>
          Effect.andThen(throttles.clientRegistration(ip), stored.register(metadata))
        )
      })
    })
  )
}
