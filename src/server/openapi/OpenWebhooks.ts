import { SchemaAST } from "effect"
import { type EventType, eventTypes } from "../../../services/EventTypes.ts"
import { type ResourceType, resourceTypes } from "../../../services/Resources.ts"
import { exampleId, idForm } from "../../../services/Fields.ts"
import * as Ids from "../../../services/Ids.ts"
import { StoredShare } from "../../../services/notes/shares/Share.ts"
import { syncedTypes } from "../../../services/sync/SyncedTypes.ts"
import { exampleOf } from "./Examples.ts"

type Json = Readonly<Record<string, any>>

/** `api_key.created` as `ApiKeyCreated`, `api_key` as `ApiKey`. */
const pascal = (name: string): string =>
  name
    .split(/[._]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("")

/** Events after which the record no longer exists. */
export const removals: ReadonlySet<string> = new Set<EventType>([
  ...syncedTypes.flatMap((each) => each.removals),
  "share.deleted",
  "invitation.deleted",
  "member.removed",
  "workspace.deleted",
  "api_key.deleted",
  "session.revoked",
  "device.revoked",
  "webhook.deleted"
])

/** The types of the records that an event can have. */
const kindsOf = (type: EventType): ReadonlyArray<ResourceType> =>
  resourceTypes.filter((each) =>
    type === "sync.conflict"
      ? syncedTypes.some((synced) => synced.type === each)
      : type === "ping"
        ? each === "webhook"
        : type.startsWith(`${each}.`)
  )

/** The schema of a record in a delivery, without members that are derived from other records. */
const recordOf = (kind: ResourceType): string => {
  const synced = syncedTypes.find(({ type }) => type === kind)
  if (synced !== undefined) return SchemaAST.resolveIdentifier(synced.data.ast)!
  return kind === "share" ? SchemaAST.resolveIdentifier(StoredShare.ast)! : pascal(kind)
}

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The body of a delivery (contract 9). */
const bodyOf = (type: EventType): Json => {
  const kinds = kindsOf(type)
  const kind = kinds[0]!
  return {
    type: "object",
    required: ["type", "timestamp", "data"],
    properties: {
      type: { type: "string", description: "The type of the event.", const: type },
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
          id: { type: "string", description: "The event's id, the same on each retry.", ...idForm("ev") },
          workspace_id: { type: "string", description: "The workspace's id.", ...idForm("ws") },
          resource_type: {
            type: "string",
            description: "The type of the affected record.",
            ...(kinds.length === 1 ? { const: kind } : { enum: kinds })
          },
          resource_id: {
            type: "string",
            description: "The id of the affected record.",
            ...(kinds.length === 1 ? idForm(Ids.prefixes[kind]) : { examples: [exampleId(Ids.prefixes[kind])] })
          },
          actor_id: {
            anyOf: [{ type: "string", ...idForm("us") }, { type: "null" }],
            description: "The user who caused it; null if the server did."
          },
          resource: removals.has(type)
            ? { type: "null", description: "Null: the record was deleted." }
            : {
                anyOf: [...kinds.map((each) => refTo(recordOf(each))), { type: "null" }],
                description:
                  "The record after the event, or its current state if that one is no longer stored; null if it was deleted."
              }
        }
      }
    }
  }
}

const schemaOf = (type: EventType) => `Webhook${pascal(type)}`

/** The schema of the body of a delivery for each event type, and their union. */
export const webhookSchemas: Json = {
  ...Object.fromEntries(eventTypes.map((type) => [schemaOf(type), bodyOf(type)])),
  WebhookEvent: {
    description: "The body of a delivery. Later versions may add types: clients must skip unknown types.",
    anyOf: eventTypes.map((type) => refTo(schemaOf(type)))
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

const description =
  "A delivery to your endpoint, signed according to Standard Webhooks 1.0. An event can be delivered more than once: use `webhook-id` to detect duplicates. The same events can be read from `/events`."

/** The webhooks by type of event (Standard Webhooks 1.0). */
export const webhooks = (schemas: Json): Json =>
  Object.fromEntries(
    eventTypes.map((type) => [
      type,
      {
        post: {
          operationId: `on${pascal(type)}`,
          tags: ["Events"],
          summary: `An event of the type ${type}`,
          description,
          security: [],
          parameters: [
            header("webhook-id", "The event's id, the same on each retry.", "ev_01kq3mZ8vT4sWx7Yb2Nc5E"),
            header("webhook-timestamp", "When this request was sent, in Unix seconds.", "1772366400"),
            header(
              "webhook-signature",
              "`v1,` and the HMAC-SHA-256 of id, timestamp and body, in base64; several are separated by spaces.",
              "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
            )
          ],
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: refTo(schemaOf(type)),
                example: exampleOf(schemas[schemaOf(type)], schemas)
              }
            }
          },
          responses: {
            "2XX": { description: "The delivery was accepted. After any other status it is retried." },
            "410": { description: "Deactivates the webhook." }
          },
          "x-event-types": [type]
        }
      }
    ])
  )
