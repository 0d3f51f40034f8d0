import { Result } from "effect"
import { isMainThread, parentPort } from "node:worker_threads"
import { yieldToMainThread } from "../../concurrency/WorkerModule.ts"
import { mergeTexts } from "../../records/Merge.ts"
import { diff } from "./LineDiff.ts"
import { apply } from "./NoteEdit.ts"
import { NoteOutline } from "./NoteOutline.ts"
import type { ResultOf, TextTask } from "./NoteTexts.ts"

const made = (task: TextTask): ResultOf<TextTask> => {
  if ("outlineOf" in task) return new NoteOutline(task.outlineOf).parts
  if ("base" in task) return mergeTexts(task.base, task.theirs, task.mine)
  if ("most" in task) return diff(task.before, task.after, task.most)
  const edited = apply(task.body, task.edit)
  return Result.isSuccess(edited) ? { edited: edited.success } : { fault: edited.failure }
}

/** The thread that works on long texts for edits and tools (`GuardedWorker`). */
if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  const port = parentPort
  port.on("message", (task: TextTask) => port.postMessage(made(task)))
}
