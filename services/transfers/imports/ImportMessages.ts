import type { MessagePort } from "node:worker_threads"
import type { OnExisting } from "../formats/EarlierNotes.ts"
import type { ImportSource } from "./Import.ts"
import type { EarlierNote } from "../formats/EarlierNotes.ts"
import type { FileItem, NoteItem, ProblemItem, SkippedItem } from "../formats/Item.ts"
import type { IdsItem, RecordItem } from "./JsonRecords.ts"

/** What the thread of an import is begun with. */
export interface ImportData {
  /** Its file, on disk. */
  readonly path: string
  readonly source: ImportSource
  readonly filename: string
  readonly isUnnamed: boolean
  readonly onExisting: OnExisting
  /** Whether notes of earlier imports are to be looked up. */
  readonly hasEarlier: boolean
  readonly scratch: string
  readonly now: number
  readonly import_id: string
  readonly created_at: string
}

/** What is known of a file before its bytes; of an attachment of an export more than of others. */
export type KnownFile = Omit<FileItem, "open"> & { readonly sha256?: string }

/** A file on its way: whole where it is small, else by a port, which is read to its end or closed; or without its bytes. */
export type SentFile = KnownFile & { readonly bytes: Uint8Array | MessagePort | undefined }

export type Sent = NoteItem | SkippedItem | SentFile | ProblemItem | RecordItem | IdsItem

/** Some items; nothing after the last. Or keys of sources, whose earlier notes are to come with the next request. */
export type Said =
  | { readonly earlier: ReadonlyArray<string> }
  | { readonly items: ReadonlyArray<Sent>; readonly progress: number }
  | { readonly ended: true }
  | { readonly failed: string }

/** The main loop asks for what comes next; once it was asked something, with the response to that. */
export interface Asked {
  readonly keepsIds?: boolean
  readonly earlier?: ReadonlyArray<EarlierNote>
}
