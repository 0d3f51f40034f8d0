import { Clock, Context, Effect, Layer } from "effect"
import { Database, runSql } from "../database/Database.ts"
import { type BadRequest, type Condition, NotFound, type Stale, type Unavailable } from "../Errors.ts"
import { Credentials } from "../identity/Credentials.ts"
import { sessions } from "../identity/IdentityTables.ts"
import * as SessionTokens from "../identity/SessionTokens.ts"
import { Lists } from "../lists/Lists.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { columnsOf } from "../tables/Column.ts"
import { traced } from "../Traced.ts"
import { actorOf } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import { type ConnectedApp, connectedAppList } from "./ConnectedApp.ts"

const missing = NotFound.of("connected app")

/** The apps that a user has connected. */
export class ConnectedApps extends Context.Service<
  ConnectedApps,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<ConnectedApp, NotFound | Unavailable, Principal>
    /** Ends an app with its tokens and streams, on this node at once, on other nodes within a second. */
    readonly delete: (
      id: string,
      condition?: Condition<ConnectedApp>
    ) => Effect.Effect<void, NotFound | Stale | Unavailable, Principal>
  }
>()("sheaf/oauth/ConnectedApps") {
  static readonly layer = Layer.effect(
    ConnectedApps,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer
      const lists = yield* Lists
      const credentials = yield* Credentials

      const text = `SELECT ${columnsOf(connectedAppList.shape)} FROM ${connectedAppList.from}
        WHERE workspace_id = $1 AND user_id = $2 AND id = $3 AND expires_at > $4`
      const found = Effect.fnUntraced(function* (sql: typeof read, { home_id, user_id }: PrincipalShape, id: string) {
        const now = new Date(yield* Clock.currentTimeMillis).toISOString()
        const [app] = yield* runSql<ConnectedApp>(sql, text, [home_id, user_id, id, now])
        return app ?? (yield* missing)
      })

      return ConnectedApps.of({
        list: traced("ConnectedApps.list")(function* (query: PageQuery) {
          const principal = yield* Principal
          yield* credentials.flush
          return yield* lists.page({
            spec: connectedAppList,
            query,
            workspace_id: principal.home_id,
            where: "user_id = $2 AND expires_at > $3",
            params: [principal.user_id, new Date(yield* Clock.currentTimeMillis).toISOString()]
          })
        }),
        get: traced("ConnectedApps.get")(function* (id: string) {
          yield* credentials.flush
          return yield* found(read, yield* Principal, id)
        }),
        delete: traced("ConnectedApps.delete")(function* (id: string, condition?: Condition<ConnectedApp>) {
          const principal = yield* Principal
          yield* credentials.flush
          yield* writer.writeLocked(
            principal.home_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              if (condition !== undefined) yield* condition(yield* found(draft.sql, principal, id))
              const session = yield* draft.get(sessions, id)
              if (session?.user_id !== principal.user_id || session.app === null) return yield* missing
              SessionTokens.end(draft, session, "revoked")
            })
          )
        })
      })
    })
  )
}
