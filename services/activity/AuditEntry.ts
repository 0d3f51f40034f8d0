import { Schema } from "effect"
import { auditActions, auditedTypes } from "../EventTypes.ts"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"

/** An entry of the audit log (contract 9). */
export const AuditEntry = Schema.Struct({
  id: Fields.ownId("al"),
  action: Schema.Literals(auditActions).annotate({
    description: "The action. Later versions may have more.",
    examples: ["member.role_changed"]
  }),
  actor_id: Schema.NullOr(
    Fields.id("us", "The user who did it; null if no user was signed in, or if the server did it.")
  ),
  ip: Schema.NullOr(Fields.ip),
  resource_type: Schema.Literals(auditedTypes).annotate({
    description: "The type of the affected record. Later versions may have more.",
    examples: ["member"]
  }),
  resource_id: Fields.text("The id of the affected record.", Fields.exampleId("mb")),
  metadata: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "Details of the action.",
    examples: [{ from: "editor", to: "admin" }]
  }),
  user_agent: Schema.NullOr(Fields.userAgent),
  occurred_at: Fields.time("When it happened.")
}).annotate({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type

export const auditList = listOf(AuditEntry, {
  path: "/audit-log",
  from: "audit_entries",
  sort: ["-occurred_at"],
  filter: ["id", "action", "resource_type", "resource_id", "actor_id", "ip", "occurred_at"],
  words: ["action"],
  indexed: { id: "few" },
  // Ids begin with the time, so the primary key has this order.
  sorts: { occurred_at: { sql: "id", type: "text" } }
})
