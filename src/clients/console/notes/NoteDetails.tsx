import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { texts } from "../Messages.ts"
import { addressOf } from "../Navigation.ts"
import { IconButton } from "../ui/Button.tsx"
import { Form } from "../ui/Form.tsx"
import { NotebookOptions } from "../workspace/NotebookOptions.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { NoteChange } from "../drafts/editNote.ts"
import { tagName } from "../workspace/TagName.ts"

interface NoteDetailsProps {
  readonly note: Schemas["Note"]
  readonly store: WorkspaceStore
  /** Returns whether the server has stored the change. */
  readonly onChange: (edit: (note: Schemas["Note"]) => NoteChange) => Promise<boolean>
}

/** The notebook and the tags of a note, and when it was changed. */
export const NoteDetails = ({ note, onChange, store }: NoteDetailsProps) => {
  const [tag, setTag] = useState("")
  const isLocked = !store.canWrite.value
  const add = async () => {
    const name = tagName(tag)
    setTag("")
    if (name === "" || (await onChange(({ tags }) => ({ tags: [...tags, name] })))) return
    // A refused value can be corrected.
    setTag((typed) => (typed === "" ? tag : typed))
  }
  return (
    <div class="details">
      <select
        aria-label={texts.note.move}
        value={note.notebook_id}
        disabled={isLocked}
        onChange={({ currentTarget }) => {
          const { value } = currentTarget
          // Until the server has moved the note, and if it refuses.
          currentTarget.value = note.notebook_id
          void onChange(() => ({ notebook_id: value }))
        }}
      >
        <NotebookOptions store={store} />
      </select>
      <ul class="tags" aria-label={texts.note.tags}>
        {note.tags.map((name) => (
          <li key={name} class="tag">
            <a href={addressOf({ kind: "tag", name })}>{name}</a>
            {!isLocked && (
              <IconButton
                icon="close"
                label={texts.note.removeTag(name)}
                onClick={() => void onChange(({ tags }) => ({ tags: tags.filter((each) => each !== name) }))}
              />
            )}
          </li>
        ))}
        {!isLocked && (
          <li>
            <Form onSubmit={() => void add()}>
              <input
                class="tag-input"
                aria-label={texts.note.addTag}
                placeholder={texts.note.addTag}
                list="tag-names"
                maxLength={51}
                value={tag}
                onInput={({ currentTarget }) => setTag(currentTarget.value)}
                onBlur={() => void add()}
              />
            </Form>
          </li>
        )}
      </ul>
      <datalist id="tag-names">
        {store.tags.value.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <span class="hint">
        {texts.note.words(note.word_count)} · {longDate(note.updated_at)}
      </span>
    </div>
  )
}
