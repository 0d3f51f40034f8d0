import { identityOf, type StoredDraft } from "./StoredDraft.ts"
import { NoteDraft } from "./NoteDraft.ts"
import { orCopy } from "../offline/orCopy.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** Where a note comes from when it is opened. */
export type NoteSource =
  | { readonly kind: "existing"; readonly id: string }
  | { readonly kind: "new"; readonly notebook_id: string; readonly content?: Partial<{ title: string; body: string }> }
  | { readonly kind: "draft"; readonly draft: StoredDraft }

/**
 * The text of a note, as it waits on this device or else as the server has it. Undefined if another tab has sent the text of
 * a new note.
 */
export const draftOf = async (store: WorkspaceStore, source: NoteSource): Promise<NoteDraft | undefined> => {
  const { client, draftParts, waiting } = store
  if (source.kind === "new") {
    const draft = new NoteDraft(draftParts, source.notebook_id)
    if (source.content !== undefined) draft.type(source.content)
    return draft
  }
  const id = source.kind === "existing" ? source.id : source.draft.note?.id
  const found = await waiting.open(source.kind === "existing" ? source.id : identityOf(source.draft))
  if (found !== undefined || id === undefined) return found
  const ask = () => client.getNote({ id })
  const note = await orCopy(
    store,
    ask,
    (copy) => copy.note(id),
    // The note may have changed before the server was away.
    () => void (store.texts.has(draft) && ask().then((note) => draft.receive(note), console.warn))
  )
  const draft = new NoteDraft(draftParts, note.notebook_id, note)
  return draft
}

/** The note in the address when the pane opens. */
export const addressedBy = (source: NoteSource): string => {
  if (source.kind === "existing") return source.id
  return (source.kind === "draft" ? source.draft.note?.id : undefined) ?? "new"
}
