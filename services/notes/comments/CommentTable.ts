import { Schema } from "effect"
import { reference } from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import type { Synced } from "../../records/SyncedRecord.ts"
import * as Table from "../../tables/Table.ts"
import { Comment, CommentCreate } from "./Comment.ts"

export const comments = Table.ofRecord("comments", Comment, {
  internal: {
    revision: Column.int,
    /** In the trash, with its note. */
    trashed: Column.boolean
  },
  key: ["id"],
  weigh: ({ body }) => body.length + 400
})
export type CommentRow = Table.Row<typeof comments>

/** Of one note: whoever lists it says which. */
export const commentList = listOf(comments.shape, {
  path: "/notes/{note_id}/comments",
  from: comments.name,
  sort: ["created_at"],
  filter: ["id", "author_id", "parent_id", "resolved", "created_at"],
  indexed: { id: "few", parent_id: "few", created_at: "order" },
  hidden: [{ condition: "NOT trashed", shownBy: [] }]
})

const { author_id: _, ...pushed } = CommentCreate.fields

export const syncedComments: Synced = {
  type: "comment",
  name: "Comment",
  prefix: "cm",
  table: comments,
  data: Comment,
  pushed: Schema.Struct({
    ...pushed,
    note_id: Schema.optionalKey(reference("nt", "The note.")),
    parent_id: Schema.optionalKey(Schema.NullOr(reference("cm", "The comment to reply to."))),
    body: Schema.optionalKey(pushed.body)
  }).annotate({ identifier: "PushCommentData" }),
  references: ["note_id", "parent_id"],
  removals: ["comment.deleted"]
}
