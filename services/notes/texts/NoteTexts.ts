import { Context, Effect, Layer, Result } from "effect"
import { GuardedWorker } from "../../concurrency/GuardedWorker.ts"
import { RoundRobinSemaphore } from "../../concurrency/RoundRobinSemaphore.ts"
import { workerModule } from "../../concurrency/WorkerModule.ts"
import { Unavailable } from "../../Errors.ts"
import { Principal } from "../../Principal.ts"
import type { EditFault } from "./EditFault.ts"
import { mergeTexts } from "../../records/Merge.ts"
import { type DiffLine, diff } from "./LineDiff.ts"
import type { NoteEdit } from "./NoteEdit.ts"
import { NoteOutline, type OutlineParts } from "./NoteOutline.ts"

/** A task of the thread. */
export type TextTask =
  | { readonly outlineOf: string }
  | { readonly body: string; readonly edit: NoteEdit }
  | { readonly before: string; readonly after: string; readonly most: number }
  | { readonly base: string; readonly theirs: string; readonly mine: string }

export type ResultOf<Task extends TextTask> = Task extends { readonly outlineOf: string }
  ? OutlineParts
  : Task extends { readonly edit: NoteEdit }
    ? { readonly edited: string } | { readonly fault: EditFault }
    : Task extends { readonly base: string }
      ? string
      : ReadonlyArray<DiffLine>

/** Characters of a text with its edit up to which it is computed on the main thread, in a few milliseconds whatever it contains. */
const short = 64 * 1024

/** The same if the edit reads front matter as YAML, which takes longer. */
const shortWithProperties = 8 * 1024

/** Characters of three texts up to which they are merged on the main thread. */
const shortToMerge = 8 * 1024

/** A text of a megabyte takes at most a fifth of a second. */
const bounds = { maxMillis: 5_000, maxMegabytes: 256, isKept: true }

const tooExpensive = new Unavailable({
  code: "overloaded",
  detail: "The text takes too much work. Read or change it as a whole, by the API",
  retry_after: 60
})

/** The work on texts of notes and files for edits and tools. That on long texts runs in a thread, for one caller after the other. */
export class NoteTexts extends Context.Service<
  NoteTexts,
  {
    readonly outline: (text: string) => Effect.Effect<NoteOutline, Unavailable, Principal>
    readonly edit: (
      body: string,
      edit: NoteEdit
    ) => Effect.Effect<Result.Result<string, EditFault>, Unavailable, Principal>
    /** The first `most` changed lines between two texts, with lines around them. */
    readonly diff: (
      before: string,
      after: string,
      most: number
    ) => Effect.Effect<ReadonlyArray<DiffLine>, Unavailable, Principal>
    /** The text with the changes of both sides since `base`. */
    readonly merge: (base: string, theirs: string, mine: string) => Effect.Effect<string, Unavailable, Principal>
  }
>()("sheaf/notes/texts/NoteTexts") {
  static readonly layer = Layer.effect(
    NoteTexts,
    Effect.gen(function* () {
      const thread = new GuardedWorker<TextTask, unknown>(workerModule(import.meta.url, "TextWorker"), bounds)
      yield* Effect.addFinalizer(() => Effect.promise(() => thread.end()))
      const semaphore = new RoundRobinSemaphore({
        permits: 1,
        maxWaiting: 100,
        maxWaitingPerKey: 20,
        detail: "Too many texts are being read and changed"
      })

      const inThread = Effect.fnUntraced(function* <Task extends TextTask>(task: Task) {
        const { user_id, workspace_id } = yield* Principal
        // The thread is busy until it responds, even after the call has ended.
        const made = Effect.uninterruptible(Effect.promise(() => thread.run(task)))
        const result = yield* semaphore.withPermit([user_id, workspace_id], made)
        return result === undefined ? yield* tooExpensive : (result as ResultOf<Task>)
      })

      return NoteTexts.of({
        outline: (text) =>
          text.length <= short
            ? Effect.sync(() => new NoteOutline(text))
            : Effect.map(inThread({ outlineOf: text }), (parts) => new NoteOutline(text, parts)),
        edit: (body, edit) =>
          body.length + JSON.stringify(edit).length <= (edit.properties === undefined ? short : shortWithProperties)
            ? Effect.map(
                // Loaded with the first edit: it reads YAML, which is much code.
                Effect.promise(() => import("./NoteEdit.ts")),
                ({ apply }) => apply(body, edit)
              )
            : Effect.map(inThread({ body, edit }), (made) =>
                "edited" in made ? Result.succeed(made.edited) : Result.fail(made.fault)
              ),
        diff: (before, after, most) =>
          before.length + after.length <= short
            ? Effect.sync(() => diff(before, after, most))
            : inThread({ before, after, most }),
        merge: (base, theirs, mine) =>
          base.length + theirs.length + mine.length <= shortToMerge
            ? Effect.sync(() => mergeTexts(base, theirs, mine))
            : inThread({ base, theirs, mine })
      })
    })
  )
}
