import { workerModule } from "../concurrency/WorkerModule.ts"
import { GuardedWorker } from "../concurrency/GuardedWorker.ts"
import type { Bounds } from "../concurrency/LimitedWorker.ts"
import type { FileLink, LinkedText, NoteText, Rendered } from "./Rendered.ts"

/** Renders one note at a time. */
export const renderThread = (bounds: Bounds) =>
  new GuardedWorker<NoteText, Rendered>(workerModule(import.meta.url, "MarkdownWorker"), bounds)

/** Finds where the links of bodies lead to notes and files. The limits are for all bodies of one call. */
export const linkThread = (bounds: Bounds) =>
  new GuardedWorker<ReadonlyArray<LinkedText>, ReadonlyArray<ReadonlyArray<FileLink> | undefined>>(
    workerModule(import.meta.url, "LinkWorker"),
    bounds
  )

/** Runs texts together, and each alone if they exceed the limits. A text that exceeds them alone has no result. */
export const runEach = async <In, Out>(
  thread: GuardedWorker<ReadonlyArray<In>, ReadonlyArray<Out | undefined>>,
  texts: ReadonlyArray<In>
): Promise<ReadonlyArray<Out | undefined>> => {
  if (texts.length === 0) return []
  const found = await thread.run(texts)
  if (found !== undefined) return found
  const alone: Array<Out | undefined> = []
  if (texts.length > 1) for (const text of texts) alone.push((await thread.run([text]))?.[0])
  return alone
}
