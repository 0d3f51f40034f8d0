import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Comment, CommentCreate, commentList, CommentUpdate } from "../../../../services/notes/comments/Comment.ts"
import { reads, withinReach } from "../Authorization.ts"
import { DryRunnable } from "../Conventions.ts"
import { created, Deleted, inNote, list, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("notes:read")))
/** Viewers may comment too (contract 4). */
const write = operations(withinReach(reads("notes:write")))

const ofNote = { note_id: inNote.note_id }
const plan = "Needs the plan `team`; on other plans the response is 403 `plan_required`."

export class CommentsApi extends HttpApiGroup.make("comments")
  .add(
    HttpApiEndpoint.get("list", "/", { params: ofNote, query: page, success: list(Comment) }).annotateMerge(
      read("listComments", "List the comments of a note", `Oldest first. ${plan}`, {
        ...listing(commentList),
        codes: ["plan_required"]
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      params: ofNote,
      payload: CommentCreate,
      success: Comment.pipe(created)
    }).annotateMerge(
      write(
        "createComment",
        "Comment on a note",
        `Without \`parent_id\` the comment starts a thread. Threads have one level: a reply to a reply becomes a reply to the first comment. Viewers may comment. ${plan}`,
        { codes: ["plan_required", "unresolved_reference", "quota_exceeded"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: inNote, success: Comment }).annotateMerge(
      read("getComment", "Get a comment", `A deleted comment can be read until its last reply is deleted. ${plan}`, {
        codes: ["plan_required"]
      })
    ),
    HttpApiEndpoint.patch("update", "/:id", { params: inNote, payload: CommentUpdate, success: Comment }).annotateMerge(
      write(
        "updateComment",
        "Change a comment, or resolve its thread",
        `Only the author can change \`body\`. \`resolved\` belongs to the first comment of a thread; its author and editors can set it. ${plan}`,
        { codes: ["plan_required", "insufficient_role", "invalid_state"] }
      )
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: inNote, success: Deleted }).annotateMerge(
      write(
        "deleteComment",
        "Delete a comment",
        `The author or an admin can delete it. The first comment of a thread stays, with \`deleted\` and without body and author, until its last reply is deleted, so that the thread can still be read. ${plan}`,
        { codes: ["plan_required", "insufficient_role"] }
      )
    )
  )
  .prefix("/notes/:note_id/comments")
  .annotateEndpoints(DryRunnable, true)
  .annotateMerge(describing("Comments", "Comments on notes, in threads of one level.")) {}
