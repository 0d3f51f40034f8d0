import { Context, Effect, Layer } from "effect"
import { type Condition, Conflict, NotFound, type Stale, type Unauthorized, type Unavailable } from "../Errors.ts"
import type { WorkspaceId } from "../Ids.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Principal } from "../Principal.ts"
import { ago } from "../database/DeleteInBatches.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import { orConflict } from "../database/UniqueViolations.ts"
import { traced } from "../Traced.ts"
import { type Actor, actorOf, operatorActor, systemActor } from "../writer/Actor.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import { endKeysOf } from "../workspaces/ApiKeyEnds.ts"
import { leave as leaveWorkspace } from "../workspaces/Leaving.ts"
import { lockUser } from "./Users.ts"
import { workspaces } from "../workspaces/WorkspaceTables.ts"
import { invalidateConfirmations } from "./Confirmations.ts"
import { isDeletedText, type UserRow, users } from "./IdentityTables.ts"
import { needOtherOperator } from "./operators/OtherOperators.ts"
import { type AccountDeletion, erasedWorkspaceName, erasePeople, pseudonymOf } from "./PersonErasure.ts"
import { wrongPassword } from "./Passwords.ts"
import { endIdentities, invalidateResets } from "./Recovery.ts"
import { SecurityMails } from "./SecurityMails.ts"
import * as SessionTokens from "./SessionTokens.ts"
import type { User } from "./User.ts"
import { holdOwners, needOtherOwners, type Place, placesOf } from "./UserWorkspaces.ts"

/** Milliseconds after a deletion during which a request that began before it may still write: one hour. */
const settleTime = 3600_000

/** Maximum number of accounts that one run of the job completes. */
const atOnce = 100

/** The workspaces of a deleted account. */
export interface Deleted {
  /** Workspaces without other members, which are deleted. */
  readonly deleted: ReadonlyArray<Pick<Place, "workspace_id" | "name" | "slug">>
  /** Workspaces that have other members. */
  readonly left: ReadonlyArray<Pick<Place, "workspace_id" | "name" | "slug">>
}

interface Request<E> {
  readonly actor: Actor
  /** Checks the account under the lock. */
  readonly check: (user: UserRow) => Effect.Effect<void, E>
}

const columns = "user_id, home_id, email_key, name, by_operator, deleted_at"

const changed = new Conflict({ code: "invalid_state", detail: "The workspaces of the user have changed meanwhile" })

/** Whether the account is deleted. In a draft of its personal workspace. */
export const isDeleted = (draft: LockedDraft, user_id: string) =>
  Effect.map(draft.runSql(`SELECT 1 AS found WHERE ${isDeletedText("$1")}`, [user_id]), ({ length }) => length > 0)

const shown = (places: ReadonlyArray<Place>) =>
  places.map(({ name, slug, workspace_id }) => ({ workspace_id, name, slug }))

/**
 * The end of an account (contract 4). One commit ends the account: it frees the address, ends sessions and credentials,
 * and records the deletion. The memberships end by a commit in each workspace afterwards, and the address and the name
 * are erased from logs by a job, which also continues a deletion that was interrupted.
 */
export class AccountDeletions extends Context.Service<
  AccountDeletions,
  {
    /**
     * Deletes an account. Fails with 409 `last_owner` if a workspace has other members and no other owner; then nothing
     * has changed.
     */
    readonly delete: <E>(
      user: { readonly id: string; readonly workspace_id: WorkspaceId },
      request: Request<E>
    ) => Effect.Effect<Deleted, E | NotFound | Conflict | Unavailable>
    /** Deletes the caller's account, after `Reauthentication.prove` returned it. Returns its id. */
    readonly deleteOwn: (
      proved: UserRow,
      condition?: Condition<User>
    ) => Effect.Effect<string, Conflict | Stale | Unauthorized | NotFound | Unavailable, Principal>
    /** Continues interrupted deletions, and erases the addresses and names of deleted accounts. */
    readonly finish: Effect.Effect<void>
  }
