import type { MessagePort } from "node:worker_threads"
import type { FileItem, NoteItem, ProblemItem, Source } from "./Item.ts"

/** What the thread of an import is begun with. */
export interface ImportData {
  /** Its file, on disk. */
  readonly path: string
  readonly source: Source
  readonly filename: string
  readonly scratch: string
  readonly now: number
  readonly import_id: string
  readonly created_at: string
}

/** A file on its way: whole where it is small, else by a port, which is read to its end or closed. */
export type SentFile = Omit<FileItem, "open"> & { readonly bytes: Uint8Array | MessagePort }

export type Sent = NoteItem | SentFile | ProblemItem

/** Some items; nothing after the last. The main loop asks for the next with any message. */
export type Said =
  | { readonly items: ReadonlyArray<Sent>; readonly progress: number }
  | { readonly ended: true }
  | { readonly failed: string }
