import { Effect } from "effect"
import { type Condition, Conflict, Forbidden, Invalid } from "../../Errors.ts"
import { type Plan, Principal } from "../../Principal.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { OwnId } from "../../records/SyncAdapter.ts"
import * as Records from "../../records/Records.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import { workspaces } from "../../workspaces/WorkspaceTables.ts"
import {
  Comment,
  type CommentCreate,
  type CommentRow,
  comments,
  ImportedComment,
  type CommentUpdate,
  mayDelete,
  mayResolve,
  mayRewrite
} from "./Comment.ts"
import * as NotePart from "../NotePart.ts"

/**
 * Operations on comments in a draft. Threads have one level: a reply belongs to the first comment of its thread. A
 * deleted first comment is kept, without its text, until its last reply is deleted.
 */

export const records = Records.of({ type: "comment", table: comments })

/** Fails unless the plan is `team`, which includes comments (contract 5). */
export const needPlan = (plan: Plan) =>
  plan === "team"
    ? Effect.void
    : Effect.fail(
        new Forbidden({
          code: "plan_required",
          detail: "Comments need the team plan",
          extra: { required_plan: "team" }
        })
      )

const needPlanOf = (draft: Draft) => Effect.flatMap(draft.get(workspaces), (workspace) => needPlan(workspace!.plan))

/** Fails with the refusal, if there is one. */
const allowed = (refusal: Forbidden | undefined) => (refusal === undefined ? Effect.void : Effect.fail(refusal))

const notOfReplies = Invalid.field("resolved", "invalid", "belongs to threads: set it on the first comment")

/** Returns the id of the first comment of the thread that a reply joins. */
const rootOf = Effect.fnUntracedEager(function* (draft: Draft, note_id: string, parent_id: string) {
  const parent = yield* draft.get(comments, parent_id)
  if (parent === undefined || parent.trashed || parent.note_id !== note_id) {
    return yield* Invalid.field("parent_id", "unknown", "names no comment of the note", "unresolved_reference")
  }
  return parent.parent_id ?? parent.id
})

/** Returns the first comments of threads before their replies. A deleted comment is kept while it has replies. */
const threadsInOrder = (records: ReadonlyArray<ImportedComment>): ReadonlyArray<ImportedComment> => {
  const withReplies = new Set(records.map(({ parent_id }) => parent_id))
  const roots = records.filter(({ deleted, id, parent_id }) => parent_id === null && (!deleted || withReplies.has(id)))
  return [...roots, ...records.filter(({ deleted, parent_id }) => parent_id !== null && !deleted)]
}

const noteRecords = NotePart.of<CommentRow, Comment, ImportedComment>({
  records,
  deletedEvent: "comment.deleted",
  restoredEvent: () => "comment.updated",
  exported: { data: Comment, texts: ["body"] },
  imported: {
    schema: ImportedComment,
    arrange: threadsInOrder,
    row: Effect.fnUntracedEager(function* (draft, comment, idOf) {
      yield* needPlanOf(draft)
      const { deleted, note_id } = comment
      const parent_id = comment.parent_id === null ? null : idOf(comment.parent_id)
      if (parent_id !== null && (yield* rootOf(draft, note_id, parent_id)) !== parent_id) {
        return yield* Invalid.field("parent_id", "invalid", "names a reply")
      }
      // The importer is the author: an export may name any user.
      const author_id = deleted ? null : draft.actor.user_id
      return { ...comment, parent_id, author_id, body: deleted ? "" : comment.body }
    })
  }
})
export const commentsOfNote = noteRecords.part
export const { pushed } = noteRecords

