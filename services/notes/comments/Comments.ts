import { Context, Effect, Layer, Schema } from "effect"
import {
  type BadRequest,
  type Condition,
  type Conflict,
  type Forbidden,
  type Invalid,
  NotFound,
  type Stale,
  type Unavailable
} from "../../Errors.ts"
import { Lists } from "../../lists/Lists.ts"
import type { Page, PageQuery } from "../../lists/Page.ts"
import { Principal } from "../../Principal.ts"
import { columnsOf } from "../../tables/Column.ts"
import { Database, runSql } from "../../database/Database.ts"
import type { Draft } from "../../writer/Draft.ts"
import { type OwnId, type SyncAdapter, syncAdapter } from "../../records/SyncAdapter.ts"
import { replayed, type Write } from "../../writer/ReplayedResult.ts"
import { Writer } from "../../writer/Writer.ts"
import * as Text from "../../Text.ts"
import { traced } from "../../Traced.ts"
import { Quotas } from "../../workspaces/Quotas.ts"
import { type Comment, CommentCreate, commentList, comments, CommentUpdate } from "./Comment.ts"
import * as Edits from "./CommentEdits.ts"
import * as NotePart from "../NotePart.ts"

/** The data of a pushed comment: it has no path that names the note. */
const PushedComment = Schema.Struct({ ...CommentCreate.fields, note_id: Text.notBlank(100) })

const noteMissing = NotFound.of("note")

type WriteError = Conflict | Forbidden | Invalid | NotFound | Stale | Unavailable

/** Comments of members on a note, in threads of one level (contract 5). */
export class Comments extends Context.Service<
  Comments,
  {
    readonly list: (
      note_id: string,
      query: PageQuery
    ) => Effect.Effect<Page, BadRequest | Forbidden | NotFound | Unavailable, Principal>
    readonly create: (note_id: string, input: CommentCreate) => Effect.Effect<Comment, WriteError, Principal>
    readonly get: (note_id: string, id: string) => Effect.Effect<Comment, Forbidden | NotFound | Unavailable, Principal>
    readonly update: (
      note_id: string,
      id: string,
      input: CommentUpdate,
      condition?: Condition<Comment>
    ) => Effect.Effect<Comment, WriteError, Principal>
    readonly delete: (
      note_id: string,
      id: string,
      condition?: Condition<Comment>
    ) => Effect.Effect<void, WriteError, Principal>
    readonly syncAdapter: SyncAdapter
  }
>()("sheaf/notes/comments/Comments") {
  static readonly layer = Layer.effect(
    Comments,
    Effect.gen(function* () {
      const { read } = yield* Database
      const lists = yield* Lists
      const writer = yield* Writer
      const quotas = yield* Quotas

      const noteText = "SELECT FROM notes WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL"

      /** Fails with 404 if there is no such note, then with 403 if the plan has no comments. */
      const needNote = Effect.fnUntraced(function* (note_id: string) {
        const { plan, workspace_id } = yield* Principal
        const [note] = yield* runSql(read, noteText, [workspace_id, note_id])
        if (note === undefined) return yield* noteMissing
        yield* Edits.needPlan(plan)
      })

      const list = traced("Comments.list")(function* (note_id: string, query: PageQuery) {
        const { plan, workspace_id } = yield* Principal
        if (plan !== "team") yield* needNote(note_id)
        const page = yield* lists.page({
          spec: commentList,
          query,
          workspace_id,
          where: "note_id = $2",
          params: [note_id],
          within: note_id
        })
        // A note with comments exists.
        if (page.items.length === 0) yield* needNote(note_id)
        return page
      })

      const getText = `SELECT ${columnsOf(comments.shape)} FROM comments
        WHERE workspace_id = $1 AND id = $2 AND note_id = $3 AND NOT trashed`

      const get = traced("Comments.get")(function* (note_id: string, id: string) {
        const { plan, workspace_id } = yield* Principal
        if (plan !== "team") yield* needNote(note_id)
        const [row] = yield* runSql<Comment>(read, getText, [workspace_id, id, note_id])
        return row ?? (yield* Edits.records.missing)
      })

      const writeTo =
        (note_id: string): Write<Draft> =>
        (method) =>
          writer.change(method, [NotePart.need(note_id)])

      const create = traced("Comments.create")((note_id: string, input: CommentCreate) =>
        replayed({
          write: writeTo(note_id),
          method: Effect.fnUntraced(function* (draft: Draft) {
            if (!(yield* NotePart.isLive(draft, note_id))) return yield* noteMissing
            return yield* Edits.create(draft, quotas, note_id, input)
          }),
          // A repeated request contains the same body.
          kept: (comment: Comment) => ({ ...comment, body: "" }),
          again: (kept) => Effect.succeed({ ...kept, body: input.body })
        })
      )

      const add = Effect.fnUntracedEager(function* (
        draft: Draft,
        { note_id, ...input }: typeof PushedComment.Type,
        own: OwnId
      ) {
        if (!(yield* NotePart.isLive(draft, note_id))) return yield* NotePart.namesNoNote
        return yield* Edits.create(draft, quotas, note_id, input, own)
      })

      const update = traced("Comments.update")(
        (note_id: string, id: string, input: CommentUpdate, condition?: Condition<Comment>) =>
          writer.change((draft) => Edits.update(draft, id, input, note_id, condition), [[comments, id]])
      )

      const remove = traced("Comments.delete")((note_id: string, id: string, condition?: Condition<Comment>) =>
        writer.change((draft) => Edits.remove(draft, id, note_id, condition), [[comments, id]])
      )

      const own = syncAdapter(Edits.records, {
        Create: PushedComment,
        Update: CommentUpdate,
        create: add,
        update: (draft, id, input) => Edits.update(draft, id, input),
        delete: (draft, id) => Edits.remove(draft, id)
      })

      const pushed = Edits.pushed(own, CommentUpdate)
      const revive: SyncAdapter["revive"] = (draft, id, revision, data) =>
        Effect.flatMap(
          Effect.flatMap(pushed.read(data), (input) => Edits.rewrite(draft, id, input)),
          (comment) => (comment === undefined ? pushed.revive(draft, id, revision, data) : Effect.succeed(comment))
        )

      return Comments.of({ list, create, get, update, delete: remove, syncAdapter: { ...pushed, revive } })
    })
  )
}
