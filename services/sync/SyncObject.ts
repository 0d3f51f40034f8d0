import { Schema } from "effect"
import { Text } from "../Text.ts"
import { id, reference, time } from "../Fields.ts"
import { syncedTypes } from "./SyncedTypes.ts"

/** The types of records that clients may ask for (contract 6). */
export const syncTypes = ["notebook", "tag", "template", "note", "attachment", "reminder", "comment"] as const
export type SyncType = (typeof syncTypes)[number]

export const isSyncType = (type: string): type is SyncType => (syncTypes as ReadonlyArray<string>).includes(type)

/** Those of them that there are. */
export const SyncedType = Schema.Literals(syncedTypes.map(({ type }) => type)).annotate({ identifier: "SyncType" })

export const conflictReasons = ["stale_revision", "deleted_on_server", "already_exists", "unknown_revision"] as const

const origin = {
  changed_at: Schema.String,
  actor_id: Schema.NullOr(Schema.String),
  device_id: Schema.NullOr(Schema.String)
}

const pushing = {
  mutation_id: Schema.optionalKey(Schema.String),
  client_ref: Schema.optionalKey(Schema.String),
  revision: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  base_revision: Schema.optionalKey(Schema.NullOr(Schema.Int))
}

/**
 * How entries look to clients: each type of record by itself, so that its data are known by its type. The server reads
 * pushed ones one by one, and passes all on as JSON: for it they are of one form, that of the interfaces below.
 */
const entries = syncedTypes.map(({ data, name, prefix, pushed, type }) => {
  const changed = { type: Schema.Literal(type), id: id(prefix, "The record's id.") }
  const change = Schema.Union([
    Schema.Struct({ ...changed, op: Schema.Literal("upsert"), revision: Schema.Int, data, ...origin }).annotate({
      identifier: `${name}Upsert`
    }),
    Schema.Struct({
      ...changed,
      op: Schema.Literal("delete"),
      revision: Schema.Int,
      data: Schema.Null,
      ...origin
    }).annotate({ identifier: `${name}Delete` })
  ]).annotate({ identifier: `${name}Change` })
  const push = Schema.Union([
    Schema.Struct({
      type: Schema.Literal(type),
      op: Schema.Literal("upsert"),
      id: Schema.optionalKey(Schema.NullOr(reference(prefix))),
      ...pushing,
      data: pushed
    }).annotate({ identifier: `Push${name}Upsert` }),
    Schema.Struct({
      type: Schema.Literal(type),
      op: Schema.Literal("delete"),
      id: reference(prefix),
      ...pushing,
      data: Schema.optionalKey(Schema.Null)
    }).annotate({ identifier: `Push${name}Delete` })
  ]).annotate({ identifier: `Push${name}` })
  const conflict = Schema.Struct({
    ...changed,
    reason: Schema.Literals(conflictReasons),
    mutation_id: Schema.NullOr(Schema.String),
    revision: Schema.NullOr(Schema.Int),
    client_revision: Schema.Int,
    server: Schema.NullOr(change),
    client: push,
    base: Schema.NullOr(Schema.Struct({ revision: Schema.Int, data }))
  }).annotate({ identifier: `${name}Conflict` })
  return { change, push, conflict }
})

/** One change entry, the same in pull, stream and push. */
export const ChangeEntry = Schema.Union(entries.map(({ change }) => change)).annotate({ identifier: "ChangeEntry" })
export interface ChangeEntry {
  readonly type: string
  readonly id: string
  readonly op: "upsert" | "delete"
  readonly revision: number
  readonly data: object | null
  readonly changed_at: string
  readonly actor_id: string | null
  readonly device_id: string | null
}

/** One entry of a push. */
export const PushEntry = Schema.Union(entries.map(({ push }) => push)).annotate({ identifier: "PushEntry" })

/** A pushed entry that was not written, because the server has moved past it. */
export const SyncConflict = Schema.Union(entries.map(({ conflict }) => conflict)).annotate({
  identifier: "SyncConflict"
})
export interface SyncConflict {
  readonly type: string
  readonly id: string
  readonly reason: (typeof conflictReasons)[number]
  readonly mutation_id: string | null
  readonly revision: number | null
  readonly client_revision: number
  readonly server: ChangeEntry | null
  readonly client: unknown
  readonly base: { readonly revision: number; readonly data: object } | null
}

const understood = { index: Schema.Int, mutation_id: Schema.NullOr(Schema.String), type: SyncedType, id: Schema.String }

/** What became of a pushed entry. */
export const PushResult = Schema.Union([
  Schema.Struct({ ...understood, status: Schema.Literal("applied"), revision: Schema.Int }).annotate({
    identifier: "PushResultApplied"
  }),
  Schema.Struct({ ...understood, status: Schema.Literal("duplicate"), revision: Schema.Int }).annotate({
    identifier: "PushResultDuplicate"
  }),
  Schema.Struct({ ...understood, status: Schema.Literal("conflict"), revision: Schema.NullOr(Schema.Int) }).annotate({
    identifier: "PushResultConflict"
  }),
  // What could not be understood may have any type and id, or none.
  Schema.Struct({
    index: Schema.Int,
    mutation_id: Schema.NullOr(Schema.String),
    type: Schema.NullOr(Schema.String),
    id: Schema.NullOr(Schema.String),
    status: Schema.Literal("rejected"),
    revision: Schema.NullOr(Schema.Int),
    error: Schema.Record(Schema.String, Schema.Unknown)
  }).annotate({ identifier: "PushResultRejected" })
]).annotate({ identifier: "PushResult" })

export const DeviceInput = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Text),
  platform: Schema.optionalKey(Text)
}).annotate({ identifier: "DeviceInput" })
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

const sync = {
  cursor: Schema.String,
  changes: Schema.Array(ChangeEntry),
  has_more: Schema.Boolean,
  conflicts: Schema.Array(SyncConflict),
  cursor_expires_at: Schema.String,
  device_id: Schema.NullOr(Schema.String)
}

export const SyncObject = Schema.Struct(sync).annotate({ identifier: "SyncObject" })

/** The Sync object that answers a push. */
export const PushAnswer = Schema.Struct({ ...sync, results: Schema.Array(PushResult) }).annotate({
  identifier: "PushAnswer"
})

export const Device = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  platform: Schema.String,
  user_id: Schema.String,
  last_sync_at: time("When the device last pulled or pushed, to the minute."),
  current: Schema.Boolean,
  created_at: time("When it was made.")
}).annotate({ identifier: "Device" })
export type Device = typeof Device.Type
