import { Effect } from "effect"
import { ServerUsers } from "../../../services/admin/ServerUsers.ts"
import { ServerWorkspaces } from "../../../services/admin/ServerWorkspaces.ts"
import { Reauthentication } from "../../../services/identity/Reauthentication.ts"
import { Principal } from "../../../services/Principal.ts"
import { OperatorJobs } from "../../../services/transfers/OperatorJobs.ts"
import { actorOf, OperatorActor } from "../../../services/writer/Actor.ts"
import { CurrentAttempt } from "../../../services/writer/IdempotencyKeys.ts"
import * as Respond from "../responses/Respond.ts"
import * as Handlers from "./Handlers.ts"

/**
 * Records the changes of an effect as those of an operator, who is the caller. Its writes are to other workspaces than
 * that of the request, which has the Idempotency-Key: the whole response is stored there, and not the results of writes.
 */
export const asOperator = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Principal, (principal) =>
    effect.pipe(
      Effect.provideService(OperatorActor, { ...actorOf(principal), by: "operator" }),
      Effect.provideService(CurrentAttempt, undefined)
    )
  )

export const shown = <A extends object, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(asOperator(effect), (resource) => Respond.resource(resource))

export const AdminUsersHttp = Handlers.group(
  "adminUsers",
  { users: ServerUsers, reauthentication: Reauthentication },
  ({ reauthentication, users }) => ({
    list: ({ query }) => Effect.flatMap(users.list(query), Respond.page),
    create: ({ payload }) => Effect.flatMap(asOperator(users.create(payload)), (user) => Respond.resource(user, 201)),
    get: ({ params }) => shown(users.get(params.id)),
    update: Effect.fnUntraced(function* ({ params, payload: { current_password, ...to } }) {
      // With an address of their own, a thief of the session could set the password of any operator.
      if (to.operator !== undefined || to.email !== undefined) yield* reauthentication.need(current_password)
      return yield* shown(users.update(params.id, to, yield* Respond.condition))
    }),
    delete: Effect.fnUntraced(function* ({ params }) {
      yield* asOperator(users.delete(params.id, yield* Respond.condition))
      return Respond.deleted(params.id)
    }),
    passwordLink: Effect.fnUntraced(function* ({ params, payload }) {
      yield* reauthentication.need(payload?.current_password)
      return Respond.value(yield* asOperator(users.makePasswordLink(params.id)))
    }),
    endSessions: ({ params }) =>
      Effect.map(asOperator(users.endSessions(params.id)), (revoked) => Respond.value({ revoked }))
  })
)

export const AdminWorkspacesHttp = Handlers.group(
  "adminWorkspaces",
  { reauthentication: Reauthentication, workspaces: ServerWorkspaces },
  ({ reauthentication, workspaces }) => ({
    list: ({ query }) => Effect.flatMap(workspaces.list(query), Respond.page),
    get: ({ params }) => shown(workspaces.get(params.id)),
    update: Effect.fnUntraced(function* ({ params, payload }) {
      return yield* shown(workspaces.update(params.id, payload, yield* Respond.condition))
    }),
    delete: Effect.fnUntraced(function* ({ params }) {
      yield* asOperator(workspaces.delete(params.id, yield* Respond.condition))
      return Respond.deleted(params.id)
    }),
    restore: Effect.fnUntraced(function* ({ params, payload }) {
      const { current_password, ...input } = payload ?? {}
      if (input.owner !== undefined) yield* reauthentication.need(current_password)
      return yield* shown(workspaces.restore(params.id, input))
    }),
    purge: ({ params }) => shown(workspaces.purge(params.id)),
    reindex: ({ params }) => shown(workspaces.reindex(params.id))
  })
)

export const AdminJobsHttp = Handlers.group("adminJobs", { jobs: OperatorJobs }, ({ jobs }) => ({
  list: ({ query }) => Effect.flatMap(jobs.list(query), Respond.page),
  get: ({ params }) => shown(jobs.get(params.id)),
  cancel: ({ params }) => shown(Effect.andThen(jobs.cancel(params.id), jobs.get(params.id))),
  retry: ({ params }) => shown(Effect.andThen(jobs.retry(params.id), jobs.get(params.id)))
}))
