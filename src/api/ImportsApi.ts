import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { exampleId } from "../../services/Fields.ts"
import { Import, ImportCreate, importSources } from "../../services/transfers/Import.ts"
import { importList } from "../../services/transfers/ImportTable.ts"
import { Access, reads, writes } from "./Authorization.ts"
import { created, id, list, page } from "./Envelopes.ts"
import { listing, operation } from "./Operation.ts"

/** In one step: the fields of an import, and behind them its file. */
const ImportForm = Schema.Struct({
  source: Schema.Literals(importSources).annotate({
    description: "Where the file comes from.",
    examples: ["enex" as const]
  }),
  notebook_id: Schema.optionalKey(
    Schema.String.annotate({ description: "The notebook that it goes into.", examples: [exampleId("nb")] })
  ),
  filename: Schema.optionalKey(
    Schema.String.annotate({
      description: "What the file is called, unless it is that of `file`.",
      examples: ["My notes.enex"]
    })
  ),
  file: Schema.String.annotate({ description: "The file, behind all other fields.", format: "binary" })
})
  .annotate({ identifier: "ImportForm" })
  .pipe(HttpApiSchema.asMultipart())

export class ImportsApi extends HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Import) })
      .annotateMerge(operation("listImports", "List imports", "The newest first.", listing(importList)))
      .annotate(Access, reads("notes:read")),
    HttpApiEndpoint.post("create", "/", { payload: [ImportCreate, ImportForm], success: Import.pipe(created) })
      .annotateMerge(
        operation(
          "createImport",
          "Import notes",
          "Brings notes in from a file of another program, or from a JSON export. As JSON it answers with `upload_url`: send the file there as it is by PUT, once, within 15 minutes; that begins it. As a form (`multipart/form-data`) it brings the file along, in the field `file` behind all others. " +
            "It is read in the background: GET tells how far it is, and the event `import.done` or `import.failed` its end. What could not be taken as it was stands in `errors`, and everything else comes in; what a quota keeps out stays out. Cut short, it goes on without losing or doubling a note. " +
            "A file has at most 2 GiB, and unpacked 10 GiB and 200 000 files. Two imports and exports of a workspace are worked on at a time, 20 wait; one more is answered 429. Of imports that wait for their file the newest 20 do so, for a day. The last 100 that ended are kept, for 90 days.",
          { codes: ["unresolved_reference", "rate_limited", "payload_too_large"] }
        )
      )
      .annotate(Access, writes("notes:write")),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Import })
      .annotateMerge(
        operation(
          "getImport",
          "Get an import",
          "How far it is, and what could not be taken as it was. While it waits for its file, whoever may import is told anew where that is to be sent."
        )
      )
      .annotate(Access, reads("notes:read"))
  )
  .prefix("/imports")
  .annotateMerge(OpenApi.annotations({ title: "Imports", description: "What people bring along from elsewhere." })) {}
