import { listOf } from "../lists/ListSpec.ts"
import { Workspace } from "./Workspace.ts"

/** The workspaces that a user is a member of. */
export const workspaceList = listOf(Workspace, {
  path: "/workspaces",
  from: `(SELECT m.user_id, w.workspace_id AS id, w.name, w.slug, w.plan, w.seats, w.created_at
    FROM members m JOIN workspaces w ON w.workspace_id = m.workspace_id AND w.deleted_at IS NULL) memberships`,
  sort: ["created_at", "name"],
  filter: ["id", "name", "slug", "plan", "created_at"],
  words: ["name", "slug"],
  enums: ["plan"],
  // Sorted among the workspaces of one user.
  sorted: ["created_at", "name"]
})
