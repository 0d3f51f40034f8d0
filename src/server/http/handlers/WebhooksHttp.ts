import { Effect } from "effect"
import { Reauthentication } from "../../../../services/identity/Reauthentication.ts"
import { Deliveries } from "../../../../services/webhooks/Deliveries.ts"
import type { Webhook } from "../../../../services/webhooks/Webhook.ts"
import { Webhooks } from "../../../../services/webhooks/Webhooks.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

/** Only the response to the request that sets the secret shows it. */
const transient = ["secret"]
const condition = Respond.conditionOn(transient)

const shown = (hook: Webhook, status = 200) => {
  const response = Respond.resource(hook, status, transient)
  return hook.secret === null ? response : Effect.map(response, Respond.asSecret)
}

export const WebhooksHttp = Handlers.group(
  "webhooks",
  { webhooks: Webhooks, deliveries: Deliveries, reauthentication: Reauthentication },
  ({ deliveries, reauthentication, webhooks }) => ({
    list: ({ query }) => Effect.flatMap(webhooks.list(query), Respond.page),
    create: Effect.fnUntraced(function* ({ payload }) {
      yield* reauthentication.need(payload.current_password)
      return yield* shown(yield* webhooks.create(payload), 201)
    }),
    get: ({ params }) => Effect.flatMap(webhooks.get(params.id), (hook) => shown(hook)),
    update: Effect.fnUntraced(function* ({ params, payload }) {
      return yield* shown(yield* webhooks.update(params.id, payload, yield* condition))
    }),
    delete: Effect.fnUntraced(function* ({ params }) {
      yield* webhooks.delete(params.id, yield* condition)
      return Respond.deleted(params.id)
    }),
    test: Effect.fnUntraced(function* ({ params }) {
      return yield* Respond.resource(yield* deliveries.test(params.id, yield* condition))
    }),
    deliveries: ({ params, query }) => Effect.flatMap(deliveries.list(params.id, query), Respond.page),
    retry: ({ params }) =>
      Effect.flatMap(deliveries.retry(params.webhook_id, params.id), (each) => Respond.resource(each))
  })
)
