import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"
import { Text } from "../Text.ts"

/** Descriptions of members that requests and responses share. */
const deviceName = { description: "The name shown to people.", examples: ["Anna's phone"] }
const platform = { description: "The platform of the device.", examples: ["ios"] }

export const DeviceInput = Schema.Struct({
  id: Schema.optionalKey(Schema.String.annotate(Fields.aboutId("sy", "The id of the device, if it has one already."))),
  name: Schema.optionalKey(Text.annotate(deviceName)),
  platform: Schema.optionalKey(Text.annotate(platform))
}).annotate({ identifier: "DeviceInput" })
export type DeviceInput = typeof DeviceInput.Type

export const Device = Schema.Struct({
  id: Fields.ownId("sy"),
  name: Schema.String.annotate(deviceName),
  platform: Schema.String.annotate(platform),
  user_id: Fields.id("us", "The user's id."),
  last_sync_at: Fields.time("When the device last pulled or pushed, to the minute."),
  current: Schema.Boolean.annotate({ description: "Whether it is the device of this request.", examples: [true] }),
  created_at: Fields.createdAt
}).annotate({ identifier: "Device" })
export type Device = typeof Device.Type

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
  unindexedSorts: ["created_at", "name", "last_sync_at", "last_used_at"],
  sorts: { last_used_at: { sql: "last_sync_at", type: "text" } },
  filters: { last_used_at: { type: "timestamp", sql: "last_sync_at" } }
})
