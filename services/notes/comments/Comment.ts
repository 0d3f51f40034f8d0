import { Schema } from "effect"
import { Forbidden } from "../../Errors.ts"
import * as Fields from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import { isAtLeast, type PrincipalShape, type Role } from "../../Principal.ts"
import * as ImportedRecord from "../../records/ImportedRecord.ts"
import type { SyncedRecord } from "../../records/SyncedRecord.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import * as Text from "../../Text.ts"
import { inNote } from "../NoteTable.ts"

const maxComment = 5_000

const about = {
  body: {
    description: `Markdown, 1 to ${maxComment} characters. Empty if the comment was deleted.`,
    examples: ["Shall we move this to May?"]
  },
  parent_id: "The first comment of its thread; null for the first comment itself.",
  resolved: "Whether the thread is resolved; true only on the first comment of a thread."
}

/** A comment (contract 5). */
export const Comment = Schema.Struct({
  id: Fields.ownId("cm"),
  note_id: Fields.id("nt", "The note."),
  parent_id: Schema.NullOr(Fields.id("cm", about.parent_id)).annotate({ description: about.parent_id }),
  author_id: Schema.NullOr(Fields.id("us", "The user who wrote it.")).annotate({
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

const body = Text.notBlank(maxComment).annotate({
  ...about.body,
  description: `Markdown, 1 to ${maxComment} characters.`
})
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
      Text.notBlank(100).annotate(Fields.aboutId("cm", "The comment to reply to; a reply to a reply joins its thread."))
    )
  )
}).annotate({ identifier: "CommentCreate" })
export type CommentCreate = typeof CommentCreate.Type

export const CommentUpdate = Schema.Struct({ ...writable, parent_id: ignored }).annotate({
  identifier: "CommentUpdate"
})
export type CommentUpdate = typeof CommentUpdate.Type

/** A comment of a JSON export. */
export const ImportedComment = ImportedRecord.record("cm", {
  parent_id: Schema.NullOr(ImportedRecord.id("cm")),
  author_id: ImportedRecord.user,
  body: Text.Text.check(
    Text.checked("too_long", `must be at most ${maxComment} characters`, (text) => Text.codePoints(text) <= maxComment)
  ),
  resolved: Schema.Boolean,
  deleted: Schema.Boolean
})
export type ImportedComment = typeof ImportedComment.Type

export const comments = Table.ofRecord("comments", Comment, {
  internal: {
    revision: Column.int,
    /** Whether it is in the trash, with its note. */
    trashed: Column.boolean
  },
  key: ["id"],
  within: inNote,
  weigh: ({ body }) => body.length + 400
})
export type CommentRow = Table.Row<typeof comments>

/** The comments of one note: the caller adds the condition. */
export const commentList = listOf(comments.shape, {
  path: "/notes/{note_id}/comments",
  from: comments.name,
  sort: ["created_at"],
  filter: ["id", "author_id", "parent_id", "resolved", "created_at"],
  indexed: { id: "few", parent_id: "few", created_at: "order" },
  hidden: [{ condition: "NOT trashed", shownBy: [] }]
})

const { author_id: _, ...pushed } = CommentCreate.fields

export const syncedComments: SyncedRecord = {
  type: "comment",
  table: comments,
  data: Comment,
  pushed: Schema.Struct({
    ...pushed,
    note_id: Schema.optionalKey(Fields.reference("nt", "The note.")),
    parent_id: Schema.optionalKey(Schema.NullOr(Fields.reference("cm", "The comment to reply to."))),
    body: Schema.optionalKey(pushed.body)
  }).annotate({ identifier: "PushCommentData" }),
  references: ["note_id", "parent_id"],
  removals: ["comment.deleted"]
}

/** Permissions for comments (contract 5): undefined if the caller has the permission, otherwise the error. */

type Caller = Pick<PrincipalShape, "user_id" | "role">
type Authored = Pick<Comment, "author_id">

const refused = (detail: string, required_role?: Role) =>
  new Forbidden({
    code: "insufficient_role",
    detail,
    ...(required_role === undefined ? {} : { extra: { required_role } })
  })

const notAuthor = refused("Only the author of a comment can change its text")
const notResolver = refused("Only editors and the user who started a thread can resolve it", "editor")
const notDeleter = refused("Only the author of a comment and admins can delete it", "admin")

const isAuthor = ({ user_id }: Caller, { author_id }: Authored): boolean => author_id === user_id

export const mayRewrite = (caller: Caller, comment: Authored): Forbidden | undefined =>
  isAuthor(caller, comment) ? undefined : notAuthor

export const mayResolve = (caller: Caller, root: Authored): Forbidden | undefined =>
  isAuthor(caller, root) || isAtLeast(caller.role, "editor") ? undefined : notResolver

export const mayDelete = (caller: Caller, comment: Authored): Forbidden | undefined =>
  isAuthor(caller, comment) || isAtLeast(caller.role, "admin") ? undefined : notDeleter
