import { Schema } from "effect"
import { time } from "../Fields.ts"

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
  occurred_at: time("When it happened.")
}).annotate({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type
