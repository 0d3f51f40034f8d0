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
