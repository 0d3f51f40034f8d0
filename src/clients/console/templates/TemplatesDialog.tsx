import { templateTexts } from "./TemplateMessages.ts"
import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { typeUnsent, unsentText } from "../drafts/UnsentText.ts"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { type TemplateContent, TemplateForm } from "./TemplateForm.tsx"

type Template = Schemas["Template"]

/** A template that is written: as it was read, if it is not new, and as it is typed. */
interface Writing {
  readonly template: Template | undefined
  readonly content: TemplateContent
}

const empty: TemplateContent = { name: "", body: "" }

interface TemplatesDialogProps {
  readonly store: WorkspaceStore
  readonly onClose: () => void
}

/**
 * The templates of the workspace, to create, edit and delete. What is typed stays in this browser until it is saved or
 * discarded: the page may be loaded again, or the user may sign out in another tab.
 */
export const TemplatesDialog = ({ onClose, store }: TemplatesDialogProps) => {
  const unsent = `template ${store.account.id} ${store.account.workspace}`
  const text = unsentText(unsent)
  const writing: Writing | undefined = text === "" ? undefined : JSON.parse(text)
  const setWriting = (next: Writing | undefined) => typeUnsent(unsent, next === undefined ? "" : JSON.stringify(next))
  const [deleted, setDeleted] = useState<TemplateContent>()
  const { failure, isBusy, run } = useAction()
  const isSaved = () => {
    if (writing === undefined) return true
    const { content, template = empty } = writing
    return content.name === template.name && content.body === template.body
  }
  const leave = () => {
    const mayLeave = isSaved() || confirm(texts.discardConfirm)
    if (mayLeave) setWriting(undefined)
    return mayLeave
  }
  const edit = (id: string) =>
    run(async () => {
      const template = await store.client.getTemplate({ id })
      setWriting({ template, content: { name: template.name, body: template.body } })
    })
  const remove = (id: string) =>
    run(async () => {
      const { body, name } = await store.client.getTemplate({ id })
      await store.client.deleteTemplate({ id })
      setDeleted({ name, body })
      await store.read()
    })
  const restore = (content: TemplateContent) =>
    run(async () => {
      await store.client.createTemplate(content)
      setDeleted(undefined)
      await store.read()
    })
  const list = () => (
    <>
      <Failure failure={failure} />
      {deleted !== undefined && (
        <div class="banner" role="status">
          <p>{templateTexts.deleted(deleted.name)}</p>
          <Button isDisabled={isBusy} onClick={() => void restore(deleted)}>
            {texts.undo}
          </Button>
        </div>
      )}
      <ul class="rows">
        {store.templates.value.map(({ id, name }) => (
          <li key={id}>
            <span>{name}</span>
            <span class="actions">
              <Button isDisabled={isBusy} label={`${templateTexts.edit}: ${name}`} onClick={() => void edit(id)}>
                {templateTexts.edit}
              </Button>
              <Button isDisabled={isBusy} label={`${templateTexts.remove}: ${name}`} onClick={() => void remove(id)}>
                {templateTexts.remove}
              </Button>
            </span>
          </li>
        ))}
        {store.templates.value.length === 0 && <li class="hint">{templateTexts.none}</li>}
      </ul>
      <footer class="actions">
        <Button kind="main" onClick={() => setWriting({ template: undefined, content: empty })}>
          {templateTexts.create}
        </Button>
      </footer>
    </>
  )
  return (
    <Dialog title={templateTexts.title} guard={leave} onClose={onClose}>
      {writing === undefined ? (
        list()
      ) : (
        <TemplateForm
          store={store}
          template={writing.template}
          content={writing.content}
          onType={(content) => setWriting({ ...writing, content })}
          onSaved={() => setWriting(undefined)}
          onBack={leave}
        />
      )}
    </Dialog>
  )
}
