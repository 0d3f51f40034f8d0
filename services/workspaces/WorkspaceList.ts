import type { ListSpec } from "../Page.ts"
import { plans } from "../Principal.ts"

export const columns = ["id", "name", "slug", "plan", "seats", "created_at"]

/** The memberships of users. What a list is of stands in `workspace_id`, and this one is of a user. */
export const memberships = `(SELECT m.user_id AS workspace_id, w.workspace_id AS id,
    w.name, w.slug, w.plan, w.seats, w.created_at
  FROM members m JOIN workspaces w ON w.workspace_id = m.workspace_id AND w.deleted_at IS NULL) memberships`

export const workspaceList: ListSpec = {
  path: "/workspaces",
  sorts: { created_at: { sql: "created_at", type: "text" }, name: { sql: `name COLLATE "C"`, type: "text" } },
  defaultSort: "created_at",
  filters: {
    id: { type: "text", sql: "id" },
    name: { type: "text", sql: "name", isWords: true },
    slug: { type: "text", sql: "slug", isWords: true },
    plan: { type: "enum", sql: "plan", values: plans },
    created_at: { type: "timestamp", sql: "created_at" }
  }
}
