import type { MessagePort } from "node:worker_threads"
import type { OnExisting } from "../formats/EarlierNotes.ts"
import type { ImportSource } from "./Import.ts"
import type { EarlierNote } from "../formats/EarlierNotes.ts"
import type { FileItem, NoteItem, ProblemItem, SkippedItem } from "../formats/Item.ts"
import type { IdsItem, RecordItem } from "./JsonRecords.ts"

/** The data that the thread of an import starts with. */
export interface ImportData {
  /** The path of its file on disk. */
  readonly path: string
  readonly source: ImportSource
  readonly filename: string
  readonly isUnnamed: boolean
  readonly onExisting: OnExisting
  /** Whether the user has chosen a notebook. */
  readonly hasNotebook: boolean
  /** Whether the workspace has notes of earlier imports, which are to be looked up. */
  readonly hasEarlier: boolean
  readonly scratch: string
  readonly now: number
  /** The time zone of the user who imports. */
  readonly timezone: string
  readonly import_id: string
  readonly created_at: string
}

/** A file without its bytes. Attachments of an export also have their SHA-256. */
export type KnownFile = Omit<FileItem, "open"> & { readonly sha256?: string }

/** A file: a small one with its bytes, a large one with a port, to be read to its end or closed; or without bytes. */
export type SentFile = KnownFile & { readonly bytes: Uint8Array | MessagePort | undefined }

export type Sent = NoteItem | SkippedItem | SentFile | ProblemItem | RecordItem | IdsItem

/** Some items, or the end; or keys of sources, whose earlier notes the next request has to contain. */
export type Reply =
  | { readonly earlier: ReadonlyArray<string> }
  | { readonly items: ReadonlyArray<Sent>; readonly progress: number }
  | { readonly ended: true }
  | { readonly failed: string }

/** A request of the main loop for the next items, with the response to the last request of the thread, if any. */
export interface Request {
  readonly keepsIds?: boolean
  readonly earlier?: ReadonlyArray<EarlierNote>
}
