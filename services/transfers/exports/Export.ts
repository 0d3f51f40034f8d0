import { Schema } from "effect"
import * as Fields from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import { isAtLeast, type PrincipalShape } from "../../Principal.ts"
import type { Reach } from "../../Reach.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import * as Text from "../../Text.ts"

export const exportScopes = ["notebook", "workspace"] as const
export const exportFormats = ["markdown", "json"] as const
const exportStates = ["queued", "running", "ready", "failed"] as const

/** Descriptions of members that are in both responses and requests. */
const about = {
  scope: {
    description: "What is exported: a notebook with its sub-notebooks, or the whole workspace.",
    examples: ["workspace" as const]
  },
  format: {
    description: "Markdown files, or JSON that an import reads back without loss.",
    examples: ["markdown" as const]
  },
  notebook_id: "The notebook, if the scope is `notebook`; else null.",
  include_attachments: {
    description: "Whether the files of the notes are included.",
    examples: [true]
  }
}

/** The stored members of an export that responses contain. */
const StoredExport = Schema.Struct({
  id: Fields.ownId("ex"),
  scope: Schema.Literals(exportScopes).annotate(about.scope),
  format: Schema.Literals(exportFormats).annotate(about.format),
  status: Schema.Literals(exportStates).annotate({
    description: "The status. An export that is interrupted starts again.",
    examples: ["ready" as const]
  }),
  notebook_id: Schema.NullOr(Fields.id("nb", about.notebook_id)),
  include_attachments: Schema.Boolean.annotate(about.include_attachments),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Why it failed, else null.",
    examples: [null]
  }),
  size_bytes: Schema.NullOr(Schema.Int.annotate({ isBig: true, minimum: 0 })).annotate({
    description: "The size of its file in bytes; null until it is ready.",
    examples: [48213]
  }),
  expires_at: Schema.NullOr(Fields.time("When it is removed, seven days after it finished; null before.")),
  created_at: Fields.createdAt
})

/** Contract, section 7. */
export const Export = Schema.Struct({
  ...StoredExport.fields,
  progress: Schema.Finite.annotate({
    description: "The progress, from 0 to 1.",
    minimum: 0,
    maximum: 1,
    examples: [1]
  }),
  download_url: Schema.NullOr(Schema.String).annotate({
    description: "The address of its file, valid for 15 minutes; null until it is ready. Each GET returns a new one.",
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
    Schema.NullOr(Text.notBlank(100)).annotate(
      Fields.aboutId("nb", "The notebook. Required if the scope is `notebook`, else ignored.")
    )
  ),
  include_attachments: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: `${about.include_attachments.description} When left out, they are.`,
      examples: about.include_attachments.examples
    })
  ),
  status: Schema.optionalKey(Text.Ignored),
  download_url: Schema.optionalKey(Text.Ignored),
  current_password: Fields.currentPassword
}).annotate({ identifier: "ExportCreate" })
export type ExportCreate = typeof ExportCreate.Type

/** The version of the format that `docs/export-format.md` describes. */
export const formatVersion = 1

/** Only admins and owners may see exports of a whole workspace (contract, section 7). */
export const maySeeWorkspaceExports = ({ role }: Pick<PrincipalShape, "role">): boolean => isAtLeast(role, "admin")

/** `status` is `queued` until the export ends. Its row in `transfers` has whether it runs. */
export const exports = Table.ofRecord("exports", StoredExport, {
  internal: {
    /** The user who requested the export. */
    author_id: Column.nullable(Column.text()),
    /** The limited credential that requested the export, and what it reached; null for other callers. */
    credential_id: Column.nullable(Column.text()),
    reach: Column.nullable(Column.json<Reach>()),
    /** The blob with its bytes when it is ready. */
    blob: Column.nullable(Column.text())
  },
  key: ["id"]
})
export type ExportRow = Table.Row<typeof exports>

/** The members that a response is made of. */
export const ListedExport = Schema.Struct({
  ...StoredExport.fields,
  permille: Schema.Int,
  blob: Schema.NullOr(Schema.String)
})
export type ListedExport = typeof ListedExport.Type

/** Exports with their progress. A workspace has only a few. */
export const exportList = listOf(ListedExport, {
  path: "/exports",
  from: `(SELECT e.workspace_id, e.id, e.scope, e.format, e.notebook_id, e.include_attachments, e.error, e.size_bytes,
      e.expires_at, e.created_at, e.blob,
      CASE WHEN e.status = 'queued' AND t.attempts > 0 THEN 'running' ELSE e.status END AS status,
      CASE WHEN e.status = 'ready' THEN 1000 ELSE coalesce(t.permille, 0) END AS permille
    FROM exports e LEFT JOIN transfers t ON t.workspace_id = e.workspace_id AND t.id = e.id) known`,
  sort: ["-created_at", "status"],
  filter: ["id", "scope", "format", "status", "created_at"],
  enums: ["scope", "format", "status"],
  indexed: { id: "few" },
  // A workspace has at most 27.
  unindexedSorts: ["status"]
})
