import type { ReadNote } from "./NoteReader.ts"

/** A note of a draft as it was read; undefined: it is gone then. */
export interface ComingNote {
  readonly id: string
  readonly note: ReadNote | undefined
}

/** The notes of a draft that is about to be stored. */
export interface Coming {
  /** The id of its last entry in the log, which no other draft has. */
  readonly witness: string
  readonly notes: ReadonlyArray<ComingNote>
}

/** About what a note takes beside its columns. */
const noteBytes = 500

const bytesOf = ({ notes }: Coming): number =>
  notes.reduce(
    (sum, { note }) => sum + noteBytes + (note === undefined ? 0 : note.row.length + note.terms.length * 9),
    0
  )

/**
 * What was read of drafts before they are stored, so that their notes are found at once when they are: one draft of each
 * workspace, as each has one under way. Those that were read first make room.
 */
export class ComingNotes {
  readonly #all = new Map<string, Coming & { readonly bytes: number }>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  set(workspace_id: string, coming: Coming): void {
    this.take(workspace_id)
    const bytes = bytesOf(coming)
    this.#all.set(workspace_id, { ...coming, bytes })
    this.#bytes += bytes
    for (const oldest of this.#all.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.take(oldest)
    }
  }

  /** The draft of a workspace, which is let go of. */
  take(workspace_id: string): Coming | undefined {
    const found = this.#all.get(workspace_id)
    if (found === undefined) return undefined
    this.#all.delete(workspace_id)
    this.#bytes -= found.bytes
    return found
  }
}
