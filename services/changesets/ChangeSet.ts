import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"
import { syncTypes } from "../Resources.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"
import { origins } from "../writer/ChangeSetLog.ts"
import { keptReasons, revertOutcomes } from "./RevertPlan.ts"

/** Milliseconds for which change sets and their reverts are kept: as long as the log (contract 9). */
export const changeSetLife = 90 * 24 * 3600_000

/** A group of changes that can be reverted together (contract 9, Change sets). */
export const ChangeSet = Schema.Struct({
  id: Fields.ownId("cs"),
  origin: Schema.Literals(origins).annotate({
    description:
      "How it came about: by requests with the header `Change-Set`, by the calls of an MCP caller, an import, a change of a tag with its notes, the deletion or restore of a notebook, a new name of a note with the links to it, or the revert of another set.",
    examples: ["mcp" as const]
  }),
  author_id: Schema.NullOr(Fields.causer),
  api_key_id: Schema.NullOr(Fields.id("ak", "The API key of its requests.")).annotate({ examples: [null] }),
  app: Schema.NullOr(Fields.text("The name of the connected app.", "Claude")),
  import_id: Schema.NullOr(Fields.id("im", "The import.")).annotate({ examples: [null] }),
  reverts: Schema.NullOr(Fields.id("cs", "For a revert, the set that it reverts.")).annotate({ examples: [null] }),
  reverted_by: Schema.NullOr(Fields.id("cs", "The set of its last revert.")).annotate({ examples: [null] }),
  records: Fields.count("Records that it changed.", 12),
  changes: Fields.count("Changes in it: a record can have several.", 15),
  created_at: Fields.time("When its first change was made."),
  updated_at: Fields.time("When its last change was made.")
}).annotate({ identifier: "ChangeSet" })
export type ChangeSet = typeof ChangeSet.Type

export const changeSetList = listOf(ChangeSet, {
  path: "/change-sets",
  from: `(SELECT s.workspace_id, s.id, s.origin, s.author_id, s.api_key_id, s.app, s.import_id, s.reverts, s.created_at, s.updated_at,
      (SELECT r.reverted_by FROM reverts r WHERE r.workspace_id = s.workspace_id AND r.change_set_id = s.id AND NOT r.preview
        ORDER BY r.created_at DESC, r.id DESC LIMIT 1) AS reverted_by,
      c.records, c.changes
    FROM change_sets s CROSS JOIN LATERAL (
      SELECT count(*)::int AS records, coalesce(sum(r.changes), 0)::int AS changes
      FROM (SELECT count(*) AS changes FROM change_set_changes c
        WHERE c.workspace_id = s.workspace_id AND c.change_set_id = s.id GROUP BY c.type, c.id) r
    ) c) known`,
  sort: ["-created_at"],
  filter: ["id", "origin", "author_id", "api_key_id", "app", "import_id", "reverts", "created_at"],
  enums: ["origin"],
  indexed: { id: "few", created_at: "order" }
})

export const recordTypes = syncTypes

const title = Schema.NullOr(
  Fields.text("The title or name of the record as it is now; null if it has none, or is deleted.", "Meeting notes")
)

const members = Schema.Record(Schema.String, Schema.Unknown)

const DiffLine = Schema.Struct({
  mark: Schema.Literals(["-", "+", " "]).annotate({
    description: "`-` is a removed line, `+` an added one, and a space one that both texts have."
  }),
  line: Schema.Int.annotate({
    description: "The line number: in the old text for a removed line, else in the new one.",
    examples: [3]
  }),
  text: Fields.text("The line, at most 500 characters of it.", "- milk")
}).annotate({ identifier: "DiffLine" })

/** The changes of a set to one record. */
export const ChangedRecord = Schema.Struct({
  type: Schema.Literals(recordTypes).annotate({ description: "The type of the record.", examples: ["note" as const] }),
  id: Fields.text("The id of the record.", Fields.exampleId("nt")),
  title,
  version_before: Schema.NullOr(Schema.Int.annotate({ minimum: 1 })).annotate({
    description: "Its version before the first change of the set; null if it did not exist, or was deleted.",
    examples: [3]
  }),
  version_after: Schema.NullOr(Schema.Int.annotate({ minimum: 1 })).annotate({
    description: "Its version after the last change of the set; null if that deleted it.",
    examples: [4]
  }),
  changes: Fields.count("Changes of the set to the record.", 1),
  before: Schema.NullOr(members).annotate({
    description: "The members that differ, except the text of a note, as they were before; null if that is not kept.",
    examples: [{ title: "Meeting" }]
  }),
  after: Schema.NullOr(members).annotate({
    description: "The same members after the last change.",
    examples: [{ title: "Meeting notes" }]
  }),
  diff: Schema.Array(DiffLine).annotate({
    description: "The changed lines of the text, with lines around them: at most the first 100.",
    examples: [[{ mark: "+" as const, line: 3, text: "- milk" }]]
  })
}).annotate({ identifier: "ChangedRecord" })
export type ChangedRecord = typeof ChangedRecord.Type

