import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ServerJob, serverJobList } from "../../../../services/transfers/ServerJob.ts"
import { Access, administers } from "../Authorization.ts"
import { id, list, page } from "../Envelopes.ts"
import { listing, operation } from "../Operation.ts"

export class AdminJobsApi extends HttpApiGroup.make("adminJobs")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ServerJob) })
      .annotateMerge(
        operation(
          "adminListJobs",
          "List exports and imports of the server",
          "Those of all workspaces. `filter=state:failed` finds those that have failed.",
          listing(serverJobList)
        )
      )
      .annotate(Access, administers.read),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ServerJob })
      .annotateMerge(operation("adminGetJob", "Get an export or import", "Its state, without its content."))
      .annotate(Access, administers.read),
    HttpApiEndpoint.post("cancel", "/:id/cancel", { params: id, success: ServerJob })
      .annotateMerge(
        operation(
          "adminCancelJob",
          "Cancel an export or import",
          "Ends it as failed; the node that runs it stops within a second. Notes that an import has created stay.",
          { codes: ["invalid_state"] }
        )
      )
      .annotate(Access, administers.write("none")),
    HttpApiEndpoint.post("retry", "/:id/retry", { params: id, success: ServerJob })
      .annotateMerge(
        operation(
          "adminRetryJob",
          "Queue a failed export or import again",
          "An import continues where it ended: no note is created twice. Its file must still be there, which is certain for an hour after it failed.",
          { codes: ["invalid_state", "rate_limited"] }
        )
      )
      .annotate(Access, administers.write("none"))
  )
  .prefix("/admin/jobs")
  .annotateMerge(
    OpenApi.annotations({
      title: "Jobs of the server",
      description: "The exports and imports of all workspaces, for operators of the server."
    })
  ) {}
