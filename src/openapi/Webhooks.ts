import { idOf } from "./Members.ts"

/** The types of events that happen in this version (contract 9). */
export const eventTypes = [
  "note.created",
  "note.updated",
  "note.archived",
  "note.restored",
  "note.deleted",
  "note.purged",
  "notebook.created",
  "notebook.updated",
  "notebook.moved",
  "notebook.deleted",
  "tag.created",
  "tag.updated",
  "tag.deleted",
  "tag.merged",
  "invitation.created",
  "invitation.resent",
  "invitation.accepted",
  "invitation.deleted",
  "member.added",
  "member.role_changed",
  "member.removed",
  "workspace.created",
  "workspace.updated",
  "workspace.deleted",
  "api_key.created",
  "api_key.rotated",
  "api_key.deleted",
  "session.created",
  "session.revoked",
  "device.registered",
  "device.revoked",
  "sync.conflict"
] as const

const nullable = (schema: object) => ({ anyOf: [schema, { type: "null" }] })

/** The body of a delivery (contract 9). */
export const webhookBody = {
  type: "object",
  required: ["type", "timestamp", "data"],
  properties: {
    type: { type: "string", description: "The type of the event.", examples: ["note.updated"] },
    timestamp: {
      type: "string",
      format: "date-time",
      description: "When it happened.",
      examples: ["2026-03-01T12:00:00.000Z"]
    },
    data: {
      type: "object",
      description: "The event.",
      required: ["id", "workspace_id", "resource_type", "resource_id", "actor_id", "resource"],
      properties: {
        id: { type: "string", description: "The event's id, the same on each retry.", ...idOf("event") },
        workspace_id: { type: "string", description: "The workspace's id.", ...idOf("workspace") },
        resource_type: { type: "string", description: "The type of the affected record.", examples: ["note"] },
        resource_id: { type: "string", description: "The id of the affected record.", ...idOf("note") },
        actor_id: {
          ...nullable({ type: "string", ...idOf("user") }),
          description: "The user who caused it; null when the server did."
        },
        resource: {
          ...nullable({ type: "object" }),
          description: "The record as it is, or null when it is gone.",
          examples: [null]
        }
      }
    }
  }
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example
})

/** What a subscriber is sent, by Standard Webhooks 1.0. */
export const webhooks = (example: unknown) => ({
  event: {
    post: {
      operationId: "receiveEvent",
      tags: ["Events"],
      summary: "An event happened",
      description:
        "What a subscriber's endpoint is sent, signed as Standard Webhooks 1.0 says. Delivery is at least once: `webhook-id` tells a repetition. The same events can be polled at `/events`.",
      security: [],
      parameters: [
        header("webhook-id", "The event's id, the same on each retry.", "ev_01kq3mZ8vT4sWx7Yb2Nc5E"),
        header("webhook-timestamp", "When this was sent, in seconds since 1970.", "1772366400"),
        header(
          "webhook-signature",
          "`v1,` and the HMAC-SHA-256 of id, timestamp and body, in base64.",
          "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        )
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/WebhookEvent" }, example } }
      },
      responses: {
        "2XX": { description: "Received. Anything else is tried again." },
        "410": { description: "No more of these, please: the webhook is switched off." }
      },
      "x-event-types": eventTypes
    }
  }
})
