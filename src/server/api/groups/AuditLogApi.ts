import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AuditEntry, auditList } from "../../../../services/activity/AuditEntry.ts"
import { Access, type AccessRule } from "../Authorization.ts"
import { id, list, page } from "../Envelopes.ts"
import { listing, operation } from "../Operation.ts"

const read: AccessRule = { scopes: ["audit:read"], role: "admin" }

export class AuditLogApi extends HttpApiGroup.make("auditLog")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(AuditEntry) })
      .annotateMerge(
        operation(
          "listAuditEntries",
          "List audit entries",
          "Actions that are relevant to the security of the workspace, such as sign-ins, keys and changes of roles. Newest first. " +
            "Entries are kept for the `audit_days` of the workspace's plan, and never change.",
          listing(auditList)
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: AuditEntry })
      .annotateMerge(
        operation(
          "getAuditEntry",
          "Get an audit entry",
          "Returns 404 also for an entry that is older than the `audit_days` of the plan."
        )
      )
      .annotate(Access, read)
  )
  .prefix("/audit-log")
  .annotateMerge(
    OpenApi.annotations({
      title: "Audit log",
      description: "Actions that concern security: which user did what, and from where."
    })
  ) {}
