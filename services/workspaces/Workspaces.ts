import { Clock, Context, Effect, Layer } from "effect"
import { hash } from "node:crypto"
import {
  type BadRequest,
  type Condition,
  Conflict,
  Expired,
  Forbidden,
  Invalid,
  NotFound,
  type Stale,
  type Unavailable
} from "../Errors.ts"
import type { SecurityEvent } from "../EventTypes.ts"
import * as Ids from "../Ids.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { type Plan, Principal, type PrincipalShape } from "../Principal.ts"
import { orConflict } from "../storage/Conflicts.ts"
import { Blobs } from "../storage/Blobs.ts"
import { Database, orUnavailable } from "../storage/Database.ts"
import { actorOf, nobody } from "../storage/Actor.ts"
import type { LockedDraft } from "../storage/LockedDraft.ts"
import { type Attempt, CurrentAttempt } from "../storage/IdempotencyKeys.ts"
import { Lists } from "../lists/Lists.ts"
import { ago } from "../storage/Prune.ts"
import * as AuditTrail from "../storage/AuditTrail.ts"
import { Writer } from "../storage/Writer.ts"
import { traced } from "../Traced.ts"
import { eraseDeleted } from "./Erasure.ts"
import { Founding, type NewWorkspace } from "./Founding.ts"
import { Plans } from "./Plans.ts"
import { type WorkspaceRow, workspaces } from "./Rows.ts"
import { anotherSlug, slugOf } from "./Slugs.ts"
import { mayOwnAnother, needRole } from "./RoleChecks.ts"
import type { Workspace, WorkspaceCreate, WorkspaceUpdate } from "./Workspace.ts"
import * as WorkspaceRights from "./WorkspaceRights.ts"
import { workspaceList } from "./WorkspaceList.ts"

/** The operator can bring a deleted workspace back for so long (contract 4). */
const restoreWindow = 30 * 24 * 3600_000
/** Nothing is erased on the edge of that. */
const eraseAfter = restoreWindow + 24 * 3600_000

/** A workspace as its operator sees it. */
export interface OwnedWorkspace extends Workspace {
  readonly deleted_at: string | null
}

const selected = "SELECT workspace_id AS id, name, slug, plan, seats, created_at, deleted_at FROM workspaces"

const missing = NotFound.of("workspace")
const slugTaken = new Conflict({ code: "already_exists", detail: "There is a workspace with this slug" })
const isBegun = new Conflict({
  code: "idempotency_in_progress",
  detail: "A request with this Idempotency-Key is still running"
})
const isPersonal = new Conflict({
  code: "invalid_state",
  detail: "This is the personal workspace of a user: it lasts as long as they do"
})
const setByOperator = new Forbidden({ code: "insufficient_role", detail: "Plan and seats are set by the operator" })

const shown = (id: string, { created_at, name, plan, seats, slug }: WorkspaceRow): Workspace => ({
  id,
  name,
  slug,
  plan,
  seats,
  created_at
})

/** The id that a workspace gets which is made under a key: made again after a crash, it is found to be there. */
const idUnder = ({ created_at, id, workspace_id }: Attempt): Ids.WorkspaceId =>
  `ws_${Ids.base62(Date.parse(created_at), 8)}${hash("sha256", `${workspace_id} ${id}`, "hex").slice(0, 24)}`

/** The draft's workspace, unless it is deleted. */
const present = Effect.fnUntraced(function* (draft: LockedDraft) {
  const row = yield* draft.get(workspaces)
  return row === undefined || row.deleted_at !== null ? yield* missing : row
})

const store = (draft: LockedDraft, row: WorkspaceRow, type: SecurityEvent, more: object = {}): void => {
  const { name, plan, seats, slug } = row
  draft.put(workspaces, row)
  AuditTrail.log(draft, {
    type,
    resource: "workspace",
    resource_id: draft.workspace_id,
    data: { name, slug, plan, seats, ...more }
  })
}

/** Seats are what is paid for: members may come beyond them, but no fewer are set than there are members. */
const enoughSeats = Effect.fnUntraced(function* (draft: LockedDraft, row: WorkspaceRow, seats: number) {
  if (seats === row.seats) return
  const [counted] = yield* Effect.orDie(
    draft.sql.unsafe<{ readonly count: number }>("SELECT count(*)::int AS count FROM members WHERE workspace_id = $1", [
      draft.workspace_id
    ])
  )
  const { count } = counted!
  if (seats < count)
    return yield* Invalid.field("seats", "out_of_range", `must be at least ${count}, the number of members`)
})

