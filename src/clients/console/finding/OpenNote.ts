import type { Schemas } from "../../client/SheafClient.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import type { NoteChange } from "../drafts/editNote.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** The note whose menu is on the page. */
export interface OpenNote {
  readonly draft: NoteDraft
  readonly note: Schemas["Note"]
  readonly store: WorkspaceStore
  /** Changes properties of the note. Returns whether it has succeeded. */
  readonly onChange: (edit: () => NoteChange) => Promise<boolean>
  readonly onActivity: () => void
}

let shown: OpenNote | undefined

/** The note with whose menu the palette does the same. */
export const openNote = (): OpenNote | undefined => shown

/** States which note is open, until the returned function is called. */
export const nowOpen = (note: OpenNote): (() => void) => {
  shown = note
  return () => {
    if (shown === note) shown = undefined
  }
}
