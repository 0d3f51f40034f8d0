import { Context, Effect, Layer, Redacted } from "effect"
import {
  type ApiKey,
  type ApiKeyCreate,
  apiKeyList,
  type ApiKeyUpdate,
  type ApiKeyWithSecret,
  isCreator,
  maySee,
  maySeeAll,
  scopesBeyond
} from "./ApiKey.ts"
import { columnsOf } from "../tables/Column.ts"
import {
  type BadRequest,
  type Condition,
  Forbidden,
  Invalid,
  NotFound,
  type Stale,
  Unauthorized,
  type Unavailable
} from "../Errors.ts"
import * as Ids from "../Ids.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import { Database, runSql } from "../database/Database.ts"
import type { Reads } from "../database/ReachedRows.ts"
import { actorOf } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Lists } from "../lists/Lists.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { endKeys, endWith, logKey } from "../workspaces/ApiKeyEnds.ts"
import { checkReach, isWithin } from "../workspaces/CredentialReach.ts"
import { ended, endWithin, presentTermOf, type Term, termOf } from "../workspaces/CredentialTerm.ts"
import { Plans } from "../workspaces/Plans.ts"
import { holdUser, roleOf } from "../workspaces/RoleChecks.ts"
import { type ApiKeyRow, apiKeys } from "../workspaces/WorkspaceTables.ts"
import { changeKey, deleteExpired, makeKey, mayHaveAnother } from "./ApiKeyEdits.ts"
import { Credentials } from "./Credentials.ts"
import { limitedScopes, scopes } from "./Scopes.ts"
import { SecurityMails } from "./SecurityMails.ts"
import * as Tokens from "../Tokens.ts"

/** Milliseconds for which the previous secret stays valid after a rotation: 24 hours (contract, Limits). */
const overlap = 24 * 3600_000

const missing = NotFound.of("API key")

const beyondCaller = (scopes: ReadonlyArray<string>) =>
  new Forbidden({
    code: "scope_not_grantable",
    detail: `The caller does not have these scopes, and cannot grant them: ${scopes.join(", ")}`,
    extra: { required_scopes: scopes }
  })

const notCreator = new Forbidden({
  code: "insufficient_role",
  detail: "Only the creator of an API key can change or rotate it"
})

const outlived = new Forbidden({
  code: "scope_not_grantable",
  detail: "An API key that expires cannot rotate or widen a key that lives longer"
})

/** Locks the user's row, and refuses a session that ended while the write waited: it must not create a credential. */
const holdCaller = Effect.fnUntraced(function* (draft: LockedDraft, principal: PrincipalShape) {
  yield* holdUser(draft, principal.user_id)
  if (principal.kind === "api_key") return
  const held = yield* draft.runSql("SELECT 1 AS found FROM sessions WHERE workspace_id = $1 AND id = $2", [
    principal.home_id,
    principal.credential_id
  ])
  if (held.length === 0) return yield* ended
})

/** Whether a key with this expiry (null: never) lives longer than `end`. */
const outlives = (expires_at: string | null, end: string | null): boolean =>
  end !== null && (expires_at === null || expires_at > end)

/** Returns the scopes of a new key: all that the caller may grant and that have an effect, or those that they request. */
const granted = (principal: PrincipalShape, { notebooks, scopes: asked }: ApiKeyCreate) => {
  const all = notebooks == null ? scopes : limitedScopes
  if (asked === undefined) return Effect.succeed(all.filter((scope) => principal.scopes.has(scope)))
  const beyond = scopesBeyond(principal, asked)
  return beyond.length === 0 ? Effect.succeed([...new Set(asked)]) : Effect.fail(beyondCaller(beyond))
}

