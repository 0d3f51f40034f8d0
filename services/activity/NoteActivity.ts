import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { eventsOf, noteTypes } from "../Resources.ts"
import { conflictReasons } from "../records/ConflictReasons.ts"

const orNull = <S extends Schema.Constraint>(schema: S, example: S["Type"] | null) =>
  Schema.NullOr(schema).annotate({ examples: [example] })

const ApiKeyName = Schema.Struct({
  id: Fields.id("ak", "The id of the API key."),
  name: Fields.text("The name of the API key.", "Backup script")
}).annotate({ identifier: "ActivityApiKey" })

const ActivityActor = Schema.Struct({
  kind: Schema.Literals(["user", "api_key", "server"]).annotate({
    description: "A signed-in user, an API key of the user, or the server."
  }),
  user_id: Schema.NullOr(Fields.causer),
  name: Schema.NullOr(
    Fields.text(
      "The name of the user. Null if the user is not a member of the workspace any more, or the caller may not read members.",
      "Anna"
    )
  ),
  api_key: Schema.NullOr(ApiKeyName).annotate({
    description: "The API key, if it exists and the caller may read it.",
    examples: [null]
  })
}).annotate({ identifier: "ActivityActor" })

const ActivityDevice = Schema.Struct({
  id: Fields.id("sy", "The device's id."),
  name: Schema.NullOr(
    Fields.text("The name of the device; null if it does not sync with the workspace any more.", "Phone")
  )
}).annotate({ identifier: "ActivityDevice" })

const ActivityVia = Schema.Struct({
  by: Schema.Literals(["api", "sync", "import", "mcp", "revert"]).annotate({
    description:
      "A request of the API, a push of sync, an import, a tool of the MCP server, or the revert of a change set."
  }),
  mutation_id: orNull(Fields.text("The `mutation_id` of the pushed entry.", "m-7f3a"), null),
  conflict_of: orNull(
    Fields.id(
      "nt",
      "The note whose conflict the pushed entry settles: the note itself if it is a merge, another note if the entry created the conflict copy of that note."
    ),
    null
  ),
  import_id: orNull(Fields.id("im", "The import."), null),
  change_set_id: orNull(Fields.id("cs", "The change set that it belongs to."), null),
  app: orNull(Fields.text("The name of the connected app.", "Claude"), null),
  tool: orNull(Fields.text("The MCP tool.", "edit_note"), null)
}).annotate({ identifier: "ActivityVia" })

const ActivityConflict = Schema.Struct({
  reason: Schema.Literals(conflictReasons).annotate({ description: "Why the pushed change was not written." }),
  version: Schema.NullOr(Fields.count("The version on the server, which was kept.", 11)),
  client_version: Fields.count("The version that the client edited.", 10),
  mutation_id: orNull(Fields.text("The `mutation_id` of the pushed entry.", "m-7f3a"), null)
}).annotate({ identifier: "ActivityConflict" })

/** An entry of the log that concerns a note. */
export const NoteActivity = Schema.Struct({
  id: Fields.id("ev", "The id of the event."),
  type: Schema.Literals([...eventsOf(noteTypes), "sync.conflict"]).annotateKey({
    description: "What happened. Later versions may have more types: skip those that you do not know."
  }),
  resource_type: Schema.Literals(noteTypes).annotate({
    description: "The type of the record that changed: the note, or one that belongs to it."
  }),
  resource_id: Fields.text(
    "The id of the record that changed. For the note that was created as the conflict copy of this one, that of the copy.",
    Fields.exampleId("nt")
  ),
  occurred_at: Fields.time("When it happened."),
  actor: ActivityActor.annotateKey({ description: "Who made the change." }),
  device: Schema.NullOr(ActivityDevice).annotate({ description: "The device, if the change came from one." }),
  via: Schema.NullOr(ActivityVia).annotate({
    description: "How the change was made; null if the server made it."
  }),
  version: Schema.NullOr(Fields.count("The version of the note that the change made; null if it made none.", 12)),
  fields: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "The members of the note that changed, if they are known.",
    examples: [["body"]]
  }),
  restored_from: orNull(
    Schema.Int.annotate({ description: "The earlier version that the change restored.", minimum: 1 }),
    null
  ),
  deleted_version: orNull(
    Schema.Int.annotate({ description: "The version that was removed from the history.", minimum: 1 }),
    null
  ),
  conflict: Schema.NullOr(ActivityConflict).annotate({
    description: "For `sync.conflict`: the pushed change that was not written.",
    examples: [null]
  })
}).annotate({ identifier: "NoteActivity" })
export type NoteActivity = typeof NoteActivity.Type
