import type { Rewritten } from "../formats/Item.ts"

/** Rows that an export reads. */

export interface SourceNotebook {
  readonly id: string
  readonly name: string
  readonly parent_id: string | null
  readonly note_count: number
  readonly created_at: string
  readonly updated_at: string
  readonly json: string
  /** From 1; of a notebook that is exported alone, it is the first. */
  readonly level: number
}

/** What is known of a note before it is read. */
export interface NoteHead {
  readonly id: string
  readonly updated_at: string
  /** About the bytes of it, and of its history with what is said of it. */
  readonly bytes: number
  readonly more: number
}

/** What a note is called by. */
export interface NamedNote {
  readonly id: string
  readonly title: string
  /** The path that it was imported from. */
  readonly original: string | null
  /** The title of its first version; null where that was removed. */
  readonly first_title: string | null
}

export interface WrittenNote {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly pinned: boolean
  readonly archived: boolean
  readonly created_at: string
  readonly updated_at: string
  /** Null for what was not imported. */
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
