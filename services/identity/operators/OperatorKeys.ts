import { Context, Effect, Layer, type Redacted } from "effect"
import type { WorkspaceId } from "../../Ids.ts"
import { type Invalid, NotFound, type Unavailable } from "../../Errors.ts"
import { Database, runSql } from "../../database/Database.ts"
import { OperatorActor } from "../../writer/Actor.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { endKeys } from "../../workspaces/ApiKeyEnds.ts"
import { apiKeys } from "../../workspaces/WorkspaceTables.ts"
import type { ApiKey, ApiKeyWithSecret } from "../ApiKey.ts"
import { makeKey } from "../ApiKeyEdits.ts"
import { Operator } from "./Operator.ts"
import { type Grantable, scopes as allScopes } from "../Scopes.ts"

/** An API key, as the operator sees it. */
export interface OwnedKey extends ApiKey {
  readonly email: string
  readonly workspace_id: WorkspaceId
  /** Its slug. */
  readonly workspace: string
}

/** Commands of the operator on API keys of users. */
export class OperatorKeys extends Context.Service<
  OperatorKeys,
  {
    /** Creates a key in a workspace of the user, given by id or slug. Default: the personal workspace. */
    readonly add: (key: {
      readonly email: string
      readonly workspace: string | undefined
      readonly name: string
      /** Default: all. */
      readonly scopes: ReadonlyArray<Grantable> | undefined
      readonly expires_at: string | null
      /** Default: a random one. */
      readonly secret?: Redacted.Redacted
    }) => Effect.Effect<ApiKeyWithSecret & { readonly workspace_id: WorkspaceId }, NotFound | Invalid | Unavailable>
    /** Returns at most 500 keys after the id `after`, of all users or of one, in the order of ids. */
    readonly all: (
      after: string,
      email: string | undefined
    ) => Effect.Effect<ReadonlyArray<OwnedKey>, NotFound | Unavailable>
    readonly revoke: (id: string) => Effect.Effect<void, NotFound | Unavailable>
  }
>()("sheaf/identity/operators/OperatorKeys") {
  static readonly layer = Layer.effect(
    OperatorKeys,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer
      const operator = yield* Operator
      return OperatorKeys.of({
        add: traced("OperatorKeys.add")(function* ({ email, scopes = allScopes, workspace, ...key }) {
          const user = yield* operator.find(email)
          const named = workspace ?? user.workspace_id
          const [found] = yield* runSql<{ readonly workspace_id: WorkspaceId }>(
            read,
            `SELECT w.workspace_id FROM workspaces w
            JOIN members m ON m.workspace_id = w.workspace_id AND m.user_id = $1
            WHERE (w.workspace_id = $2 OR w.slug = $2) AND w.deleted_at IS NULL`,
            [user.id, named]
          )
          if (found === undefined) return yield* NotFound.of(`workspace of ${user.email}: ${named}`)
          const made = yield* writer.writeLocked(found.workspace_id, { actor: yield* OperatorActor }, (draft) =>
            makeKey(draft, { ...key, user_id: user.id, scopes })
          )
          return { ...made, workspace_id: found.workspace_id }
        }),
        all: traced("OperatorKeys.all")(function* (after: string, email: string | undefined) {
          const user = email === undefined ? undefined : yield* operator.find(email)
          return yield* runSql<OwnedKey>(
            read,
            `SELECT k.id, k.name, k.prefix, k.scopes, k.last_used_at, k.expires_at, k.previous_secret_expires_at,
              k.created_at, u.email, w.workspace_id, w.slug AS workspace
            FROM api_keys k JOIN users u ON u.id = k.user_id JOIN workspaces w ON w.workspace_id = k.workspace_id
            WHERE k.id > $1 AND ($2::text IS NULL OR k.user_id = $2) ORDER BY k.id LIMIT 500`,
            [after, user?.id ?? null]
          )
        }),
        revoke: traced("OperatorKeys.revoke")(function* (id: string) {
          const missing = NotFound.of(`API key: ${id}`)
          const [found] = yield* runSql<{ readonly workspace_id: WorkspaceId }>(
            read,
            "SELECT workspace_id FROM api_keys WHERE id = $1",
            [id]
          )
          if (found === undefined) return yield* missing
          yield* writer.writeLocked(found.workspace_id, { actor: yield* OperatorActor }, (draft) =>
            Effect.flatMap(draft.get(apiKeys, id), (key) => {
              if (key === undefined) return Effect.fail(missing)
              return endKeys(draft, [key])
            })
          )
        })
      })
    })
  )
}
