import { Schema } from "effect"
import { Text } from "../Text.ts"

/** The types of records that clients sync (contract 6). */
export const syncTypes = ["notebook", "tag", "template", "note", "attachment", "reminder", "comment"] as const
export type SyncType = (typeof syncTypes)[number]

export const isSyncType = (type: string): type is SyncType => (syncTypes as ReadonlyArray<string>).includes(type)

/** One change entry, the same in pull, stream and push. */
export const ChangeEntry = Schema.Struct({
  type: Schema.Literals(syncTypes),
  id: Schema.String,
  op: Schema.Literals(["upsert", "delete"]),
  revision: Schema.Int,
  data: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
  changed_at: Schema.String,
  actor_id: Schema.NullOr(Schema.String),
  device_id: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ChangeEntry" })
export type ChangeEntry = typeof ChangeEntry.Type

export const DeviceInput = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Text),
  platform: Schema.optionalKey(Text)
})
export type DeviceInput = typeof DeviceInput.Type

export const PullRequest = Schema.Struct({
  cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
  limit: Schema.optionalKey(Schema.Int),
  types: Schema.optionalKey(Schema.Array(Schema.String)),
  device: Schema.optionalKey(DeviceInput),
  wait: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "PullRequest" })
export type PullRequest = typeof PullRequest.Type

/** Anything, not looked into: `Schema.Unknown` of a body walks through all of it, and refuses the body for a 1e400. */
const Anything = Schema.declare((_: unknown): _ is unknown => true, { toCodecJson: () => undefined })

/** Entries are checked one by one: a bad one hurts only itself. */
export const PushRequest = Schema.Struct({
  device: Schema.optionalKey(DeviceInput),
  changes: Schema.Array(Anything)
}).annotate({ identifier: "PushRequest" })
export type PushRequest = typeof PushRequest.Type

export const PushEntry = Schema.Struct({
  mutation_id: Schema.optionalKey(Schema.String),
  type: Schema.String,
  op: Schema.Literals(["upsert", "delete"]),
  id: Schema.optionalKey(Schema.NullOr(Schema.String)),
  client_ref: Schema.optionalKey(Schema.String),
  revision: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  base_revision: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  data: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
}).annotate({ identifier: "PushEntry" })
export type PushEntry = typeof PushEntry.Type

export const Conflict = Schema.Struct({
  type: Schema.String,
  id: Schema.String,
  reason: Schema.Literals(["stale_revision", "deleted_on_server", "already_exists", "unknown_revision"]),
  mutation_id: Schema.NullOr(Schema.String),
  revision: Schema.NullOr(Schema.Int),
  client_revision: Schema.Int,
  server: Schema.NullOr(ChangeEntry),
  client: Schema.Unknown,
  base: Schema.NullOr(Schema.Struct({
    revision: Schema.Int,
    data: Schema.Record(Schema.String, Schema.Unknown)
  }))
}).annotate({ identifier: "SyncConflict" })
export type Conflict = typeof Conflict.Type

export const PushResult = Schema.Struct({
  index: Schema.Int,
  mutation_id: Schema.NullOr(Schema.String),
  type: Schema.NullOr(Schema.String),
  id: Schema.NullOr(Schema.String),
  status: Schema.Literals(["applied", "duplicate", "conflict", "rejected"]),
  revision: Schema.NullOr(Schema.Int),
  error: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "PushResult" })
export type PushResult = typeof PushResult.Type

export const SyncObject = Schema.Struct({
  cursor: Schema.String,
  changes: Schema.Array(ChangeEntry),
  has_more: Schema.Boolean,
  conflicts: Schema.Array(Conflict),
  cursor_expires_at: Schema.String,
  device_id: Schema.NullOr(Schema.String),
  results: Schema.optionalKey(Schema.Array(PushResult))
}).annotate({ identifier: "SyncObject" })

export const Device = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  platform: Schema.String,
  user_id: Schema.String,
  last_sync_at: Schema.String,
  current: Schema.Boolean,
  created_at: Schema.String
}).annotate({ identifier: "Device" })
export type Device = typeof Device.Type
