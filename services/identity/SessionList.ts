import { listOf } from "../lists/ListSpec.ts"
import { asRead } from "../database/TextOrder.ts"
import { Session } from "./Session.ts"

/** Sessions. `current` marks the session with the id $4. */
export const sessionList = listOf(Session, {
  path: "/me/sessions",
  from: `(SELECT *, json_build_object('id', device_id, 'name', device_name, 'platform', platform) AS device,
    id = $4 AS current FROM sessions) s`,
  sort: ["-created_at", "name", "last_used_at"],
  filter: ["id", "name", "active", "created_at", "last_used_at"],
  // A user has at most 100.
  sorted: ["created_at", "name", "last_used_at"],
  sorts: {
    name: { sql: asRead("device_name"), type: "text" },
    last_used_at: { sql: "last_active_at", type: "text" }
  },
  filters: {
    name: { type: "text", sql: "device_name", isWords: true },
    active: { type: "boolean", sql: "true" },
    last_used_at: { type: "timestamp", sql: "last_active_at" }
  }
})
