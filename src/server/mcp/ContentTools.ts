import { Effect, Schema } from "effect"
import { ContentLinks, directions } from "../../../services/contents/ContentLinks.ts"
import { ContentTasks } from "../../../services/contents/ContentTasks.ts"
import type { NoteLink } from "../../../services/contents/Link.ts"
import { type Task, TaskUpdate } from "../../../services/contents/Task.ts"
import { shortened } from "../../../services/notes/texts/ShownText.ts"
import { Mentions } from "../../../services/search/Mentions.ts"
import { bytes } from "../../../services/Text.ts"
import * as McpTool from "./McpTool.ts"
import { changed, count, cursor, id, next_cursor, note_id, read, versionRead, write } from "./ToolFields.ts"

/** Number of links or tasks in a result. */
const pageSize = "50"

const linkArgs = Schema.Struct({
  note_id,
  direction: Schema.Literals([...directions, "unlinked"]).annotate({
    description: "`broken`: to no or several notes. `unlinked`: names without a link."
  }),
  cursor
})

const shownLink = Schema.Struct({
  note_id: Schema.String,
  title: Schema.String,
  target: Schema.String,
  context: Schema.String,
  status: Schema.String,
  target_id: Schema.optionalKey(Schema.String)
})

const taskArgs = Schema.Struct({
  filter: Schema.optionalKey(
    bytes(4_096).annotate({
      description: "Open ones by default. By done, due, priority, tags, text, notebook_id, note_id."
    })
  ),
  cursor
})

const { done, due, priority, text } = TaskUpdate.fields

const setArgs = Schema.Struct({
  id: id.annotate({ description: "Task." }),
  done,
  text: text.annotate({ description: "Its words." }),
  due: due.annotate({ description: "null removes it." }),
  priority: priority.annotate({ description: "The same." }),
  version: versionRead,
  mutation_id: McpTool.mutation_id
})

const shownTask = Schema.Struct({
  id: Schema.String,
  note_id: Schema.String,
  title: Schema.String,
  version: count,
  done: Schema.Boolean,
  text: Schema.String,
  due: Schema.optionalKey(Schema.String),
  priority: Schema.optionalKey(Schema.String)
})

const shown = ({ done, due, id, note_id, note_title, priority, text, version }: Task) => {
  const [title, words] = [shortened(note_title, 100), shortened(text, 300)]
  const dated = due === null ? {} : { due }
  return { id, note_id, title, version, done, text: words, ...dated, ...(priority === null ? {} : { priority }) }
}

export const ContentTools = Effect.gen(function* () {
  const links = yield* ContentLinks
  const mentions = yield* Mentions
  const tasks = yield* ContentTasks

  const noteLinks = Effect.fnUntraced(function* ({ cursor, direction, note_id }: typeof linkArgs.Type) {
    const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }
    const page = direction === "unlinked" ? yield* mentions.of(note_id) : yield* links.ofNote(note_id, direction, query)
    return {
      links: page.items.map((json) => {
        const { context, note_id, note_title, status, target, target_id } = JSON.parse(json) as NoteLink
        const link = { note_id, title: shortened(note_title, 100), target, context, status }
        return target_id === null ? link : { ...link, target_id }
      }),
      next_cursor: page.next_cursor
    }
  })

  const listTasks = Effect.fnUntraced(function* ({ cursor, filter }: typeof taskArgs.Type) {
    const page = yield* tasks.list({
      filter: filter ?? "done = false",
      limit: pageSize,
      ...(cursor === undefined ? {} : { cursor })
    })
    return { tasks: page.items.map((json) => shown(JSON.parse(json) as Task)), next_cursor: page.next_cursor }
  })

  return [
    McpTool.reading({
      name: "note_links",
      title: "List links",
      description: "With the words around them.",
      access: read,
      args: linkArgs,
      result: Schema.Struct({ links: Schema.Array(shownLink), next_cursor }),
      run: noteLinks
    }),
    McpTool.reading({
      name: "list_tasks",
      title: "List tasks",
      description: "Tasks in notes, the earliest date first.",
      access: read,
      args: taskArgs,
      result: Schema.Struct({ tasks: Schema.Array(shownTask), next_cursor }),
      run: listTasks
    }),
    McpTool.writing({
      name: "set_task",
      title: "Set a task",
      description: "Ticks a task or changes its line alone. Its id follows its text.",
      access: write,
      args: setArgs,
      result: Schema.Struct(changed),
      run: ({ id, mutation_id: _, ...change }) =>
        Effect.map(tasks.update(id, change, undefined), ({ id, version }) => ({ id, version }))
    })
  ]
})
