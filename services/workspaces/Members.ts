import type { Reads } from "../database/ReachedRows.ts"
import type { WorkspaceId } from "../Ids.ts"
import {
  lastOwner,
  type Member,
  memberList,
  type MemberUpdate,
  rolesToChange,
  rolesToRemove,
  whyOwnerStays
} from "./Member.ts"
import { columnsOf } from "../tables/Column.ts"
import { Context, Effect, Layer } from "effect"
import {
  type BadRequest,
  type Condition,
  type Conflict,
  type Forbidden,
  NotFound,
  type Stale,
  type Unauthorized,
  type Unavailable
} from "../Errors.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { isAtLeast, Principal, type Role } from "../Principal.ts"
import { orConflict } from "../database/UniqueViolations.ts"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import { actorOf, OperatorActor } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Lists } from "../lists/Lists.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { presentTermOf } from "./CredentialTerm.ts"
import { endShares, leave } from "./Leaving.ts"
import { Plans } from "./Plans.ts"
import { members } from "./WorkspaceTables.ts"
import { mayOwnAnother, needRole } from "./RoleChecks.ts"

const missing = NotFound.of("member")

/** Reads the member. */
const current = (sql: Reads, workspace_id: WorkspaceId, id: string) =>
  Effect.map(
    sql.unsafe<Member>(
      `SELECT ${columnsOf(memberList.shape)} FROM ${memberList.from} WHERE workspace_id = $1 AND id = $2`,
      [workspace_id, id]
    ),
    ([member]) => member
  )

const expected = Effect.fnUntraced(function* (draft: LockedDraft, id: string, condition?: Condition<Member>) {
  const member = yield* Effect.orDie(current(draft.sql, draft.workspace_id, id))
  if (member === undefined) return yield* missing
  if (condition !== undefined) yield* condition(member)
  return member
})

/** Refuses to remove the last owner of a workspace, or the user of a personal workspace. */
const mayLose = Effect.fnUntraced(function* (draft: LockedDraft, { role, user_id }: Member) {
  if (role !== "owner") return
  const [row] = yield* draft.runSql<{ readonly owners: number; readonly is_home: boolean }>(
    `SELECT count(*)::int AS owners, EXISTS (SELECT FROM users WHERE workspace_id = $1 AND id = $2) AS is_home
    FROM members WHERE workspace_id = $1 AND role = 'owner'`,
    [draft.workspace_id, user_id]
  )
  const held = whyOwnerStays(row!)
  if (held !== undefined) return yield* held
})

/** The members of a workspace and their roles. Users become members by invitations (contract 4). */
export class Members extends Context.Service<
  Members,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<Member, NotFound | Unavailable, Principal>
    /**
     * Returns the role of a user in a workspace, also in a deleted one; undefined if the user is not a member, or is
     * suspended.
     */
    readonly roleOf: (workspace_id: string, user_id: string) => Effect.Effect<Role | undefined, Unavailable>
    /** For members up to the caller's own role, to a role up to the caller's own. */
    readonly update: (
      id: string,
      input: MemberUpdate,
      condition?: Condition<Member>
    ) => Effect.Effect<Member, Conflict | Forbidden | NotFound | Stale | Unauthorized | Unavailable, Principal>
    /** For members up to the caller's own role. Every member may leave. */
    readonly delete: (
      id: string,
      condition?: Condition<Member>
    ) => Effect.Effect<void, Conflict | Forbidden | NotFound | Stale | Unavailable, Principal>
    /** Gives a user a role, whatever it was before, or ends the membership: undefined. For the operator. */
    readonly assign: (
      workspace_id: WorkspaceId,
      user: { readonly id: string; readonly email: string },
      role: Role | undefined
    ) => Effect.Effect<void, Conflict | NotFound | Unavailable>
  }
