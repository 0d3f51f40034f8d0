import { Context, Effect, Layer } from "effect"
import { type BadRequest, type Condition, type Conflict, NotFound, type Stale, type Unavailable } from "../Errors.ts"
import { userIdentities, users } from "../identity/IdentityTables.ts"
import { Passkeys } from "../identity/factors/Passkeys.ts"
import { PasswordSignIn } from "../identity/PasswordSignIn.ts"
import { needWayIn } from "../identity/factors/WaysIn.ts"
import { Lists } from "../lists/Lists.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Principal } from "../Principal.ts"
import { traced } from "../Traced.ts"
import { holdUser } from "../workspaces/RoleChecks.ts"
import { actorOf } from "../writer/Actor.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import { identityList, type UserIdentity } from "./UserIdentity.ts"

const missing = NotFound.of("identity")

/** The sign-ins by providers that a user has connected (contract 4). */
export class UserIdentities extends Context.Service<
  UserIdentities,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    /** Disconnects a provider, unless the user could not sign in any more. Sessions stay. */
    readonly delete: (
      id: string,
      condition?: Condition<UserIdentity>
    ) => Effect.Effect<void, NotFound | Conflict | Stale | Unavailable, Principal>
  }
>()("sheaf/oidc/UserIdentities") {
  static readonly layer = Layer.effect(
    UserIdentities,
    Effect.gen(function* () {
      const writer = yield* Writer
      const lists = yield* Lists
      const passwordSignIn = yield* PasswordSignIn
      const passkeys = yield* Passkeys
      return UserIdentities.of({
        list: traced("UserIdentities.list")(function* (query: PageQuery) {
          const principal = yield* Principal
          return yield* lists.page({
            spec: identityList,
            query,
            workspace_id: principal.home_id,
            where: "user_id = $2",
            params: [principal.user_id]
          })
        }),
        delete: traced("UserIdentities.delete")(function* (id: string, condition?: Condition<UserIdentity>) {
          const principal = yield* Principal
          const isPasswordOff = yield* passwordSignIn.isOff
          yield* writer.writeLocked(
            principal.home_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              // One at a time: two at once would leave none.
              yield* holdUser(draft, principal.user_id)
              const identity = yield* draft.get(userIdentities, id)
              if (identity?.user_id !== principal.user_id) return yield* missing
              const { user_id: _, ...shown } = identity
              if (condition !== undefined) yield* condition(shown)
              draft.remove(userIdentities, id)
              const user = yield* draft.get(users, principal.user_id)
              if (user === undefined) return yield* missing
              yield* needWayIn(draft, user, { isPasswordOff, issuers: passwordSignIn.issuers, rp_id: passkeys.rp_id })
              AuditTrail.audit(draft, {
                action: "auth.identity_unlinked",
                resource: "user",
                resource_id: principal.user_id,
                data: { id, issuer: identity.issuer }
              })
            })
          )
        })
      })
    })
  )
}
