import { Schema } from "effect"
import * as Fields from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import { filename } from "../../notes/attachments/Attachment.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import * as Text from "../../Text.ts"
import { onExisting } from "../formats/EarlierNotes.ts"
import { itemProblemCodes, type Rewritten, type Source, sources } from "../formats/Item.ts"

export const importSources = sources
export type ImportSource = Source
export const importStates = ["queued", "running", "done", "failed"] as const

/** Codes of the problems of imports: those of their files, and others. */
export const importErrorCodes = [
  ...itemProblemCodes,
  "edited_since",
  "insufficient_role",
  "more_problems",
  "not_ended",
  "nothing_came",
  "plan_required",
  "quota_exceeded"
] as const

/** Descriptions of members that are in both responses and requests. */
const about = {
  source: {
    description:
      "Where the file comes from. `auto` recognizes it by its content: Markdown, plain text or HTML, alone or in a ZIP, as of Obsidian, Logseq and Bear; exports of Evernote, Notion, Google Keep, Simplenote, Standard Notes and Joplin; a JSON export of this service. `markdown`, `enex` (Evernote), `notion` and `json` (this service) name one of them; a file that is plainly something else is imported as what it is, with an entry in `errors`.",
    examples: ["auto" as const]
  },
  notebook_id: "The notebook to import into, with folders as sub-notebooks; null for the top level.",
  on_existing: {
    description:
      "What to do with notes that an earlier import of the workspace imported, into any notebook. A note is recognized by its path in the file, its Notion or Evernote id, or its id in a JSON export. `skip` omits a note whose content and files are the same, unless the earlier note is in the trash; a changed note is imported as a new note. `update` works like `skip`, but writes a changed note into the earlier one, unless that has been edited since. `duplicate` imports everything as new notes.",
    examples: ["update" as const]
  },
  preview: {
    description:
      "Whether it only shows what the import would do. Its counts and `errors` are those that the import would have, and nothing else changes in the workspace.",
    examples: [false]
  },
  filename: {
    description: "The name of the file. It names a notebook or note that has no other name.",
    examples: ["vault.zip"]
  }
}

export const ImportError = Schema.Struct({
  file: Schema.String.annotate({
    description:
      "The path in the archive or the title of the note; the name of the file if the whole file is concerned.",
    examples: ["Work/Plan.md"]
  }),
  code: Schema.Literals(importErrorCodes).annotate({
    description: "The code of the issue, for programs.",
    examples: ["link_not_found" as const]
  }),
  message: Schema.String.annotate({
    description: "The issue, for people.",
    examples: ['Links whose target is not in the file stay as written: "Old plan"']
  })
}).annotate({ identifier: "ImportError" })
export type ImportError = typeof ImportError.Type

/** Maximum number of entries in `errors`. If there are more problems, the last entry has the number of the others. */
export const maxErrors = 1_000

const created = (what: string) =>
  Schema.NullOr(
    Schema.Int.annotate({
      description: `${what} created so far; null for an import of an earlier version of the server.`,
      minimum: 0,
      examples: [3]
    })
  )

/** The stored members of an import that responses contain. */
export const StoredImport = Schema.Struct({
  id: Fields.ownId("im"),
  source: Schema.Literals(importSources).annotate(about.source),
  status: Schema.Literals(importStates).annotate({
    description:
      "The status: `queued` until its file has arrived and the job starts. `done` also if `errors` lists parts that could not be imported as they were.",
    examples: ["done" as const]
  }),
  preview: Schema.Boolean.annotate(about.preview),
  notebook_id: Schema.NullOr(Fields.id("nb", about.notebook_id)),
  filename: Schema.NullOr(Schema.String.annotate(about.filename)).annotate({
    description: "The name of the file; null if unknown."
  }),
  size_bytes: Schema.NullOr(Schema.Int.annotate({ isBig: true, minimum: 0 })).annotate({
    description: "The size of the file in bytes; null until it has arrived.",
    examples: [48213]
  }),
  on_existing: Schema.Literals(onExisting).annotate(about.on_existing),
  imported: Fields.count("Notes created so far."),
  skipped: Fields.count("Notes omitted so far, because an earlier import created them."),
  updated: Fields.count("Notes of earlier imports updated so far."),
  notebooks: created("Notebooks"),
  tags: created("Tags"),
  attachments: created("Attachments"),
  total: Schema.NullOr(Schema.Int.annotate({ minimum: 0 })).annotate({
    description: "Notes in the file; null until known.",
    examples: [128]
  }),
  errors: Schema.Array(ImportError).annotate({
    description: `What could not be imported as it was, at most ${maxErrors} entries. Everything else was imported.`
  }),
  created_at: Fields.createdAt
})

