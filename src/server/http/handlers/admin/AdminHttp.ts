import { Effect } from "effect"
import { ServerUsers } from "../../../../../services/admin/ServerUsers.ts"
import { ServerWorkspaces } from "../../../../../services/admin/ServerWorkspaces.ts"
import { Principal } from "../../../../../services/Principal.ts"
import { OperatorJobs } from "../../../../../services/transfers/OperatorJobs.ts"
import { actorOf, OperatorActor } from "../../../../../services/writer/Actor.ts"
import { CurrentAttempt } from "../../../../../services/writer/IdempotencyKeys.ts"
import * as Respond from "../../responses/Respond.ts"
import * as Handlers from "../Handlers.ts"

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

export const AdminUsersHttp = Handlers.group("adminUsers", { users: ServerUsers }, ({ users }) => ({
  list: ({ query }) => Effect.flatMap(users.list(query), Respond.page),
  create: ({ payload }) => Effect.flatMap(asOperator(users.create(payload)), (user) => Respond.resource(user, 201)),
  get: ({ params }) => shown(users.get(params.id)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* shown(users.update(params.id, payload, yield* Respond.condition))
  }),
  delete: Effect.fnUntraced(function* ({ params }) {
    yield* asOperator(users.delete(params.id, yield* Respond.condition))
    return Respond.deleted(params.id)
  }),
  passwordLink: ({ params }) => Effect.map(asOperator(users.makePasswordLink(params.id)), Respond.value),
  endSessions: ({ params }) =>
    Effect.map(asOperator(users.endSessions(params.id)), (revoked) => Respond.value({ revoked })),
  resetFactors: ({ params }) =>
    Effect.map(asOperator(users.resetFactors(params.id)), (removed) => Respond.value({ removed }))
}))

export const AdminWorkspacesHttp = Handlers.group(
  "adminWorkspaces",
  { workspaces: ServerWorkspaces },
  ({ workspaces }) => ({
    list: ({ query }) => Effect.flatMap(workspaces.list(query), Respond.page),
    get: ({ params }) => shown(workspaces.get(params.id)),
    update: Effect.fnUntraced(function* ({ params, payload }) {
      return yield* shown(workspaces.update(params.id, payload, yield* Respond.condition))
    }),
    delete: Effect.fnUntraced(function* ({ params }) {
      yield* asOperator(workspaces.delete(params.id, yield* Respond.condition))
      return Respond.deleted(params.id)
    }),
    restore: ({ params, payload }) => shown(workspaces.restore(params.id, payload ?? {})),
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
