import { Effect } from "effect"
import { KeyRequests } from "../../../../../services/activity/KeyRequests.ts"
import { ApiKeys } from "../../../../../services/identity/ApiKeys.ts"
import { Reauthentication } from "../../../../../services/identity/Reauthentication.ts"
import type { ApiKeyWithSecret } from "../../../../../services/identity/ApiKey.ts"
import * as Handlers from "../Handlers.ts"
import * as Respond from "../../responses/Respond.ts"

const secret = (status: number) => (key: ApiKeyWithSecret) =>
  Effect.map(Respond.resource(key, status, ["secret"]), Respond.asSecret)

export const ApiKeysHttp = Handlers.group(
  "apiKeys",
  { keys: ApiKeys, reauthentication: Reauthentication, requests: KeyRequests },
  ({ keys, reauthentication, requests }) => ({
    list: ({ query }) => Effect.flatMap(keys.list(query), Respond.page),
    create: Effect.fnUntraced(function* ({ payload }) {
      yield* reauthentication.need(payload.current_password)
      return yield* secret(201)(yield* keys.create(payload))
    }),
    get: ({ params }) => Effect.flatMap(keys.get(params.id), (key) => Respond.resource(key)),
    requests: ({ params, query }) => Effect.flatMap(requests.list(params.id, query), Respond.page),
    update: Effect.fnUntraced(function* ({ params, payload }) {
      // Only a key that would reach more needs it, which is known under the lock.
      const unproven = yield* reauthentication.need(payload.current_password).pipe(
        Effect.as(undefined),
        Effect.catchTag("Forbidden", (refusal) => Effect.succeed(refusal))
      )
      return yield* Respond.resource(yield* keys.update(params.id, payload, unproven, yield* Respond.condition))
    }),
    delete: Effect.fnUntraced(function* ({ params }) {
      yield* keys.delete(params.id, yield* Respond.condition)
      return Respond.deleted(params.id)
    }),
    rotate: Effect.fnUntraced(function* ({ params, payload }) {
      yield* reauthentication.need(payload?.current_password)
      return yield* secret(200)(yield* keys.rotate(params.id, yield* Respond.condition))
    })
  })
)
