import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Export, ExportCreate, exportList } from "../../../../services/transfers/exports/Export.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { created, id, list, page } from "../Envelopes.ts"
import { describing, listing, operations, passwordRequired } from "../Operation.ts"

const read = operations(withinReach(reads("export:read")))
const write = operations(withinReach(writes("export:write")))

export class ExportsApi extends HttpApiGroup.make("exports")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Export) }).annotateMerge(
      read(
        "listExports",
        "List exports",
        "Newest first. Exports of a whole workspace are shown to admins and owners only.",
        listing(exportList)
      )
    ),
    HttpApiEndpoint.post("create", "/", { payload: ExportCreate, success: Export.pipe(created) }).annotateMerge(
      write(
        "createExport",
        "Export notes",
        `Creates a ZIP of a notebook with its sub-notebooks, or of the whole workspace, which needs the role admin. It has the state of one moment, with archived notes and without the trash. It is created in the background: GET shows the progress, and the event \`export.ready\` or \`export.failed\` reports the end. A workspace runs two exports and imports at a time, and 20 wait; further requests get 429. The last five finished exports are kept, for seven days. ${passwordRequired.text} This applies to the scope \`workspace\`.`,
        { codes: [...passwordRequired.codes, "unresolved_reference", "rate_limited"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Export }).annotateMerge(
      read(
        "getExport",
        "Get an export",
        "Shows the progress, and the address of the file once it is ready. An export of a whole workspace is shown to admins and owners only."
      )
    )
  )
  .prefix("/exports")
  .annotateMerge(describing("Exports", "Downloads of a workspace or a notebook, as Markdown or JSON.")) {}
