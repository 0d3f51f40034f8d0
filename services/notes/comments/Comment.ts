import { Schema } from "effect"
import * as Fields from "../../Fields.ts"
import * as Text from "../../Text.ts"

export const maxComment = 5_000

const about = {
  body: {
    description: "Markdown, 1 to 5000 characters. Empty if the comment was deleted.",
    examples: ["Shall we move this to May?"]
  },
  parent_id: "The first comment of its thread; null for the first comment itself.",
  resolved: "Whether the thread is resolved; true only on the first comment of a thread."
}

/** interface.md "Comment"; contract 5. */
export const Comment = Schema.Struct({
  id: Fields.ownId("cm"),
  note_id: Fields.id("nt", "The note."),
  parent_id: Schema.NullOr(Fields.id("cm", about.parent_id)).annotate({ description: about.parent_id }),
  author_id: Schema.NullOr(Fields.id("us", "Who wrote it.")).annotate({
    description: "The author; null if the comment was deleted."
  }),
  body: Schema.String.annotate({ ...about.body, maxLength: maxComment }),
  resolved: Schema.Boolean.annotate({ description: about.resolved, examples: [false] }),
  deleted: Schema.Boolean.annotate({
    description: "Whether it was deleted. It is kept until its last reply is deleted.",
    examples: [false]
  }),
  created_at: Fields.createdAt,
  updated_at: Fields.updatedAt
}).annotate({ identifier: "Comment" })
export type Comment = typeof Comment.Type

const body = Text.line(maxComment).annotate({ ...about.body, description: "Markdown, 1 to 5000 characters." })
const ignored = Schema.optionalKey(Text.Ignored)

const writable = {
  body: Schema.optionalKey(body),
  resolved: Schema.optionalKey(Schema.Boolean.annotate({ description: about.resolved, examples: [true] })),
  author_id: ignored
}

export const CommentCreate = Schema.Struct({
  ...writable,
  body,
  parent_id: Schema.optionalKey(
    Schema.NullOr(
      Text.line(100).annotate(Fields.aboutId("cm", "The comment to reply to; a reply to a reply joins its thread."))
    )
  )
}).annotate({ identifier: "CommentCreate" })
export type CommentCreate = typeof CommentCreate.Type

export const CommentUpdate = Schema.Struct({ ...writable, parent_id: ignored }).annotate({
  identifier: "CommentUpdate"
})
export type CommentUpdate = typeof CommentUpdate.Type
