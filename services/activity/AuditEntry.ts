import { Schema } from "effect"

/** An entry of the audit log (interface.md, Audit entry), with what contract 9 adds. */
export const AuditEntry = Schema.Struct({
  id: Schema.String,
  action: Schema.String,
  actor_id: Schema.NullOr(Schema.String),
  ip: Schema.NullOr(Schema.String),
  resource_type: Schema.String,
  resource_id: Schema.String,
  metadata: Schema.Record(Schema.String, Schema.Unknown),
  user_agent: Schema.NullOr(Schema.String),
  occurred_at: Schema.String
}).annotate({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type
