import { Context, Effect, Layer } from "effect"
import { type Conflict, type Invalid, NotFound, type Unavailable } from "../../Errors.ts"
import * as Ids from "../../Ids.ts"
import { operator } from "../../limits/PasswordClient.ts"
import type { Plan } from "../../Principal.ts"
import { Randomness } from "../../Randomness.ts"
import { Database, runSql } from "../../database/Database.ts"
import { orConflict } from "../../database/UniqueViolations.ts"
import { OperatorActor } from "../../writer/Actor.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { personal } from "../../workspaces/Founding.ts"
import { Members } from "../../workspaces/Members.ts"
import { emailKey } from "../../Email.ts"
import { type AccountChanges, changed } from "./AccountChanges.ts"
import { AccountDeletions, type Deleted, isDeleted } from "../AccountDeletions.ts"
import { Passwords } from "../Passwords.ts"
import { isDeletedText, users } from "../IdentityTables.ts"
import { invalidateResets } from "../Recovery.ts"
import * as SessionTokens from "../SessionTokens.ts"
import { type Account, defaultRegion, nameOf } from "../User.ts"
import { emailTaken, lockUser, Users } from "../Users.ts"

/** A user in the list of all users. Times are RFC 3339. */
export interface ListedUser extends Account {
  readonly has_password: boolean
  /** Whether the user may administer the server. */
  readonly operator: boolean
  /** When the user was suspended; null if the user is not. */
  readonly suspended_at: string | null
  /** When a session of the user was last active; null without a session. */
  readonly last_active_at: string | null
  readonly created_at: string
}

/** Commands of the operator on accounts, with or without a running server. */
export class Operator extends Context.Service<
  Operator,
  {
    /** Finds a user by address or id. Other methods accept both as well. */
    readonly find: (named: string) => Effect.Effect<Account, NotFound | Unavailable>
    /** Returns at most 500 users after the id `after`, in the order of ids. */
    readonly users: (after: string) => Effect.Effect<ReadonlyArray<ListedUser>, Unavailable>
    readonly addUser: (user: {
      readonly email: string
      readonly name: string | undefined
      /** Without one, the user signs in by a provider, or sets one by a mail. */
      readonly password: string | undefined
      readonly plan: Plan
    }) => Effect.Effect<Account, Conflict | Invalid | Unavailable>
    /** Ends all sessions of the user. */
    readonly setPassword: (email: string, password: string) => Effect.Effect<Account, Invalid | NotFound | Unavailable>
    /**
     * Changes a user. Sessions and API keys stay, unless the user is suspended: then all sessions end, and the API keys
     * are refused until the user is resumed. A new address counts as confirmed, and ends the links that were mailed to
     * the old one. `check` runs while no other write can change the user.
     */
    readonly updateUser: <E = never>(
      named: string,
      to: AccountChanges,
      check?: Effect.Effect<void, E>
    ) => Effect.Effect<Account, E | Conflict | NotFound | Unavailable>
    /** Ends all sessions of a user. Returns how many have ended. */
    readonly endSessions: (named: string) => Effect.Effect<number, NotFound | Unavailable>
    /** Deletes the account (`AccountDeletions`). */
    readonly deleteUser: (
      email: string
    ) => Effect.Effect<Deleted & { readonly user: Account }, NotFound | Conflict | Unavailable>
    /** The id of the workspace that has this id or slug, whether it is deleted or not. */
    readonly workspace: (named: string) => Effect.Effect<Ids.WorkspaceId, NotFound | Unavailable>
    /** Records in the audit log that the operator exports the workspace. */
    readonly recordExport: (
      workspace_id: Ids.WorkspaceId,
      format: string
    ) => Effect.Effect<void, NotFound | Unavailable>
    /** Makes a user an owner of the workspace, whatever their role was before. */
    readonly makeOwner: (
      workspace_id: Ids.WorkspaceId,
      email: string
    ) => Effect.Effect<void, Conflict | NotFound | Unavailable>
  }
