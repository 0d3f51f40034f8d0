import { Context, Effect, Layer } from "effect"
import { Database, runSql } from "../database/Database.ts"
import type { Unavailable } from "../Errors.ts"
import * as SessionTokens from "../identity/SessionTokens.ts"
import type { WorkspaceId } from "../Ids.ts"
import { traced } from "../Traced.ts"
import { OperatorActor } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import type { EndedApps } from "./ConnectedApp.ts"

/** Maximum number of users whose apps one step ends. */
const stepSize = 100

/** Commands of the operator on the apps that users have connected. */
export class OperatorApps extends Context.Service<
  OperatorApps,
  {
    /**
     * Ends what a client has got, of a bounded number of users: their apps with all tokens, and codes that were not
     * exchanged. Each user has an entry in the audit log for each app.
     */
    readonly end: (client_id: string) => Effect.Effect<EndedApps, Unavailable>
  }
>()("sheaf/oauth/OperatorApps") {
  static readonly layer = Layer.effect(
    OperatorApps,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer

      const endOf = (client_id: string) =>
        Effect.fnUntraced(function* (draft: LockedDraft) {
          // The exchange of a code holds the same lock: its session is either found here, or not made any more.
          yield* draft.execute("DELETE FROM authorization_codes WHERE workspace_id = $1 AND app ->> 'client_id' = $2", [
            draft.workspace_id,
            client_id
          ])
          const ending = yield* draft.execute<SessionTokens.Ending>(
            `SELECT id, device_id, device_name, app FROM sessions
            WHERE workspace_id = $1 AND app ->> 'client_id' = $2 ORDER BY id`,
            [draft.workspace_id, client_id]
          )
          for (const session of ending) SessionTokens.end(draft, session, "revoked_by_operator")
          return ending.length
        })

      return OperatorApps.of({
        end: traced("OperatorApps.end")(function* (client_id: string) {
          const actor = yield* OperatorActor
          const found = yield* runSql<{ readonly workspace_id: WorkspaceId }>(
            read,
            `SELECT workspace_id FROM sessions WHERE app ->> 'client_id' = $1
              UNION SELECT workspace_id FROM authorization_codes WHERE app ->> 'client_id' = $1
              ORDER BY workspace_id LIMIT ${stepSize + 1}`,
            [client_id]
          )
          const counts = yield* Effect.forEach(found.slice(0, stepSize), ({ workspace_id }) =>
            writer
              .writeLocked(workspace_id, { actor }, endOf(client_id))
              // The account was deleted meanwhile, with its apps.
              .pipe(Effect.catchTag("NotFound", () => Effect.succeed(0)))
          )
          return { ended: counts.reduce((sum, count) => sum + count, 0), has_more: found.length > stepSize }
        })
      })
    })
  )
}
