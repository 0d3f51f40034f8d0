import type { PgClient } from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer } from "effect"
import { Conflict, type Invalid, NotFound, type Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import { operator } from "../limits/Throttles.ts"
import type { Plan, Role } from "../Principal.ts"
import { orConflict } from "../database/UniqueViolations.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import { systemActor } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { personal } from "../workspaces/Founding.ts"
import { type MemberRow, members, workspaces } from "../workspaces/WorkspaceTables.ts"
import { endKeysOf } from "../workspaces/ApiKeyEnds.ts"
import { leave as leaveWorkspace } from "../workspaces/Leaving.ts"
import { holdUser } from "../workspaces/RoleChecks.ts"
import { emailKey } from "../Email.ts"
import { Passwords } from "./Passwords.ts"
import { users } from "./IdentityTables.ts"
import * as SessionTokens from "./SessionTokens.ts"
import { nameOf, needOtherThanName } from "./User.ts"
import { Users } from "./Users.ts"

export interface Account {
  readonly id: string
  readonly email: string
  readonly name: string
  /** The user's personal workspace. */
  readonly workspace_id: Ids.WorkspaceId
}

/** A user in the list of all users. Times are RFC 3339. */
export interface ListedUser extends Account {
  readonly has_password: boolean
  /** When a session of the user was last active; null without a session. */
  readonly last_active_at: string | null
  readonly created_at: string
}

/** A workspace that a user is a member of, has API keys in, or has as personal workspace. */
interface Place {
  readonly workspace_id: Ids.WorkspaceId
  readonly name: string
  readonly slug: string
  readonly is_deleted: boolean
  readonly member_id: string | null
  readonly role: Role | null
  readonly others: number
  readonly other_owners: number
}

export interface Deleted {
  readonly user: Account
  /** Workspaces without other members, which were deleted. */
  readonly deleted: ReadonlyArray<Pick<Place, "workspace_id" | "name" | "slug">>
  /** Workspaces that have other members. */
  readonly left: ReadonlyArray<Pick<Place, "workspace_id" | "name" | "slug">>
}

/** The operator is not a user: log entries contain this instead of an actor. */
export const by = { by: "operator" }
export const options = { actor: systemActor }

const joined = new Conflict({ code: "invalid_state", detail: "The user has joined a workspace meanwhile: try again" })

const placesOf = (sql: PgClient, user_id: string, workspace_id?: string) =>
  sql.unsafe<Place>(
    `SELECT w.workspace_id, w.name, w.slug, w.deleted_at IS NOT NULL AS is_deleted, m.id AS member_id, m.role,
      (SELECT count(*)::int FROM members o WHERE o.workspace_id = w.workspace_id AND o.user_id <> $1) AS others,
      (SELECT count(*)::int FROM members o WHERE o.workspace_id = w.workspace_id AND o.user_id <> $1
        AND o.role = 'owner') AS other_owners
    FROM workspaces w LEFT JOIN members m ON m.workspace_id = w.workspace_id AND m.user_id = $1
    WHERE ($2::text IS NULL OR w.workspace_id = $2) AND w.workspace_id IN (
      SELECT workspace_id FROM members WHERE user_id = $1
      UNION SELECT workspace_id FROM api_keys WHERE user_id = $1
      UNION SELECT workspace_id FROM users WHERE id = $1
    ) ORDER BY w.workspace_id`,
    [user_id, workspace_id ?? null]
  )

/** Refuses to leave members without an owner. */
const orphaned = (email: string, places: ReadonlyArray<Place>) => {
  const names = places
    .filter(
      ({ is_deleted, other_owners, others, role }) =>
        !is_deleted && role === "owner" && others > 0 && other_owners === 0
    )
    .map(({ name, slug }) => `"${name}" (${slug})`)
  return names.length === 0
    ? Effect.void
    : Effect.fail(
        new Conflict({
          code: "last_owner",
          detail: `${email} is the last owner of ${names.join(", ")}, with other members: make one of them an owner first`
        })
      )
}

/** Commands of the operator on accounts, with or without a running server. */
export class Operator extends Context.Service<
  Operator,
  {
    readonly find: (email: string) => Effect.Effect<Account, NotFound | Unavailable>
    /** Returns at most 500 users after the id `after`, in the order of ids. */
    readonly users: (after: string) => Effect.Effect<ReadonlyArray<ListedUser>, Unavailable>
    readonly addUser: (user: {
      readonly email: string
      readonly name: string | undefined
      readonly password: string
      readonly plan: Plan
    }) => Effect.Effect<Account, Conflict | Invalid | Unavailable>
    /** Ends all sessions of the user. */
    readonly setPassword: (email: string, password: string) => Effect.Effect<Account, Invalid | NotFound | Unavailable>
    /**
     * Removes the user from all workspaces, with their keys and sessions, and frees the address. Workspaces without other
     * members are marked as deleted. If it is interrupted, the next run continues.
     */
    readonly deleteUser: (email: string) => Effect.Effect<Deleted, NotFound | Conflict | Unavailable>
    /** The id of the workspace that has this id or slug, whether it is deleted or not. */
    readonly workspace: (named: string) => Effect.Effect<Ids.WorkspaceId, NotFound | Unavailable>
    /** Makes a user an owner of the workspace, whatever their role was before. */
    readonly makeOwner: (workspace_id: Ids.WorkspaceId, email: string) => Effect.Effect<void, NotFound | Unavailable>
  }
>()("sheaf/identity/Operator") {
  static readonly layer = Layer.effect(
    Operator,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer
      const passwords = yield* Passwords
      const accounts = yield* Users

      const find = traced("Operator.find")(function* (email: string) {
        const [user] = yield* orUnavailable(
          read.unsafe<Account>("SELECT id, email, name, workspace_id FROM users WHERE email_key = $1", [
            emailKey(email)
          ])
        )
        return user ?? (yield* NotFound.of(`user: ${email}`))
      })

      /** Removes the user from the draft's workspace, which is deleted if it has no other members. */
      const leave = Effect.fnUntraced(function* (draft: LockedDraft, user: Account) {
        const places = yield* Effect.orDie(placesOf(draft.sql, user.id, draft.workspace_id))
        yield* orphaned(user.email, places)
        const [place] = places
        if (place === undefined) return
        const { member_id, role } = place
        // Without a membership the user may still have keys.
        if (member_id === null || role === null) yield* endKeysOf(draft, user.id, by)
        else yield* leaveWorkspace(draft, { id: member_id, user_id: user.id, email: user.email, role }, by)
        const row = yield* draft.get(workspaces)
        if (place.others > 0 || row === undefined || row.deleted_at !== null) return
        draft.put(workspaces, { ...row, deleted_at: draft.now })
        AuditTrail.log(draft, {
          type: "workspace.deleted",
          resource: "workspace",
          resource_id: draft.workspace_id,
          data: { name: row.name, slug: row.slug, ...by }
        })
      })

      const deletion = Effect.fnUntraced(function* (user: Account) {
        const places = yield* orUnavailable(placesOf(read, user.id))
        yield* orphaned(user.email, places)
        for (const { workspace_id } of places) {
          if (workspace_id === user.workspace_id) continue
          yield* writer.writeLocked(workspace_id, options, (draft) => leave(draft, user))
        }
        // Last, because it contains the sessions and the account itself.
        yield* writer
          .writeLocked(
            user.workspace_id,
            options,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              yield* leave(draft, user)
              yield* SessionTokens.endAll(draft, user.id, "user_deleted")
              draft.remove(users, user.id)
            })
          )
          .pipe(orConflict("members_user_id_fkey", joined), orConflict("api_keys_user_id_fkey", joined))
        const shown = (isGone: boolean) =>
          places
            .filter(({ is_deleted, others }) => !is_deleted && (others === 0) === isGone)
            .map(({ name, slug, workspace_id }) => ({ workspace_id, name, slug }))
        return { user, deleted: shown(true), left: shown(false) }
      })

      return Operator.of({
        find,
        users: traced("Operator.users")((after: string) =>
          orUnavailable(
            read.unsafe<ListedUser>(
              `SELECT u.id, u.email, u.name, u.workspace_id, u.password_hash IS NOT NULL AS has_password,
                (SELECT max(s.last_active_at) FROM sessions s
                  WHERE s.workspace_id = u.workspace_id AND s.user_id = u.id) AS last_active_at, u.created_at
              FROM users u WHERE u.id > $1 ORDER BY u.id LIMIT 500`,
              [after]
            )
          )
        ),
        addUser: traced("Operator.addUser")(function* ({ email, name, password, plan }) {
          const shown = name ?? nameOf(email)
          yield* needOtherThanName("password", password, { email, name: shown })
          const { user, workspace_id } = yield* accounts.create(
            {
              email,
              email_proven: true,
              name: shown,
              locale: "en",
              timezone: "UTC",
              password_hash: yield* passwords.hash(password, operator),
              workspace: personal(name, plan)
            },
            systemActor
          )
          return { id: user.id, email: user.email, name: user.name, workspace_id }
        }),
        setPassword: traced("Operator.setPassword")(function* (email: string, password: string) {
          const user = yield* find(email)
          yield* needOtherThanName("password", password, user)
          const password_hash = yield* passwords.hash(password, operator)
          yield* writer.writeLocked(
            user.workspace_id,
            options,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              yield* holdUser(draft, user.id)
              const row = yield* draft.get(users, user.id)
              if (row === undefined) return yield* NotFound.of(`user: ${email}`)
              draft.put(users, { ...row, password_hash })
              yield* SessionTokens.endAll(draft, user.id, "password_changed")
              // Invalidates the tokens that were mailed.
              yield* Effect.orDie(
                draft.sql.unsafe("DELETE FROM password_resets WHERE workspace_id = $1 AND user_id = $2", [
                  draft.workspace_id,
                  user.id
                ])
              )
              AuditTrail.audit(draft, {
                action: "auth.password_changed",
                resource: "user",
                resource_id: user.id,
                data: by
              })
            })
          )
          return user
        }),
        deleteUser: traced("Operator.deleteUser")(function* (email: string) {
          const user = yield* find(email)
          return yield* Effect.retry(deletion(user), { while: (error) => error === joined, times: 3 })
        }),
        workspace: traced("Operator.workspace")(function* (named: string) {
          const [found] = yield* orUnavailable(
            read.unsafe<{ readonly workspace_id: Ids.WorkspaceId }>(
              "SELECT workspace_id FROM workspaces WHERE workspace_id = $1 OR slug = $1",
              [named]
            )
          )
          return found?.workspace_id ?? (yield* NotFound.of(`workspace: ${named}`))
        }),
        makeOwner: traced("Operator.makeOwner")(function* (workspace_id: Ids.WorkspaceId, email: string) {
          const user = yield* find(email)
          yield* writer.writeLocked(
            workspace_id,
            options,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const [before] = yield* Effect.orDie(
                draft.sql.unsafe<MemberRow>(
                  `SELECT ${members.columnList} FROM members WHERE workspace_id = $1 AND user_id = $2`,
                  [workspace_id, user.id]
                )
              )
              if (before?.role === "owner") return
              const id = before?.id ?? Ids.make("mb", draft.millis)
              const created_at = before?.created_at ?? draft.now
              draft.put(members, { id, user_id: user.id, role: "owner" as const, created_at })
              AuditTrail.log(draft, {
                type: before === undefined ? "member.added" : "member.role_changed",
                resource: "member",
                resource_id: id,
                data: {
                  user_id: user.id,
                  email: user.email,
                  ...(before === undefined ? { role: "owner" } : { from: before.role, to: "owner" }),
                  ...by
                }
              })
            })
          )
        })
      })
    })
  )
}
