import { listOf } from "../lists/ListSpec.ts"
import { Device } from "./SyncObject.ts"

const lowered = (text: string): string => text.toLowerCase()

/** Devices, with `current` for the one in $4. */
export const deviceList = listOf(Device, {
  path: "/sync/devices",
  from: "(SELECT *, id = coalesce($4, '') AS current FROM devices) d",
  sort: ["-created_at", "name", "last_sync_at", "last_used_at"],
  filter: ["id", "name", "platform", "current", "last_sync_at", "last_used_at", "created_at"],
  words: ["name"],
  as: { name: "lower(name)", platform: "lower(platform)" },
  normal: { name: lowered, platform: lowered },
  // The quota of a user is 100.
  sorted: ["created_at", "name", "last_sync_at", "last_used_at"],
  sorts: { last_used_at: { sql: "last_sync_at", type: "text" } },
  filters: { last_used_at: { type: "timestamp", sql: "last_sync_at" } }
})
