import { Clock, Context, Effect, Layer } from "effect"
import { hash } from "node:crypto"
import {
  type BadRequest,
  type Condition,
  Conflict,
  type Expired,
  Forbidden,
  Invalid,
  NotFound,
  type Stale,
  type Unavailable
} from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { type Plan, Principal } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import { orConflict } from "../database/UniqueViolations.ts"
import { Blobs } from "../files/Blobs.ts"
import { Database, runSql } from "../database/Database.ts"
import { type Actor, actorOf, OperatorActor, systemActor } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { type Attempt, CurrentAttempt } from "../writer/IdempotencyKeys.ts"
import { Lists } from "../lists/Lists.ts"
import { ago } from "../database/DeleteInBatches.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { eraseDeleted } from "./Erasure.ts"
import { Founding, type NewWorkspace } from "./Founding.ts"
import { Plans } from "./Plans.ts"
import type { WorkspaceRow } from "./WorkspaceTables.ts"
import { anotherSlug, slugOf } from "./Slugs.ts"
import { mayOwnAnother, needRole } from "./RoleChecks.ts"
import {
  isSold,
  type OwnedWorkspace,
  rolesToChange,
  rolesToDelete,
  type Workspace,
  type WorkspaceCreate,
  workspaceList,
  type WorkspaceUpdate
} from "./Workspace.ts"
import * as Edits from "./WorkspaceEdits.ts"

/** Milliseconds after which a deleted workspace is erased: one day after it can no longer be restored. */
const eraseAfter = Edits.restoreWindow + 24 * 3600_000

/** Milliseconds until requests that began before the deletion of a workspace have ended: one hour. */
const settleTime = 3600_000

const selected =
  "SELECT workspace_id AS id, name, slug, plan, seats, second_factor_from, created_at, deleted_at, purge_at FROM workspaces"

const slugTaken = new Conflict({ code: "already_exists", detail: "A workspace with this slug exists already" })
const isBegun = new Conflict({
  code: "idempotency_in_progress",
  detail: "A request with this Idempotency-Key is still running"
})
const setByOperator = new Forbidden({ code: "insufficient_role", detail: "Plan and seats are set by the operator" })

/** Derives the id of a new workspace from its Idempotency-Key, so that a retry after a crash finds the workspace. */
const idUnder = ({ created_at, id, workspace_id }: Attempt): Ids.WorkspaceId =>
  `ws_${Ids.base62(Date.parse(created_at), 8)}${hash("sha256", `${workspace_id} ${id}`, "hex").slice(0, 24)}`

/** Workspaces. Each owns its notebooks, members and settings (contract 4). */
export class Workspaces extends Context.Service<
  Workspaces,
  {
    /** Lists the workspaces that the caller is a member of; for an API key, only its own. */
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (
      input: WorkspaceCreate
    ) => Effect.Effect<Workspace, Conflict | Forbidden | NotFound | Unavailable, Principal>
    /** Returns the workspace of the call. Other methods without an id act on it too. */
    readonly get: () => Effect.Effect<Workspace, NotFound | Unavailable, Principal>
    readonly update: (
      input: WorkspaceUpdate,
      condition?: Condition<Workspace>
    ) => Effect.Effect<Workspace, Conflict | Forbidden | Invalid | NotFound | Stale | Unavailable, Principal>
    /** Deletes the workspace for all members at once. The operator can restore it for 30 days. */
    readonly delete: (
      confirm: string | undefined,
      condition?: Condition<Workspace>
    ) => Effect.Effect<void, Conflict | Forbidden | Invalid | NotFound | Stale | Unavailable, Principal>
    /** Returns at most 1000 workspaces after the id `after`, in the order of ids, for the operator. */
    readonly all: (after: string) => Effect.Effect<ReadonlyArray<OwnedWorkspace>, Unavailable>
    /** Makes a workspace that the user owns, for the operator. */
    readonly add: (
      workspace: NewWorkspace,
      user_id: string
    ) => Effect.Effect<Workspace, Conflict | Forbidden | NotFound | Unavailable>
    /** Sets the name, the plan and the seats, for the operator. `check` runs while no other write can change the workspace. */
    readonly setPlan: <E = never>(
      id: Ids.WorkspaceId,
      to: { readonly name?: string; readonly plan?: Plan; readonly seats?: number },
      check?: Effect.Effect<void, E>
    ) => Effect.Effect<Workspace, E | Invalid | NotFound | Unavailable>
    /**
     * Deletes the workspace, for the operator. `purge`: erases it within two hours, without a time to restore it; also a
     * workspace that is deleted already. `check` as in `setPlan`.
     */
    readonly deleteAny: <E = never>(
      id: Ids.WorkspaceId,
      purge: boolean,
      check?: Effect.Effect<void, E>
    ) => Effect.Effect<OwnedWorkspace, E | Conflict | NotFound | Unavailable>
    /** Fails if the workspace cannot be restored. */
    readonly restorable: (id: Ids.WorkspaceId) => Effect.Effect<void, Conflict | Expired | NotFound | Unavailable>
    readonly restore: (id: Ids.WorkspaceId) => Effect.Effect<Workspace, Conflict | Expired | NotFound | Unavailable>
    /** Erases the workspaces that can no longer be restored. */
    readonly purgeDeleted: Effect.Effect<void>
  }
