import { Context, Data, Effect, Layer } from "effect"
import { Database, runSql } from "../database/Database.ts"
import {
  type BadRequest,
  type Condition,
  type Forbidden,
  Invalid,
  NotFound,
  Stale,
  type Unavailable
} from "../Errors.ts"
import { Lists } from "../lists/Lists.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { withTaskFields } from "../markdown/TaskFields.ts"
import type { NoteCondition } from "../notes/NoteEdits.ts"
import { TextEdits } from "../notes/texts/TextEdits.ts"
import { Principal } from "../Principal.ts"
import { traced } from "../Traced.ts"
import { Contents } from "./Contents.ts"
import { type Task, taskList, type TaskUpdate } from "./Task.ts"

const missing = NotFound.of("task")
const noTask = Invalid.field("text", "invalid", "must be words that the line of a task can have, and begin no comment")

/** Maximum number of further tries of a change, when others change the note at the same time. */
const maxTries = 5

const sourceText = "SELECT source FROM note_tasks WHERE workspace_id = $1 AND id = $2"
const atLineText = "SELECT id FROM note_tasks WHERE workspace_id = $1 AND note_id = $2 AND line = $3"

/** The note of a task has changed since the task was read. */
class Moved extends Data.TaggedError("Moved")<{ readonly stale: Stale }> {}

/** The tasks in the texts of a workspace (contract 5, Contents of notes). */
export class ContentTasks extends Context.Service<
  ContentTasks,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<Task, NotFound | Unavailable, Principal>
    /**
     * Changes the line of a task, in the form in which it is written, and nothing else. With a version, its note must still
     * be at that version.
     */
    readonly update: (
      id: string,
      change: TaskUpdate,
      condition: Condition<Task> | undefined
    ) => Effect.Effect<Task, Forbidden | Invalid | NotFound | Stale | Unavailable, Principal>
  }
>()("sheaf/contents/ContentTasks") {
  static readonly layer = Layer.effect(
    ContentTasks,
    Effect.gen(function* () {
      const { read } = yield* Database
      const lists = yield* Lists
      const contents = yield* Contents
      const edits = yield* TextEdits

      const one = Effect.fnUntraced(function* (id: string) {
        const { workspace_id } = yield* Principal
        yield* contents.catchUp(workspace_id)
        return (yield* lists.one<Task>(taskList, { workspace_id }, id)) ?? (yield* missing)
      })

      const update = Effect.fnUntraced(function* (
        id: string,
        { done, version, ...fields }: TaskUpdate,
        condition: Condition<Task> | undefined
      ) {
        const { workspace_id } = yield* Principal
        const task = yield* one(id)
        yield* condition?.(task) ?? Effect.void
        if (version !== undefined && version !== task.version) return yield* Stale.at(task.version)
        const [row] = yield* runSql<{ readonly source: string }>(read, sourceText, [workspace_id, id])
        if (row === undefined) return yield* missing
        const { line, note_id } = task
        const becomes = withTaskFields(row.source, fields)
        if (fields.text !== undefined && !(yield* contents.isTask(becomes))) return yield* noTask
        const isSame: NoteCondition = (_, current) =>
          current === task.version ? Effect.void : Effect.fail(Stale.at(current!))
        yield* edits
          .edit(
            note_id,
            { tasks: [{ line, text: row.source, becomes, ...(done === undefined ? {} : { done }) }] },
            { condition: isSame, version: task.version }
          )
          .pipe(
            Effect.catchTags({
              Outdated: ({ stale }) => Effect.fail(new Moved({ stale })),
              Stale: (stale) => Effect.fail(new Moved({ stale }))
            })
          )
        yield* contents.catchUp(workspace_id)
        const [changed] = yield* runSql<{ readonly id: string }>(read, atLineText, [workspace_id, note_id, line])
        // Another change may have moved the line since.
        return yield* one(changed?.id ?? id)
      })

      return ContentTasks.of({
        list: traced("ContentTasks.list")(function* (query: PageQuery) {
          const { workspace_id } = yield* Principal
          yield* contents.catchUp(workspace_id)
          return yield* lists.page({ spec: taskList, query, workspace_id })
        }),
        get: traced("ContentTasks.get")(one),
        update: traced("ContentTasks.update")((id, change, condition) =>
          update(id, change, condition).pipe(
            // It is looked for in the new text.
            Effect.retry({ times: maxTries, while: ({ _tag }) => _tag === "Moved" }),
            Effect.catchTag("Moved", ({ stale }) => Effect.fail(stale))
          )
        )
      })
    })
  )
}
