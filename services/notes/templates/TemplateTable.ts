import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import { currentOnly, type Synced } from "../../records/SyncedRecord.ts"
import * as Table from "../../tables/Table.ts"
import { Template, TemplateUpdate } from "./Template.ts"

export const templates = Table.ofRecord("templates", Template, {
  internal: { revision: Column.int },
  key: ["id"],
  weigh: (row) => row.body.length + row.name.length + 300
})
export type TemplateRow = Table.Row<typeof templates>

export const templateList = listOf(templates.shape, {
  path: "/templates",
  from: templates.name,
  size: "octet_length(body)",
  sort: ["name", "created_at", "updated_at"],
  // A workspace has 1 000 by its quota.
  sorted: ["created_at", "updated_at"],
  filter: ["id", "name", "created_at", "updated_at"],
  words: ["name"]
})

export const syncedTemplates: Synced = {
  type: "template",
  name: "Template",
  prefix: "tp",
  table: templates,
  data: Template,
  pushed: TemplateUpdate,
  removals: ["template.deleted"],
  earlier: currentOnly(templates)
}