const upload = {
  upload_url: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description: "The address to send the file to, once. Null once it has arrived.",
      examples: [`${Fields.exampleOrigin}/files/…`]
    })
  ),
  upload_method: Schema.optionalKey(
    Schema.Literal("PUT").annotate({ description: "How to send it: unchanged, as the body of a PUT." })
  ),
  upload_headers: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({ description: "Headers to send with the bytes." })
  ),
  upload_expires_at: Schema.optionalKey(Schema.NullOr(Fields.time("When `upload_url` expires.")))
}

/** Contract, section 7. */
export const Import = Schema.Struct({
  ...StoredImport.fields,
  progress: Schema.Finite.annotate({
    description: "The progress, from 0 to 1.",
    minimum: 0,
    maximum: 1,
    examples: [1]
  }),
  ...upload
}).annotate({ identifier: "Import" })
export type Import = typeof Import.Type

export const ImportCreate = Schema.Struct({
  source: Text.oneOf(importSources, "unknown").annotate(about.source),
  notebook_id: Schema.optionalKey(
    Schema.NullOr(Text.notBlank(100)).annotate(
      Fields.aboutId(
        "nb",
        'The notebook to import into, with folders as sub-notebooks. Without it, folders become notebooks on the top level, and notes outside of folders go into "Inbox". Ignored for a JSON export of this service, which has its own notebooks.'
      )
    )
  ),
  on_existing: Schema.optionalKey(
    Text.oneOf(onExisting, "unknown").annotate({
      ...about.on_existing,
      description: `${about.on_existing.description} Without it, \`skip\`.`
    })
  ),
  filename: Schema.optionalKey(Schema.NullOr(filename(about.filename))),
  preview: Schema.optionalKey(Schema.Boolean.annotate(about.preview)),
  status: Schema.optionalKey(Text.Ignored),
  imported: Schema.optionalKey(Text.Ignored),
  skipped: Schema.optionalKey(Text.Ignored),
  updated: Schema.optionalKey(Text.Ignored),
  notebooks: Schema.optionalKey(Text.Ignored),
  tags: Schema.optionalKey(Text.Ignored),
  attachments: Schema.optionalKey(Text.Ignored),
  errors: Schema.optionalKey(Text.Ignored)
}).annotate({ identifier: "ImportCreate" })
export type ImportCreate = typeof ImportCreate.Type

/** `status` is `queued` until the import ends. Its row in `transfers` shows whether it runs. */
export const imports = Table.ofRecord("imports", StoredImport, {
  internal: {
    /** The user who started the import, and the author of all imported records; null for a preview. */
    author_id: Column.nullable(Column.text()),
    /** The user who asked for a preview. */
    asked_by: Column.nullable(Column.text()),
    /** The limited credential that started the import; null for other callers. */
    credential_id: Column.nullable(Column.text()),
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

/** The user who started an import or a preview. */
export const askerOf = ({ asked_by, author_id, preview }: ImportRow): string | null => (preview ? asked_by : author_id)

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
      i.updated, i.notebooks, i.tags, i.attachments, i.total, i.errors, i.preview,
      i.created_at, i.permille, i.blob,
      CASE WHEN i.status = 'queued' AND t.attempts > 0 THEN 'running' ELSE i.status END AS status
    FROM imports i LEFT JOIN transfers t ON t.workspace_id = i.workspace_id AND t.id = i.id) known`,
  size: "octet_length(errors::text)",
  sort: ["-created_at", "status"],
  filter: ["id", "source", "status", "preview", "created_at"],
  enums: ["source", "status"],
  indexed: { id: "few" },
  // A workspace has at most 142.
  unindexedSorts: ["status"]
})

/** Names of files that were sent without one. */
export const unnamed: Readonly<Record<ImportSource, string>> = {
  auto: "Import",
  markdown: "Import.md",
  enex: "Evernote.enex",
  notion: "Notion.zip",
  json: "export.zip"
}

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
export const noteSources = Table.make(
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
