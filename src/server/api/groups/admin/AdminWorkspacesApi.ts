import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PasswordConfirmation } from "../../../../../services/admin/OperatorEffect.ts"
import {
  ServerWorkspace,
  serverWorkspaceList,
  ServerWorkspaceUpdate,
  WorkspaceRestore
} from "../../../../../services/admin/ServerWorkspace.ts"
import { administers } from "../../Authorization.ts"
import { Deleted, id, list, optionalBody, page } from "../../Envelopes.ts"
import { describing, listing, operations } from "../../Operation.ts"

const read = operations(administers.read)
const write = operations(administers.write("none"))

export class AdminWorkspacesApi extends HttpApiGroup.make("adminWorkspaces")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ServerWorkspace) }).annotateMerge(
      read(
        "adminListWorkspaces",
        "List the workspaces of the server",
        "All workspaces with what they store, and those that are deleted and not erased yet. No content.",
        listing(serverWorkspaceList)
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ServerWorkspace }).annotateMerge(
      read("adminGetWorkspace", "Get a workspace of the server", "What it stores, without its content.")
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: id,
      payload: ServerWorkspaceUpdate,
      success: ServerWorkspace
    }).annotateMerge(
      write("adminUpdateWorkspace", "Set plan and seats", "Sets the plan and the seats, whatever PLAN_CHANGES says.")
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", {
      params: id,
      payload: optionalBody(PasswordConfirmation),
      success: Deleted
    }).annotateMerge(
      operations(administers.write("destroys"))(
        "adminDeleteWorkspace",
        "Delete a workspace",
        "Deletes it for all members. It can be restored for 30 days. A personal workspace is deleted with its user (409 `invalid_state`).",
        { codes: ["invalid_state"], deletes: "workspace" }
      )
    ),
    HttpApiEndpoint.post("restore", "/:id/restore", {
      params: id,
      payload: optionalBody(WorkspaceRestore),
      success: ServerWorkspace
    }).annotateMerge(
      operations(administers.write({ owner: "lasting access" }))(
        "adminRestoreWorkspace",
        "Restore a deleted workspace",
        "Within 30 days of its deletion. Without an owner who is still there, `owner` names a user who becomes one; else no sooner than 24 hours after the deletion (409 `invalid_state`).",
        { codes: ["invalid_state", "restore_window_expired"] }
      )
    ),
    HttpApiEndpoint.post("purge", "/:id/purge", {
      params: id,
      payload: optionalBody(PasswordConfirmation),
      success: ServerWorkspace
    }).annotateMerge(
      operations(administers.write("erases"))(
        "adminPurgeWorkspace",
        "Erase a workspace",
        "Erases everything in it within two hours, also if it is deleted already. It cannot be restored. A personal workspace is erased after its user is deleted.",
        { codes: ["invalid_state"] }
      )
    )
  )
  .add(
    HttpApiEndpoint.post("reindex", "/:id/reindex", { params: id, success: ServerWorkspace }).annotateMerge(
      write(
        "adminReindexWorkspace",
        "Build a search index again",
        "Drops the search index of the workspace on all nodes. The next search builds it again from the database; until it is complete, searches find only some notes."
      )
    )
  )
  .prefix("/admin/workspaces")
  .annotateMerge(describing("Workspaces of the server", "All workspaces, for operators of the server.")) {}
