import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { lookTexts } from "../ui/LookMessages.ts"
import { Button } from "../ui/Button.tsx"
import { ColorField } from "../ui/ColorField.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Field } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { IconField } from "../ui/icons/IconField.tsx"
import { useAction } from "../ui/useAction.ts"
import { isInside } from "./NestedNotebooks.ts"
import { NotebookOptions } from "./NotebookOptions.tsx"
import type { WorkspaceStore } from "./WorkspaceStore.ts"

type Notebook = Schemas["Notebook"]

/** The task of the dialog. */
export type NotebookQuestion =
  | { readonly kind: "create"; readonly parent_id: string | null }
  | { readonly kind: "edit"; readonly notebook: Notebook }
  | { readonly kind: "move"; readonly notebook: Notebook }

interface NotebookDialogProps {
  readonly store: WorkspaceStore
  readonly question: NotebookQuestion
  readonly onClose: () => void
}

/** Creates, edits or moves a notebook. */
export const NotebookDialog = ({ onClose, store, question }: NotebookDialogProps) => {
  const { color, icon, name, parent_id } =
    question.kind === "create" ? { name: "", color: null, icon: null, parent_id: null } : question.notebook
  const [look, setLook] = useState({ name, color, icon })
  const [parent, setParent] = useState(parent_id)
  const { failure, isBusy, run } = useAction()
  const submit = async () => {
    const { client } = store
    if (question.kind === "create") await client.createNotebook({ ...look, parent_id: question.parent_id })
    else if (question.kind === "edit") await client.updateNotebook({ id: question.notebook.id, ...look })
    else await client.moveNotebook({ id: question.notebook.id, parent_id: parent })
    // First: a second attempt, after a failure to read, would create another notebook.
    onClose()
    await store.read()
  }
  const notebooks = store.notebooks.value
  return (
    <Dialog title={lookTexts.notebookDialogs[question.kind]} onClose={onClose}>
      <Form onSubmit={() => run(submit)}>
        <Failure failure={failure} />
        {question.kind === "move" ? (
          <label class="field">
            {name}
            <select value={parent ?? ""} onChange={({ currentTarget }) => setParent(currentTarget.value || null)}>
              <option value="">{lookTexts.topLevel}</option>
              <NotebookOptions store={store} isOffered={({ id }) => !isInside(notebooks, id, question.notebook.id)} />
            </select>
          </label>
        ) : (
          <>
            <Field
              label={lookTexts.notebookName}
              autofocus
              required
              maxLength={100}
              value={look.name}
              onValue={(name) => setLook({ ...look, name })}
            />
            <ColorField value={look.color} onValue={(color) => setLook({ ...look, color })} />
            <IconField value={look.icon} onValue={(icon) => setLook({ ...look, icon })} />
          </>
        )}
        <footer class="actions">
          <Button kind="main" type="submit" isDisabled={isBusy}>
            {texts.save}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