/** Changes the workspace where it is to change, and tells of a plan by itself too. */
const change = (draft: LockedDraft, row: WorkspaceRow, input: Partial<NewWorkspace>) => {
  const next = { ...row, ...input }
  const { name, plan, seats, slug } = row
  if (next.name === name && next.slug === slug && next.plan === plan && next.seats === seats) return row
  store(draft, next, "workspace.updated")
  if (next.plan !== plan) {
    AuditTrail.audit(draft, {
      action: "plan.changed",
      resource: "workspace",
      resource_id: draft.workspace_id,
      data: { from: plan, to: next.plan }
    })
  }
  return next
}

/** Workspaces: each owns its notebooks, members and settings (interface.md, Workspace). */
export class Workspaces extends Context.Service<
  Workspaces,
  {
    /** Those that the caller is a member of; of an API key, its own. */
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (
      input: WorkspaceCreate
    ) => Effect.Effect<Workspace, Conflict | Forbidden | NotFound | Unavailable, Principal>
    /** The workspace of the call, and so for the other methods that name none. */
    readonly get: () => Effect.Effect<Workspace, NotFound | Unavailable, Principal>
    readonly update: (
      input: WorkspaceUpdate,
      condition?: Condition<Workspace>
    ) => Effect.Effect<Workspace, Conflict | Forbidden | Invalid | NotFound | Stale | Unavailable, Principal>
    /** It is gone for everybody at once; the operator can bring it back for 30 days. */
    readonly delete: (
      confirm: string | undefined,
      condition?: Condition<Workspace>
    ) => Effect.Effect<void, Conflict | Forbidden | Invalid | NotFound | Stale | Unavailable, Principal>
    /** For the operator: up to a thousand, in the order of their ids, after one. */
    readonly all: (after: string) => Effect.Effect<ReadonlyArray<OwnedWorkspace>, Unavailable>
    readonly setPlan: (
      id: Ids.WorkspaceId,
      plan: Plan,
      seats?: number
    ) => Effect.Effect<Workspace, Invalid | NotFound | Unavailable>
    /** Whether it can be restored. */
    readonly restorable: (id: Ids.WorkspaceId) => Effect.Effect<void, Conflict | Expired | NotFound | Unavailable>
    readonly restore: (id: Ids.WorkspaceId) => Effect.Effect<Workspace, Conflict | Expired | NotFound | Unavailable>
    /** Erases those whose time to be restored is over. */
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

      const list = traced("Workspaces.list")(function* (query: PageQuery) {
        const { kind, user_id, workspace_id } = yield* Principal
        return yield* lists.page({
          spec: workspaceList,
          query,
          user_id,
          where: "($2::text IS NULL OR id = $2)",
          params: [kind === "api_key" ? workspace_id : null]
        })
      })

      const begun = Effect.fnUntraced(function* (draft: LockedDraft, workspace: NewWorkspace, user_id: string) {
        yield* mayOwnAnother(draft, user_id, ownedWorkspaces)
        const [owner] = yield* Effect.orDie(
          draft.sql.unsafe<{ readonly email: string }>("SELECT email FROM users WHERE id = $1", [user_id])
        )
        if (owner === undefined) return yield* NotFound.of("user")
        return shown(draft.workspace_id, yield* found(draft, workspace, { id: user_id, email: owner.email }))
      })

      const begin = (principal: PrincipalShape, id: Ids.WorkspaceId, workspace: NewWorkspace) =>
        writer
          .begin(id, actorOf(principal), (draft) => begun(draft, workspace, principal.user_id))
          .pipe(orConflict("workspaces_slug_key", slugTaken), orConflict("heads_pkey", isBegun))

      /** What was made under the key before its answer could be stored. */
      const madeUnder = Effect.fnUntraced(function* (attempt: Attempt, id: string) {
        const [row] = yield* orUnavailable(sql.unsafe<WorkspaceRow>(`${selected} WHERE workspace_id = $1`, [id]))
        if (row === undefined) return undefined
        attempt.replayed = true
        return shown(id, row)
      })

      const create = traced("Workspaces.create")(function* (input: WorkspaceCreate) {
        const principal = yield* Principal
        const { name, plan = "free", seats = 1 } = input
        if (planChanges === "operator" && (plan !== "free" || seats !== 1)) return yield* setByOperator
        const attempt = yield* CurrentAttempt
        const id = attempt === undefined ? Ids.make("ws", yield* Clock.currentTimeMillis) : idUnder(attempt)
        const made = attempt === undefined ? undefined : yield* madeUnder(attempt, id)
        if (made !== undefined) return made
        const slug = input.slug ?? slugOf(name)
        return yield* begin(principal, id, { name, slug, plan, seats }).pipe(
          Effect.catchIf(
            (error) => error === slugTaken && input.slug === undefined,
            () => begin(principal, id, { name, slug: anotherSlug(slug), plan, seats })
          )
        )
      })

      const get = traced("Workspaces.get")(function* () {
        const { workspace_id } = yield* Principal
        const [row] = yield* orUnavailable(
          read.unsafe<WorkspaceRow>(`${selected} WHERE workspace_id = $1 AND deleted_at IS NULL`, [workspace_id])
        )
        return row === undefined ? yield* missing : shown(workspace_id, row)
      })

      /** The workspace of the call, as the caller expects it. */
      const expected = Effect.fnUntraced(function* (draft: LockedDraft, condition?: Condition<Workspace>) {
        const row = yield* present(draft)
        if (condition !== undefined) yield* condition(shown(draft.workspace_id, row))
        return row
      })

      const update = traced("Workspaces.update")(function* (input: WorkspaceUpdate, condition?: Condition<Workspace>) {
        const principal = yield* Principal
        return yield* writer
          .writeLocked(
            principal.workspace_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const row = yield* expected(draft, condition)
              const { name, plan = row.plan, seats = row.seats, slug = row.slug } = input
              const wanted = { plan, seats, slug }
              yield* needRole(draft, principal.user_id, WorkspaceRights.toChange(row, wanted))
              if (WorkspaceRights.isSold(row, wanted) && planChanges === "operator") return yield* setByOperator
              yield* enoughSeats(draft, row, seats)
              return shown(draft.workspace_id, change(draft, row, { name: name ?? row.name, ...wanted }))
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
            const row = yield* expected(draft, condition)
            yield* needRole(draft, principal.user_id, WorkspaceRights.toDelete)
            if (confirm !== undefined && confirm !== row.slug) {
              return yield* Invalid.field("confirm", "mismatch", "must be the slug of the workspace")
            }
            const homes = yield* Effect.orDie(
              draft.sql.unsafe("SELECT id FROM users WHERE workspace_id = $1", [draft.workspace_id])
            )
            if (homes.length > 0) return yield* isPersonal
            store(draft, { ...row, deleted_at: draft.now }, "workspace.deleted")
          })
        )
      })

      const all = traced("Workspaces.all")((after: string) =>
        orUnavailable(
          read.unsafe<OwnedWorkspace>(`${selected} WHERE workspace_id > $1 ORDER BY workspace_id LIMIT 1000`, [after])
        )
      )

      const setPlan = traced("Workspaces.setPlan")((id: Ids.WorkspaceId, plan: Plan, seats?: number) =>
        writer.writeLocked(
          id,
          { actor: nobody },
          Effect.fnUntraced(function* (draft: LockedDraft) {
            const row = yield* present(draft)
            yield* enoughSeats(draft, row, seats ?? row.seats)
            return shown(id, change(draft, row, { plan, seats: seats ?? row.seats }))
          })
        )
      )

      /** The row, while it can be restored. */
      const deleted = Effect.fnUntraced(function* (draft: LockedDraft) {
        const row = yield* draft.get(workspaces)
        if (row === undefined) return yield* missing
        if (row.deleted_at === null) {
          return yield* new Conflict({ code: "invalid_state", detail: "The workspace is not deleted" })
        }
        if (Date.parse(row.deleted_at) < draft.millis - restoreWindow) {
          return yield* new Expired({
            code: "restore_window_expired",
            detail: "The workspace was deleted more than 30 days ago"
          })
        }
        return row
      })

      const restored = Effect.fnUntraced(function* (draft: LockedDraft) {
        const row = yield* deleted(draft)
        const owners = yield* Effect.orDie(
          draft.sql.unsafe("SELECT id FROM members WHERE workspace_id = $1 AND role = 'owner' LIMIT 1", [
            draft.workspace_id
          ])
        )
        if (owners.length === 0) {
          return yield* new Conflict({ code: "invalid_state", detail: "The workspace has no owner any more" })
        }
        const next = { ...row, deleted_at: null }
        store(draft, next, "workspace.updated", { restored: true })
        return shown(draft.workspace_id, next)
      })
      const restore = traced("Workspaces.restore")((id: Ids.WorkspaceId) =>
        writer.writeLocked(id, { actor: nobody }, restored)
      )

      const restorable = traced("Workspaces.restorable")((id: Ids.WorkspaceId) =>
        Effect.asVoid(writer.writeLocked(id, { actor: nobody }, deleted))
      )

      const purgeDeleted = Effect.flatMap(ago(eraseAfter), (cutoff) => Effect.orDie(eraseDeleted(sql, blobs, cutoff)))

      return Workspaces.of({
        list,
        create,
        get,
        update,
        delete: remove,
        all,
        setPlan,
        restorable,
        restore,
        purgeDeleted
      })
    })
  )
}
