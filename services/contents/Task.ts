import { Schema } from "effect"
import { isCalendarDate } from "../CalendarDate.ts"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"
import { priorities } from "../markdown/TaskFields.ts"
import { bytes, checked, whole } from "../Text.ts"

const exampleDate = "2026-12-01"

const date = (description: string) =>
  Schema.NullOr(Schema.String.annotate({ description, format: "date", examples: [exampleDate] }))

const priority = Schema.NullOr(Schema.Literals(priorities)).annotate({
  description: "Its priority, as Obsidian Tasks and Dataview write it; null without one.",
  examples: ["high" as const]
})

/** A task in the text of a note: a line such as `- [ ] tickets due:2026-12-01` (contract 5, Contents of notes). */
export const Task = Schema.Struct({
  id: Fields.id("tk", "The task's id. It stays the same when its line moves, and changes with its words."),
  note_id: Fields.id("nt", "Its note."),
  note_title: Fields.text("The title of its note.", "Trip to Vienna"),
  notebook_id: Fields.id("nb", "The notebook of its note."),
  version: Schema.Int.annotate({
    description: "The version of the note in which it was read.",
    minimum: 1,
    examples: [3]
  }),
  line: Schema.Int.annotate({ description: "Its line in that version, from 1.", minimum: 1, examples: [7] }),
  done: Schema.Boolean.annotate({ description: "Whether it is ticked.", examples: [false] }),
  text: Fields.text("Its words, without dates and priority.", "tickets #travel"),
  due: date("When it is due; null without a date."),
  scheduled: date("When it is planned for."),
  start: date("When it can begin."),
  completed: date("When it was completed, if the text says so."),
  priority,
  tags: Schema.Array(Schema.String).annotate({ description: "The tags in its words.", examples: [["travel"]] })
}).annotate({ identifier: "Task" })
export type Task = typeof Task.Type

const dates = ["due", "scheduled", "start", "completed"] as const

export const taskList = listOf(Task, {
  path: "/tasks",
  from: `(SELECT t.workspace_id, t.id, t.note_id, n.title AS note_title, t.notebook_id, c.version, t.archived, t.line, t.done, t.text,
      ${dates.map((name) => `t.${name} AS ${name}_key, nullif(t.${name}, '~') AS ${name}`).join(", ")},
      t.priority, t.tags
    FROM note_tasks t JOIN notes n ON n.workspace_id = t.workspace_id AND n.id = t.note_id
      JOIN note_contents c ON c.workspace_id = t.workspace_id AND c.note_id = t.note_id) tasks`,
  sort: ["due", "note_id", "line"],
  first: { done: { sql: "done", type: "boolean", descending: false } },
  filter: ["id", "note_id", "notebook_id", "done", "text", "priority", ...dates, "tags", "archived"],
  words: ["text"],
  enums: ["priority"],
  indexed: { id: "few", note_id: "few", notebook_id: "few", done: "part" },
  within: { notebook_id: ["due_key"] },
  unindexedSorts: ["note_id", "line"],
  sorts: { due: { sql: "due_key", type: "text" } },
  filters: {
    archived: { type: "boolean", sql: "archived", indexed: "part" },
    ...Object.fromEntries(
      dates.map((name) => [
        name,
        {
          type: "date" as const,
          sql: `${name}_key`,
          nullable: true as const,
          ...(name === "due" ? { indexed: "order" as const } : {})
        }
      ])
    ),
    tags: {
      type: "names",
      sql: "tags",
      from: "(SELECT $1 AS workspace_id, name, lower(normalize(name, NFC)) AS key FROM unnest(tags) AS name) own",
      key: "key",
      normal: (text) => text.normalize("NFC").toLowerCase().replace(/^#/, "")
    }
  },
  hidden: [{ condition: "NOT archived", shownBy: ["archived"] }]
})

const dateToSet = Schema.NullOr(
  bytes(100).check(
    checked("invalid_timestamp", "must be a date such as 2026-12-01", isCalendarDate, { format: "date" })
  )
).annotate({ description: "A date, or null to remove it.", examples: [exampleDate] })

/** A change of a task (contract 5, Contents of notes). */
export const TaskUpdate = Schema.Struct({
  version: Schema.optionalKey(
    whole(1, 2_147_483_647).annotate({
      description: "The `version` in which the task was read. If its note has a later one: 412.",
      examples: [3]
    })
  ),
  done: Schema.optionalKey(Schema.Boolean.annotate({ description: "Whether to tick it.", examples: [true] })),
  text: Schema.optionalKey(
    bytes(10_000)
      .check(checked("invalid", "must be one line", (text) => !/[\r\n]/.test(text)))
      .annotate({ description: "Its words, without dates and priority.", examples: ["tickets #travel"] })
  ),
  due: Schema.optionalKey(dateToSet),
  scheduled: Schema.optionalKey(dateToSet),
  start: Schema.optionalKey(dateToSet),
  priority: Schema.optionalKey(priority)
}).annotate({ identifier: "TaskUpdate" })
export type TaskUpdate = typeof TaskUpdate.Type
