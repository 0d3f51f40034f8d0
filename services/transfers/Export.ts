import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import * as Text from "../Text.ts"

export const exportScopes = ["notebook", "workspace"] as const
export const exportFormats = ["markdown", "json"] as const
export const exportStates = ["queued", "running", "ready", "failed"] as const

/** What is said of members, where answers have them and where requests do. */
const about = {
  scope: {
    description: "What it holds: a notebook with its sub-notebooks, or all of the workspace.",
    examples: ["workspace" as const]
  },
  format: {
    description: "Markdown files, or JSON without loss, for an import.",
    examples: ["markdown" as const]
  },
  notebook_id: "The notebook, where the scope is one; else null.",
  include_attachments: {
    description: "Whether the files of the notes are in it.",
    examples: [true]
  }
}

/** What is stored of an export and may be told of it. */
export const StoredExport = Schema.Struct({
  id: Fields.ownId("ex"),
  scope: Schema.Literals(exportScopes).annotate(about.scope),
  format: Schema.Literals(exportFormats).annotate(about.format),
  status: Schema.Literals(exportStates).annotate({
    description: "How far it is. One that is cut short begins anew.",
    examples: ["ready" as const]
  }),
  notebook_id: Schema.NullOr(Fields.id("nb", about.notebook_id)),
  include_attachments: Schema.Boolean.annotate(about.include_attachments),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Why it has failed, else null.",
    examples: [null]
  }),
  size_bytes: Schema.NullOr(Schema.Int.annotate({ isBig: true, minimum: 0 })).annotate({
    description: "How large its file is; null until it is ready.",
    examples: [48213]
  }),
  expires_at: Schema.NullOr(Fields.time("When it ends, seven days after it was ready or failed; null before.")),
  created_at: Fields.createdAt
})

/** interface.md "Export"; contract 7. */
export const Export = Schema.Struct({
  ...StoredExport.fields,
  progress: Schema.Finite.annotate({
    description: "How much of it is done, from 0 to 1.",
    minimum: 0,
    maximum: 1,
    examples: [1]
  }),
  download_url: Schema.NullOr(Schema.String).annotate({
    description: "Where its file is, good for 15 minutes; null until it is ready. Each GET has a fresh one.",
    examples: [null]
  })
}).annotate({ identifier: "Export" })
export type Export = typeof Export.Type

export const ExportCreate = Schema.Struct({
  scope: Text.oneOf(exportScopes, "unknown").annotate(about.scope),
  format: Schema.optionalKey(
    Text.oneOf(exportFormats, "unknown").annotate({
      description: `${about.format.description} When left out, \`markdown\`.`,
      examples: about.format.examples
    })
  ),
  notebook_id: Schema.optionalKey(
    Schema.NullOr(Text.line(100)).annotate(
      Fields.aboutId("nb", "The notebook, needed where the scope is `notebook`, and ignored where it is not.")
    )
  ),
  include_attachments: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: `${about.include_attachments.description} When left out, they are.`,
      examples: about.include_attachments.examples
    })
  ),
  status: Schema.optionalKey(Text.Ignored),
  download_url: Schema.optionalKey(Text.Ignored)
}).annotate({ identifier: "ExportCreate" })
export type ExportCreate = typeof ExportCreate.Type
