import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Usage } from "../../../../services/activity/Usage.ts"
import { scopes } from "../../../../services/identity/Scopes.ts"
import { reads } from "../Authorization.ts"
import { page } from "../Envelopes.ts"
import { describing, operations } from "../Operation.ts"

export class UsageApi extends HttpApiGroup.make("usage")
  .add(
    HttpApiEndpoint.get("get", "/", { query: page, success: Usage }).annotateMerge(
      operations(reads(...scopes))(
        "getUsage",
        "Get the usage of the workspace",
        "Returns the usage of the workspace, and the limits of its plan. The period is the calendar month in UTC; `daily` has " +
          "each of its days up to today. Every authenticated request counts, including this one, except those that are " +
          "refused with 429; requests to other nodes in the last seconds may be missing. The page " +
          "parameters are accepted and ignored."
      )
    )
  )
  .prefix("/usage")
  .annotateMerge(describing("Usage", "The usage of a workspace, and the limits of its plan.")) {}
