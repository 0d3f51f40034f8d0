import { Context, Effect, Layer, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import { Database, orUnavailable } from "../database/Database.ts"
import { Invalid, type NotFound, type RateLimited, type Unauthorized, type Unavailable } from "../Errors.ts"
import { Credentials } from "../identity/Credentials.ts"
import { type App, refreshTokens, sessions, users } from "../identity/IdentityTables.ts"
import * as RefreshTokens from "../identity/RefreshTokens.ts"
import { SecurityMails } from "../identity/SecurityMails.ts"
import type { Origin } from "../identity/Sessions.ts"
import * as SessionTokens from "../identity/SessionTokens.ts"
import type { WorkspaceId } from "../Ids.ts"
import { Throttles } from "../limits/Throttles.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Principal } from "../Principal.ts"
import { Secrets } from "../secrets/Secrets.ts"
import * as Tokens from "../Tokens.ts"
import { traced } from "../Traced.ts"
import { ended } from "../workspaces/CredentialTerm.ts"
import { actorOf } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import { checkResource, required, scopesOf, single } from "./AuthorizationRequest.ts"
import { type Client, Clients } from "./Clients.ts"
import { OAuthError, refusal } from "./OAuthError.ts"
import { codes } from "./OAuthTables.ts"
import * as RedirectUris from "./RedirectUris.ts"

/** Milliseconds for which a code can be exchanged, and for which it may be sent again if its tokens were not used. */
const codeLife = 5 * 60_000
const replayWindow = 60_000

/** A request of a client for access, after all checks that do not need the user. */
export interface Requested {
  readonly client: Client
  readonly redirect_uri: string
  readonly scopes: ReadonlyArray<string>
  readonly challenge: string
  readonly state: string | undefined
}

/** The response of the token endpoint (RFC 6749, section 5.1). */
export interface OAuthTokens {
  readonly access_token: string
  readonly token_type: "Bearer"
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
}

/** What a user allows. */
export interface Consent {
  readonly scopes: ReadonlyArray<string>
  readonly workspace_id: WorkspaceId
}

type TokenFailure = OAuthError | NotFound | RateLimited | Unavailable

const wrongCode = refusal("invalid_grant", "The authorization code is not valid, has expired, or was used")
const wrongToken = refusal("invalid_grant", "The refresh token is not valid, has expired, or was used")
const noMember = refusal("invalid_grant", "The user is no longer a member of the workspace")

const isVerifier = (verifier: string, challenge: string): boolean => {
  const own = createHash("sha256").update(verifier).digest("base64url")
  return own.length === challenge.length && timingSafeEqual(Buffer.from(own), Buffer.from(challenge))
}

const tokensOf = ({ pair, session }: SessionTokens.Issued, { millis }: LockedDraft): OAuthTokens => ({
  access_token: Redacted.value(pair.access),
  token_type: "Bearer",
  expires_in: SessionTokens.secondsUntil(session.access_expires_at, millis),
  refresh_token: Redacted.value(pair.refresh),
  scope: session.app!.scopes.join(" ")
})

/** Whether a user is a member of the workspace of an app, which exists. */
const isMember = (draft: LockedDraft, user_id: string, workspace_id: WorkspaceId) =>
  Effect.map(
    Effect.orDie(
      draft.sql.unsafe(
        `SELECT 1 AS found FROM members m JOIN workspaces w ON w.workspace_id = m.workspace_id AND w.deleted_at IS NULL
        WHERE m.workspace_id = $1 AND m.user_id = $2`,
        [workspace_id, user_id]
      )
    ),
    (rows) => rows.length > 0
  )

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
    /** A request to the token endpoint: a code or a refresh token for tokens. */
    readonly token: (form: URLSearchParams, origin: Origin) => Effect.Effect<OAuthTokens, TokenFailure>
    /** Ends what a token belongs to (RFC 7009), if it is an app of the client. */
    readonly revoke: (form: URLSearchParams, origin: Origin) => Effect.Effect<void, OAuthError | NotFound | Unavailable>
  }
