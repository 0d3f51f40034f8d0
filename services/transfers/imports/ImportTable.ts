import { Schema } from "effect"
import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import { StoredImport } from "./Import.ts"
import type { Rewritten } from "../formats/Item.ts"

/** `status` is `queued` until the import ends. Its row in `transfers` has whether it runs. */
export const imports = Table.ofRecord("imports", StoredImport, {
  internal: {
    /** The user who started the import, and the author of all imported records. */
    author_id: Column.nullable(Column.text()),
    /** The blob of its file, from the arrival of the file until the import ends. */
    blob: Column.nullable(Column.text()),
    /** The SHA-256 of its file, also after the import has released the file. */
    file_sha256: Column.nullable(Column.text()),
    /** The progress, from 0 to 1000. */
    permille: Column.int,
    /** Whether the records of a JSON export keep their ids; null until that is decided. */
    keeps_ids: Column.nullable(Column.boolean),
    /** When an import without a file fails, or an ended one is removed. */
    ends_at: Column.nullable(Column.text())
  },
  key: ["id"]
})
export type ImportRow = Table.Row<typeof imports>

/** The members that a response is made of. */
export const ListedImport = Schema.Struct({
  ...StoredImport.fields,
  permille: Schema.Int,
  blob: Schema.NullOr(Schema.String)
})
export type ListedImport = typeof ListedImport.Type

export const importList = listOf(ListedImport, {
  path: "/imports",
  from: `(SELECT i.workspace_id, i.id, i.source, i.notebook_id, i.filename, i.size_bytes, i.on_existing, i.imported, i.skipped,
      i.updated, i.total, i.errors,
      i.created_at, i.permille, i.blob,
      CASE WHEN i.status = 'queued' AND t.attempts > 0 THEN 'running' ELSE i.status END AS status
    FROM imports i LEFT JOIN transfers t ON t.workspace_id = i.workspace_id AND t.id = i.id) known`,
  size: "octet_length(errors::text)",
  sort: ["-created_at", "status"],
  filter: ["id", "source", "status", "created_at"],
  enums: ["source", "status"],
  indexed: { id: "few" },
  // A workspace has at most 142.
  sorted: ["status"]
})

/** The original path of an imported note, and its links that were changed, as they were. */
export const noteOriginals = Table.make(
  "note_originals",
  { note_id: Column.text(), path: Column.text(), links: Column.json<ReadonlyArray<Rewritten>>() },
  { key: ["note_id"] }
)

/**
 * The source of each imported note, by which later imports recognize it. `key` and `content` are the hashes of
 * `SourceNote`; `content` is empty if a quota refused files of the note. `version` is the version of the note that the
 * import wrote: a note with another version was edited since.
 */
export const importSources = Table.make(
  "import_sources",
  {
    note_id: Column.text(),
    /** The import that wrote the note last. */
    import_id: Column.text(),
    key: Column.text(),
    content: Column.text(),
    version: Column.int
  },
  { key: ["note_id"] }
)
