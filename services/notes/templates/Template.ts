import { Schema } from "effect"
import { id, time } from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import { currentOnly, type SyncedRecord } from "../../records/SyncedRecord.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import * as Text from "../../Text.ts"
import { maxBody, Note, NoteCreate } from "../Note.ts"
import { isWithinLimits, maxPlaceholders, maxShifts } from "./TemplateText.ts"

const name = {
  description: "The name, 1 to 100 characters. It need not be unique.",
  examples: ["Daily"]
}
const body = {
  description:
    "Markdown with placeholders such as `{{date}}` and `{{title}}`, at most 1 048 576 bytes in UTF-8, " +
    `${maxPlaceholders} placeholders, and ${maxShifts} shifts in a placeholder.`,
  examples: ["# {{title}}\n\n{{date:YYYY-MM-DD}}"]
}

/** A template (contract 5). */
export const Template = Schema.Struct({
  id: id("tp", "The template's id."),
  name: Schema.String.annotate(name),
  body: Schema.String.annotate({ ...body, isLarge: true }),
  created_at: time("When it was created."),
  updated_at: time("When it was last changed.")
}).annotate({ identifier: "Template" })
export type Template = typeof Template.Type

export const tooManyPlaceholders = `must have at most ${maxPlaceholders} placeholders, each with at most ${maxShifts} shifts`

const limited = Text.checked("too_many", tooManyPlaceholders, isWithinLimits)

const Name = Text.notBlank(100).check(limited).annotate(name).pipe(Text.onOneLine)

const writable = {
  name: Schema.optionalKey(Name),
  body: Schema.optionalKey(Text.bytes(maxBody).check(limited).annotate(body))
}

export const TemplateCreate = Schema.Struct({ ...writable, name: Name }).annotate({ identifier: "TemplateCreate" })
export type TemplateCreate = typeof TemplateCreate.Type

export const TemplateUpdate = Schema.Struct(writable).annotate({ identifier: "TemplateUpdate" })
export type TemplateUpdate = typeof TemplateUpdate.Type

const { notebook_id, tags, title } = NoteCreate.fields

/** The members of the note to create (contract 5). */
export const TemplateApply = Schema.Struct({
  notebook_id: Schema.optionalKey(notebook_id),
  title: Schema.optionalKey(title),
  name: Schema.optionalKey(title.annotate({ description: "Another name of `title`." })),
  tags,
  variables: Schema.optionalKey(
    Schema.Record(Schema.String, Text.Text).annotate({
      description: "Values by the names of variables. They take precedence over built-in ones.",
      examples: [{ client: "ACME" }]
    })
  ),
  body: Schema.optionalKey(Text.Ignored)
}).annotate({ identifier: "TemplateApply" })
export type TemplateApply = typeof TemplateApply.Type

/** The note that was created from a template. */
export const AppliedTemplate = Schema.Struct({
  ...Note.fields,
  unresolved_variables: Schema.Array(Schema.String).annotate({
    description: "Placeholders of the body without a value, as they are written. They stay verbatim in the body.",
    examples: [["client"]]
  })
}).annotate({ identifier: "AppliedTemplate" })
export type AppliedTemplate = typeof AppliedTemplate.Type

export const templates = Table.ofRecord("templates", Template, {
  internal: { revision: Column.int },
  key: ["id"],
  weigh: (row) => row.body.length + row.name.length + 300
})

export const templateList = listOf(templates.shape, {
  path: "/templates",
  from: templates.name,
  size: "octet_length(body)",
  sort: ["name", "created_at", "updated_at"],
  // The quota of a workspace is 1 000.
  unindexedSorts: ["created_at", "updated_at"],
  filter: ["id", "name", "created_at", "updated_at"],
  words: ["name"]
})

export const syncedTemplates: SyncedRecord = {
  type: "template",
  table: templates,
  data: Template,
  pushed: TemplateUpdate,
  removals: ["template.deleted"],
  earlier: currentOnly(templates)
}
