import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AuditEntry, auditList } from "../../../../services/activity/AuditEntry.ts"
import { id, list, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations({ scopes: ["audit:read"], role: "admin" })

export class AuditLogApi extends HttpApiGroup.make("auditLog")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(AuditEntry) }).annotateMerge(
      read(
        "listAuditEntries",
        "List audit entries",
        "Actions that are relevant to the security of the workspace, such as sign-ins, keys and changes of roles. Newest first. " +
          "Entries are kept for the `audit_days` of the workspace's plan, and never change.",
        listing(auditList)
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: AuditEntry }).annotateMerge(
      read(
        "getAuditEntry",
        "Get an audit entry",
        "Returns 404 also for an entry that is older than the `audit_days` of the plan."
      )
    )
  )
  .prefix("/audit-log")
  .annotateMerge(describing("Audit log", "Actions that concern security: which user did what, and from where.")) {}
