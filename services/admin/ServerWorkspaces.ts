import { Clock, Context, Effect, Layer } from "effect"
import {
  type Condition,
  Conflict,
  type Expired,
  type Invalid,
  NotFound,
  type Stale,
  type Unavailable
} from "../Errors.ts"
import type { WorkspaceId } from "../Ids.ts"
import { Database, runSql } from "../database/Database.ts"
import { notifyReindex } from "../database/NodeBus.ts"
import { emailKey } from "../Email.ts"
import { isDeletedText } from "../identity/IdentityTables.ts"
import { Operator } from "../identity/operators/Operator.ts"
import { readsOfServer, type ServerReads } from "../lists/RecordService.ts"
import type { Principal } from "../Principal.ts"
import { traced } from "../Traced.ts"
import { OperatorActor } from "../writer/Actor.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import * as ServerAudit from "./ServerAudit.ts"
import {
  type ServerWorkspace,
  serverWorkspaceList,
  type ServerWorkspaceUpdate,
  type WorkspaceRestore
} from "./ServerWorkspace.ts"

const missing = NotFound.of("workspace")

/** Milliseconds after a deletion in which only former owners can be owners, who notice it meanwhile. */
const ownerDelay = 24 * 3600_000

const ownerTooSoon = new Conflict({
  code: "invalid_state",
  detail:
    "The workspace has an owner: restore it without `owner`. Another user can become one 24 hours after the deletion"
})

/** The workspaces of the whole server, for operators (contract 11). */
export class ServerWorkspaces extends Context.Service<
  ServerWorkspaces,
  ServerReads<ServerWorkspace> & {
    /** Sets the plan and the seats, whatever PLAN_CHANGES says. */
    readonly update: (
      id: string,
      to: ServerWorkspaceUpdate,
      condition?: Condition<ServerWorkspace>
    ) => Effect.Effect<ServerWorkspace, Invalid | NotFound | Stale | Unavailable>
    /** Deletes the workspace for all members. It can be restored for 30 days. */
    readonly delete: (
      id: string,
      condition?: Condition<ServerWorkspace>
    ) => Effect.Effect<void, Conflict | NotFound | Stale | Unavailable>
    /**
     * Restores a deleted workspace. Any user may become its owner, with or without a membership before: at once if it has
     * no owner any more, else a day after the deletion.
     */
    readonly restore: (
      id: string,
      input: WorkspaceRestore
    ) => Effect.Effect<ServerWorkspace, Conflict | Expired | NotFound | Unavailable>
    /** Erases a workspace within two hours, deleted or not. It cannot be restored. */
    readonly purge: (id: string) => Effect.Effect<ServerWorkspace, Conflict | NotFound | Unavailable, Principal>
    /** Drops the search index of a workspace on all nodes: the next search builds it again from the database. */
    readonly reindex: (id: string) => Effect.Effect<ServerWorkspace, NotFound | Unavailable>
  }
>()("sheaf/admin/ServerWorkspaces") {
  static readonly layer = Layer.effect(
    ServerWorkspaces,
    Effect.gen(function* () {
      const reads = yield* readsOfServer<ServerWorkspace>("ServerWorkspaces", serverWorkspaceList, missing)
      const { get } = reads
      const operator = yield* Operator
      const workspaces = yield* Workspaces
      const writer = yield* Writer
      const audit = yield* ServerAudit.make
      const { read } = yield* Database

      /** Fails while only the owners of a deleted workspace may get it back. */
      const mayBecomeOwner = Effect.fnUntraced(function* ({ deleted_at, id }: ServerWorkspace, email: string) {
        const owners = yield* runSql<{ email_key: string }>(
          read,
          `SELECT u.email_key FROM members m JOIN users u ON u.id = m.user_id
            WHERE m.workspace_id = $1 AND m.role = 'owner' AND NOT ${isDeletedText("u.id")}`,
          [id]
        )
        const isOld = Date.parse(deleted_at ?? "") <= (yield* Clock.currentTimeMillis) - ownerDelay
        if (owners.length === 0 || isOld || owners.some(({ email_key }) => email_key === emailKey(email))) return
        return yield* ownerTooSoon
      })

      const found = (id: string): Effect.Effect<WorkspaceId, NotFound | Unavailable> =>
        Effect.map(get(id), (workspace) => workspace.id as WorkspaceId)

      /** Checks the condition on the committed state. Run while the workspace is locked, so that the state stays. */
      const check = (id: string, condition?: Condition<ServerWorkspace>) =>
        condition === undefined ? Effect.void : Effect.flatMap(get(id), condition)

      return ServerWorkspaces.of({
        ...reads,
        update: traced("ServerWorkspaces.update")(function* (id, to, condition) {
          yield* workspaces.setPlan(yield* found(id), to, check(id, condition))
          return yield* get(id)
        }),
        delete: traced("ServerWorkspaces.delete")(function* (id, condition) {
          yield* workspaces.deleteAny(yield* found(id), false, check(id, condition))
        }),
        restore: traced("ServerWorkspaces.restore")(function* (id, { owner }) {
          const workspace_id = yield* found(id)
          // Checked before a user becomes its owner.
          yield* workspaces.restorable(workspace_id)
          if (owner !== undefined) {
            yield* mayBecomeOwner(yield* get(id), owner)
            yield* operator.makeOwner(workspace_id, owner)
          }
          yield* workspaces.restore(workspace_id)
          return yield* get(id)
        }),
        purge: traced("ServerWorkspaces.purge")(function* (id: string) {
          const workspace_id = yield* found(id)
          // Its own audit log is erased with it.
          yield* Effect.uninterruptible(
            Effect.andThen(workspaces.deleteAny(workspace_id, true), audit("server.workspace_purged", id))
          )
          return yield* get(id)
        }),
        reindex: traced("ServerWorkspaces.reindex")(function* (id: string) {
          yield* writer.writeLocked(
            yield* found(id),
            { actor: yield* OperatorActor },
            Effect.fnUntraced(function* (draft) {
              AuditTrail.audit(draft, { action: "server.index_rebuilt", resource: "workspace", resource_id: id })
              yield* Effect.orDie(notifyReindex(draft.sql, id))
            })
          )
          return yield* get(id)
        })
      })
    })
  )
}
