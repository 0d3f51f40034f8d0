import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../../Ids.ts"
import { NotFound, type Unavailable } from "../../Errors.ts"
import { Database, runSql } from "../../database/Database.ts"
import { OperatorActor } from "../../writer/Actor.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { sessions } from "../IdentityTables.ts"
import { Operator } from "./Operator.ts"
import * as SessionTokens from "../SessionTokens.ts"

/** A session of a user, as the operator sees it. Times are RFC 3339. */
export interface OwnedSession {
  readonly id: string
  readonly email: string
  /** The personal workspace of the user, which has the session. */
  readonly workspace_id: WorkspaceId
  readonly device_name: string
  readonly platform: string
  /** The OAuth client of a connected app; null for a sign-in. */
  readonly client_id: string | null
  readonly ip: string | null
  readonly last_active_at: string
  readonly created_at: string
  readonly expires_at: string
}

/** Commands of the operator on sessions of users. */
export class OperatorSessions extends Context.Service<
  OperatorSessions,
  {
    /** Returns at most 500 sessions after `after`, of all users or of one. */
    readonly all: (
      after: Pick<OwnedSession, "id" | "workspace_id"> | undefined,
      email: string | undefined
    ) => Effect.Effect<ReadonlyArray<OwnedSession>, NotFound | Unavailable>
    /** Ends a session: its tokens are refused. */
    readonly revoke: (id: string) => Effect.Effect<void, NotFound | Unavailable>
  }
>()("sheaf/identity/operators/OperatorSessions") {
  static readonly layer = Layer.effect(
    OperatorSessions,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer
      const operator = yield* Operator
      return OperatorSessions.of({
        all: traced("OperatorSessions.all")(function* (
          after: Pick<OwnedSession, "id" | "workspace_id"> | undefined,
          email: string | undefined
        ) {
          const user = email === undefined ? undefined : yield* operator.find(email)
          return yield* runSql<OwnedSession>(
            read,
            `SELECT s.id, u.email, s.workspace_id, s.device_name, s.platform, s.app ->> 'client_id' AS client_id, s.ip, s.last_active_at, s.created_at,
                s.expires_at
              FROM sessions s JOIN users u ON u.id = s.user_id
              WHERE (s.workspace_id, s.id) > ($1, $2) AND ($3::text IS NULL OR s.user_id = $3)
              ORDER BY s.workspace_id, s.id LIMIT 500`,
            [after?.workspace_id ?? "", after?.id ?? "", user?.id ?? null]
          )
        }),
        revoke: traced("OperatorSessions.revoke")(function* (id: string) {
          const missing = NotFound.of(`session: ${id}`)
          const [found] = yield* runSql<{ readonly workspace_id: WorkspaceId }>(
            read,
            "SELECT workspace_id FROM sessions WHERE id = $1",
            [id]
          )
          if (found === undefined) return yield* missing
          yield* writer.writeLocked(found.workspace_id, { actor: yield* OperatorActor }, (draft) =>
            Effect.flatMap(draft.get(sessions, id), (session) =>
              session === undefined
                ? Effect.fail(missing)
                : Effect.sync(() => SessionTokens.end(draft, session, "revoked_by_operator"))
            )
          )
        })
      })
    })
  )
}
