import { Schema } from "effect"
import { Note, NoteVersion } from "../../notes/Note.ts"
import { exportedParts } from "../../notes/NoteParts.ts"
import { notebooks } from "../../notes/notebooks/Notebook.ts"
import { tags } from "../../notes/tags/Tag.ts"
import { Template } from "../../notes/templates/Template.ts"
import { exportScopes, formatVersion } from "./Export.ts"

const { deleted_at: _, ...noteFields } = Note.fields
const { author_id, restored_from } = NoteVersion.fields
const { body, note_id: __, ...versionFields } = NoteVersion.fields
const { archived, pinned } = Note.fields

const Manifest = Schema.Struct({
  format: Schema.Literal("sheaf-export"),
  version: Schema.Literal(formatVersion),
  scope: Schema.Literals(exportScopes),
  notebook_id: Schema.NullOr(Schema.String),
  include_attachments: Schema.Boolean,
  workspace: Schema.Struct({ id: Schema.String, name: Schema.optionalKey(Schema.String) }),
  as_of: Schema.optionalKey(
    Schema.Struct({ seq: Schema.Int, epoch: Schema.String }).annotate({
      description:
        "The moment of the content. It is absent, as the name of the workspace, in an export by a credential for some notebooks."
    })
  ),
  counts: Schema.Struct({
    notebooks: Schema.Int,
    tags: Schema.Int,
    notes: Schema.Int,
    templates: Schema.Int,
    files: Schema.Int
  }),
  missing_files: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        sha256: Schema.String,
        reason: Schema.Literals(["missing", "damaged"]),
        attachment_id: Schema.String,
        note_id: Schema.String,
        filename: Schema.String
      })
    ).annotate({
      description:
        "Attachments whose files were omitted, because their bytes are missing or no longer match their hash."
    })
  )
}).annotate({ identifier: "ExportManifest" })

const WholeNote = Schema.Struct({
  note: Schema.Struct({ ...noteFields, author_id, restored_from }),
  versions: Schema.Array(Schema.Struct({ ...versionFields, body: Schema.NullOr(body), pinned, archived })),
  ...Object.fromEntries(exportedParts.map(({ exported, member }) => [member, Schema.Array(exported.data)]))
}).annotate({ identifier: "ExportedNote" })

/** The schemas of the files of a JSON export, by name. */
const exportedFiles = {
  "manifest.json": Manifest,
  "notebooks.json": Schema.Array(notebooks.syncedAs("ExportedNotebook")),
  "tags.json": Schema.Array(tags.syncedAs("ExportedTag")),
  "notes/<id>.json": WholeNote,
  "templates/<id>.json": Template
}

/** The format as a JSON Schema: one definition for each file. */
export const jsonSchemaOfExports = (): object => {
  const files = Object.entries(exportedFiles).map(
    ([name, schema]) => [name, Schema.toJsonSchemaDocument(schema)] as const
  )
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `Sheaf export, version ${formatVersion}`,
    description: "The files of a JSON export, by their names.",
    properties: Object.fromEntries(files.map(([name, { schema }]) => [name, schema])),
    $defs: Object.assign({}, ...files.map(([, { definitions }]) => definitions)) as object
  }
}