>()("sheaf/workspaces/Members") {
  static readonly layer = Layer.effect(
    Members,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer
      const lists = yield* Lists
      const { ownedWorkspaces } = yield* Plans

      const list = traced("Members.list")(function* (query: PageQuery) {
        const { workspace_id } = yield* Principal
        return yield* lists.page({ spec: memberList, query, workspace_id })
      })

      const get = traced("Members.get")(function* (id: string) {
        const { workspace_id } = yield* Principal
        return (yield* orUnavailable(current(read, workspace_id, id))) ?? (yield* missing)
      })

      const promote = Effect.fnUntraced(function* (draft: LockedDraft, member: Member, to: Role) {
        const { created_at, email, id, role: from, user_id } = member
        if (to === from) return member
        yield* mayLose(draft, member)
        const ended = isAtLeast(to, "editor") ? undefined : yield* endShares(draft, user_id)
        draft.put(members, { id, user_id, role: to, created_at })
        AuditTrail.log(draft, {
          type: "member.role_changed",
          resource: "member",
          resource_id: id,
          data: { user_id, email, from, to, ...ended }
        })
        return { ...member, role: to }
      })

      const update = traced("Members.update")(function* (
        id: string,
        input: MemberUpdate,
        condition?: Condition<Member>
      ) {
        const principal = yield* Principal
        return yield* writer
          .writeLocked(
            principal.workspace_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const member = yield* expected(draft, id, condition)
              yield* needRole(draft, principal.user_id, rolesToChange(member, input.role))
              // A role outlives a replaced secret, so that secret may not change it.
              yield* presentTermOf(draft, principal)
              if (input.role === "owner" && member.role !== "owner") {
                yield* mayOwnAnother(draft, member.user_id, ownedWorkspaces)
              }
              return yield* promote(draft, member, input.role)
            })
          )
          .pipe(orConflict("members_last_owner", lastOwner))
      })

      const remove = traced("Members.delete")(function* (id: string, condition?: Condition<Member>) {
        const principal = yield* Principal
        yield* writer
          .writeLocked(
            principal.workspace_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const member = yield* expected(draft, id, condition)
              yield* needRole(draft, principal.user_id, rolesToRemove(principal, member))
              yield* mayLose(draft, member)
              yield* leave(draft, member)
            })
          )
          .pipe(orConflict("members_last_owner", lastOwner))
      })

      const assign = traced("Members.assign")(function* (
        workspace_id: WorkspaceId,
        { email, id: user_id }: { readonly id: string; readonly email: string },
        role: Role | undefined
      ) {
        yield* writer
          .writeLocked(
            workspace_id,
            { actor: yield* OperatorActor },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const [member] = yield* draft.runSql<Member>(
                `SELECT ${columnsOf(memberList.shape)} FROM ${memberList.from} WHERE workspace_id = $1 AND user_id = $2`,
                [workspace_id, user_id]
              )
              if (member !== undefined && role !== undefined) return yield* Effect.asVoid(promote(draft, member, role))
              if (member !== undefined) {
                yield* mayLose(draft, member)
                return yield* leave(draft, member)
              }
              if (role === undefined) return
              const id = draft.newId("mb")
              draft.put(members, { id, user_id, role, created_at: draft.now })
              AuditTrail.log(draft, {
                type: "member.added",
                resource: "member",
                resource_id: id,
                data: { user_id, email, role }
              })
            })
          )
          .pipe(orConflict("members_last_owner", lastOwner))
      })

      const roleText = `SELECT m.role FROM members m JOIN users u ON u.id = m.user_id AND u.suspended_at IS NULL
        WHERE m.workspace_id = $1 AND m.user_id = $2`
      const roleOf = traced("Members.roleOf")((workspace_id: string, user_id: string) =>
        Effect.map(runSql<{ readonly role: Role }>(read, roleText, [workspace_id, user_id]), ([row]) => row?.role)
      )

      return Members.of({ list, get, roleOf, update, delete: remove, assign })
    })
  )
}
