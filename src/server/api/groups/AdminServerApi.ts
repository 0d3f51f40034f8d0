import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AuditEntry } from "../../../../services/activity/AuditEntry.ts"
import { CheckRun, CheckRunCreate, CheckRuns } from "../../../../services/admin/CheckRun.ts"
import { operatorAuditList } from "../../../../services/admin/OperatorAuditList.ts"
import { ServerNodes } from "../../../../services/admin/ServerNode.ts"
import { ServerSettings, ServerStatus } from "../../../../services/admin/ServerStatus.ts"
import { EndApps, EndedApps } from "../../../../services/oauth/ConnectedApp.ts"
import { seriesRanges, SeriesReport } from "../../../../services/series/SeriesReport.ts"
import { Access, administers } from "../Authorization.ts"
import { id, list, optionalBody, page } from "../Envelopes.ts"
import { listing, operation } from "../Operation.ts"

export class AdminServerApi extends HttpApiGroup.make("adminServer")
  .add(
    HttpApiEndpoint.get("status", "/server", { success: ServerStatus })
      .annotateMerge(
        operation(
          "adminGetServer",
          "Get the state of the server",
          "Versions, sizes, the plan of backups, and what needs the attention of an operator."
        )
      )
      .annotate(Access, administers.read),
    HttpApiEndpoint.get("settings", "/settings", { success: ServerSettings })
      .annotateMerge(
        operation(
          "adminListSettings",
          "List the settings of the server",
          "The environment variables of the node of the request, with their defaults. Secrets are hidden."
        )
      )
      .annotate(Access, administers.read),
    HttpApiEndpoint.get("nodes", "/nodes", { success: ServerNodes })
      .annotateMerge(operation("adminListNodes", "List the nodes of the server", "The running processes."))
      .annotate(Access, administers.read),
    HttpApiEndpoint.get("series", "/series", {
      query: { range: Schema.optionalKey(Schema.String) },
      success: SeriesReport
    })
      .annotateMerge(
        operation(
          "adminGetSeries",
          "Get measurements over time",
          "What the server has measured of itself: requests, errors, durations, storage, queues, and the lag of search and streams, over all nodes. `/metrics` has the present values.",
          {
            parameters: {
              range: {
                type: "string",
                enum: [...seriesRanges],
                description: "The time up to now. Default: `hour`.",
                examples: ["day"]
              }
            }
          }
        )
      )
      .annotate(Access, administers.read),
    HttpApiEndpoint.get("auditLog", "/audit-log", { query: page, success: list(AuditEntry) })
      .annotateMerge(
        operation(
          "adminListAuditEntries",
          "List what operators have done",
          "The entries of all audit logs about operations of operators, by the command line too.",
          listing(operatorAuditList)
        )
      )
      .annotate(Access, administers.read),
    HttpApiEndpoint.get("checks", "/checks", { success: CheckRuns })
      .annotateMerge(
        operation("adminListChecks", "List the checks of the server", "The last 20 runs of the checks, with results.")
      )
      .annotate(Access, administers.read),
    HttpApiEndpoint.post("beginCheck", "/checks", {
      payload: optionalBody(CheckRunCreate),
      success: CheckRun.pipe(HttpApiSchema.status(202))
    })
      .annotateMerge(
        operation(
          "adminBeginCheck",
          "Check the server",
          "Runs the checks of `sheaf doctor` in the background, one run at a time. It changes nothing.",
          { codes: ["invalid_state"] }
        )
      )
      .annotate(Access, administers.write("none")),
    HttpApiEndpoint.get("check", "/checks/:id", { params: id, success: CheckRun })
      .annotateMerge(operation("adminGetCheck", "Get a run of the checks", "Its results until now."))
      .annotate(Access, administers.read),
    HttpApiEndpoint.post("endApps", "/connected-apps/end", { payload: EndApps, success: EndedApps })
      .annotateMerge(
        operation(
          "adminEndApps",
          "End the apps of an OAuth client",
          "Ends the apps that users have connected with a client, with their tokens and streams, and codes that were not exchanged: those of at most 100 users in a request. Users may connect the client again."
        )
      )
      .annotate(Access, administers.write("destroys"))
  )
  .prefix("/admin")
  .annotateMerge(
    OpenApi.annotations({ title: "The server", description: "The server as a whole, for its operators." })
  ) {}
