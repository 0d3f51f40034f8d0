import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AuditLog } from "../../services/activity/AuditLog.ts"
import { Api } from "../api/Api.ts"
import * as Lean from "./Lean.ts"
import * as Respond from "./Respond.ts"

export const AuditLogHttp = HttpApiBuilder.group(
  Api,
  "auditLog",
  Effect.fn(function* (handlers) {
    const entries = yield* AuditLog
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(entries.list(query), Respond.page),
      get: ({ params }) => Effect.flatMap(entries.get(params.id), (entry) => Respond.resource(entry))
    })
  })
).pipe(Lean.handlers(AuditLog))
