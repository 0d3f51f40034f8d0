import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Workspace,
  WorkspaceCreate,
  WorkspaceDelete,
  workspaceList,
  WorkspaceUpdate
} from "../../../../services/workspaces/Workspace.ts"
import { ofAccount, reads, WorkspaceParam } from "../Authorization.ts"
import { created, Deleted, id, list, optionalBody, page } from "../Envelopes.ts"
import { DryRunnable } from "../Conventions.ts"
import { describing, listing, operations, passwordRequired } from "../Operation.ts"

const readScopes = ["profile", "members:read"] as const
const read = operations(reads(...readScopes))
const write = { scopes: ["members:write"] } as const

export class WorkspacesApi extends HttpApiGroup.make("workspaces")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Workspace) }).annotateMerge(
      operations(ofAccount(...readScopes))(
        "listWorkspaces",
        "List workspaces",
        "The workspaces that the caller is a member of; for an API key, the workspace of the key.",
        listing(workspaceList)
      )
    ),
    HttpApiEndpoint.post("create", "/", { payload: WorkspaceCreate, success: Workspace.pipe(created) }).annotateMerge(
      operations({ ...write, role: "viewer" })(
        "createWorkspace",
        "Create a workspace",
        "Creates another workspace, owned by the caller. Without `slug` one is derived from the name. On servers where the operator sets plan and seats, only the defaults are accepted. An API key works only in its own workspace: in the new one, use an access token with `Workspace-Id`.",
        { codes: ["already_exists", "insufficient_role", "quota_exceeded", "not_found"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Workspace })
      .annotateMerge(read("getWorkspace", "Get a workspace", "A workspace that the caller is a member of."))
      .annotate(WorkspaceParam, "id"),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: WorkspaceUpdate, success: Workspace })
      .annotateMerge(
        operations({ ...write, role: "admin" })(
          "updateWorkspace",
          "Change a workspace",
          "Admins can change the name; owners also the slug, whether members need a second factor, and plan and seats unless the operator sets those.",
          { codes: ["already_exists"] }
        )
      )
      .annotate(DryRunnable, true)
      .annotate(WorkspaceParam, "id"),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", {
      params: id,
      payload: optionalBody(WorkspaceDelete),
      query: { confirm: Schema.optionalKey(Schema.String) },
      success: Deleted
    })
      .annotateMerge(
        operations({ ...write, role: "owner" })(
          "deleteWorkspace",
          "Delete a workspace",
          `The workspace and its API keys end at once, for all members. The operator can restore it within 30 days. A personal workspace cannot be deleted. ${passwordRequired.text}`,
          {
            codes: [...passwordRequired.codes, "validation_failed", "invalid_state"],
            parameters: { confirm: { type: "string", description: "The slug of the workspace, as a confirmation." } }
          }
        )
      )
      .annotate(DryRunnable, true)
      .annotate(WorkspaceParam, "id")
  )
  .prefix("/workspaces")
  .annotateMerge(describing("Workspaces", "A workspace contains notebooks, notes, members and settings.")) {}
