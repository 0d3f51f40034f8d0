import { Effect } from "effect"
import { Reauthentication } from "../../../../services/identity/Reauthentication.ts"
import { Workspaces } from "../../../../services/workspaces/Workspaces.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const WorkspacesHttp = Handlers.group(
  "workspaces",
  { workspaces: Workspaces, reauthentication: Reauthentication },
  ({ reauthentication, workspaces }) => ({
    list: ({ query }) => Effect.flatMap(workspaces.list(query), Respond.page),
    create: ({ payload }) =>
      Effect.flatMap(workspaces.create(payload), (workspace) => Respond.resource(workspace, 201)),
    get: () => Effect.flatMap(workspaces.get(), (workspace) => Respond.resource(workspace)),
    update: Effect.fnUntraced(function* ({ payload }) {
      return yield* Respond.resource(yield* workspaces.update(payload, yield* Respond.condition))
    }),
    delete: Effect.fnUntraced(function* ({ params, payload, query }) {
      yield* reauthentication.need(payload?.current_password)
      yield* workspaces.delete(query.confirm, yield* Respond.condition)
      return Respond.deleted(params.id)
    })
  })
)
