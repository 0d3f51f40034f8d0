import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { Database, runSql } from "../../database/Database.ts"
import { orConflict } from "../../database/UniqueViolations.ts"
import { email, emailKey } from "../../Email.ts"
import {
  type Conflict,
  type Forbidden,
  type Invalid,
  type NotFound,
  type RateLimited,
  Unauthorized,
  type Unavailable
} from "../../Errors.ts"
import type { WorkspaceId } from "../../Ids.ts"
import { Randomness } from "../../Randomness.ts"
import { Throttles } from "../../limits/Throttles.ts"
import { Secrets } from "../../secrets/Secrets.ts"
import * as Text from "../../Text.ts"
import * as Tokens from "../../Tokens.ts"
import { traced } from "../../Traced.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { Writer } from "../../writer/Writer.ts"
import { makeKey } from "../ApiKeyEdits.ts"
import { invalidateConfirmations } from "../Confirmations.ts"
import { setupLinks, type UserRow, users } from "../IdentityTables.ts"
import { Passwords } from "../Passwords.ts"
import { invalidateResets } from "../Recovery.ts"
import { scopes } from "../Scopes.ts"
import { type Origin, Sessions } from "../Sessions.ts"
import { about, nameOf, NewPassword } from "../User.ts"
import { emailTaken, lockUser } from "../Users.ts"

/** Milliseconds for which a link can be used: one hour (contract 4). */
const life = 3600_000

const invalidToken = new Unauthorized({ code: "invalid_token", detail: "The link is not valid, or was used before" })
const expiredToken = new Unauthorized({ code: "token_expired", detail: "The link has expired" })

/** The address, the password and the name of the first account. By default the name is the first part of the address. */
export const Setup = Schema.Struct({
  email: email(about.email),
  password: NewPassword,
  name: Schema.optionalKey(Text.notBlank(100).annotate(about.name))
})
export type Setup = typeof Setup.Type

/** Whether any user can sign in. */
const hasWayIn = "(EXISTS (SELECT FROM users WHERE password_hash IS NOT NULL) OR EXISTS (SELECT FROM user_identities))"

interface Held {
  readonly workspace_id: WorkspaceId
  readonly user_id: string
  readonly used_at: string | null
  readonly expires_at: string
  readonly email_key: string
  readonly has_way_in: boolean
}