>()("sheaf/identity/operators/Operator") {
  static readonly layer = Layer.effect(
    Operator,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer
      const passwords = yield* Passwords
      const accounts = yield* Users
      const deletions = yield* AccountDeletions
      const { assign } = yield* Members
      const randomness = yield* Randomness

      const find = traced("Operator.find")(function* (named: string) {
        const [user] = yield* runSql<Account>(
          read,
          `SELECT id, email, name, workspace_id FROM users
            WHERE (email_key = $1 OR id = $2) AND NOT ${isDeletedText("users.id")}`,
          [emailKey(named), named]
        )
        return user ?? (yield* NotFound.of(`user: ${named}`))
      })

      return Operator.of({
        find,
        users: traced("Operator.users")((after: string) =>
          runSql<ListedUser>(
            read,
            `SELECT u.id, u.email, u.name, u.workspace_id, u.password_hash IS NOT NULL AS has_password,
                u.is_operator AS operator, u.suspended_at,
                (SELECT max(s.last_active_at) FROM sessions s
                  WHERE s.workspace_id = u.workspace_id AND s.user_id = u.id) AS last_active_at, u.created_at
              FROM users u WHERE u.id > $1 ORDER BY u.id LIMIT 500`,
            [after]
          )
        ),
        addUser: traced("Operator.addUser")(function* ({ email, name, password, plan }) {
          const shown = name ?? nameOf(email)
          if (password !== undefined) yield* passwords.checkNew("password", password, { email, name: shown })
          const { user, workspace_id } = yield* accounts.create(
            {
              email,
              email_proven: true,
              name: shown,
              ...defaultRegion,
              password_hash: password === undefined ? null : yield* passwords.hash(password, operator),
              workspace: personal(randomness, name, plan)
            },
            yield* OperatorActor
          )
          return { id: user.id, email: user.email, name: user.name, workspace_id }
        }),
        setPassword: traced("Operator.setPassword")(function* (email: string, password: string) {
          const user = yield* find(email)
          yield* passwords.checkNew("password", password, user)
          const password_hash = yield* passwords.hash(password, operator)
          yield* writer.writeLocked(
            user.workspace_id,
            { actor: yield* OperatorActor },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const row = yield* lockUser(draft, user.id)
              if (row === undefined) return yield* NotFound.of(`user: ${email}`)
              draft.put(users, { ...row, password_hash })
              yield* SessionTokens.endAll(draft, user.id, "password_changed")
              yield* invalidateResets(draft, user.id)
              AuditTrail.audit(draft, {
                action: "auth.password_changed",
                resource: "user",
                resource_id: user.id
              })
            })
          )
          return user
        }),
        updateUser: traced("Operator.updateUser")(function* <E = never>(
          named: string,
          to: AccountChanges,
          check: Effect.Effect<void, E> = Effect.void
        ) {
          const user = yield* find(named)
          return yield* writer
            .writeLocked(
              user.workspace_id,
              { actor: yield* OperatorActor },
              Effect.fnUntraced(function* (draft: LockedDraft) {
                const before = yield* lockUser(draft, user.id)
                if (before === undefined || (yield* isDeleted(draft, user.id))) {
                  return yield* NotFound.of(`user: ${named}`)
                }
                yield* check
                const after = yield* changed(draft, before, to)
                draft.put(users, after)
                return { ...user, email: after.email, name: after.name }
              })
            )
            .pipe(orConflict("users_email_key_key", emailTaken))
        }),
        endSessions: traced("Operator.endSessions")(function* (named: string) {
          const user = yield* find(named)
          return yield* writer.writeLocked(
            user.workspace_id,
            { actor: yield* OperatorActor },
            Effect.fnUntraced(function* (draft) {
              const revoked = yield* SessionTokens.endAll(draft, user.id, "revoked_by_operator")
              // Recorded without sessions too: it was requested, and no session was left.
              AuditTrail.audit(draft, {
                action: "auth.sessions_ended",
                resource: "user",
                resource_id: user.id,
                data: { revoked }
              })
              return revoked
            })
          )
        }),
        deleteUser: traced("Operator.deleteUser")(function* (email: string) {
          const user = yield* find(email)
          const deleted = yield* deletions.delete(user, {
            actor: yield* OperatorActor,
            check: () => Effect.void
          })
          return { user, ...deleted }
        }),
        workspace: traced("Operator.workspace")(function* (named: string) {
          const [found] = yield* runSql<{ readonly workspace_id: Ids.WorkspaceId }>(
            read,
            "SELECT workspace_id FROM workspaces WHERE workspace_id = $1 OR slug = $1",
            [named]
          )
          return found?.workspace_id ?? (yield* NotFound.of(`workspace: ${named}`))
        }),
        recordExport: traced("Operator.recordExport")(function* (workspace_id: Ids.WorkspaceId, format: string) {
          yield* writer.writeLocked(workspace_id, { actor: yield* OperatorActor }, (draft) =>
            Effect.sync(() =>
              AuditTrail.audit(draft, {
                action: "export.requested",
                resource: "workspace",
                resource_id: workspace_id,
                data: { scope: "workspace", format }
              })
            )
          )
        }),
        makeOwner: traced("Operator.makeOwner")(function* (workspace_id: Ids.WorkspaceId, email: string) {
          yield* assign(workspace_id, yield* find(email), "owner")
        })
      })
    })
  )
}
