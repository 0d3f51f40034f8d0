import { Context, Effect, Layer } from "effect"
import { type Condition, Conflict, type Invalid, NotFound, type Stale, type Unavailable } from "../Errors.ts"
import { AccountDeletions } from "../identity/AccountDeletions.ts"
import type { AccountChanges } from "../identity/operators/AccountChanges.ts"
import { FactorResets } from "../identity/operators/FactorResets.ts"
import { Operator } from "../identity/operators/Operator.ts"
import { Recovery } from "../identity/Recovery.ts"
import { readsOfServer, type ServerReads } from "../lists/RecordService.ts"
import { Principal } from "../Principal.ts"
import { traced } from "../Traced.ts"
import { OperatorActor } from "../writer/Actor.ts"
import * as ServerAudit from "./ServerAudit.ts"
import { type PasswordLink, type ServerUser, type ServerUserCreate, serverUserList } from "./ServerUser.ts"

const missing = NotFound.of("user")

const ownAccount = new Conflict({
  code: "invalid_state",
  detail: "Operators do not suspend or delete themselves, and stay operators: ask another operator"
})

/** The users of the whole server, for operators (contract 11). */
export class ServerUsers extends Context.Service<
  ServerUsers,
  ServerReads<ServerUser> & {
    readonly create: (input: ServerUserCreate) => Effect.Effect<ServerUser, Conflict | Invalid | NotFound | Unavailable>
    /** Refuses changes by which operators would lose their own access. */
    readonly update: (
      id: string,
      to: AccountChanges,
      condition?: Condition<ServerUser>
    ) => Effect.Effect<ServerUser, Conflict | NotFound | Stale | Unavailable, Principal>
    readonly makePasswordLink: (id: string) => Effect.Effect<PasswordLink, NotFound | Unavailable>
    /** Ends all sessions of a user. Returns how many have ended. */
    readonly endSessions: (id: string) => Effect.Effect<number, NotFound | Unavailable>
    /** Removes all second factors and recovery codes of a user. Returns how many factors there were. */
    readonly resetFactors: (id: string) => Effect.Effect<number, NotFound | Unavailable>
    /** Deletes the account. Workspaces without other members are deleted with it. */
    readonly delete: (
      id: string,
      condition?: Condition<ServerUser>
    ) => Effect.Effect<void, Conflict | NotFound | Stale | Unavailable, Principal>
  }
>()("sheaf/admin/ServerUsers") {
  static readonly layer = Layer.effect(
    ServerUsers,
    Effect.gen(function* () {
      const reads = yield* readsOfServer<ServerUser>("ServerUsers", serverUserList, missing)
      const { get } = reads
      const operator = yield* Operator
      const resets = yield* FactorResets
      const deletions = yield* AccountDeletions
      const recovery = yield* Recovery
      const audit = yield* ServerAudit.make

      /** Checks the condition on the committed state. Run while the user is locked, so that the state stays. */
      const check = (id: string, condition?: Condition<ServerUser>) =>
        condition === undefined ? Effect.void : Effect.flatMap(get(id), condition)

      return ServerUsers.of({
        ...reads,
        create: traced("ServerUsers.create")(function* ({ email, name, password, plan = "free" }) {
          return yield* get((yield* operator.addUser({ email, name, password, plan })).id)
        }),
        update: traced("ServerUsers.update")(function* (id, to, condition) {
          const isOwn = (yield* Principal).user_id === id
          if (isOwn && (to.suspended === true || to.operator === false)) return yield* ownAccount
          yield* operator.updateUser((yield* get(id)).id, to, check(id, condition))
          return yield* get(id)
        }),
        makePasswordLink: traced("ServerUsers.makePasswordLink")(function* (id: string) {
          return yield* recovery.makeLink(yield* operator.find((yield* get(id)).id))
        }),
        endSessions: traced("ServerUsers.endSessions")(function* (id: string) {
          return yield* operator.endSessions((yield* get(id)).id)
        }),
        resetFactors: traced("ServerUsers.resetFactors")(function* (id: string) {
          return (yield* resets.reset((yield* get(id)).id)).removed
        }),
        delete: traced("ServerUsers.delete")(function* (id, condition) {
          if ((yield* Principal).user_id === id) return yield* ownAccount
          const user = yield* operator.find((yield* get(id)).id)
          const deleted = deletions.delete(user, { actor: yield* OperatorActor, check: () => check(id, condition) })
          // The audit log of the user's personal workspace is erased with it.
          yield* Effect.uninterruptible(Effect.andThen(deleted, audit("server.user_deleted", user.id)))
        })
      })
    })
  )
}
