import { Schema } from "effect"
import { plans } from "../Principal.ts"

/** What a plan allows; 0 is without a limit. */
const PlanLimits = Schema.Struct({
  requests_per_minute: Schema.Int,
  notes: Schema.Int,
  storage_bytes: Schema.Int,
  attachment_bytes: Schema.Int,
  audit_days: Schema.Int,
  api_keys: Schema.Int,
  devices: Schema.Int,
  tags: Schema.Int,
  notebooks: Schema.Int
}).annotate({ identifier: "PlanLimits" })

/** How much a workspace uses of what its plan allows (interface.md, Usage; contract 4). */
export const Usage = Schema.Struct({
  period_start: Schema.String,
  period_end: Schema.String,
  plan: Schema.Literals(plans),
  notes: Schema.Int,
  storage_bytes: Schema.Int,
  text_bytes: Schema.Int,
  api_requests: Schema.Int,
  limits: PlanLimits,
  daily: Schema.Array(Schema.Struct({ date: Schema.String, api_requests: Schema.Int }))
}).annotate({ identifier: "Usage" })
export type Usage = typeof Usage.Type
