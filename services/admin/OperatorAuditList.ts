import { auditList } from "../activity/AuditEntry.ts"

/** The entries of all audit logs about what operators have done. */
export const operatorAuditList = { ...auditList, path: "/admin/audit-log" }
