import { Clock, Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { type LogIn, type Session, sessionList, type TokenResponse } from "./Session.ts"
import {
  type BadRequest,
  type Condition,
  type Forbidden,
  type Invalid,
  NotFound,
  type RateLimited,
  type Stale,
  type Unauthorized,
  type Unavailable
} from "../Errors.ts"
import { Throttles } from "../limits/Throttles.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import { type Actor, actorOf } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Lists } from "../lists/Lists.ts"
import { columnsOf } from "../tables/Column.ts"
import { Secrets } from "../secrets/Secrets.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { emailKey } from "../Email.ts"
import { suspended } from "./Credentials.ts"
import { prune } from "./ExpiredCredentials.ts"
import { CodeAttempts } from "./factors/CodeAttempts.ts"
import * as SecondFactors from "./factors/SecondFactors.ts"
import { findUser, isKnown } from "./KnownUser.ts"
import { Passwords, wrongPassword } from "./Passwords.ts"
import { PasswordSignIn } from "./PasswordSignIn.ts"
import * as RefreshTokens from "./RefreshTokens.ts"
import { type SecondFactor, sessions, type UserRow, users } from "./IdentityTables.ts"
import * as SessionTokens from "./SessionTokens.ts"
import { makeSignIn } from "./SignIn.ts"
import * as Tokens from "../Tokens.ts"

/** The origin of a request without authentication. */
export type Origin = Pick<Actor, "ip" | "user_agent">

const missing = NotFound.of("session")

/** Sign-ins: from the password to the tokens, and their end (contract 4). */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Checks a password, and the code of an account with a second factor, like `logIn`, without starting a session. */
    readonly authenticate: (
      input: Pick<LogIn, "code" | "email" | "password">,
      origin: Origin
    ) => Effect.Effect<{ readonly id: string }, Unauthorized | Forbidden | RateLimited | NotFound | Unavailable>
    /** `isAnnounced`: whether a sign-in on a new device is mailed to the user, unless another mail or page says it. */
    readonly logIn: (
      input: LogIn,
      origin: Origin,
      isAnnounced?: boolean
    ) => Effect.Effect<TokenResponse, Unauthorized | Forbidden | RateLimited | Invalid | NotFound | Unavailable>
    /** Returns new tokens for a refresh token. A token that is sent again too late ends its session: it may be stolen. */
    readonly refresh: (
      refresh_token: string,
      origin: Origin
    ) => Effect.Effect<TokenResponse, Unauthorized | RateLimited | NotFound | Unavailable>
    /** Ends the session of this call. `id_token`: that of the provider that has signed the user in. */
    readonly logOut: () => Effect.Effect<
      { readonly id: string; readonly id_token: string | undefined },
      NotFound | Unavailable,
      Principal
    >
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly delete: (
      id: string,
      condition?: Condition<Session>
    ) => Effect.Effect<void, NotFound | Stale | Unavailable, Principal>
    /** Ends all sessions of the caller except the current one, but no connected apps. Returns how many have ended. */
    readonly endOthers: () => Effect.Effect<number, NotFound | Unavailable, Principal>
    /** Ends the caller's sessions on a device. */
    readonly endOnDevice: (device_id: string) => Effect.Effect<void, NotFound | Unavailable, Principal>
    /** Deletes expired sessions, mailed tokens, authorization codes, links of operators, and used sign-ins. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/identity/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const writer = yield* Writer
      const lists = yield* Lists
      const secrets = yield* Secrets
      const passwords = yield* Passwords
      const passwordSignIn = yield* PasswordSignIn
      const throttles = yield* Throttles
      const startSession = yield* makeSignIn
      const codeAttempts = yield* CodeAttempts
      const randomness = yield* Randomness

      /** Runs the same statements and does the same work whether the account exists or not. */
      const attempt = Effect.fnUntraced(function* (
        input: Pick<LogIn, "password" | "device">,
        key: string,
        origin: Origin
      ) {
        const now = yield* Clock.currentTimeMillis
        const user = yield* findUser(read, key, input.device?.id, now)
        const client = yield* throttles.passwordClient(
          origin.ip,
          user !== undefined && isKnown(user, origin.ip) ? user.id : undefined
        )
        if (yield* passwords.verify(input.password, user?.password_hash ?? null, client)) {
          return user!.suspended_at === null ? user! : yield* suspended
        }
        // Without an account there is no audit log for the entry. The statement still runs, and takes the same time.
        const { id, workspace_id } = user ?? { id: "", workspace_id: "" }
        const actor = { ...origin, user_id: null, device_id: null }
        const failed = { action: "auth.login_failed", resource: "user", resource_id: id } as const
        const entryId = AuditTrail.auditId(randomness, now)
        yield* orUnavailable(AuditTrail.insertEntry(sql, workspace_id, actor, now, failed, entryId))
        return yield* wrongPassword
      })

      const byPassword = (input: Pick<LogIn, "email" | "password" | "device">, origin: Origin) => {
        const key = emailKey(input.email)
        return Effect.andThen(
          passwordSignIn.need,
          throttles.credential(origin.ip, throttles.logIn(key, origin.ip, attempt(input, key, origin)))
        )
      }

      /** Checks the password and then the second factor, and continues in the draft that has used it. */
      const enter = Effect.fnUntraced(function* <A, E>(
        input: LogIn,
        origin: Origin,
        then: (draft: LockedDraft, user: UserRow, second_factor: SecondFactor | null) => Effect.Effect<A, E>
      ) {
        const user = yield* byPassword(input, origin)
        const actor = { ...origin, user_id: user.id, device_id: null }
        const entered = writer.writeLocked(
          user.workspace_id,
          { actor },
          Effect.fnUntraced(function* (draft: LockedDraft) {
            const present = yield* draft.get(users, user.id)
            // Another password was set during the check.
            if (present === undefined || present.password_hash !== user.password_hash) return yield* wrongPassword
            if (present.suspended_at !== null) return yield* suspended
            return yield* then(draft, present, yield* SecondFactors.complete(draft, secrets, user.id, input.code))
          })
        )
        return yield* input.code === undefined ? entered : codeAttempts.guarded(user, actor, entered)
      })

      const logIn = traced("Sessions.logIn")((input: LogIn, origin: Origin, isAnnounced = true) =>
        enter(input, origin, (draft, user, second_factor) =>
          startSession(draft, user, {
            device: input.device ?? {},
            by: { signed_in_by: "password", second_factor },
            ...(second_factor === null ? {} : { data: { second_factor } }),
            isAnnounced
          })
        )
      )

      const renew = Effect.fnUntraced(function* (token: string, origin: Origin) {
        if (!Tokens.isWellFormed("sfr", token)) return yield* RefreshTokens.invalidToken
        const [found] = yield* runSql<{ readonly workspace_id: WorkspaceId; readonly session_id: string }>(
          read,
          `SELECT workspace_id, session_id FROM refresh_tokens WHERE hash = $1
            UNION ALL SELECT workspace_id, session_id FROM refresh_tokens WHERE family = $2 LIMIT 1`,
          [Tokens.digestOf(token), SessionTokens.provenFamilyOf(secrets, token)]
        )
        if (found === undefined) return yield* RefreshTokens.invalidToken
        yield* throttles.refresh(found.session_id)
        const actor = { ...origin, user_id: null, device_id: null }
        const tokens = yield* writer.writeLocked(found.workspace_id, { actor }, (draft) =>
          Effect.map(RefreshTokens.exchange(draft, secrets, token), (issued) =>
            typeof issued === "string" ? issued : SessionTokens.tokensOf(issued, draft)
          )
        )
        if (typeof tokens === "string") {
          return yield* tokens === "restored" ? RefreshTokens.invalidToken : RefreshTokens.reusedToken
        }
        return tokens
      })

      /** Returns one of the caller's sessions, as it is shown to them. */
      const current = Effect.fnUntraced(function* (draft: LockedDraft, principal: PrincipalShape, id: string) {
        const [session] = yield* draft.runSql<Session>(
          `SELECT ${columnsOf(sessionList.shape)} FROM ${sessionList.from}
            WHERE workspace_id = $1 AND user_id = $2 AND id = $3`,
          [draft.workspace_id, principal.user_id, id, principal.credential_id]
        )
        return session ?? (yield* missing)
      })

      const own = Effect.fnUntraced(function* (draft: LockedDraft, principal: PrincipalShape, id: string) {
        const session = yield* draft.get(sessions, id)
        return session?.user_id === principal.user_id && session.app === null ? session : yield* missing
      })

      const write = <A, E>(principal: PrincipalShape, method: (draft: LockedDraft) => Effect.Effect<A, E>) =>
        writer.writeLocked(principal.home_id, { actor: actorOf(principal) }, method)

      const logOut = traced("Sessions.logOut")(function* () {
        const principal = yield* Principal
        const { credential_id } = principal
        const sealed = yield* write(principal, (draft) =>
          Effect.map(own(draft, principal, credential_id), (session) => {
            SessionTokens.end(draft, session, "logged_out")
            return session.id_token
          })
        )
        return { id: credential_id, id_token: sealed === null ? undefined : secrets.open("id-token", sealed) }
      })

      const remove = traced("Sessions.delete")(function* (id: string, condition?: Condition<Session>) {
        const principal = yield* Principal
        yield* write(
          principal,
          Effect.fnUntraced(function* (draft: LockedDraft) {
            const session = yield* own(draft, principal, id)
            if (condition !== undefined) yield* condition(yield* current(draft, principal, id))
            SessionTokens.end(draft, session, "revoked")
          })
        )
      })

      const endOthers = traced("Sessions.endOthers")(function* () {
        const principal = yield* Principal
        const { credential_id, user_id } = principal
        return yield* write(principal, (draft) =>
          Effect.map(SessionTokens.sessionsOf(draft, user_id), (all) => {
            const others = all.filter(({ app, id }) => app === null && id !== credential_id)
            for (const session of others) SessionTokens.end(draft, session, "revoked")
            return others.length
          })
        )
      })

      const endOnDevice = traced("Sessions.endOnDevice")(function* (device_id: string) {
        const principal = yield* Principal
        yield* write(principal, (draft) =>
          Effect.map(SessionTokens.sessionsOf(draft, principal.user_id), (all) => {
            for (const session of all) {
              if (session.device_id === device_id) SessionTokens.end(draft, session, "device_revoked")
            }
          })
        )
      })

      return Sessions.of({
        authenticate: traced("Sessions.authenticate")(
          (input: Pick<LogIn, "code" | "email" | "password">, origin: Origin) =>
            enter(input, origin, (_, { id }) => Effect.succeed({ id }))
        ),
        logIn,
        refresh: traced("Sessions.refresh")((refresh_token: string, origin: Origin) =>
          throttles.credential(origin.ip, renew(refresh_token, origin))
        ),
        logOut,
        list: traced("Sessions.list")(function* (query: PageQuery) {
          const principal = yield* Principal
          return yield* lists.page({
            spec: sessionList,
            query,
            workspace_id: principal.home_id,
            where: "user_id = $2 AND expires_at > $3",
            params: [principal.user_id, new Date(yield* Clock.currentTimeMillis).toISOString(), principal.credential_id]
          })
        }),
        delete: remove,
        endOthers,
        endOnDevice,
        prune: prune(sql)
      })
    })
  )
}
