import { Schema } from "effect"
import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import { StoredImport } from "./Import.ts"
import type { Rewritten } from "../formats/Item.ts"

/** `status` is `queued` until the end: whether one runs is seen by its row in `transfers`. */
export const imports = Table.ofRecord("imports", StoredImport, {
  internal: {
    /** Who asked for it: all that comes in is theirs. */
    author_id: Column.nullable(Column.text()),
    /** The blob that is its file, from when that has come until the end. */
    blob: Column.nullable(Column.text()),
    /** The SHA-256 of its file, also once the import has let go of it. */
    file_sha256: Column.nullable(Column.text()),
    /** How far it is, of 1000. */
    permille: Column.int,
    /** Of a JSON export: whether what comes in keeps its ids; null until that is decided. */
    keeps_ids: Column.nullable(Column.boolean),
    /** Without its file, it has failed then; once it has ended, it is forgotten then. */
    ends_at: Column.nullable(Column.text())
  },
  key: ["id"]
})
export type ImportRow = Table.Row<typeof imports>

/** What an answer is made of. */
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
  // A workspace has 142.
  sorted: ["status"]
})

/** What an imported note was called, and those of its links that read otherwise now. */
export const noteOriginals = Table.make(
  "note_originals",
  { note_id: Column.text(), path: Column.text(), links: Column.json<ReadonlyArray<Rewritten>>() },
  { key: ["note_id"] }
)

/**
 * The source of each imported note, by which a later import knows it again. `key` and `content` are SHA-256 hashes of what
 * `SourceNote` says; `content` is empty where a quota kept files of the note out. `version` is the version of the note that
 * the import wrote: a note of another version was edited since.
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
