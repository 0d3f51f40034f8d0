import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { Text } from "../Text.ts"
import { syncedTypes } from "./SyncedTypes.ts"

/** The types of records that clients may ask for (contract 6). */
export const syncTypes = ["notebook", "tag", "template", "note", "attachment", "reminder", "comment"] as const
export type SyncType = (typeof syncTypes)[number]

export const isSyncType = (type: string): type is SyncType => (syncTypes as ReadonlyArray<string>).includes(type)

/** Those of them that there are. */
export const SyncedType = Schema.Literals(syncedTypes.map(({ type }) => type)).annotate({ identifier: "SyncType" })

export const conflictReasons = ["stale_revision", "deleted_on_server", "already_exists", "unknown_revision"] as const

const origin = {
  changed_at: Fields.time("When the record last changed."),
  actor_id: Schema.NullOr(Fields.causer),
  device_id: Schema.NullOr(Fields.id("sy", "The device that it came from, when it named itself."))
}

const ofRecord = "The type of the record."
const mutationId = Fields.text("The client's name of this change, 1 to 255 visible ASCII characters.", "m-7f3a")
const revisionOf = (description: string, example = 3) =>
  Schema.Int.annotate({ description, minimum: 1, examples: [example] })

const pushing = {
  mutation_id: Schema.optionalKey(mutationId),
  client_ref: Schema.optionalKey(
    Schema.String.annotate({
      description: "A name by which later entries of the push refer to this record, as `$name`."
    })
  ),
  revision: Schema.optionalKey(
    Schema.NullOr(Fields.count("The revision that the client edited; absent or 0 creates. A deletion needs it.", 2))
  ),
  base_revision: Schema.optionalKey(
    Schema.NullOr(Schema.Int.annotate({ description: "Another name of `revision`.", minimum: 0 }))
  )
}

/**
 * How entries look to clients: each type of record by itself, so that its data are known by its type. The server reads
 * pushed ones one by one, and passes all on as JSON: for it they are of one form, that of the interfaces below.
 */
const entries = syncedTypes.map(({ data, name, prefix, pushed, type }) => {
  const ofType = Schema.Literal(type).annotate({ description: ofRecord })
  const changed = { type: ofType, id: Fields.ownId(prefix) }
  const revision = revisionOf("The record's revision, counted from 1; a note's is its version.")
  const whole = data.annotateKey({ description: "The whole record." })
  const change = Schema.Union([
    Schema.Struct({
      ...changed,
      op: Schema.Literal("upsert").annotate({ description: "The record was written." }),
      revision,
      data: whole,
      ...origin
    }).annotate({ identifier: `${name}Upsert` }),
    Schema.Struct({
      ...changed,
      op: Schema.Literal("delete").annotate({ description: "The record was deleted." }),
      revision,
      data: Schema.Null.annotate({ description: "Null: the record is gone." }),
      ...origin
    }).annotate({ identifier: `${name}Delete` })
  ]).annotate({ identifier: `${name}Change` })
  const push = Schema.Union([
    Schema.Struct({
      type: ofType,
      op: Schema.Literal("upsert").annotate({ description: "The record is to be written." }),
      id: Schema.optionalKey(
        Schema.NullOr(
          Fields.reference(
            prefix,
            "The record's id: the server's, or a new one that the client made, or `$` and the `client_ref` of an earlier entry. A new record may go without."
          )
        )
      ),
      ...pushing,
      data: pushed.annotateKey({
        description:
          "What changes; of a new record the members that it needs. In place of a notebook's id, `$` and the `client_ref` of an earlier entry."
      })
    }).annotate({ identifier: `Push${name}Upsert` }),
    Schema.Struct({
      type: ofType,
      op: Schema.Literal("delete").annotate({ description: "The record is to be deleted." }),
      id: Fields.reference(prefix, "The record's id, or `$` and the `client_ref` of an earlier entry."),
      ...pushing,
      data: Schema.optionalKey(Schema.Null.annotate({ description: "A deletion has none." }))
    }).annotate({ identifier: `Push${name}Delete` })
  ]).annotate({ identifier: `Push${name}` })
  const conflict = Schema.Struct({
    ...changed,
    reason: Schema.Literals(conflictReasons).annotate({ description: "What stands against the change." }),
    mutation_id: Schema.NullOr(mutationId),
    revision: Schema.NullOr(Fields.count("The revision that the server has.")),
    client_revision: Fields.count("The revision that the client had edited.", 2),
    server: Schema.NullOr(change).annotate({ description: "The record as the server has it." }),
    client: push.annotateKey({ description: "The entry as it was pushed." }),
    base: Schema.NullOr(
      Schema.Struct({ revision: Fields.count("The revision that it stood at.", 2), data: whole })
    ).annotate({ description: "The record as it was at `client_revision`, while that is known." })
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

const pushed = {
  index: Fields.count("Which pushed entry, counted from 0.", 0),
  mutation_id: Schema.NullOr(mutationId)
}
const understood = {
  ...pushed,
  type: SyncedType.annotateKey({ description: ofRecord }),
  id: Fields.text("The record's id.", Fields.exampleId("nt"))
}
const became = <const Status extends string>(status: Status) =>
  Schema.Literal(status).annotate({ description: "What became of it." })
const nowAt = revisionOf("The revision that the record has now.")
const perhapsAt = Schema.NullOr(
  revisionOf("The revision that the record has now; null when there is none, or when it is not known.")
)

/** What became of a pushed entry. */
export const PushResult = Schema.Union([
  Schema.Struct({ ...understood, status: became("applied"), revision: nowAt }).annotate({
    identifier: "PushResultApplied"
  }),
  Schema.Struct({ ...understood, status: became("duplicate"), revision: nowAt }).annotate({
    identifier: "PushResultDuplicate"
  }),
  Schema.Struct({ ...understood, status: became("conflict"), revision: perhapsAt }).annotate({
    identifier: "PushResultConflict"
  }),
  // What could not be understood may have any type and id, or none.
  Schema.Struct({
    ...pushed,
    type: Schema.NullOr(Schema.String.annotate({ description: "The type of the record, when it is known." })),
    id: Schema.NullOr(Fields.text("The record's id, when it is known.", Fields.exampleId("nt"))),
    status: became("rejected"),
    revision: perhapsAt,
    error: Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "The problem of a rejected entry."
    })
  }).annotate({ identifier: "PushResultRejected" })
]).annotate({ identifier: "PushResult" })

/** What is said of a device, where answers have it and where requests do. */
const deviceName = { description: "The name that people see.", examples: ["Anna's phone"] }
const platform = { description: "What the device runs.", examples: ["ios"] }

export const DeviceInput = Schema.Struct({
  id: Schema.optionalKey(Schema.String.annotate(Fields.aboutId("sy", "The device's id, when it has one already."))),
  name: Schema.optionalKey(Text.annotate(deviceName)),
  platform: Schema.optionalKey(Text.annotate(platform))
}).annotate({ identifier: "DeviceInput" })
export type DeviceInput = typeof DeviceInput.Type

const device = Schema.optionalKey(DeviceInput).annotateKey({
  description: "The device that syncs; it is registered on first sight."
})

export const PullRequest = Schema.Struct({
  cursor: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.annotate({
        description: "Where to go on; without it from the beginning.",
        maxLength: Fields.cursorLength
      })
    )
  ),
  limit: Schema.optionalKey(
    Schema.Int.annotate({
      description: "The most changes of a page; when left out, 100.",
      minimum: 1,
      maximum: 500
    })
  ),
  types: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Only records of these types; the cursor is bound to them.",
      examples: [["note", "notebook"]]
    })
  ),
  device,
  wait: Schema.optionalKey(
    Schema.Finite.annotate({
      description: "Seconds to wait for a change when there is none yet; when left out, none.",
      minimum: 0,
      maximum: 30
    })
  )
}).annotate({ identifier: "PullRequest" })
export type PullRequest = typeof PullRequest.Type

