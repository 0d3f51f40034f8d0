import { Schema } from "effect"
import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import { StoredExport } from "./Export.ts"

/** `status` is `queued` until the export ends. Its row in `transfers` has whether it runs. */
export const exports = Table.ofRecord("exports", StoredExport, {
  internal: {
    /** The user who requested the export. */
    author_id: Column.nullable(Column.text()),
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
  sorted: ["status"]
})
