import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  AppliedTemplate,
  Template,
  TemplateApply,
  TemplateCreate,
  templateList,
  TemplateUpdate
} from "../../../../services/notes/templates/Template.ts"
import { reads, writes } from "../Authorization.ts"
import { DryRunnable } from "../Conventions.ts"
import { created, Deleted, id, list, optionalBody, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(reads("notes:read"))
const write = operations(writes("notes:write"))

export class TemplatesApi extends HttpApiGroup.make("templates")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Template) }).annotateMerge(
      read("listTemplates", "List templates", "Sorted by name.", listing(templateList))
    ),
    HttpApiEndpoint.post("create", "/", { payload: TemplateCreate, success: Template.pipe(created) }).annotateMerge(
      write("createTemplate", "Create a template", "The body is Markdown with variables: see `apply`.", {
        codes: ["quota_exceeded"]
      })
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Template }).annotateMerge(
      read("getTemplate", "Get a template", "Returns the template with its variables not replaced.")
    ),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: TemplateUpdate, success: Template }).annotateMerge(
      write(
        "updateTemplate",
        "Change a template",
        "Only supplied fields change. Notes created from the template stay.",
        {
          codes: ["quota_exceeded"]
        }
      )
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted }).annotateMerge(
      write("deleteTemplate", "Delete a template", "Notes created from the template stay.")
    ),
    HttpApiEndpoint.post("apply", "/:id/apply", {
      params: id,
      payload: optionalBody(TemplateApply),
      success: AppliedTemplate
    }).annotateMerge(
      write(
        "applyTemplate",
        "Create a note from a template",
        `Creates a note in \`notebook_id\`, or else in "Inbox", from the template's body with its variables replaced. Built-in variables are \`date\`, \`time\`, \`datetime\`, \`year\`, \`month\`, \`day\`, \`weekday\`, \`title\`, \`uuid\`, \`user.name\`, \`user.email\`, \`notebook.name\` and \`workspace.name\`, in the user's time zone. Date and time variables accept offsets in hours, days, weeks, months and years (\`h d w m y\`) and a format of Day.js tokens, as in \`{{date+1d:DD.MM.YYYY}}\`; names of months and weekdays are in the user's \`locale\`. The title is the template's name with its variables replaced, unless the body gives one. Values are inserted literally; unknown variables stay unchanged and are listed in \`unresolved_variables\`.`,
        { codes: ["unresolved_reference", "quota_exceeded"] }
      )
    )
  )
  .prefix("/templates")
  .annotateEndpoints(DryRunnable, true)
  .annotateMerge(describing("Templates", "Texts with variables from which notes are created.")) {}
