import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AuditEntry } from "../../services/activity/AuditEntry.ts"
import { auditList } from "../../services/activity/AuditList.ts"
import { Access, type AccessRule } from "./Authorization.ts"
import { id, list, page } from "./Envelopes.ts"
import { listing, operation } from "./Operation.ts"

const read: AccessRule = { scopes: ["audit:read"], role: "admin" }

export class AuditLogApi extends HttpApiGroup.make("auditLog")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(AuditEntry) })
      .annotateMerge(
        operation(
          "listAuditEntries",
          "List audit entries",
          "Newest first. Actions that are relevant to the security of the workspace, such as sign-ins, keys and changes of roles. " +
            "Entries are kept for the `audit_days` of the workspace's plan, and are never changed.",
          listing(auditList)
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: AuditEntry })
      .annotateMerge(
        operation(
          "getAuditEntry",
          "Get an audit entry",
          "Also 404 when the entry is older than the plan keeps entries."
        )
      )
      .annotate(Access, read)
  )
  .prefix("/audit-log")
  .annotateMerge(
    OpenApi.annotations({
      title: "Audit log",
      description: "Actions that concern security: who did what, and from where."
    })
  ) {}
