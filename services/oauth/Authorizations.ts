import { Context, Effect, Layer, Redacted } from "effect"
import { Invalid, type NotFound, type Unauthorized, type Unavailable } from "../Errors.ts"
import { type App, sessions } from "../identity/IdentityTables.ts"
import type { WorkspaceId } from "../Ids.ts"
import { Principal } from "../Principal.ts"
import type { Reach } from "../Reach.ts"
import * as Tokens from "../Tokens.ts"
import { traced } from "../Traced.ts"
import { checkReach } from "../workspaces/CredentialReach.ts"
import { ended } from "../workspaces/CredentialTerm.ts"
import { actorOf } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import { isMember } from "./AppMembership.ts"
import { checkResource, required, scopesOf, single } from "./AuthorizationRequest.ts"
import { type Client, Clients } from "./Clients.ts"
import { type OAuthError, refusal } from "./OAuthError.ts"
import { codes } from "./OAuthTables.ts"
import { StoredClients } from "./StoredClients.ts"
import * as RedirectUris from "./RedirectUris.ts"

/** Milliseconds for which a code can be exchanged. */
const codeLife = 5 * 60_000

/** A request of a client for access, after all checks that do not need the user. */
export interface Requested {
  readonly client: Client
  readonly redirect_uri: string
  readonly scopes: ReadonlyArray<string>
  readonly challenge: string
  readonly state: string | undefined
}

/** What a user allows. */
export interface Consent {
  readonly scopes: ReadonlyArray<string>
  readonly workspace_id: WorkspaceId
  /** What the app reaches there; null for everything. */
  readonly notebooks: Reach | null
}

/**
 * Authorization of apps by OAuth 2.1 (contract 4, Connected apps): authorization codes with PKCE, for public clients. What
 * an app gets is a session, with the tokens of a sign-in but fewer rights.
 */
export class Authorizations extends Context.Service<
  Authorizations,
  {
    /** Checks the query of a request for access. */
    readonly check: (query: URLSearchParams) => Effect.Effect<Requested, OAuthError | Unavailable>
    /** Allows a checked request. Returns the address that the browser goes to, with the code. */
    readonly allow: (
      requested: Requested,
      consent: Consent
    ) => Effect.Effect<string, Invalid | NotFound | Unauthorized | Unavailable, Principal>
    /** The address that the browser goes to after a refusal. */
    readonly refuse: (requested: Requested) => string
  }
>()("sheaf/oauth/Authorizations") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      Authorizations,
      Effect.gen(function* () {
        const writer = yield* Writer
        const clients = yield* Clients
        const stored = yield* StoredClients

        const leadTo = ({ redirect_uri, state }: Requested, parameters: Readonly<Record<string, string>>) =>
          // RFC 9207: so that a client of several servers does not send the code to another one.
          RedirectUris.withParameters(redirect_uri, { ...parameters, state, iss: publicUrl })

        const check = traced("Authorizations.check")(function* (query: URLSearchParams) {
          const client = yield* clients.find(yield* required(query, "client_id"))
          const redirect_uri = yield* required(query, "redirect_uri")
          const why = RedirectUris.refusalOf(redirect_uri)
          if (why !== undefined) return yield* refusal("invalid_request", `redirect_uri ${why}`)
          if (!RedirectUris.isRegistered(client.redirect_uris, redirect_uri)) {
            return yield* refusal("invalid_request", "redirect_uri is not one of those that the client has registered")
          }
          if ((yield* required(query, "response_type")) !== "code") {
            return yield* refusal("unsupported_response_type", "response_type must be code")
          }
          const challenge = yield* required(query, "code_challenge")
          if ((yield* single(query, "code_challenge_method")) !== "S256" || !/^[\w-]{43}$/.test(challenge)) {
            return yield* refusal("invalid_request", "PKCE with the method S256 is required")
          }
          yield* checkResource(query, publicUrl)
          const state = yield* single(query, "state")
          if (state?.isWellFormed() === false) return yield* refusal("invalid_request", "state is not valid UTF-8")
          return { client, redirect_uri, scopes: yield* scopesOf(query), challenge, state }
        })

        const allow = traced("Authorizations.allow")(function* (requested: Requested, consent: Consent) {
          const principal = yield* Principal
          const beyond = consent.scopes.filter((scope) => !requested.scopes.includes(scope))
          if (beyond.length > 0) {
            return yield* Invalid.field("scopes", "unknown_scope", `must be among: ${requested.scopes.join(", ")}`)
          }
          const { client, challenge, redirect_uri } = requested
          const app: App = {
            client_id: client.id,
            name: client.name,
            scopes: requested.scopes.filter((scope) => consent.scopes.includes(scope)),
            workspace_id: consent.workspace_id,
            ...(consent.notebooks === null ? {} : { notebooks: consent.notebooks })
          }
          const code = yield* writer.writeLocked(
            principal.home_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const code = Tokens.make(draft.randomness, "sfo")
              // A session that ended while the write waited must not create a credential.
              const session = yield* draft.get(sessions, principal.credential_id)
              if (session === undefined) return yield* ended
              const { second_factor, signed_in_by } = session
              if (!(yield* isMember(draft, principal.user_id, app.workspace_id))) {
                return yield* Invalid.field("workspace_id", "unknown", "must be a workspace of the user")
              }
              if (app.notebooks !== undefined) yield* checkReach(draft, app.workspace_id, app.notebooks)
              draft.add(codes, {
                hash: Tokens.digest(code),
                user_id: principal.user_id,
                app: { ...app, signed_in: { signed_in_by, second_factor } },
                redirect_uri,
                challenge,
                session_id: null,
                used_at: null,
                expires_at: new Date(draft.millis + codeLife).toISOString()
              })
              return Redacted.value(code)
            })
          )
          yield* stored.connected(client.id)
          return leadTo(requested, { code })
        })

        return Authorizations.of({
          check,
          allow,
          refuse: (requested) => leadTo(requested, { error: "access_denied" })
        })
      })
    )
}