/** API keys: opaque secrets, shown once. Only a digest of the secret is stored (contract 4). */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (
      input: ApiKeyCreate
    ) => Effect.Effect<ApiKeyWithSecret, Forbidden | Invalid | NotFound | Unauthorized | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<ApiKey, NotFound | Unavailable, Principal>
    /**
     * Changes the key, for its creator only. `unproven` is the refusal of a change by which the key would reach more; it is
     * undefined if the caller may make such a change. A key that reaches less does so at once, also its streams.
     */
    readonly update: (
      id: string,
      input: ApiKeyUpdate,
      unproven: Forbidden | undefined,
      condition?: Condition<ApiKey>
    ) => Effect.Effect<ApiKey, Forbidden | Invalid | NotFound | Stale | Unauthorized | Unavailable, Principal>
    /** Ends the key and the streams that it opened, on this node at once, on other nodes within a second. */
    readonly delete: (
      id: string,
      condition?: Condition<ApiKey>
    ) => Effect.Effect<void, Forbidden | NotFound | Stale | Unauthorized | Unavailable, Principal>
    /** Makes a new secret, for the key's creator only. The previous one stays valid for 24 hours; an older one ends. */
    readonly rotate: (
      id: string,
      condition?: Condition<ApiKey>
    ) => Effect.Effect<ApiKeyWithSecret, Forbidden | NotFound | Stale | Unauthorized | Unavailable, Principal>
    /** Stores a key with a given secret, without a caller: at the first start, and in tests. */
    readonly issue: (key: {
      readonly workspace_id: Ids.WorkspaceId
      readonly user_id: string
      readonly name: string
      readonly scopes: ReadonlyArray<string>
      readonly secret: Redacted.Redacted
      readonly now: number
    }) => Effect.Effect<string>
  }
