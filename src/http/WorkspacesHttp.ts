import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Workspaces } from "../../services/workspaces/Workspaces.ts"
import { Api } from "../api/Api.ts"
import * as Lean from "./Lean.ts"
import * as Respond from "./Respond.ts"

export const WorkspacesHttp = HttpApiBuilder.group(
  Api,
  "workspaces",
  Effect.fn(function* (handlers) {
    const workspaces = yield* Workspaces
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(workspaces.list(query), Respond.page),
      create: ({ payload }) =>
        Effect.flatMap(workspaces.create(payload), (workspace) => Respond.resource(workspace, 201)),
      get: () => Effect.flatMap(workspaces.get(), (workspace) => Respond.resource(workspace)),
      update: Effect.fnUntraced(function* ({ payload }) {
        return yield* Respond.resource(yield* workspaces.update(payload, yield* Respond.condition))
      }),
      delete: Effect.fnUntraced(function* ({ params, query }) {
        yield* workspaces.delete(query.confirm, yield* Respond.condition)
        return Respond.deleted(params.id)
      })
    })
  })
).pipe(Lean.handlers(Workspaces))
