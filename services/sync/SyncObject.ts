import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { prefixes } from "../Ids.ts"
import { type ConflictReason, conflictReasons } from "../records/ConflictReasons.ts"
import { type SyncType, syncTypes } from "../Resources.ts"
import { DeviceInput } from "./Device.ts"
import { selected } from "./SyncReach.ts"
import { syncedTypes } from "./SyncedTypes.ts"

/** Whether clients may request records of this type (contract 6). */
export const isSyncType = (type: string): type is SyncType => (syncTypes as ReadonlyArray<string>).includes(type)

/** The types that a client names, in the order of their bits; undefined if it names none, for all types. */
export const typesNamed = (names: ReadonlyArray<string>): ReadonlySet<SyncType> | undefined =>
  names.length === 0 ? undefined : new Set(syncTypes.filter((type) => names.includes(type)))

/** The types of records that this version syncs. */
export const SyncedType = Schema.Literals(syncedTypes.map(({ type }) => type)).annotate({ identifier: "SyncType" })

const origin = {
  changed_at: Fields.time("When the record last changed."),
  actor_id: Schema.NullOr(Fields.causer),
  device_id: Schema.NullOr(Fields.id("sy", "The device that caused it, if known."))
}

const ofRecord = "The type of the record."
const mutationId = Fields.text("The client's id for this change, 1 to 255 visible ASCII characters.", "m-7f3a")
const revisionOf = (description: string, example = 3) =>
  Schema.Int.annotate({ description, minimum: 1, examples: [example] })

const pushing = {
  mutation_id: Schema.optionalKey(mutationId),
  client_ref: Schema.optionalKey(
    Schema.String.annotate({
      description: "A name by which later entries of the push refer to this record, as `$name`."
    })
  ),
  conflict_of: Schema.optionalKey(
    Fields.id(
      "nt",
      "The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it."
    )
  ),
  revision: Schema.optionalKey(
    Schema.NullOr(
      Fields.count("The revision that the client edited; 0 or none creates a record. Required for a deletion.", 2)
    )
  ),
  base_revision: Schema.optionalKey(
    Schema.NullOr(Schema.Int.annotate({ description: "Another name of `revision`.", minimum: 0 }))
  )
}

/**
 * The schemas of entries for clients: one for each type of record, so that the type determines the data. The server
 * decodes pushed entries one by one and passes all of them on as JSON, so its own types are the interfaces below.
 */
const entries = syncedTypes.map(({ data, pushed, type }) => {
  const prefix = prefixes[type]
  /** The first part of the names of its schemas. */
  const name = `${type[0]!.toUpperCase()}${type.slice(1)}`
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
      data: Schema.Null.annotate({ description: "Null: the record was deleted." }),
      ...origin
    }).annotate({ identifier: `${name}Delete` })
  ]).annotate({ identifier: `${name}Change` })
  const push = Schema.Union([
    Schema.Struct({
      type: ofType,
      op: Schema.Literal("upsert").annotate({ description: "Write the record." }),
      id: Schema.optionalKey(
        Schema.NullOr(
          Fields.reference(
            prefix,
            "The id of the record, a new id made by the client, or `$` and the `client_ref` of an earlier entry. Optional for a new record."
          )
        )
      ),
      ...pushing,
      data: pushed.annotateKey({
        description:
          "The members that change; for a new record all required members. The id of a notebook can be `$` and the `client_ref` of an earlier entry."
      })
    }).annotate({ identifier: `Push${name}Upsert` }),
    Schema.Struct({
      type: ofType,
      op: Schema.Literal("delete").annotate({ description: "Delete the record." }),
      id: Fields.reference(prefix, "The record's id, or `$` and the `client_ref` of an earlier entry."),
      ...pushing,
      data: Schema.optionalKey(Schema.Null.annotate({ description: "Not used for a deletion." }))
    }).annotate({ identifier: `Push${name}Delete` })
  ]).annotate({ identifier: `Push${name}` })
  const conflict = Schema.Struct({
    ...changed,
    reason: Schema.Literals(conflictReasons).annotate({ description: "Why the change was not written." }),
    mutation_id: Schema.NullOr(mutationId),
    revision: Schema.NullOr(Fields.count("The revision on the server.")),
    client_revision: Fields.count("The revision that the client edited.", 2),
    server: Schema.NullOr(change).annotate({ description: "The record on the server." }),
    client: push.annotateKey({ description: "The entry that was pushed." }),
    base: Schema.NullOr(Schema.Struct({ revision: Fields.count("Its revision.", 2), data: whole })).annotate({
      description: "The record at `client_revision`, if it is still known."
    })
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

/** A pushed entry that was not written, because the server has a newer state. */
export const SyncConflict = Schema.Union(entries.map(({ conflict }) => conflict)).annotate({
  identifier: "SyncConflict"
})
export interface SyncConflict {
  readonly type: string
  readonly id: string
  readonly reason: ConflictReason
  readonly mutation_id: string | null
  readonly revision: number | null
  readonly client_revision: number
  readonly server: ChangeEntry | null
  readonly client: unknown
  readonly base: { readonly revision: number; readonly data: object } | null
}

const pushed = {
  index: Fields.count("The index of the pushed entry, counted from 0.", 0),
  mutation_id: Schema.NullOr(mutationId)
}
const decoded = {
  ...pushed,
  type: SyncedType.annotateKey({ description: ofRecord }),
  id: Fields.text("The record's id.", Fields.exampleId("nt"))
}
const statusOf = <const Status extends string>(status: Status) =>
  Schema.Literal(status).annotate({ description: "The result." })
const currentRevision = revisionOf("The current revision of the record.")
const revisionOrNull = Schema.NullOr(
  revisionOf("The current revision of the record; null if there is none or it is unknown.")
)

/** The result of a pushed entry. */
export const PushResult = Schema.Union([
  Schema.Struct({ ...decoded, status: statusOf("applied"), revision: currentRevision }).annotate({
    identifier: "PushResultApplied"
  }),
  Schema.Struct({ ...decoded, status: statusOf("duplicate"), revision: currentRevision }).annotate({
    identifier: "PushResultDuplicate"
  }),
  Schema.Struct({ ...decoded, status: statusOf("conflict"), revision: revisionOrNull }).annotate({
    identifier: "PushResultConflict"
  }),
  // An entry that could not be decoded may have any type and id, or none.
  Schema.Struct({
    ...pushed,
    type: Schema.NullOr(Schema.String.annotate({ description: "The type of the record, if known." })),
    id: Schema.NullOr(Fields.text("The id of the record, if known.", Fields.exampleId("nt"))),
    status: statusOf("rejected"),
    revision: revisionOrNull,
    error: Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "The problem of a rejected entry."
    })
  }).annotate({ identifier: "PushResultRejected" })
]).annotate({ identifier: "PushResult" })