>()("sheaf/workspaces/Workspaces") {
  static readonly layer = Layer.effect(
    Workspaces,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const blobs = yield* Blobs
      const writer = yield* Writer
      const lists = yield* Lists
      const { ownedWorkspaces, planChanges } = yield* Plans
      const { found } = yield* Founding
      const randomness = yield* Randomness

      const list = traced("Workspaces.list")(function* (query: PageQuery) {
        const { kind, user_id, workspace_id } = yield* Principal
        return yield* lists.page({
          spec: workspaceList,
          query,
          user_id,
          where: "($2::text IS NULL OR id = $2)",
          params: [kind === "session" ? null : workspace_id]
        })
      })

      const begin = (actor: Actor, id: Ids.WorkspaceId, workspace: NewWorkspace, user_id: string, most: number) =>
        writer
          .begin(
            id,
            actor,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              yield* mayOwnAnother(draft, user_id, most)
              const [owner] = yield* draft.runSql<{ email: string }>("SELECT email FROM users WHERE id = $1", [user_id])
              if (owner === undefined) return yield* NotFound.of("user")
              return Edits.shown(id, yield* found(draft, workspace, { id: user_id, email: owner.email }))
            })
          )
          .pipe(orConflict("workspaces_slug_key", slugTaken), orConflict("heads_pkey", isBegun))

      const add = traced("Workspaces.add")(function* (workspace: NewWorkspace, user_id: string) {
        const id = randomness.id("ws", yield* Clock.currentTimeMillis)
        return yield* begin(yield* OperatorActor, id, workspace, user_id, 0)
      })

      /** Returns the workspace that was created under the Idempotency-Key before its response was stored. */
      const madeUnder = Effect.fnUntraced(function* (attempt: Attempt, id: string) {
        const [row] = yield* runSql<WorkspaceRow>(sql, `${selected} WHERE workspace_id = $1`, [id])
        if (row === undefined) return undefined
        attempt.replayed = true
        return Edits.shown(id, row)
      })

      const create = traced("Workspaces.create")(function* (input: WorkspaceCreate) {
        const principal = yield* Principal
        const { name, plan = "free", seats = 1 } = input
        if (planChanges === "operator" && (plan !== "free" || seats !== 1)) return yield* setByOperator
        const attempt = yield* CurrentAttempt
        const id = attempt === undefined ? randomness.id("ws", yield* Clock.currentTimeMillis) : idUnder(attempt)
        const made = attempt === undefined ? undefined : yield* madeUnder(attempt, id)
        if (made !== undefined) return made
        const slug = input.slug ?? slugOf(name)
        const under = (slug: string) =>
          begin(actorOf(principal), id, { name, slug, plan, seats }, principal.user_id, ownedWorkspaces)
        return yield* Effect.catchIf(
          under(slug),
          (error) => error === slugTaken && input.slug === undefined,
          () => under(anotherSlug(randomness, slug))
        )
      })

      const get = traced("Workspaces.get")(function* () {
        const { workspace_id } = yield* Principal
        const [row] = yield* runSql<WorkspaceRow>(read, `${selected} WHERE workspace_id = $1 AND deleted_at IS NULL`, [
          workspace_id
        ])
        return row === undefined ? yield* Edits.missing : Edits.shown(workspace_id, row)
      })

      const update = traced("Workspaces.update")(function* (input: WorkspaceUpdate, condition?: Condition<Workspace>) {
        const principal = yield* Principal
        return yield* writer
          .writeLocked(
            principal.workspace_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const row = yield* Edits.expected(draft, condition)
              const { name, plan = row.plan, seats = row.seats, slug = row.slug } = input
              const { second_factor_from = row.second_factor_from } = input
              const wanted = { plan, seats, second_factor_from, slug }
              yield* needRole(draft, principal.user_id, rolesToChange(row, wanted))
              if (isSold(row, wanted) && planChanges === "operator") return yield* setByOperator
              yield* Edits.enoughSeats(draft, row, seats)
              return Edits.shown(draft.workspace_id, Edits.change(draft, row, { name: name ?? row.name, ...wanted }))
            })
          )
          .pipe(orConflict("workspaces_slug_key", slugTaken))
      })

      const remove = traced("Workspaces.delete")(function* (
        confirm: string | undefined,
        condition?: Condition<Workspace>
      ) {
        const principal = yield* Principal
        yield* writer.writeLocked(
          principal.workspace_id,
          { actor: actorOf(principal) },
          Effect.fnUntraced(function* (draft: LockedDraft) {
            const row = yield* Edits.expected(draft, condition)
            yield* needRole(draft, principal.user_id, rolesToDelete)
            if (confirm !== undefined && confirm !== row.slug) {
              return yield* Invalid.field("confirm", "mismatch", "must be the slug of the workspace")
            }
            yield* Edits.remove(draft, row)
          })
        )
      })

      const all = traced("Workspaces.all")((after: string) =>
        runSql<OwnedWorkspace>(read, `${selected} WHERE workspace_id > $1 ORDER BY workspace_id LIMIT 1000`, [after])
      )

      const setPlan = traced("Workspaces.setPlan")(function* <E = never>(
        id: Ids.WorkspaceId,
        to: { readonly name?: string; readonly plan?: Plan; readonly seats?: number },
        check: Effect.Effect<void, E> = Effect.void
      ) {
        return yield* writer.writeLocked(
          id,
          { actor: yield* OperatorActor },
          Effect.fnUntraced(function* (draft: LockedDraft) {
            const row = yield* Edits.present(draft)
            yield* check
            yield* Edits.enoughSeats(draft, row, to.seats ?? row.seats)
            return Edits.shown(id, Edits.change(draft, row, to))
          })
        )
      })

      const deleteAny = traced("Workspaces.deleteAny")(function* <E = never>(
        id: Ids.WorkspaceId,
        purge: boolean,
        check: Effect.Effect<void, E> = Effect.void
      ) {
        return yield* writer.writeLocked(
          id,
          { actor: yield* OperatorActor },
          Effect.fnUntraced(function* (draft: LockedDraft) {
            const row = yield* purge ? Edits.stored(draft) : Edits.present(draft)
            yield* check
            const { deleted_at, purge_at } = yield* Edits.remove(draft, row, { purge })
            return { ...Edits.shown(id, row), deleted_at, purge_at }
          })
        )
      })

      const restore = traced("Workspaces.restore")(function* (id: Ids.WorkspaceId) {
        return yield* writer.writeLocked(id, { actor: yield* OperatorActor }, Edits.restore)
      })

      const restorable = traced("Workspaces.restorable")((id: Ids.WorkspaceId) =>
        Effect.asVoid(writer.writeLocked(id, { actor: systemActor }, Edits.deleted))
      )

      const purgeDeleted = Effect.gen(function* () {
        const due = { deleted: yield* ago(eraseAfter), purged: yield* ago(settleTime) }
        yield* Effect.orDie(eraseDeleted(sql, blobs, due))
      })

      return Workspaces.of({
        list,
        create,
        get,
        update,
        delete: remove,
        all,
        add,
        setPlan,
        deleteAny,
        restorable,
        restore,
        purgeDeleted
      })
    })
  )
}
