import { texts as all } from "../Messages.ts"
import { open, route } from "../Navigation.ts"
import { overlay } from "../ShownOverlay.ts"
import { addingTo } from "../properties/AddedProperty.ts"
import { copyText } from "../ui/copyText.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import type { Command } from "./Entry.ts"
import { texts } from "./FindingMessages.ts"
import type { OpenNote } from "./OpenNote.ts"
import { showLinks } from "./LinksSection.tsx"
import { copyFormatted, printNote, saveNote } from "./NoteOutput.ts"

/** What the menu of a note does, and the palette while it is open. The words that were typed last are saved first. */
export const noteCommands = (opened: OpenNote): ReadonlyArray<Command> => {
  const { draft, note, onActivity, onChange, store } = opened
  const { client } = store
  const { id } = note
  const own = texts.commands
  const archive = async (archived: boolean) => {
    if (!(await onChange(() => ({ archived }))) || !archived) return
    notify(texts.note.isArchived, { label: all.undo, run: () => void archive(false) })
  }
  const duplicate = () =>
    attempt(async () => {
      await draft.save()
      open(route.value.filter, (await client.duplicateNote({ id })).id)
    })
  const saveAsTemplate = () =>
    attempt(async () => {
      const { body, title } = draft.content.value
      await client.createTemplate({ name: title.slice(0, 100) || all.untitled, body })
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
      notify(texts.note.trashed, { label: all.undo, run: restore })
    })
  const canWrite = store.canWrite.value
  const commands: ReadonlyArray<Command | false> = [
    canWrite && {
      title: note.archived ? texts.note.unarchive : texts.note.archive,
      icon: "archive",
      run: () => void archive(!note.archived)
    },
    canWrite && { title: texts.note.duplicate, icon: "all", run: () => void duplicate() },
    canWrite && { title: texts.note.template, icon: "template", run: () => void saveAsTemplate() },
    canWrite && { ...own.property, icon: "plus", run: () => (addingTo.value = draft) },
    {
      ...own.outline,
      label: texts.note.outline,
      icon: "list",
      shortcut: "O",
      run: () => (overlay.value = "outline")
    },
    { ...own.links, label: texts.links, icon: "link", shortcut: "L", run: showLinks },
    { title: all.note.activity, icon: "clock", run: onActivity },
    { ...own.copyMarkdown, icon: "code", run: () => void copyText(draft.content.value.body) },
    { ...own.copyFormatted, icon: "paint", run: () => void copyFormatted(opened) },
    { ...own.exportNote, icon: "box", run: () => void saveNote(opened) },
    { ...own.print, icon: "document", shortcut: "Ctrl-P", run: () => void printNote(opened) },
    canWrite && { title: texts.note.trash, icon: "trash", isDanger: true, run: () => void trash() }
  ]
  return commands.filter((command) => command !== false)
}
