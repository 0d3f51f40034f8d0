import { eventTypes } from "../../../services/EventTypes.ts"
import { icons } from "../../../services/notes/notebooks/Notebook.ts"
import { noteList } from "../../../services/notes/NoteTable.ts"
import type { McpResource } from "./EffectMcp.ts"

const filters = `# Filters of list_notes

Fields: ${Object.keys(noteList.filters ?? {}).join(", ")}. Fields to sort by, \`-\` for descending: ${Object.keys(noteList.sorts).join(", ")}.

- \`= != < <= > >=\`, \`:\` (contains), \`field:*\` (present), \`IN (a, b)\`, \`AND\`, \`OR\`, \`NOT\`, parentheses.
- AND and OR at one level need parentheses. A term without a field is searched for in title and body.
- Strings with spaces need quotes. \`*\` at either end of a value is a wildcard. A date means its whole day in UTC.
- \`properties.NAME\` is a property of the front matter, in quotes if it has spaces: \`properties."due date" < 2026-12-01\`.
- Archived notes are hidden unless the filter names \`archived\`; \`deleted_at:*\` lists the trash.

Examples:

- \`notebook_id = nb_… AND updated_at >= 2026-01-01\`
- \`tags:work AND NOT tags:done\`
- \`title = "Meeting*" AND (pinned = true OR word_count > 500)\`
`

const list = (values: ReadonlyArray<string>): string => `${values.join("\n")}\n`

/** Texts that are too long for the description of a tool. */
export const mcpResources: ReadonlyArray<McpResource> = [
  {
    uri: "sheaf://filters",
    name: "filters",
    title: "Filters of list_notes",
    description: "Fields, operators and examples.",
    mimeType: "text/markdown",
    text: filters
  },
  {
    uri: "sheaf://icons",
    name: "icons",
    title: "Icons of notebooks",
    description: "The names of all icons, one a line.",
    mimeType: "text/plain",
    text: list(icons)
  },
  {
    uri: "sheaf://event-types",
    name: "event-types",
    title: "Event types",
    description: "The types of all events of a workspace, one a line.",
    mimeType: "text/plain",
    text: list(eventTypes)
  }
]
