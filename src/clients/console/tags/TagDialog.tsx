import { tagTexts } from "./TagMessages.ts"
import { useMemo, useState } from "preact/hooks"
import { isProblem, type Schemas, type SheafError } from "../../client/SheafClient.ts"
import { Button } from "../ui/Button.tsx"
import { ColorField } from "../ui/ColorField.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Field } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { notify } from "../ui/Notices.tsx"
import { useAction } from "../ui/useAction.ts"
import { newChangeSet, undoing } from "../undoing/Undo.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { followTag } from "./followTag.ts"

/** The task of the dialog. */
export interface TagQuestion {
  readonly kind: "edit" | "merge" | "delete"
  readonly tag: Schemas["Tag"]
}

interface TagDialogProps {
  readonly store: WorkspaceStore
  readonly question: TagQuestion
  readonly onClose: () => void
}

/** Returns the error in the typed name. */
const errorOf = (failure: SheafError | undefined): string | undefined => {
  if (isProblem(failure, "already_exists")) return tagTexts.dialog.exists
  if (isProblem(failure, "unresolved_reference")) return tagTexts.dialog.unknown
  return isProblem(failure, "validation_failed") ? failure.problem.errors[0]?.message : undefined
}

/** Renames, colours, merges or deletes a tag. An open list of the tag follows it. */
export const TagDialog = ({ onClose, store, question: { kind, tag } }: TagDialogProps) => {
  const [name, setName] = useState(tag.name)
  const [color, setColor] = useState(tag.color)
  const [target, setTarget] = useState("")
  const changeSet = useMemo(newChangeSet, [])
  /** Returns the name of the tag that the notes have then. */
  const change = async (): Promise<string | undefined> => {
    const { client } = store
    if (kind === "delete") {
      await client.deleteTag({ id: tag.id }, { changeSet })
      return undefined
    }
    if (kind === "merge")
      return (await client.mergeTags({ source_ids: [tag.id], target_id: target }, { changeSet })).name
    // A name is written into all notes, a colour into none.
    const renamed = name === tag.name ? {} : { name }
    return (await client.updateTag({ id: tag.id, color, ...renamed })).name
  }
  const { failure, isBusy, run } = useAction()
  const submit = async () => {
    followTag(tag.name, await change())
    onClose()
    if (kind !== "edit") notify(tagTexts.dialog.done[kind](tag.name), undoing(store, changeSet))
    await store.read()
  }
  const error = errorOf(failure)
  return (
    <Dialog title={tagTexts.dialog.titles[kind](tag.name)} onClose={onClose}>
      <Form onSubmit={() => run(submit)}>
        {error === undefined && <Failure failure={failure} />}
        {kind === "edit" && (
          <>
            <Field
              label={tagTexts.dialog.name}
              autofocus
              hint={tagTexts.dialog.nameHint}
              error={error}
              required
              maxLength={50}
              value={name}
              onValue={setName}
            />
            <ColorField value={color} onValue={setColor} />
          </>
        )}
        {kind === "merge" && (
          <>
            <p>{tagTexts.dialog.mergeLead(tag.name)}</p>
            <Field
              label={tagTexts.dialog.target}
              autofocus
              error={error}
              required
              maxLength={50}
              choices={store.tags.value.filter(({ id }) => id !== tag.id).map(({ name }) => name)}
              value={target}
              onValue={setTarget}
            />
          </>
        )}
        {kind === "delete" && <p>{tagTexts.dialog.deleteLead(tag.note_count)}</p>}
        <footer class="actions">
          <Button kind={kind === "edit" ? "main" : "danger"} type="submit" isDisabled={isBusy}>
            {tagTexts.dialog.actions[kind]}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