/** Links that give the first user an address, a password and a name, while no user can sign in (contract 4). */
export class SetupLinks extends Context.Service<
  SetupLinks,
  {
    /** Makes a link at a start of the server, and returns its token; undefined if a user can sign in. */
    readonly offer: Effect.Effect<Redacted.Redacted | undefined>
    /** Checks a token. It stays valid. */
    readonly find: (
      token: string,
      origin: Origin
    ) => Effect.Effect<{ readonly isUsed: boolean }, Unauthorized | RateLimited | Unavailable>
    /**
     * Sets the address, the password and the name of the first user, and makes an API key. The same address and password
     * again give the same key, for a client that lost the response; any other input fails with `Unauthorized`.
     */
    readonly use: (
      token: string,
      input: Setup,
      origin: Origin
    ) => Effect.Effect<
      { readonly api_key: Redacted.Redacted },
      Unauthorized | Forbidden | Invalid | Conflict | RateLimited | NotFound | Unavailable
    >
    /** Sets the address and the name that a provider has named, with the additions of `also`, which sign in. */
    readonly useByProvider: <A, E>(
      token: string,
      named: { readonly email: string; readonly name: string | undefined },
      origin: Origin,
      also: (draft: LockedDraft, user: UserRow) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | Unauthorized | Conflict | RateLimited | NotFound | Unavailable>
  }
>()("sheaf/identity/registrations/SetupLinks") {
  static readonly layer = Layer.effect(
    SetupLinks,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const writer = yield* Writer
      const passwords = yield* Passwords
      const secrets = yield* Secrets
      const sessions = yield* Sessions
      const throttles = yield* Throttles
      const randomness = yield* Randomness

      const offer = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const token = Tokens.make(randomness, "sfs")
        const made = yield* Effect.orDie(
          sql.unsafe(
            `INSERT INTO setup_links (workspace_id, hash, user_id, expires_at)
            SELECT u.workspace_id, $1, u.id, $2 FROM users u
            JOIN workspaces w ON w.workspace_id = u.workspace_id AND w.deleted_at IS NULL
            JOIN members m ON m.workspace_id = u.workspace_id AND m.user_id = u.id AND m.role = 'owner'
            WHERE NOT ${hasWayIn} ORDER BY u.created_at, u.id LIMIT 1 RETURNING 1 AS made`,
            [Tokens.digest(token), new Date(now + life).toISOString()]
          )
        )
        return made.length === 0 ? undefined : token
      })

      const held = Effect.fnUntraced(function* (token: string) {
        if (!Tokens.isWellFormed("sfs", token)) return yield* invalidToken
        const [found] = yield* runSql<Held>(
          read,
          `SELECT l.workspace_id, l.user_id, l.used_at, l.expires_at, u.email_key, ${hasWayIn} AS has_way_in
            FROM setup_links l JOIN users u ON u.id = l.user_id WHERE l.hash = $1`,
          [Tokens.digestOf(token)]
        )
        if (found === undefined) return yield* invalidToken
        const left = Date.parse(found.expires_at) - (yield* Clock.currentTimeMillis)
        // A link that is valid for much longer is from a clock that has been set back since.
        if (left <= 0 || left >= 2 * life) return yield* expiredToken
        return found.used_at === null && found.has_way_in ? yield* invalidToken : found
      })

      /** The API keys that belong to a token: one for each secret key of the server, the current one first. */
      const keysOf = (token: string) =>
        secrets.derivations("setup-key", Buffer.from(token)).map((bytes) => Tokens.of("sfk", bytes))

      /** Spends a link in a draft, and returns the user after it; undefined if another request has used it. */
      const spend = Effect.fnUntraced(function* (
        draft: LockedDraft,
        token: string,
        link: Held,
        named: Pick<UserRow, "email" | "name" | "password_hash">
      ) {
        const user = yield* lockUser(draft, link.user_id)
        const present = yield* draft.get(setupLinks, Tokens.digestOf(token))
        if (user === undefined || present === undefined) return yield* invalidToken
        if (present.used_at !== null) return undefined
        const [state] = yield* draft.runSql<Pick<Held, "has_way_in">>(`SELECT ${hasWayIn} AS has_way_in`)
        if (state!.has_way_in) return yield* invalidToken
        yield* draft.execute("DELETE FROM setup_links WHERE workspace_id = $1 AND hash <> $2", [
          draft.workspace_id,
          present.hash
        ])
        draft.put(setupLinks, { ...present, used_at: draft.now })
        yield* invalidateResets(draft, user.id)
        yield* invalidateConfirmations(draft, user.id)
        // The link is the operator's, and so is the address.
        const after = { ...user, ...named, email_key: emailKey(named.email), email_proven: true }
        draft.put(users, after)
        const changed = [
          "auth.email_changed",
          ...(named.password_hash === null ? [] : ["auth.password_changed"])
        ] as const
        for (const action of changed as ReadonlyArray<"auth.email_changed" | "auth.password_changed">) {
          AuditTrail.audit(draft, { action, resource: "user", resource_id: user.id, data: { by: "setup_link" } })
        }
        return after
      })

      /** Uses the link. Returns undefined if another request has used it. */
      const first = Effect.fnUntraced(function* (token: string, link: Held, input: Setup, origin: Origin) {
        const name = input.name ?? nameOf(input.email)
        yield* passwords.checkNew("password", input.password, { email: input.email, name })
        const password_hash = yield* passwords.hash(input.password, yield* throttles.passwordClient(origin.ip))
        const secret = keysOf(token)[0]!
        return yield* writer
          .writeLocked(
            link.workspace_id,
            { actor: { ...origin, user_id: link.user_id, device_id: null } },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const user = yield* spend(draft, token, link, { email: input.email, name, password_hash })
              if (user === undefined) return undefined
              yield* makeKey(draft, { user_id: user.id, name: "Setup key", scopes, secret })
              return { api_key: secret }
            })
          )
          .pipe(orConflict("users_email_key_key", emailTaken))
      })

      /** Returns the result of a used link again, to a client with the password that was set by it. */
      const again = Effect.fnUntraced(function* (token: string, link: Held, input: Setup, origin: Origin) {
        if (emailKey(input.email) !== link.email_key) return yield* invalidToken
        yield* Effect.catchTag(sessions.authenticate(input, origin), "Unauthorized", () => Effect.fail(invalidToken))
        const keys = keysOf(token)
        const stored = yield* runSql<{ readonly secret_hash: string }>(
          read,
          "SELECT secret_hash FROM api_keys WHERE workspace_id = $1 AND secret_hash = ANY($2::text[])",
          [link.workspace_id, keys.map(Tokens.digest)]
        )
        const api_key = keys.find((key) => stored.some(({ secret_hash }) => secret_hash === Tokens.digest(key)))
        return api_key === undefined ? yield* invalidToken : { api_key }
      })

      const find = (token: string, origin: Origin) => throttles.credential(origin.ip, held(token))

      return SetupLinks.of({
        offer,
        find: traced("SetupLinks.find")((token: string, origin: Origin) =>
          Effect.map(find(token, origin), ({ used_at }) => ({ isUsed: used_at !== null }))
        ),
        useByProvider: traced("SetupLinks.useByProvider")(function* <A, E>(
          token: string,
          { email, name = nameOf(email) }: { readonly email: string; readonly name: string | undefined },
          origin: Origin,
          also: (draft: LockedDraft, user: UserRow) => Effect.Effect<A, E>
        ) {
          const link = yield* find(token, origin)
          return yield* writer
            .writeLocked(
              link.workspace_id,
              { actor: { ...origin, user_id: link.user_id, device_id: null } },
              Effect.fnUntraced(function* (draft: LockedDraft) {
                const user = yield* spend(draft, token, link, { email, name, password_hash: null })
                return user === undefined ? yield* invalidToken : yield* also(draft, user)
              })
            )
            .pipe(orConflict("users_email_key_key", emailTaken))
        }),
        use: traced("SetupLinks.use")(function* (token: string, input: Setup, origin: Origin) {
          const link = yield* find(token, origin)
          const made = link.used_at === null ? yield* first(token, link, input, origin) : undefined
          return made ?? (yield* again(token, yield* find(token, origin), input, origin))
        })
      })
    })
  )
}
