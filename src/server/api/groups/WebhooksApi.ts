import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
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
import { Access, type AccessRule } from "../Authorization.ts"
import { created, Deleted, id, list, optionalBody, page } from "../Envelopes.ts"
import { listing, operation, passwordRequired } from "../Operation.ts"

const read: AccessRule = { scopes: ["webhooks:read"], role: "admin" }
const write: AccessRule = { scopes: ["webhooks:write"], role: "admin" }

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Webhook) })
      .annotateMerge(
        operation(
          "listWebhooks",
          "List webhooks",
          "The workspace's webhooks, without their secrets.",
          listing(webhookList)
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.post("create", "/", { payload: WebhookCreate, success: Webhook.pipe(created) })
      .annotateMerge(
        operation(
          "createWebhook",
          "Create a webhook",
          `Sends events to an endpoint from now on. Only this response shows the secret, which is generated unless you give one. A webhook receives events of resources that the credential that last changed it may read. A workspace has at most 200 webhooks. A webhook of an API key that expires is deactivated with the key (\`expires_at\`); a secret that a rotation replaced cannot create or change webhooks (403 \`forbidden\`). ${passwordRequired.text}`,
          { codes: [...passwordRequired.codes, "quota_exceeded", "insufficient_scope", "forbidden"] }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Webhook })
      .annotateMerge(operation("getWebhook", "Get a webhook", "Returns the webhook without its secret."))
      .annotate(Access, read),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: WebhookUpdate, success: Webhook })
      .annotateMerge(
        operation(
          "updateWebhook",
          "Change a webhook",
          "Only supplied fields change. With `secret` or `rotate_secret` the response shows the new secret, and deliveries are signed with both for 24 hours. A webhook that is activated again receives events from then on, not those that happened meanwhile. After the change it lasts as long as the credential that made the change: `expires_at` is that of the API key, or null. If `created_by` left the workspace, the caller takes the webhook over.",
          { codes: ["insufficient_scope", "forbidden"] }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted })
      .annotateMerge(operation("deleteWebhook", "Delete a webhook", "Deletes the webhook and its deliveries."))
      .annotate(Access, write),
    HttpApiEndpoint.post("test", "/:id/test", { params: id, payload: optionalBody(WebhookTest), success: Delivery })
      .annotateMerge(
        operation(
          "testWebhook",
          "Test a webhook",
          "Sends a `ping` to its endpoint at once, also when the webhook is not active, and returns the delivery with its result."
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.get("deliveries", "/:id/deliveries", { params: id, query: page, success: list(Delivery) })
      .annotateMerge(
        operation(
          "listDeliveries",
          "List deliveries",
          "Lists one entry per attempt to send an event, with its status code, latency, request and response, and the pending next attempt. 16 KiB of a request body and 2 KiB of a response body are kept, for 30 days, and at most 10 000 finished attempts per webhook.",
          listing(deliveryList)
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.post("retry", "/:webhook_id/deliveries/:id/retry", {
      params: { webhook_id: Text, id: Text },
      payload: optionalBody(WebhookTest),
      success: Delivery
    })
      .annotateMerge(
        operation(
          "retryDelivery",
          "Send a delivery again",
          "Sends the event again at once, with the same `webhook-id`, as a new attempt with its own id, and returns the attempt with its result. While a scheduled attempt is pending, no other attempt is made: the pending one is returned, and is due now unless it is already being sent.",
          { codes: ["invalid_state"] }
        )
      )
      .annotate(Access, write)
  )
  .prefix("/webhooks")
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "Endpoints to which events are sent, signed by Standard Webhooks 1.0."
    })
  ) {}
