import type { NoteLink } from "./NoteLink.ts"
import type { Rewritten } from "../formats/Item.ts"
import type { FrontMatterNote } from "../formats/markdown/OwnHead.ts"

/** The rows that an export reads. */

export interface SourceNotebook {
  readonly id: string
  readonly name: string
  readonly parent_id: string | null
  readonly note_count: number
  readonly created_at: string
  readonly updated_at: string
  readonly json: string
  /** The depth in the export, from 1, which is also that of a notebook that is exported alone. */
  readonly level: number
}

/** The members of a note that are read first. */
export interface NoteHead {
  readonly id: string
  readonly updated_at: string
  /** Estimated bytes of the note, and of its history and the records that belong to it. */
  readonly bytes: number
  readonly more: number
}

/** The members of a note that its file is named by. */
export interface NamedNote {
  readonly id: string
  readonly title: string
  /** The path that it was imported from, or null. */
  readonly original: string | null
  /** The title of its first version; null if that was removed. */
  readonly first_title: string | null
}

export interface WrittenNote extends FrontMatterNote {
  /** Null if there are none, or if they were not read since the text has changed. */
  readonly note_links: ReadonlyArray<NoteLink> | null
  /** Null if the note was not imported. */
  readonly original_links: ReadonlyArray<Rewritten> | null
}

export interface SourceFile {
  readonly id: string
  readonly note_id: string
  readonly filename: string
  readonly sha256: string
  readonly size: number
  readonly created_at: string
}
