import { useState } from "preact/hooks"
import { texts as common } from "../Messages.ts"
import { open, route } from "../Navigation.ts"
import type { NoteFilter } from "../notes/NoteFilter.ts"
import { loadLinks } from "../notes/NoteWriting.tsx"
import { tagName } from "../workspace/TagName.ts"
import type { Selection } from "../lists/Selection.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Field } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { loaded } from "../ui/Notices.tsx"
import { NotebookOptions } from "../workspace/NotebookOptions.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { doWithEach } from "./reportOutcome.ts"
import { archiving, type Action, type ListedNote, moving, restoring, tagging, trashing } from "./SeveralNotes.ts"
import { texts } from "./SeveralMessages.ts"

interface SelectionBarProps {
  readonly store: WorkspaceStore
  readonly filter: NoteFilter
  readonly selection: Selection
  /** The selected notes that the list has. */
  readonly notes: ReadonlyArray<ListedNote>
  readonly onClose: () => void
}

/** A single note that was moved may have links by its path. */
const askAboutMoved = async (store: WorkspaceStore, [note, ...others]: ReadonlyArray<ListedNote>): Promise<void> => {
  if (note !== undefined && others.length === 0) await (await loaded(loadLinks))?.askAboutLinks(store, note.id)
}

/** What can be done with the selected notes. */
export const SelectionBar = ({ filter, notes, onClose, selection, store }: SelectionBarProps) => {
  const [done, setDone] = useState<number>()
  const [question, setQuestion] = useState<"move" | "tag">()
  const [notebook, setNotebook] = useState(store.inbox.value?.id ?? "")
  const [tag, setTag] = useState("")
  const run = async (action: Action, said: (count: number) => string) => {
    setQuestion(undefined)
    setDone(0)
    // What was typed is stored under the version that it was made from.
    await store.saveTexts()
    const failed = await doWithEach(store, notes, action, said, setDone)
    setDone(undefined)
    // Those that have failed stay selected, to try them again.
    if (failed.length === 0) onClose()
    else selection.ids.value = new Set(failed)
  }
  const trash = async () => {
    const ids = notes.map(({ id }) => id)
    await run(trashing(store.client), texts.done.trash)
    const { filter, note } = route.value
    if (note !== undefined && ids.includes(note) && !selection.ids.value.has(note)) open(filter)
  }
  const isBusy = done !== undefined
  const isArchive = filter.kind === "archive"
  return (
    <div class="selection" role="toolbar" aria-label={texts.selected(notes.length)}>
      <span role="status">{isBusy ? texts.progress(done, notes.length) : texts.selected(notes.length)}</span>
      {filter.kind === "trash" ? (
        <IconButton
          icon="back"
          label={texts.restore}
          isDisabled={isBusy}
          onClick={() => void run(restoring(store.client), texts.done.restore)}
        />
      ) : (
        <>
          <IconButton icon="folder" label={texts.move} isDisabled={isBusy} onClick={() => setQuestion("move")} />
          <IconButton icon="tag" label={texts.tag} isDisabled={isBusy} onClick={() => setQuestion("tag")} />
          <IconButton
            icon="archive"
            label={isArchive ? texts.unarchive : texts.archive}
            isDisabled={isBusy}
            onClick={() =>
              void run(archiving(store.client, !isArchive), isArchive ? texts.done.unarchive : texts.done.archive)
            }
          />
          <IconButton icon="trash" label={texts.trash} isDisabled={isBusy} onClick={() => void trash()} />
        </>
      )}
      <IconButton icon="close" label={texts.clear} onClick={onClose} />
      {question === "move" && (
        <Dialog title={texts.moveTitle(notes.length)} onClose={() => setQuestion(undefined)}>
          <Form
            onSubmit={async () => {
              await run(moving(store.client, notebook), (count) =>
                texts.done.move(count, store.notebook(notebook)?.name ?? common.notebook)
              )
              await askAboutMoved(store, notes)
            }}
          >
            <label class="field">
              {common.notebook}
              <select value={notebook} onChange={({ currentTarget }) => setNotebook(currentTarget.value)}>
                <NotebookOptions store={store} />
              </select>
            </label>
            <footer class="actions">
              <Button kind="main" type="submit">
                {texts.moveAction}
              </Button>
            </footer>
          </Form>
        </Dialog>
      )}
      {question === "tag" && (
        <Dialog title={texts.tagTitle(notes.length)} onClose={() => setQuestion(undefined)}>
          <Form
            onSubmit={() => {
              const name = tagName(tag)
              if (name === "") return undefined
              setTag("")
              return run(tagging(store.client, name), (count) => texts.done.tag(count, name))
            }}
          >
            <Field
              label={texts.tagName}
              autofocus
              required
              autocomplete="off"
              maxLength={51}
              choices={store.tags.value.map(({ name }) => name)}
              value={tag}
              onValue={setTag}
            />
            <footer class="actions">
              <Button kind="main" type="submit">
                {texts.tagAction}
              </Button>
            </footer>
          </Form>
        </Dialog>
      )}
    </div>
  )
}

/** Moves notes that were dragged to a notebook. */
export const moveDragged = async (
  store: WorkspaceStore,
  notes: ReadonlyArray<ListedNote>,
  notebook_id: string
): Promise<void> => {
  await store.saveTexts()
  await doWithEach(store, notes, moving(store.client, notebook_id), (count) =>
    texts.done.move(count, store.notebook(notebook_id)?.name ?? common.notebook)
  )
  await askAboutMoved(store, notes)
}
