import { Effect } from "effect"
import { AccountDeletions } from "../../../../../services/identity/AccountDeletions.ts"
import { Accounts } from "../../../../../services/identity/Accounts.ts"
import { Reauthentication } from "../../../../../services/identity/Reauthentication.ts"
import { Sessions } from "../../../../../services/identity/Sessions.ts"
import { Principal } from "../../../../../services/Principal.ts"
import * as Handlers from "../Handlers.ts"
import * as Respond from "../../responses/Respond.ts"

export const MeHttp = Handlers.group(
  "me",
  { accounts: Accounts, deletions: AccountDeletions, reauthentication: Reauthentication, sessions: Sessions },
  ({ accounts, deletions, reauthentication, sessions }) => ({
    get: () => Effect.flatMap(accounts.get, (user) => Respond.resource(user)),
    update: Effect.fnUntraced(function* ({ payload }) {
      return yield* Respond.resource(yield* accounts.update(payload, yield* Respond.condition))
    }),
    delete: Effect.fnUntraced(function* ({ payload }) {
      const proved = yield* reauthentication.prove(yield* Principal, payload.current_password)
      return Respond.deleted(yield* deletions.deleteOwn(proved, yield* Respond.condition))
    }),
    sessions: ({ query }) => Effect.flatMap(sessions.list(query), Respond.page),
    revokeOthers: () => Effect.map(sessions.endOthers(), (revoked) => Respond.value({ revoked })),
    deleteSession: Effect.fnUntraced(function* ({ params }) {
      yield* sessions.delete(params.id, yield* Respond.condition)
      return Respond.deleted(params.id)
    })
  })
)
