import * as Thread from "../budgets/Thread.ts"
import { type Bounds, WorkThread } from "../budgets/WorkThread.ts"
import type { FileLink, LinkedText, NoteText, Rendered } from "./Rendered.ts"

/** Renders a note at a time. */
export const renderThread = (bounds: Bounds) =>
  new WorkThread<NoteText, Rendered>(Thread.besides(import.meta.url, "MarkdownWorker"), bounds)

/** Finds where the links of bodies lead to notes and files. The bounds are those of all bodies that are asked for at once. */
export const linkThread = (bounds: Bounds) =>
  new WorkThread<ReadonlyArray<LinkedText>, ReadonlyArray<ReadonlyArray<FileLink> | undefined>>(
    Thread.besides(import.meta.url, "LinkWorker"),
    bounds
  )
