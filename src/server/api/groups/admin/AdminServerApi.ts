import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AuditEntry } from "../../../../../services/activity/AuditEntry.ts"
import { CheckRun, CheckRunCreate, CheckRuns } from "../../../../../services/admin/CheckRun.ts"
import { operatorAuditList } from "../../../../../services/admin/OperatorAuditList.ts"
import { ServerNodes } from "../../../../../services/admin/ServerNode.ts"
import { ServerSettings, ServerStatus } from "../../../../../services/admin/ServerStatus.ts"
import { EndApps, EndedApps } from "../../../../../services/oauth/ConnectedApp.ts"
import { seriesRanges, SeriesReport } from "../../../../../services/series/SeriesReport.ts"
import { administers } from "../../Authorization.ts"
import { id, list, optionalBody, page } from "../../Envelopes.ts"
import { describing, listing, operations } from "../../Operation.ts"

const read = operations(administers.read)
const write = operations(administers.write("none"))

export class AdminServerApi extends HttpApiGroup.make("adminServer")
  .add(
    HttpApiEndpoint.get("status", "/server", { success: ServerStatus }).annotateMerge(
      read(
        "adminGetServer",
        "Get the state of the server",
        "Versions, sizes, the plan of backups, and what needs the attention of an operator."
      )
    ),
    HttpApiEndpoint.get("settings", "/settings", { success: ServerSettings }).annotateMerge(
      read(
        "adminListSettings",
        "List the settings of the server",
        "The environment variables of the node of the request, with their defaults. Secrets are hidden."
      )
    ),
    HttpApiEndpoint.get("nodes", "/nodes", { success: ServerNodes }).annotateMerge(
      read("adminListNodes", "List the nodes of the server", "The running processes.")
    ),
    HttpApiEndpoint.get("series", "/series", {
      query: { range: Schema.optionalKey(Schema.String) },
      success: SeriesReport
    }).annotateMerge(
      read(
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
    ),
    HttpApiEndpoint.get("auditLog", "/audit-log", { query: page, success: list(AuditEntry) }).annotateMerge(
      read(
        "adminListAuditEntries",
        "List what operators have done",
        "The entries of all audit logs about operations of operators, by the command line too.",
        listing(operatorAuditList)
      )
    ),
    HttpApiEndpoint.get("checks", "/checks", { success: CheckRuns }).annotateMerge(
      read("adminListChecks", "List the checks of the server", "The last 20 runs of the checks, with results.")
    ),
    HttpApiEndpoint.post("beginCheck", "/checks", {
      payload: optionalBody(CheckRunCreate),
      success: CheckRun.pipe(HttpApiSchema.status(202))
    }).annotateMerge(
      write(
        "adminBeginCheck",
        "Check the server",
        "Runs the checks of `sheaf doctor` in the background, one run at a time. It changes nothing.",
        { codes: ["invalid_state"] }
      )
    ),
    HttpApiEndpoint.get("check", "/checks/:id", { params: id, success: CheckRun }).annotateMerge(
      read("adminGetCheck", "Get a run of the checks", "Its results until now.")
    ),
    HttpApiEndpoint.post("endApps", "/connected-apps/end", { payload: EndApps, success: EndedApps }).annotateMerge(
      operations(administers.write("destroys"))(
        "adminEndApps",
        "End the apps of an OAuth client",
        "Ends the apps that users have connected with a client, with their tokens and streams, and codes that were not exchanged: those of at most 100 users in a request. Users may connect the client again."
      )
    )
  )
  .prefix("/admin")
  .annotateMerge(describing("The server", "The server as a whole, for its operators.")) {}