const revertStates = ["queued", "running", "done", "failed"] as const

/** The revert of a change set, or the preview of one. */
export const Revert = Schema.Struct({
  id: Fields.ownId("rv"),
  change_set_id: Fields.id("cs", "The set that it reverts."),
  preview: Schema.Boolean.annotate({ description: "Whether it only shows what a revert would do.", examples: [true] }),
  status: Schema.Literals(revertStates).annotate({
    description:
      "`queued` until the job starts. `failed` if its author lost the right, or after several interruptions.",
    examples: ["done" as const]
  }),
  reverted_by: Schema.NullOr(
    Fields.id(
      "cs",
      "The change set of the revert itself, which can be reverted too; null until it has changed a record."
    )
  ),
  records: Fields.count("Records of the set.", 12),
  reverted: Fields.count("Records that are as they were before.", 10),
  merged: Fields.count("Records in which later changes of others stay.", 1),
  kept: Fields.count("Records that stay as they are.", 1),
  author_id: Schema.NullOr(Fields.causer),
  created_at: Fields.createdAt
}).annotate({ identifier: "Revert" })
export type Revert = typeof Revert.Type

/** `status` is `queued` until it ends. Its row in `due_reverts` shows whether it runs. */
export const reverts = Table.ofRecord("reverts", Revert, {
  internal: {
    /** The stage and the number of its records that are done; empty at the beginning. */
    progress: Column.text(),
    /** The credential that asked for it. */
    credential_id: Column.nullable(Column.text()),
    /** Whether that reached some notebooks only: the revert does too. */
    is_limited: Column.boolean
  },
  key: ["id"]
})
export type RevertRow = Table.Row<typeof reverts>

/** The queue of reverts. */
export const dueReverts = Table.make(
  "due_reverts",
  { id: Column.text(), attempts: Column.int, next_at: Column.text(), created_at: Column.text() },
  { key: ["id"] }
)

export const RevertRequest = Schema.Struct({
  preview: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether to show only what a revert would do.", examples: [true] })
  )
}).annotate({ identifier: "RevertRequest" })
export type RevertRequest = typeof RevertRequest.Type

/** The outcome of a revert for one record. */
export const RevertedRecord = Schema.Struct({
  ordinal: Fields.count("Its place in the order of the revert.", 1),
  type: Schema.Literals(recordTypes).annotate({ description: "The type of the record.", examples: ["note" as const] }),
  record_id: Fields.text("The id of the record.", Fields.exampleId("nt")),
  title,
  outcome: Schema.Literals(revertOutcomes).annotate({
    description:
      "`reverted`: it is as it was before the set. `merged`: it is, but for what others have changed since. `kept`: it stays as it is.",
    examples: ["merged" as const]
  }),
  reason: Schema.NullOr(Schema.Literals(keptReasons)).annotate({
    description:
      "Why it stays, or a part of it: `changed_since` by others, `deleted_since`, `restored_since`; `not_kept`: the state before is deleted or too old; `not_empty`: the new notebook or tag has other notes; `is_file`: files stay, since their deletion cannot be undone; `refused`, such as by a quota, a name that is taken, or the time in which notes can be restored. Null if nothing stays.",
    examples: ["changed_since" as const]
  }),
  members: Schema.Array(Schema.String).annotate({
    description: "The members that stay as others have changed them since.",
    examples: [["title"]]
  })
}).annotate({ identifier: "RevertedRecord" })
export type RevertedRecord = typeof RevertedRecord.Type

export const revertOutcomeRows = Table.make(
  "revert_outcomes",
  {
    revert_id: Column.text(),
    ordinal: Column.int,
    type: Column.text(),
    record_id: Column.text(),
    outcome: Column.text(),
    reason: Column.nullable(Column.text()),
    members: Column.texts()
  },
  { key: ["revert_id", "ordinal"], appendOnly: true }
)

/** SQL for the title of the record `type` and `id` as it is now. */
export const titleOf = (workspace: string, type: string, id: string): string => `CASE ${type}
  WHEN 'note' THEN (SELECT n.title FROM notes n WHERE n.workspace_id = ${workspace} AND n.id = ${id})
  WHEN 'notebook' THEN (SELECT n.name FROM notebooks n WHERE n.workspace_id = ${workspace} AND n.id = ${id})
  WHEN 'tag' THEN (SELECT n.name FROM tags n WHERE n.workspace_id = ${workspace} AND n.id = ${id})
  WHEN 'template' THEN (SELECT n.name FROM templates n WHERE n.workspace_id = ${workspace} AND n.id = ${id})
  WHEN 'attachment' THEN (SELECT n.filename FROM attachments n WHERE n.workspace_id = ${workspace} AND n.id = ${id})
END`