>()("sheaf/identity/AccountDeletions") {
  static readonly layer = Layer.effect(
    AccountDeletions,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const writer = yield* Writer
      const securityMails = yield* SecurityMails

      /** The commit that ends the account, in its personal workspace. Returns its workspaces. */
      const end = <E>(user_id: string, { actor, check }: Request<E>) =>
        Effect.fnUntraced(function* (draft: LockedDraft) {
          const user = yield* lockUser(draft, user_id)
          // The second of two simultaneous requests.
          if (user === undefined || (yield* isDeleted(draft, user_id))) return yield* NotFound.of("user")
          yield* check(user)
          // Users may always delete their own accounts. `sheaf user make-operator` mends a server without an operator.
          if (actor.by === "operator") yield* needOtherOperator(draft, user)
          yield* holdOwners(draft, user_id)
          const places = yield* Effect.orDie(placesOf(draft.sql, user_id))
          yield* needOtherOwners(places)
          yield* securityMails.put(draft, user_id, MailTemplates.accountDeleted)
          const deletion: AccountDeletion = {
            user_id,
            home_id: draft.workspace_id,
            email_key: user.email_proven ? user.email_key : null,
            name: user.name,
            by_operator: actor.by === "operator",
            deleted_at: draft.now
          }
          yield* draft.execute(`INSERT INTO account_deletions (${columns}) VALUES ($1, $2, $3, $4, $5::boolean, $6)`, [
            user_id,
            deletion.home_id,
            deletion.email_key,
            deletion.name,
            deletion.by_operator,
            deletion.deleted_at
          ])
          draft.put(users, {
            ...user,
            email: pseudonymOf(user_id),
            // No address is equal to an id.
            email_key: user_id,
            email_proven: false,
            name: "",
            password_hash: null,
            security_mails: false,
            is_operator: false
          })
          yield* SessionTokens.endAll(draft, user_id, "user_deleted")
          yield* invalidateResets(draft, user_id)
          yield* invalidateConfirmations(draft, user_id)
          yield* endIdentities(draft, user_id)
          // API keys end too, although the user may have no session.
          draft.changesAccess = true
          AuditTrail.audit(draft, {
            action: "auth.account_deleted",
            resource: "user",
            resource_id: user_id
          })
          return { deletion, places }
        })

      /** Removes the user from the draft's workspace, which is deleted if it has no other owner. */
      const leave = Effect.fnUntraced(function* (draft: LockedDraft, { home_id, name, user_id }: AccountDeletion) {
        const [place] = yield* Effect.orDie(placesOf(draft.sql, user_id, draft.workspace_id))
        if (place === undefined) return
        const { member_id, role } = place
        // Without a membership the user may still have keys.
        if (member_id === null || role === null) yield* endKeysOf(draft, user_id)
        else yield* leaveWorkspace(draft, { id: member_id, user_id, email: pseudonymOf(user_id), role })
        yield* draft.execute("DELETE FROM devices WHERE workspace_id = $1 AND user_id = $2", [
          draft.workspace_id,
          user_id
        ])
        const row = yield* draft.get(workspaces)
        if (place.other_owners > 0 || row === undefined || row.deleted_at !== null) return
        const isNamedAfter = draft.workspace_id === home_id && row.name === name
        const next = { ...row, name: isNamedAfter ? erasedWorkspaceName : row.name, deleted_at: draft.now }
        draft.put(workspaces, next)
        AuditTrail.log(draft, {
          type: "workspace.deleted",
          resource: "workspace",
          resource_id: draft.workspace_id,
          data: { name: next.name, slug: next.slug }
        })
      })

      /**
       * Ends all memberships, and then the row of the user. May run again, and on two nodes at once. `operator`: who
       * deletes the account, unless it is the user.
       */
      const complete = (deletion: AccountDeletion, operator: Actor) => {
        const { by_operator, home_id, user_id } = deletion
        const options = { actor: by_operator ? operator : { ...systemActor, user_id } }
        const within = <E>(workspace_id: WorkspaceId, method: (draft: LockedDraft) => Effect.Effect<void, E>) =>
          writer.writeLocked(workspace_id, options, method).pipe(
            // The other owner's account is deleted at the same time: then the workspace ends too.
            orConflict("members_last_owner", changed),
            // The workspace was erased meanwhile.
            Effect.catchTag("NotFound", () => Effect.void)
          )
        return Effect.gen(function* () {
          for (const { workspace_id } of yield* orUnavailable(placesOf(read, user_id))) {
            if (workspace_id !== home_id) yield* within(workspace_id, (draft) => leave(draft, deletion))
          }
          // Last, because it contains the account itself.
          yield* within(
            home_id,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              yield* leave(draft, deletion)
              if ((yield* draft.get(users, user_id)) !== undefined) draft.remove(users, user_id)
            })
          ).pipe(orConflict("members_user_id_fkey", changed), orConflict("api_keys_user_id_fkey", changed))
        }).pipe(Effect.retry({ while: (error) => error === changed, times: 3 }))
      }

      const finish = Effect.gen(function* () {
        const begun = yield* sql.unsafe<AccountDeletion>(
          `SELECT ${columns} FROM account_deletions d WHERE EXISTS (SELECT FROM users u WHERE u.id = d.user_id)
          ORDER BY deleted_at, user_id LIMIT ${atOnce}`
        )
        // A failure does not stop the others.
        yield* Effect.validate(begun, (deletion) => complete(deletion, operatorActor), { discard: true })
        const people = yield* sql.unsafe<AccountDeletion>(
          `SELECT ${columns} FROM account_deletions d
          WHERE deleted_at < $1 AND NOT EXISTS (SELECT FROM users u WHERE u.id = d.user_id)
          ORDER BY deleted_at, user_id LIMIT ${atOnce}`,
          [yield* ago(settleTime)]
        )
        yield* erasePeople(sql, writer, people)
        // At the end: an interrupted erasure begins again.
        yield* sql.unsafe("DELETE FROM account_deletions WHERE user_id = ANY($1)", [
          people.map(({ user_id }) => user_id)
        ])
      })

      const remove = traced("AccountDeletions.delete")(function* <E>(
        user: { readonly id: string; readonly workspace_id: WorkspaceId },
        request: Request<E>
      ) {
        const begin = writer.writeLocked(user.workspace_id, { actor: request.actor }, end(user.id, request))
        const { places } = yield* Effect.uninterruptibleMask((restore) =>
          Effect.tap(restore(begin), ({ deletion }) =>
            Effect.catchCause(complete(deletion, request.actor), (cause) =>
              Effect.logWarning("a deleted account has memberships left, which the job endAccounts ends", cause)
            )
          )
        )
        const present = places.filter(({ is_deleted }) => !is_deleted)
        return {
          deleted: shown(present.filter(({ other_owners }) => other_owners === 0)),
          left: shown(present.filter(({ other_owners }) => other_owners > 0))
        }
      })

      const deleteOwn = Effect.fnUntraced(function* (proved: UserRow, condition?: Condition<User>) {
        const principal = yield* Principal
        const user = { id: proved.id, workspace_id: principal.home_id }
        const check = Effect.fnUntraced(function* (present: UserRow) {
          // Another password was set meanwhile.
          if (present.password_hash !== proved.password_hash) return yield* wrongPassword
          if (condition !== undefined) yield* condition(SessionTokens.userOf(present))
        })
        yield* remove(user, { actor: actorOf(principal), check })
        return proved.id
      })

      return AccountDeletions.of({ delete: remove, deleteOwn, finish: Effect.orDie(finish) })
    })
  )
}
