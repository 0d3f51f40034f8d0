import { Effect } from "effect"
import { AuditLog } from "../../../../services/activity/AuditLog.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const AuditLogHttp = Handlers.group("auditLog", { entries: AuditLog }, ({ entries }) => ({
  list: ({ query }) => Effect.flatMap(entries.list(query), Respond.page),
  get: ({ params }) => Effect.flatMap(entries.get(params.id), (entry) => Respond.resource(entry))
}))
