import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { exampleId } from "../../../../services/Fields.ts"
import { onExisting } from "../../../../services/transfers/formats/EarlierNotes.ts"
import { Import, ImportCreate, importList, importSources } from "../../../../services/transfers/imports/Import.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { created, id, list, page } from "../Envelopes.ts"
import { Previewable } from "../Conventions.ts"
import { describing, listing, operations } from "../Operation.ts"

/** A form that starts an import in one step: its fields, then its file. */
const ImportForm = Schema.Struct({
  source: Schema.Literals(importSources).annotate({
    description: "Where the file comes from; `auto` recognizes it by its content.",
    examples: ["auto" as const]
  }),
  notebook_id: Schema.optionalKey(
    Schema.String.annotate({ description: "The notebook to import into.", examples: [exampleId("nb")] })
  ),
  on_existing: Schema.optionalKey(
    Schema.Literals(onExisting).annotate({
      description: "What to do with notes that an earlier import imported. The default is `skip`.",
      examples: ["update" as const]
    })
  ),
  filename: Schema.optionalKey(
    Schema.String.annotate({
      description: "The name of the file, if it differs from that of `file`.",
      examples: ["My notes.enex"]
    })
  ),
  preview: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether to show only what the import would do.",
      examples: [true]
    })
  ),
  file: Schema.String.annotate({ description: "The file, as the last field.", format: "binary" })
})
  .annotate({ identifier: "ImportForm" })
  .pipe(HttpApiSchema.asMultipart())

const read = operations(withinReach(reads("notes:read")))

export class ImportsApi extends HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Import) }).annotateMerge(
      read("listImports", "List imports", "Newest first.", listing(importList))
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: [ImportCreate, ImportForm],
      success: Import.pipe(created)
    })
      .annotate(Previewable, true)
      .annotateMerge(
        operations(withinReach(writes("notes:write")))(
          "createImport",
          "Import notes",
          "Imports notes from a file of another program, or from a JSON export. With a JSON body the response has an `upload_url`: send the file there unchanged by PUT, once, within 15 minutes; that starts the import. A form (`multipart/form-data`) contains the file, as the last field `file`. " +
            "It runs in the background: GET shows the progress, and the event `import.done` or `import.failed` reports the end. Content that could not be imported unchanged is listed in `errors`; everything else is imported, within the quotas. An interrupted import continues without losing or duplicating a note. " +
            "The same file can be imported again: notes that have not changed since an earlier import are omitted and counted in `skipped`. `on_existing` determines what happens to changed notes: they become new notes (`skip`, the default) or update the earlier ones (`update`). With `duplicate`, everything is imported again. Imports of a workspace run one after the other. " +
            "With `preview`, nothing is imported: the record has the counts and `errors` that the import would have now, for as long as the workspace stays as it is. It raises no event, and the import itself needs the file again. " +
            "A file has at most 2 GiB, and at most 10 GiB and 200 000 files when unpacked. A workspace runs two imports and exports at a time, and 20 wait; further requests get 429. The newest 20 imports without a file wait for it, for a day. The last 100 finished imports are kept, for 90 days.",
          { codes: ["unresolved_reference", "rate_limited", "payload_too_large"] }
        )
      ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Import }).annotateMerge(
      read(
        "getImport",
        "Get an import",
        "Shows the progress, and the content that could not be imported unchanged. While it waits for its file, callers who may import get a new `upload_url`."
      )
    )
  )
  .prefix("/imports")
  .annotateMerge(describing("Imports", "Notes from files of other programs, or from an export.")) {}