/** Anything, not looked into: `Schema.Unknown` of a body walks through all of it, and refuses the body for a 1e400. */
const Anything = Schema.declare((_: unknown): _ is unknown => true, { toCodecJson: () => undefined })

/** Entries are checked one by one: a bad one hurts only itself. */
export const PushRequest = Schema.Struct({
  device,
  changes: Schema.Array(Anything).annotate({
    description: "At most 500 entries, applied in their order.",
    maxItems: 500
  })
}).annotate({ identifier: "PushRequest" })
export type PushRequest = typeof PushRequest.Type

const changes = Schema.Array(ChangeEntry)
const conflicts = Schema.Array(SyncConflict)

const sync = {
  cursor: Fields.cursor,
  changes: changes.annotate({ description: "Change entries." }),
  has_more: Fields.hasMore,
  conflicts: conflicts.annotate({
    description: "Always empty: pushed entries that were not written stand in the answer to a push.",
    examples: [[]]
  }),
  cursor_expires_at: Fields.time("Until when the cursor is good.").annotate({
    examples: ["2026-03-02T12:00:00.000Z"]
  }),
  device_id: Schema.NullOr(Fields.id("sy", "The device that syncs, when it named itself."))
}

export const SyncObject = Schema.Struct(sync).annotate({ identifier: "SyncObject" })

/** The Sync object that answers a push. */
export const PushAnswer = Schema.Struct({
  ...sync,
  changes: changes.annotate({ description: "The change entries that the push made." }),
  conflicts: conflicts.annotate({
    description: "Pushed entries that were not written, because the server has moved past them.",
    examples: [[]]
  }),
  results: Schema.Array(PushResult).annotate({ description: "What became of each pushed entry." })
}).annotate({ identifier: "PushAnswer" })

export const Device = Schema.Struct({
  id: Fields.ownId("sy"),
  name: Schema.String.annotate(deviceName),
  platform: Schema.String.annotate(platform),
  user_id: Fields.id("us", "The user's id."),
  last_sync_at: Fields.time("When the device last pulled or pushed, to the minute."),
  current: Schema.Boolean.annotate({ description: "Whether it is the caller's own.", examples: [true] }),
  created_at: Fields.createdAt
}).annotate({ identifier: "Device" })
export type Device = typeof Device.Type
