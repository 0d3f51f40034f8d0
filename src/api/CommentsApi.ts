import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Comment, CommentCreate, CommentUpdate } from "../../services/notes/Comment.ts"
import { commentList } from "../../services/notes/CommentTable.ts"
import { Access, reads } from "./Authorization.ts"
import { created, Deleted, inNote, list, page } from "./Envelopes.ts"
import { listing, operation } from "./Operation.ts"

const read = reads("notes:read")
/** Viewers have their own say (contract 4). */
const write = reads("notes:write")

const ofNote = { note_id: inNote.note_id }
const plan = "On the plan `team`; with others, 403 `plan_required`."

export class CommentsApi extends HttpApiGroup.make("comments")
  .add(
    HttpApiEndpoint.get("list", "/", { params: ofNote, query: page, success: list(Comment) })
      .annotateMerge(
        operation("listComments", "List the comments of a note", `The oldest first. ${plan}`, {
          ...listing(commentList),
          codes: ["plan_required"]
        })
      )
      .annotate(Access, read),
    HttpApiEndpoint.post("create", "/", { params: ofNote, payload: CommentCreate, success: Comment.pipe(created) })
      .annotateMerge(
        operation(
          "createComment",
          "Comment on a note",
          `Without \`parent_id\` it begins a thread. Threads have one level: a reply to a reply hangs on the first comment too. Viewers may comment. ${plan}`,
          { codes: ["plan_required", "unresolved_reference", "quota_exceeded"] }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.get("get", "/:id", { params: inNote, success: Comment })
      .annotateMerge(
        operation(
          "getComment",
          "Get a comment",
          `One that was deleted is there until the last reply to it goes. ${plan}`,
          {
            codes: ["plan_required"]
          }
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.patch("update", "/:id", { params: inNote, payload: CommentUpdate, success: Comment })
      .annotateMerge(
        operation(
          "updateComment",
          "Change a comment, or resolve its thread",
          `Only its author changes \`body\`. \`resolved\` is of threads: who began one and editors set it on its first comment. ${plan}`,
          { codes: ["plan_required", "insufficient_role", "invalid_state"] }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: inNote, success: Deleted })
      .annotateMerge(
        operation(
          "deleteComment",
          "Delete a comment",
          `Its author deletes it, or an admin. The first comment of a thread stays, with \`deleted\` and without body and author, until the last reply to it goes: the thread can still be read. ${plan}`,
          { codes: ["plan_required", "insufficient_role"] }
        )
      )
      .annotate(Access, write)
  )
  .prefix("/notes/:note_id/comments")
  .annotateMerge(
    OpenApi.annotations({ title: "Comments", description: "What members say about a note, in threads of one level." })
  ) {}
