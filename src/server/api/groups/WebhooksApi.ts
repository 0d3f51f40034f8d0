import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Text } from "../../../../services/Text.ts"
import { Delivery } from "../../../../services/webhooks/Delivery.ts"
import {
  deliveryList,
  Webhook,
  WebhookCreate,
  webhookList,
  WebhookTest,
  WebhookUpdate
} from "../../../../services/webhooks/Webhook.ts"
import { created, Deleted, id, list, optionalBody, page } from "../Envelopes.ts"
import { DryRunnable } from "../Conventions.ts"
import { describing, listing, operations, passwordRequired } from "../Operation.ts"

const read = operations({ scopes: ["webhooks:read"], role: "admin" })
const write = operations({ scopes: ["webhooks:write"], role: "admin" })

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Webhook) }).annotateMerge(
      read("listWebhooks", "List webhooks", "The workspace's webhooks, without their secrets.", listing(webhookList))
    ),
    HttpApiEndpoint.post("create", "/", { payload: WebhookCreate, success: Webhook.pipe(created) }).annotateMerge(
      write(
        "createWebhook",
        "Create a webhook",
        `Sends events to an endpoint from now on. Only this response shows the secret, which is generated unless you give one. A webhook receives events of resources that the credential that last changed it may read. A workspace has at most 200 webhooks. A webhook of an API key that expires is deactivated with the key (\`expires_at\`); a secret that a rotation replaced cannot create or change webhooks (403 \`forbidden\`). ${passwordRequired.text}`,
        { codes: [...passwordRequired.codes, "quota_exceeded", "insufficient_scope", "forbidden"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Webhook }).annotateMerge(
      read("getWebhook", "Get a webhook", "Returns the webhook without its secret.")
    ),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: WebhookUpdate, success: Webhook })
      .annotateMerge(
        write(
          "updateWebhook",
          "Change a webhook",
          "Only supplied fields change. With `secret` or `rotate_secret` the response shows the new secret, and deliveries are signed with both for 24 hours. A webhook that is activated again receives events from then on, not those that happened meanwhile. After the change it lasts as long as the credential that made the change: `expires_at` is that of the API key, or null. If `created_by` left the workspace, the caller takes the webhook over.",
          { codes: ["insufficient_scope", "forbidden"] }
        )
      )
      .annotate(DryRunnable, true),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted })
      .annotateMerge(write("deleteWebhook", "Delete a webhook", "Deletes the webhook and its deliveries."))
      .annotate(DryRunnable, true),
    HttpApiEndpoint.post("test", "/:id/test", {
      params: id,
      payload: optionalBody(WebhookTest),
      success: Delivery
    }).annotateMerge(
      write(
        "testWebhook",
        "Test a webhook",
        "Sends a `ping` to its endpoint at once, also when the webhook is not active, and returns the delivery with its result."
      )
    ),
    HttpApiEndpoint.get("deliveries", "/:id/deliveries", {
      params: id,
      query: page,
      success: list(Delivery)
    }).annotateMerge(
      read(
        "listDeliveries",
        "List deliveries",
        "Lists one entry per attempt to send an event, with its status code, latency, request and response, and the pending next attempt. 16 KiB of a request body and 2 KiB of a response body are kept, for 30 days, and at most 10 000 finished attempts per webhook.",
        listing(deliveryList)
      )
    ),
    HttpApiEndpoint.post("retry", "/:webhook_id/deliveries/:id/retry", {
      params: { webhook_id: Text, id: Text },
      payload: optionalBody(WebhookTest),
      success: Delivery
    }).annotateMerge(
      write(
        "retryDelivery",
        "Send a delivery again",
        "Sends the event again at once, with the same `webhook-id`, as a new attempt with its own id, and returns the attempt with its result. While a scheduled attempt is pending, no other attempt is made: the pending one is returned, and is due now unless it is already being sent.",
        { codes: ["invalid_state"] }
      )
    )
  )
  .prefix("/webhooks")
  .annotateMerge(describing("Webhooks", "Endpoints to which events are sent, signed by Standard Webhooks 1.0.")) {}
