import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ServerJob, serverJobList } from "../../../../../services/transfers/ServerJob.ts"
import { administers } from "../../Authorization.ts"
import { id, list, page } from "../../Envelopes.ts"
import { describing, listing, operations } from "../../Operation.ts"

const read = operations(administers.read)
const write = operations(administers.write("none"))

export class AdminJobsApi extends HttpApiGroup.make("adminJobs")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ServerJob) }).annotateMerge(
      read(
        "adminListJobs",
        "List exports and imports of the server",
        "Those of all workspaces. `filter=state:failed` finds those that have failed.",
        listing(serverJobList)
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ServerJob }).annotateMerge(
      read("adminGetJob", "Get an export or import", "Its state, without its content.")
    ),
    HttpApiEndpoint.post("cancel", "/:id/cancel", { params: id, success: ServerJob }).annotateMerge(
      write(
        "adminCancelJob",
        "Cancel an export or import",
        "Ends it as failed; the node that runs it stops within a second. Notes that an import has created stay.",
        { codes: ["invalid_state"] }
      )
    ),
    HttpApiEndpoint.post("retry", "/:id/retry", { params: id, success: ServerJob }).annotateMerge(
      write(
        "adminRetryJob",
        "Queue a failed export or import again",
        "An import continues where it ended: no note is created twice. Its file must still be there, which is certain for an hour after it failed.",
        { codes: ["invalid_state", "rate_limited"] }
      )
    )
  )
  .prefix("/admin/jobs")
  .annotateMerge(
    describing("Jobs of the server", "The exports and imports of all workspaces, for operators of the server.")
  ) {}
