import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Export, ExportCreate } from "../../services/transfers/Export.ts"
import { exportList } from "../../services/transfers/ExportTable.ts"
import { Access, reads, writes } from "./Authorization.ts"
import { created, id, list, page } from "./Envelopes.ts"
import { listing, operation } from "./Operation.ts"

export class ExportsApi extends HttpApiGroup.make("exports")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Export) })
      .annotateMerge(
        operation(
          "listExports",
          "List exports",
          "The newest first. Those of a whole workspace are shown to admins and owners only.",
          listing(exportList)
        )
      )
      .annotate(Access, reads("export:read")),
    HttpApiEndpoint.post("create", "/", { payload: ExportCreate, success: Export.pipe(created) })
      .annotateMerge(
        operation(
          "createExport",
          "Export notes",
          "Makes a ZIP of a notebook with its sub-notebooks, or of all of the workspace, for which the role admin is needed: all as it was at one moment, archived notes too, and none of the trash. It is made in the background: GET tells how far it is, and the event `export.ready` or `export.failed` its end. Two of a workspace are made at a time, 20 wait; one more is answered 429. The last five that ended are kept, for seven days.",
          { codes: ["unresolved_reference", "rate_limited"] }
        )
      )
      .annotate(Access, writes("export:write")),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Export })
      .annotateMerge(
        operation(
          "getExport",
          "Get an export",
          "How far it is; once it is ready, with the address of its file. One of a whole workspace is shown to admins and owners only."
        )
      )
      .annotate(Access, reads("export:read"))
  )
  .prefix("/exports")
  .annotateMerge(OpenApi.annotations({ title: "Exports", description: "Files of what a workspace holds." })) {}
