import type { Reads } from "../database/ReachedRows.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { Conflict, NotFound, type Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import { Randomness } from "../Randomness.ts"
import { runSql } from "../database/Database.ts"
import { orConflict } from "../database/UniqueViolations.ts"
import type { Actor } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { holdUser } from "../workspaces/RoleChecks.ts"
import { Founding, type NewWorkspace } from "../workspaces/Founding.ts"
import { emailKey } from "../Email.ts"
import { type UserRow, users } from "./IdentityTables.ts"

interface NewUser {
  readonly email: string
  readonly email_proven: boolean
  readonly name: string
  readonly locale: string
  readonly timezone: string
  readonly password_hash: string | null
  /** Default: false. */
  readonly is_operator?: boolean
  readonly workspace: NewWorkspace
}

/** The author of a new account; without `user_id` the new user. */
type Creator = Omit<Actor, "user_id"> & { readonly user_id?: string | null }

export const emailTaken = new Conflict({
  code: "already_exists",
  detail: "An account with this e-mail address exists already"
})

/** Users. Each has one personal workspace, which is created with the user. */
export class Users extends Context.Service<
  Users,
  {
    /** Creates a user and their personal workspace, with the additions of `also`, in one transaction. */
    readonly create: <A = void, E = never>(
      user: NewUser,
      actor: Creator,
      also?: (draft: LockedDraft, user: UserRow) => Effect.Effect<A, E>
    ) => Effect.Effect<
      { readonly user: UserRow; readonly workspace_id: Ids.WorkspaceId; readonly also: A },
      E | Conflict | Unavailable
    >
  }
>()("sheaf/identity/Users") {
  static readonly layer = Layer.effect(
    Users,
    Effect.gen(function* () {
      const writer = yield* Writer
      const { found } = yield* Founding
      const randomness = yield* Randomness
      return Users.of({
        create: traced("Users.create")(function* <A, E>(
          user: NewUser,
          actor: Creator,
          also?: (draft: LockedDraft, user: UserRow) => Effect.Effect<A, E>
        ) {
          const now = yield* Clock.currentTimeMillis
          const { is_operator = false, workspace, ...rest } = user
          const id = randomness.id("us", now)
          const workspace_id = randomness.id("ws", now)
          return yield* writer
            .begin(
              workspace_id,
              // A user who registers creates the account; an operator creates it for another user.
              { ...actor, user_id: actor.by === "operator" ? (actor.user_id ?? null) : id },
              Effect.fnUntraced(function* (draft: LockedDraft) {
                const row: UserRow = {
                  ...rest,
                  id,
                  email_key: emailKey(user.email),
                  security_mails: true,
                  is_operator,
                  suspended_at: null,
                  created_at: draft.now
                }
                draft.add(users, row)
                yield* found(draft, workspace, row)
                return {
                  user: row,
                  workspace_id,
                  also: also === undefined ? (undefined as A) : yield* also(draft, row)
                }
              })
            )
            .pipe(orConflict("users_email_key_key", emailTaken))
        })
      })
    })
  )
}

/** Returns the user of an id. */
export const readUser = Effect.fnUntraced(function* (sql: Reads, id: string) {
  const [user] = yield* runSql<UserRow>(sql, `SELECT ${users.columnList} FROM users WHERE id = $1`, [id])
  return user ?? (yield* NotFound.of("user"))
})

/** Returns a user in a draft of their personal workspace, and locks the row until the commit. */
export const lockUser = (draft: LockedDraft, id: string) =>
  Effect.andThen(holdUser(draft, id), () => draft.get(users, id))
