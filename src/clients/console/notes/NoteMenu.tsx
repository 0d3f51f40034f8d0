import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { open, route } from "../Navigation.ts"
import { overlay } from "../ShownOverlay.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { Menu, type MenuItem } from "../ui/Menu.tsx"
import { attempt, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { NoteChange } from "./NoteDetails.tsx"

interface NoteMenuProps {
  readonly draft: NoteDraft
  readonly note: Schemas["Note"]
  readonly store: WorkspaceStore
  /** Changes properties of the note. Returns whether it has succeeded. */
  readonly onChange: (edit: () => NoteChange) => Promise<boolean>
  readonly onActivity: () => void
}

/** Actions on a note as a whole. Its text is saved first. */
export const NoteMenu = ({ draft, note, onActivity, onChange, store }: NoteMenuProps) => {
  const { client } = store
  const { id } = note
  const archive = async (archived: boolean) => {
    if (!(await onChange(() => ({ archived }))) || !archived) return
    notify(texts.note.isArchived, { label: texts.undo, run: () => void archive(false) })
  }
  const duplicate = () =>
    attempt(async () => {
      await draft.save()
      open(route.value.filter, (await client.duplicateNote({ id })).id)
    })
  const saveAsTemplate = () =>
    attempt(async () => {
      const { body, title } = draft.content.value
      await client.createTemplate({ name: title.slice(0, 100) || texts.untitled, body })
      await store.read()
      notify(texts.note.templateSaved)
    })
  const trash = () =>
    attempt(async () => {
      await draft.save()
      await client.deleteNote({ id })
      const { filter, note: opened } = route.value
      // Another note may have been opened meanwhile.
      if (opened === id) open(filter)
      const restore = () => void attempt(async () => (await client.restoreNote({ id }), open(filter, id)))
      notify(texts.note.trashed, { label: texts.undo, run: restore })
    })
  const outline: MenuItem = {
    icon: "list",
    label: texts.note.outline,
    onSelect: () => (overlay.value = "outline")
  }
  const activity: MenuItem = { icon: "clock", label: texts.note.activity, onSelect: onActivity }
  const changes: ReadonlyArray<MenuItem> = [
    {
      icon: "archive",
      label: note.archived ? texts.note.unarchive : texts.note.archive,
      onSelect: () => void archive(!note.archived)
    },
    { icon: "all", label: texts.note.duplicate, onSelect: () => void duplicate() },
    { icon: "template", label: texts.note.template, onSelect: () => void saveAsTemplate() },
    outline,
    activity,
    { icon: "trash", label: texts.note.trash, isDanger: true, onSelect: () => void trash() }
  ]
  return <Menu icon="more" label={texts.more} items={store.canWrite.value ? changes : [outline, activity]} />
}
