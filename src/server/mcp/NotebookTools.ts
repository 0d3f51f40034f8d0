import { Effect, Schema } from "effect"
import type { PageQuery } from "../../../services/lists/Page.ts"
import type { Notebook } from "../../../services/notes/notebooks/Notebook.ts"
import { Notebooks } from "../../../services/notes/notebooks/Notebooks.ts"
import type { Tag } from "../../../services/notes/tags/Tag.ts"
import { Tags } from "../../../services/notes/tags/Tags.ts"
import { singleLine } from "../../../services/Text.ts"
import { fittingPage } from "./responses/FittingPages.ts"
import * as McpTool from "./McpTool.ts"
import { count, cursor, id, next_cursor, read, write } from "./ToolFields.ts"

const args = Schema.Struct({ cursor })

const createArgs = Schema.Struct({
  name: singleLine(100, { description: "One line." }),
  parent_id: Schema.optionalKey(id.annotate({ description: "The notebook around it; none by default." })),
  mutation_id: McpTool.mutation_id
})
type Args = typeof args.Type

const pageSize = 100

const queryOf = (args: Args, limit: number): PageQuery => ({ ...args, limit: String(limit), sort: "name" })

export const NotebookTools = Effect.gen(function* () {
  const notebooks = yield* Notebooks
  const tags = yield* Tags

  const listNotebooks = (args: Args) =>
    fittingPage(pageSize, (limit) =>
      Effect.map(notebooks.list(queryOf(args, limit)), ({ items, next_cursor }) => ({
        items: items.map((json) => {
          const { id, name, note_count, parent_id } = JSON.parse(json) as Notebook
          return { id, name, parent_id, note_count }
        }),
        next_cursor,
        others: {}
      }))
    ).pipe(Effect.map(({ items, next_cursor }) => ({ notebooks: items, next_cursor })))

  const createNotebook = ({ mutation_id: _, ...input }: typeof createArgs.Type) =>
    Effect.map(notebooks.create(input), ({ id }) => ({ id }))

  const listTags = (args: Args) =>
    fittingPage(pageSize, (limit) =>
      Effect.map(tags.list(queryOf(args, limit)), ({ items, next_cursor }) => ({
        items: items.map((json) => {
          const { name, note_count } = JSON.parse(json) as Tag
          return { name, note_count }
        }),
        next_cursor,
        others: {}
      }))
    ).pipe(Effect.map(({ items, next_cursor }) => ({ tags: items, next_cursor })))

  return [
    McpTool.reading({
      name: "list_notebooks",
      title: "List notebooks",
      description: "Notebooks by name, with the number of notes directly inside. `parent_id` is the outer notebook.",
      access: read,
      args,
      result: Schema.Struct({
        notebooks: Schema.Array(
          Schema.Struct({
            id: Schema.String,
            name: Schema.String,
            parent_id: Schema.NullOr(Schema.String),
            note_count: count
          })
        ),
        next_cursor
      }),
      run: listNotebooks
    }),
    McpTool.reading({
      name: "list_tags",
      title: "List tags",
      description: "Tags by name, with the number of their notes.",
      access: read,
      args,
      result: Schema.Struct({
        tags: Schema.Array(Schema.Struct({ name: Schema.String, note_count: count })),
        next_cursor
      }),
      run: listTags
    }),
    McpTool.writing({
      name: "create_notebook",
      title: "Create a notebook",
      description: "Creates a notebook, at most five levels deep.",
      access: write,
      args: createArgs,
      result: Schema.Struct({ id: Schema.String }),
      run: createNotebook
    })
  ]
})