const device = Schema.optionalKey(DeviceInput).annotateKey({
  description: "The device that syncs. An unknown device is registered."
})

export const PullRequest = Schema.Struct({
  cursor: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.annotate({
        description: "The position to continue from; without it, everything is returned.",
        maxLength: Fields.cursorLength
      })
    )
  ),
  limit: Schema.optionalKey(
    Schema.Int.annotate({
      description: "The maximum number of changes in a page. Default: 100.",
      minimum: 1,
      maximum: 500
    })
  ),
  types: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Only records of these types. The cursor is valid only with the same types.",
      examples: [["note", "notebook"]]
    })
  ),
  notebooks: selected(
    "Only what is in these notebooks and those in them, as for a credential that is limited to them. The cursor is valid only with the same notebooks."
  ),
  device,
  wait: Schema.optionalKey(
    Schema.Finite.annotate({
      description: "Seconds to wait for a change if there is none yet. Default: 0.",
      minimum: 0,
      maximum: 30
    })
  )
}).annotate({ identifier: "PullRequest" })
export type PullRequest = typeof PullRequest.Type

/** Any value, unchecked: `Schema.Unknown` would walk through the whole body, and refuse it because of a 1e400. */
const Anything = Schema.declare((_: unknown): _ is unknown => true, { toCodecJson: () => undefined })

/** Entries are checked one by one: an invalid entry affects only itself. */
export const PushRequest = Schema.Struct({
  cursor: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.annotate({
        description:
          "The position of the client, which the push does not move. If a restore of the server has ended its history, the push gets 410 and writes nothing: the client must pull first.",
        maxLength: Fields.cursorLength
      })
    )
  ),
  notebooks: selected(
    "The notebooks of the client's pulls: in the response, a record elsewhere is a `delete`, as in a pull. All entries are applied."
  ),
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
    description: "Always empty here: only a push has conflicts.",
    examples: [[]]
  }),
  cursor_expires_at: Fields.time("Until when the cursor is valid.").annotate({
    examples: ["2026-03-02T12:00:00.000Z"]
  }),
  device_id: Schema.NullOr(Fields.id("sy", "The device that syncs, if known."))
}

export const SyncObject = Schema.Struct(sync).annotate({ identifier: "SyncObject" })

/** The Sync object with the newest cursor. */
export const NewestCursor = Schema.Struct({
  ...sync,
  workspace_id: Fields.id("ws", "The workspace in which the caller is, whose changes the cursor follows.")
}).annotate({ identifier: "NewestCursor" })

/** The Sync object in the response to a push. */
export const PushAnswer = Schema.Struct({
  ...sync,
  changes: changes.annotate({
    description:
      "The records of applied entries and of duplicates, each once, in the state after the push. A record that was erased with its tombstone has no entry."
  }),
  conflicts: conflicts.annotate({
    description: "Pushed entries that were not written, because the server has a newer state.",
    examples: [[]]
  }),
  results: Schema.Array(PushResult).annotate({ description: "The result of each pushed entry." })
}).annotate({ identifier: "PushAnswer" })