>()("sheaf/oauth/Authorizations") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      Authorizations,
      Effect.gen(function* () {
        const { read } = yield* Database
        const writer = yield* Writer
        const secrets = yield* Secrets
        const clients = yield* Clients
        const credentials = yield* Credentials
        const throttles = yield* Throttles
        const securityMails = yield* SecurityMails

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
            workspace_id: consent.workspace_id
          }
          const code = yield* writer.writeLocked(
            principal.home_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const code = Tokens.make(draft.randomness, "sfo")
              // A session that ended while the write waited must not create a credential.
              if ((yield* draft.get(sessions, principal.credential_id)) === undefined) return yield* ended
              if (!(yield* isMember(draft, principal.user_id, app.workspace_id))) {
                return yield* Invalid.field("workspace_id", "unknown", "must be a workspace of the user")
              }
              draft.add(codes, {
                hash: Tokens.digest(code),
                user_id: principal.user_id,
                app,
                redirect_uri,
                challenge,
                session_id: null,
                used_at: null,
                expires_at: new Date(draft.millis + codeLife).toISOString()
              })
              return Redacted.value(code)
            })
          )
          yield* clients.connected(client.id)
          return leadTo(requested, { code })
        })

        /** Returns the tokens that a code was exchanged for, if the response may have been lost; else ends its session. */
        const replay = Effect.fnUntraced(function* (
          draft: LockedDraft,
          { session_id, used_at }: { readonly session_id: string; readonly used_at: string },
          pairs: ReadonlyArray<SessionTokens.Pair>
        ) {
          const session = yield* draft.get(sessions, session_id)
          if (session === undefined) return undefined
          const user = yield* draft.get(users, session.user_id)
          for (const pair of draft.millis - Date.parse(used_at) <= replayWindow ? pairs : []) {
            const following = yield* draft.get(refreshTokens, Tokens.digest(pair.refresh))
            if (following?.used_at === null && user !== undefined) return tokensOf({ pair, session, user }, draft)
          }
          SessionTokens.end(draft, session, "code_reused")
          return undefined
        })

        const exchangeCode = Effect.fnUntraced(function* (form: URLSearchParams, client_id: string, origin: Origin) {
          const code = yield* required(form, "code")
          const verifier = yield* required(form, "code_verifier")
          const redirect_uri = yield* single(form, "redirect_uri")
          const hash = Tokens.digestOf(code)
          const [found] = Tokens.isWellFormed("sfo", code)
            ? yield* orUnavailable(
                read.unsafe<{ readonly workspace_id: WorkspaceId }>(
                  "SELECT workspace_id FROM authorization_codes WHERE hash = $1",
                  [hash]
                )
              )
            : []
          if (found === undefined) return yield* wrongCode
          const tokens = yield* writer.writeLocked(
            found.workspace_id,
            { actor: { ...origin, user_id: null, device_id: null } },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const held = yield* draft.get(codes, hash)
              const user = held === undefined ? undefined : yield* draft.get(users, held.user_id)
              if (held === undefined || user === undefined || held.expires_at <= draft.now) return yield* wrongCode
              const isSent = held.app.client_id === client_id && isVerifier(verifier, held.challenge)
              if (!isSent || (redirect_uri ?? held.redirect_uri) !== held.redirect_uri) return yield* wrongCode
              draft.actor = { ...draft.actor, user_id: user.id }
              const pairs = SessionTokens.successors(secrets, code)
              const { session_id, used_at } = held
              if (session_id !== null && used_at !== null) return yield* replay(draft, { session_id, used_at }, pairs)
              if (user.suspended_at !== null) return yield* wrongCode
              if (!(yield* isMember(draft, user.id, held.app.workspace_id))) return yield* noMember
              const session = yield* SessionTokens.startApp(draft, user, held.app, pairs[0])
              draft.put(codes, { ...held, session_id: session.id, used_at: draft.now })
              yield* securityMails.put(draft, user.id, MailTemplates.appConnected(held.app.name))
              return tokensOf({ pair: pairs[0], session, user }, draft)
            })
          )
          return tokens ?? (yield* wrongCode)
        })

        /** The session of an access token or a refresh token, current or not. */
        const sessionOf = (token: string) =>
          Effect.map(
            orUnavailable(
              read.unsafe<{ readonly workspace_id: WorkspaceId; readonly session_id: string }>(
                `SELECT workspace_id, session_id FROM refresh_tokens WHERE hash = $1 OR family = $2
                UNION ALL SELECT workspace_id, id FROM sessions WHERE access_hash = $1 OR previous_access_hash = $1
                LIMIT 1`,
                [Tokens.digestOf(token), token.startsWith("sfr_") ? SessionTokens.provenFamilyOf(secrets, token) : null]
              )
            ),
            ([found]) => found
          )

        const refresh = Effect.fnUntraced(function* (form: URLSearchParams, client_id: string, origin: Origin) {
          const token = yield* required(form, "refresh_token")
          const found = Tokens.isWellFormed("sfr", token) ? yield* sessionOf(token) : undefined
          if (found === undefined) return yield* wrongToken
          yield* throttles.refresh(found.session_id)
          // Whether the previous tokens were used decides about a token that is sent again.
          yield* credentials.flush
          const tokens = yield* writer.writeLocked(
            found.workspace_id,
            { actor: { ...origin, user_id: null, device_id: null } },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const issued = yield* RefreshTokens.exchange(draft, secrets, token, client_id)
              if (typeof issued === "string") return undefined
              const { session, user } = issued
              if (user.suspended_at !== null) return yield* wrongToken
              if (yield* isMember(draft, user.id, session.app!.workspace_id)) return tokensOf(issued, draft)
              SessionTokens.end(draft, session, "left_workspace")
              return undefined
            })
          )
          return tokens ?? (yield* wrongToken)
        })

        const token = traced("Authorizations.token")(function* (form: URLSearchParams, origin: Origin) {
          const grant = yield* required(form, "grant_type")
          const client_id = yield* required(form, "client_id")
          yield* checkResource(form, publicUrl)
          const exchange = { authorization_code: exchangeCode, refresh_token: refresh }[grant]
          if (exchange === undefined) {
            return yield* refusal("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
          }
          return yield* throttles.credential(
            origin.ip,
            exchange(form, client_id, origin).pipe(Effect.catchTag("Unauthorized", () => Effect.fail(wrongToken))),
            (error) => error instanceof OAuthError && error.code === "invalid_grant"
          )
        })

        return Authorizations.of({
          check,
          allow,
          refuse: (requested) => leadTo(requested, { error: "access_denied" }),
          token,
          revoke: traced("Authorizations.revoke")(function* (form: URLSearchParams, origin: Origin) {
            const token = yield* required(form, "token")
            const client_id = yield* single(form, "client_id")
            const found = yield* sessionOf(token)
            if (found === undefined) return
            yield* writer.writeLocked(
              found.workspace_id,
              { actor: { ...origin, user_id: null, device_id: null } },
              Effect.fnUntraced(function* (draft: LockedDraft) {
                const session = yield* draft.get(sessions, found.session_id)
                if (session?.app == null || session.app.client_id !== (client_id ?? session.app.client_id)) return
                draft.actor = { ...draft.actor, user_id: session.user_id }
                SessionTokens.end(draft, session, "revoked_by_app")
              })
            )
          })
        })
      })
    )
}