>()("sheaf/identity/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const writer = yield* Writer
      const lists = yield* Lists
      const credentials = yield* Credentials
      const { limits } = yield* Plans
      const securityMails = yield* SecurityMails
      const randomness = yield* Randomness

      const shownText = `SELECT ${columnsOf(apiKeyList.shape)}, user_id FROM api_keys WHERE workspace_id = $1 AND id = $2`
      /** Returns the key as the caller sees it. Its last use is stored only after `credentials.flush`. */
      const shownBy = Effect.fnUntraced(function* (sql: Reads, id: string, principal: PrincipalShape) {
        const [key] = yield* runSql<ApiKey & { readonly user_id: string }>(sql, shownText, [principal.workspace_id, id])
        if (key === undefined || !maySee(principal, key)) return yield* missing
        const { user_id: _, ...shown } = key
        return shown
      })

      const found = (id: string, principal: PrincipalShape) =>
        Effect.andThen(credentials.flush, shownBy(read, id, principal))

      /** Returns the row of a key that the caller may change. Fails with 412 if the key does not match the condition. */
      const row = Effect.fnUntraced(function* (
        draft: LockedDraft,
        id: string,
        principal: PrincipalShape,
        condition: Condition<ApiKey> | undefined
      ) {
        if (condition !== undefined) yield* condition(yield* shownBy(draft.sql, id, principal))
        const key = yield* draft.get(apiKeys, id)
        return key === undefined || !maySee(principal, key) ? yield* missing : key
      })

      /** Returns the row of a key that the caller has created, and may use as it is. */
      const ownRow = Effect.fnUntraced(function* (...args: Parameters<typeof row>) {
        const [draft, , principal] = args
        yield* holdCaller(draft, principal)
        const key = yield* row(...args)
        if (!isCreator(principal, key)) return yield* notCreator
        yield* roleOf(draft, principal.user_id)
        return { key, term: yield* presentTermOf(draft, principal) }
      })

      /** Refuses a caller that could get more by the key than it may do itself. */
      const mayHold = Effect.fnUntraced(function* (principal: PrincipalShape, key: ApiKeyRow, term: Term) {
        if (outlives(key.expires_at, term.expires_at)) return yield* outlived
        const beyond = scopesBeyond(principal, key.scopes)
        if (beyond.length > 0) return yield* beyondCaller(beyond)
      })

      /** Stores the last uses of keys before the write, because they are part of a condition. */
      const write = <A, E>(principal: PrincipalShape, method: (draft: LockedDraft) => Effect.Effect<A, E>) =>
        Effect.andThen(
          credentials.flush,
          writer.writeLocked(principal.workspace_id, { actor: actorOf(principal) }, method)
        )

      return ApiKeys.of({
        list: traced("ApiKeys.list")(function* (query: PageQuery) {
          const principal = yield* Principal
          yield* credentials.flush
          return yield* lists.page({
            spec: apiKeyList,
            query,
            workspace_id: principal.workspace_id,
            where: "($2::text IS NULL OR user_id = $2)",
            params: [maySeeAll(principal) ? null : principal.user_id]
          })
        }),
        create: traced("ApiKeys.create")(function* (input: ApiKeyCreate) {
          const principal = yield* Principal
          const own = yield* granted(principal, input)
          return yield* writer.writeLocked(
            principal.workspace_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              yield* holdCaller(draft, principal)
              const term = yield* termOf(draft, principal)
              const expires_at = yield* endWithin(term, input.expires_at)
              yield* mayHaveAnother(draft, principal.user_id, limits)
              yield* deleteExpired(draft, principal.user_id)
              if (input.notebooks != null) yield* checkReach(draft, draft.workspace_id, input.notebooks)
              const key = yield* makeKey(draft, {
                name: input.name,
                scopes: own,
                notebooks: input.notebooks ?? null,
                expires_at,
                ends_with: term.ends_with,
                user_id: principal.user_id
              })
              yield* securityMails.put(draft, principal.user_id, MailTemplates.keyMade(key))
              return key
            })
          )
        }),
        get: traced("ApiKeys.get")(function* (id: string) {
          return yield* found(id, yield* Principal)
        }),
        update: traced("ApiKeys.update")(function* (
          id: string,
          input: ApiKeyUpdate,
          unproven: Forbidden | undefined,
          condition?: Condition<ApiKey>
        ) {
          const principal = yield* Principal
          yield* write(
            principal,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const { key, term } = yield* ownRow(draft, id, principal, condition)
              const { notebooks } = input
              if (notebooks != null) yield* checkReach(draft, draft.workspace_id, notebooks, key.notebooks ?? [])
              if (notebooks !== undefined && !(yield* isWithin(draft, key.notebooks, notebooks))) {
                if (unproven !== undefined) return yield* unproven
                yield* mayHold(principal, key, term)
              }
              changeKey(draft, key, input)
            })
          )
          return yield* found(id, principal)
        }),
        delete: traced("ApiKeys.delete")(function* (id: string, condition?: Condition<ApiKey>) {
          const principal = yield* Principal
          yield* write(
            principal,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              yield* presentTermOf(draft, principal)
              yield* endKeys(draft, [yield* row(draft, id, principal, condition)])
            })
          )
        }),
        rotate: traced("ApiKeys.rotate")(function* (id: string, condition?: Condition<ApiKey>) {
          const principal = yield* Principal
          const secret = Tokens.make(randomness, "sfk")
          const rotated = yield* write(
            principal,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const { key, term } = yield* ownRow(draft, id, principal, condition)
              yield* mayHold(principal, key, term)
              const next: ApiKeyRow = {
                ...key,
                prefix: Tokens.prefixOf(secret),
                secret_hash: Tokens.digest(secret),
                previous_secret_hash: key.secret_hash,
                previous_secret_expires_at: new Date(draft.millis + overlap).toISOString()
              }
              draft.put(apiKeys, next)
              logKey(draft, next, "api_key.rotated")
              if (key.previous_secret_hash !== null) yield* endWith(draft, [key.previous_secret_hash])
              return { secret: Redacted.value(secret) }
            })
          )
          return { ...(yield* found(id, principal)), ...rotated }
        }),
        issue: traced("ApiKeys.issue")(function* (key) {
          const id = randomness.id("ak", key.now)
          yield* Effect.orDie(
            sql`INSERT INTO api_keys (id, workspace_id, user_id, name, prefix, secret_hash, scopes, created_at)
            VALUES (${id}, ${key.workspace_id}, ${key.user_id}, ${key.name}, ${Tokens.prefixOf(key.secret)},
              ${Tokens.digest(key.secret)}, ${key.scopes}, ${new Date(key.now).toISOString()})`
          )
          return id
        })
      })
    })
  )
}
