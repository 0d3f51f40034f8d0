import { Context, Effect, Layer, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import { Database, runSql } from "../database/Database.ts"
import type { NotFound, RateLimited, Unavailable } from "../Errors.ts"
import { Credentials } from "../identity/Credentials.ts"
import { refreshTokens, sessions, users } from "../identity/IdentityTables.ts"
import * as RefreshTokens from "../identity/RefreshTokens.ts"
import { SecurityMails } from "../identity/SecurityMails.ts"
import type { Origin } from "../identity/Sessions.ts"
import * as SessionTokens from "../identity/SessionTokens.ts"
import type { WorkspaceId } from "../Ids.ts"
import { Throttles } from "../limits/Throttles.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Secrets } from "../secrets/Secrets.ts"
import * as Tokens from "../Tokens.ts"
import { traced } from "../Traced.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import { isMember } from "./AppMembership.ts"
import { checkResource, required, single } from "./AuthorizationRequest.ts"
import { OAuthError, refusal } from "./OAuthError.ts"
import { codes } from "./OAuthTables.ts"
import * as RedirectUris from "./RedirectUris.ts"

/** Milliseconds for which a code may be sent again, if its tokens were not used. */
const replayWindow = 60_000

/** The response of the token endpoint (RFC 6749, section 5.1). */
export interface OAuthTokens {
  readonly access_token: string
  readonly token_type: "Bearer"
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
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

/** The tokens of apps: what a code and a refresh token are exchanged for, and their end (RFC 6749, RFC 7009). */
export class AppTokens extends Context.Service<
  AppTokens,
  {
    /** A request to the token endpoint: a code or a refresh token for tokens. */
    readonly token: (form: URLSearchParams, origin: Origin) => Effect.Effect<OAuthTokens, TokenFailure>
    /** Ends what a token belongs to, if it is an app of the client. */
    readonly revoke: (form: URLSearchParams, origin: Origin) => Effect.Effect<void, OAuthError | NotFound | Unavailable>
  }
>()("sheaf/oauth/AppTokens") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      AppTokens,
      Effect.gen(function* () {
        const { read } = yield* Database
        const writer = yield* Writer
        const secrets = yield* Secrets
        const credentials = yield* Credentials
        const throttles = yield* Throttles
        const securityMails = yield* SecurityMails

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
            ? yield* runSql<{ readonly workspace_id: WorkspaceId }>(
                read,
                "SELECT workspace_id FROM authorization_codes WHERE hash = $1",
                [hash]
              )
            : []
          if (found === undefined) return yield* wrongCode
          const tokens = yield* writer.writeLocked(
            found.workspace_id,
            { actor: { ...origin, user_id: null, device_id: null } },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const held = yield* draft.get(codes, hash)
              const user = held === undefined ? undefined : yield* draft.get(users, held.user_id)
              if (held === undefined || user === undefined) return yield* wrongCode
              const isSent = held.app.client_id === client_id && isVerifier(verifier, held.challenge)
              if (!isSent || (redirect_uri ?? held.redirect_uri) !== held.redirect_uri) return yield* wrongCode
              draft.actor = { ...draft.actor, user_id: user.id }
              const pairs = SessionTokens.successors(secrets, code)
              const { session_id, used_at } = held
              if (session_id !== null && used_at !== null) return yield* replay(draft, { session_id, used_at }, pairs)
              if (held.expires_at <= draft.now) return yield* wrongCode
              if (user.suspended_at !== null) return yield* wrongCode
              if (!(yield* isMember(draft, user.id, held.app.workspace_id))) return yield* noMember
              const session = yield* SessionTokens.startApp(draft, user, held.app, pairs[0])
              draft.put(codes, { ...held, session_id: session.id, used_at: draft.now })
              yield* securityMails.put(
                draft,
                user.id,
                MailTemplates.appConnected(held.app.name, RedirectUris.placeOf(held.redirect_uri))
              )
              return tokensOf({ pair: pairs[0], session, user }, draft)
            })
          )
          return tokens ?? (yield* wrongCode)
        })

        /** The session of an access token or a refresh token, current or not. */
        const sessionOf = (token: string) =>
          Effect.map(
            runSql<{ readonly workspace_id: WorkspaceId; readonly session_id: string }>(
              read,
              `SELECT workspace_id, session_id FROM refresh_tokens WHERE hash = $1 OR family = $2
                UNION ALL SELECT workspace_id, id FROM sessions WHERE access_hash = $1 OR previous_access_hash = $1
                LIMIT 1`,
              [Tokens.digestOf(token), token.startsWith("sfr_") ? SessionTokens.provenFamilyOf(secrets, token) : null]
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

        const exchanges = new Map([
          ["authorization_code", exchangeCode],
          ["refresh_token", refresh]
        ])

        const token = traced("AppTokens.token")(function* (form: URLSearchParams, origin: Origin) {
          const grant = yield* required(form, "grant_type")
          const client_id = yield* required(form, "client_id")
          yield* checkResource(form, publicUrl)
          const exchange = exchanges.get(grant)
          if (exchange === undefined) {
            return yield* refusal("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
          }
          return yield* throttles.credential(
            origin.ip,
            exchange(form, client_id, origin).pipe(Effect.catchTag("Unauthorized", () => Effect.fail(wrongToken))),
            (error) => error instanceof OAuthError && error.code === "invalid_grant"
          )
        })

        return AppTokens.of({
          token,
          revoke: traced("AppTokens.revoke")(function* (form: URLSearchParams, origin: Origin) {
            const token = yield* required(form, "token")
            const client_id = yield* single(form, "client_id")
            const isToken = Tokens.isWellFormed("sfr", token) || Tokens.isWellFormed("sfa", token)
            const found = isToken ? yield* sessionOf(token) : undefined
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
