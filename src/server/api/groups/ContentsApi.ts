import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { linkList, Neighbour, NoteLink } from "../../../../services/contents/Link.ts"
import { NoteProperty } from "../../../../services/contents/Property.ts"
import { Task, taskList, TaskUpdate } from "../../../../services/contents/Task.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { id, list, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("notes:read")))

export class ContentsApi extends HttpApiGroup.make("contents")
  .add(
    HttpApiEndpoint.get("links", "/links", { query: page, success: list(NoteLink) }).annotateMerge(
      read(
        "listLinks",
        "List links",
        "The links of all notes outside the trash that lead to notes, or would: `broken = true` lists those without one note.",
        listing(linkList)
      )
    ),
    HttpApiEndpoint.get("noteLinks", "/notes/:id/links", {
      params: id,
      query: { ...page, direction: Schema.optionalKey(Schema.String) },
      success: list(NoteLink)
    }).annotateMerge(
      read("listNoteLinks", "List the links of a note", "The links that lead to the note, or those in its text.", {
        ...listing(linkList),
        parameters: {
          direction: {
            type: "string",
            default: "in",
            enum: ["in", "out", "broken", "unlinked"],
            description:
              "`in`: links of all notes to this one. `out`: links in its text. `broken`: links in its text that lead to no note, or may mean several. `unlinked`: the first mention of its title or an alias in each of at most 100 notes without a link to it; `filter` and `cursor` have no effect there."
          }
        }
      })
    ),
    HttpApiEndpoint.get("neighbours", "/notes/:id/neighbours", {
      params: id,
      query: { limit: page.limit, cursor: page.cursor, depth: Schema.optionalKey(Schema.String) },
      success: list(Neighbour)
    }).annotateMerge(
      read(
        "listNeighbours",
        "List the neighbours of a note",
        "The notes that links in either direction connect with the note, the nearest first: at most 1 000.",
        {
          parameters: {
            depth: {
              type: "integer",
              minimum: 1,
              maximum: 3,
              default: 1,
              description: "Maximum number of links between."
            }
          }
        }
      )
    ),
    HttpApiEndpoint.get("properties", "/properties", {
      query: { limit: page.limit, cursor: page.cursor },
      success: list(NoteProperty)
    }).annotateMerge(
      read(
        "listProperties",
        "List properties",
        "The names of the properties in the front matter of notes outside the trash, with the types of their values: for filters and forms. They are in the order of their names in lower case."
      )
    ),
    HttpApiEndpoint.get("tasks", "/tasks", { query: page, success: list(Task) }).annotateMerge(
      read(
        "listTasks",
        "List tasks",
        "The tasks in the texts of notes: open ones first, and of these the ones with the earliest date. `done = false AND due < 2026-12-01` lists the open ones that are due before. Tasks of archived notes are left out unless the filter mentions `archived`.",
        listing(taskList)
      )
    ),
    HttpApiEndpoint.get("task", "/tasks/:id", { params: id, success: Task }).annotateMerge(
      read("getTask", "Get a task", "A task in the text of a note.")
    ),
    HttpApiEndpoint.patch("updateTask", "/tasks/:id", { params: id, payload: TaskUpdate, success: Task }).annotateMerge(
      operations(withinReach(writes("notes:write")))(
        "updateTask",
        "Change a task",
        "Ticks the task or changes its line, and no other character of the note. Dates and priority are written in the form that the line has. With `version` the note must still be at that version, else 412; without, the task is found where it is now. Returns the task, with another id if its words have changed.",
        { codes: ["quota_exceeded"] }
      )
    )
  )
  .annotateMerge(
    describing(
      "Links, tasks and properties",
      "What the texts of notes contain: links between notes, tasks, and the properties in their front matter. They follow from the Markdown."
    )
  ) {}
