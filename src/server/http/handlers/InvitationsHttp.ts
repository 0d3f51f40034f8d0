import { Effect } from "effect"
import { Reauthentication } from "../../../../services/identity/Reauthentication.ts"
import { Principal } from "../../../../services/Principal.ts"
import { actorOf } from "../../../../services/writer/Actor.ts"
import type { InvitationSent } from "../../../../services/workspaces/Invitation.ts"
import { Invitations } from "../../../../services/workspaces/Invitations.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

/** The response can contain a secret link. */
const sent = (status: number) => (invitation: InvitationSent) =>
  Effect.map(Respond.resource(invitation, status, ["accept_url"]), Respond.asSecret)

export const InvitationsHttp = Handlers.group(
  "invitations",
  { invitations: Invitations, reauthentication: Reauthentication },
  ({ invitations, reauthentication }) => ({
    list: ({ query }) => Effect.flatMap(invitations.list(query), Respond.page),
    create: Effect.fnUntraced(function* ({ payload }) {
      if (payload.role === "owner") yield* reauthentication.need(payload.current_password)
      return yield* sent(201)(yield* invitations.create(payload))
    }),
    get: ({ params }) => Effect.flatMap(invitations.get(params.id), (invitation) => Respond.resource(invitation)),
    delete: Effect.fnUntraced(function* ({ params }) {
      yield* invitations.delete(params.id, yield* Respond.condition)
      return Respond.deleted(params.id)
    }),
    resend: Effect.fnUntraced(function* ({ params, payload }) {
      return yield* sent(200)(yield* invitations.resend(params.id, payload ?? {}, yield* Respond.condition))
    }),
    accept: Effect.fnUntraced(function* ({ payload }) {
      const principal = yield* Principal
      const user = { id: principal.user_id }
      return yield* Respond.resource(yield* invitations.accept(payload.token, user, actorOf(principal)))
    })
  })
)