/** Creates a comment. The caller must check that the note exists. */
export const create = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  note_id: string,
  { body, parent_id = null, resolved = false }: CommentCreate,
  own: OwnId = { id: draft.newId("cm"), revision: 1 }
) {
  yield* needPlanOf(draft)
  const root = parent_id === null ? null : yield* rootOf(draft, note_id, parent_id)
  if (root !== null && resolved) return yield* notOfReplies
  yield* noteRecords.checkCapacity(draft, note_id)
  yield* quotas.take(draft, "comments", 1)
  return records.put(
    draft,
    {
      ...own,
      note_id,
      parent_id: root,
      author_id: draft.actor.user_id,
      body,
      resolved,
      deleted: false,
      created_at: draft.now,
      updated_at: draft.now,
      trashed: false
    },
    "comment.created"
  )
})

const wasDeleted = new Conflict({
  code: "invalid_state",
  detail: "The comment was deleted: only its replies remain"
})

/** Returns a comment, of the note `note_id` if given. If the note exists, the plan is checked before the 404. */
const found = Effect.fnUntracedEager(function* (
  draft: Draft,
  id: string,
  note_id?: string,
  condition?: Condition<Comment>
) {
  const row = yield* draft.get(comments, id)
  const isThere = row !== undefined && !row.trashed && (note_id === undefined || row.note_id === note_id)
  if (!isThere) {
    if (note_id !== undefined && (yield* NotePart.isLive(draft, note_id))) yield* needPlanOf(draft)
    return yield* records.missing
  }
  yield* needPlanOf(draft)
  if (condition !== undefined) yield* condition(comments.show(row), row.revision)
  return row
})

/** Changes only the given fields. */
export const update = Effect.fnUntracedEager(function* (
  draft: Draft,
  id: string,
  { body, resolved }: CommentUpdate,
  note_id?: string,
  condition?: Condition<Comment>
) {
  const caller = yield* Principal
  const before = yield* found(draft, id, note_id, condition)
  const row = { ...before, body: body ?? before.body, resolved: resolved ?? before.resolved }
  if (row.body !== before.body) {
    if (before.deleted) return yield* wasDeleted
    yield* allowed(mayRewrite(caller, before))
  }
  if (row.resolved !== before.resolved) {
    if (before.parent_id !== null) return yield* notOfReplies
    yield* allowed(mayResolve(caller, before))
  }
  if (row.body === before.body && row.resolved === before.resolved) return comments.show(before)
  return records.put(
    draft,
    { ...row, revision: draft.revisionAfter(before.revision), updated_at: draft.now },
    row.resolved && !before.resolved ? "comment.resolved" : "comment.updated"
  )
})

/** Writes the text of a first comment again that was deleted and is kept for its replies. Undefined for another comment. */
export const rewrite = Effect.fnUntracedEager(function* (draft: Draft, id: string, { body, resolved }: CommentUpdate) {
  const row = yield* draft.get(comments, id)
  if (row?.deleted !== true || row.trashed || body === undefined) return undefined
  yield* needPlanOf(draft)
  const written = { ...row, body, resolved: resolved ?? row.resolved, author_id: draft.actor.user_id, deleted: false }
  return records.put(
    draft,
    { ...written, revision: draft.revisionAfter(row.revision), updated_at: draft.now },
    "comment.updated"
  )
})

const replies = (draft: Draft, root: string) => draft.countHaving(comments, "parent_id", root)

/** Deletes a comment. A first comment with replies is kept without its text, and is removed with the last reply. */
export const remove = Effect.fnUntracedEager(function* (
  draft: Draft,
  id: string,
  note_id?: string,
  condition?: Condition<Comment>
) {
  const row = yield* found(draft, id, note_id, condition)
  if (row.deleted) return yield* records.missing
  yield* allowed(mayDelete(yield* Principal, row))
  if (row.parent_id === null && (yield* replies(draft, id)) > 0) {
    const emptied = { ...row, body: "", author_id: null, deleted: true }
    records.put(
      draft,
      { ...emptied, revision: draft.revisionAfter(row.revision), updated_at: draft.now },
      "comment.updated"
    )
    return
  }
  yield* noteRecords.remove(draft, row)
  if (row.parent_id === null) return
  const root = (yield* draft.get(comments, row.parent_id))!
  if (root.deleted && (yield* replies(draft, root.id)) === 0) yield* noteRecords.remove(draft, root)
})
