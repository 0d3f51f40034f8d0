import { isProblem } from "../../client/SheafClient.ts"
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
 * a new note. Calls `onRemoved` if the note is of the copy on this device, and the server does not have it any more.
 */
export const draftOf = async (
  store: WorkspaceStore,
  source: NoteSource,
  onRemoved: () => void
): Promise<NoteDraft | undefined> => {
  const { client, draftParts, waiting } = store
  if (source.kind === "new") {
    const draft = new NoteDraft(draftParts, source.notebook_id)
    if (source.content !== undefined) draft.type(source.content)
    return draft
  }
  const id = source.kind === "existing" ? source.id : source.draft.note?.id
  const found = await waiting.open(source.kind === "existing" ? source.id : identityOf(source.draft))
  if (found !== undefined || id === undefined) return found
  let draft: NoteDraft | undefined
  const isOpen = () => draft !== undefined && store.texts.has(draft)
  /** The note may have changed before the server was away. */
  const again = () =>
    read().then(
      (note) => void (isOpen() && draft?.receive(note)),
      (error: unknown) => {
        if (!isProblem(error, "not_found")) console.warn(error)
        else if (isOpen()) onRemoved()
      }
    )
  const read = () =>
    orCopy(
      store,
      () => client.getNote({ id }),
      (copy) => copy.note(id),
      () => void again()
    )
  const note = await read()
  draft = new NoteDraft(draftParts, note.notebook_id, note)
  return draft
}

/** The note in the address when the pane opens. */
export const addressedBy = (source: NoteSource): string => {
  if (source.kind === "existing") return source.id
  return (source.kind === "draft" ? source.draft.note?.id : undefined) ?? "new"
}
