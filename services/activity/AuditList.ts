import { listOf } from "../lists/ListSpec.ts"
import { AuditEntry } from "./AuditEntry.ts"

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
