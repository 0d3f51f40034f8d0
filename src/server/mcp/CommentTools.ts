import { Effect, Schema } from "effect"
import type { Comment } from "../../../services/notes/comments/Comment.ts"
import { Comments } from "../../../services/notes/comments/Comments.ts"
import { fittingPage } from "./responses/FittingPages.ts"
import * as McpTool from "./McpTool.ts"
import { endThatFits, room } from "./responses/ResponseSize.ts"
import { cursor, next_cursor, note_id, pageSize, read } from "./ToolFields.ts"
import * as TrashedNotes from "./TrashedNotes.ts"

/** Number of comments on a page by default. */
const usual = 25

const args = Schema.Struct({ note_id, limit: pageSize(50, usual), cursor })
type Args = typeof args.Type

/** Maximum cost of the text of a comment: 5 000 characters can take more than a response. */
const maxText = room - 2_000

const textOf = (body: string): string => {
  const end = endThatFits(body, 0, body.length, maxText)
  return end === body.length ? body : `${body.slice(0, end)}…`
}

const shown = ({ author_id, body, created_at, deleted, id, parent_id, resolved }: Comment) => ({
  id,
  created_at,
  ...(author_id === null ? {} : { author_id }),
  ...(parent_id === null ? {} : { parent_id }),
  ...(resolved ? { resolved } : {}),
  ...(deleted ? { deleted } : {}),
  text: textOf(body)
})

export const CommentTools = Effect.gen(function* () {
  const comments = yield* Comments
  const inTrash = yield* TrashedNotes.make

  const listComments = ({ limit: most = usual, note_id, ...query }: Args) =>
    fittingPage(most, (limit) =>
      Effect.map(comments.list(note_id, { ...query, limit: String(limit) }), ({ items, next_cursor }) => ({
        items: items.map((json) => shown(JSON.parse(json) as Comment)),
        next_cursor,
        others: {}
      }))
    ).pipe(Effect.map(({ items, next_cursor }) => ({ comments: items, next_cursor })))

  return [
    McpTool.reading({
      name: "list_comments",
      title: "Comments on a note",
      description: "Lists the comments on a note, oldest first. `parent_id` is the comment that one replies to.",
      access: read,
      args,
      result: Schema.Struct({
        comments: Schema.Array(
          Schema.Struct({
            id: Schema.String,
            created_at: Schema.String,
            author_id: Schema.optionalKey(Schema.String),
            parent_id: Schema.optionalKey(Schema.String),
            resolved: Schema.optionalKey(Schema.Boolean),
            deleted: Schema.optionalKey(Schema.Boolean),
            text: Schema.String
          })
        ),
        next_cursor
      }),
      run: (args: Args) => inTrash(args.note_id, listComments(args))
    })
  ]
})
