import { templateTexts } from "./TemplateMessages.ts"
import { useState } from "preact/hooks"
import { isProblem, type Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Field } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** The fields of a template. */
export type TemplateContent = Pick<Schemas["Template"], "name" | "body">

interface TemplateFormProps {
  readonly store: WorkspaceStore
  /** The template as it was read; undefined for a new one. */
  readonly template: Schemas["Template"] | undefined
  readonly content: TemplateContent
  readonly onType: (content: TemplateContent) => void
  readonly onSaved: () => void
  readonly onBack: () => void
}

/** The name and the text of a template. */
export const TemplateForm = ({ content, onBack, onSaved, onType, store, template }: TemplateFormProps) => {
  /** The state that the server must have, so that no change of another user is lost unseen. */
  const [base, setBase] = useState(template)
  const [overtaken, setOvertaken] = useState<"changed" | "gone">()
  const { failure, isBusy, run } = useAction()
  /** Returns what has happened to the template meanwhile, if it was not saved for that reason. */
  const save = async (): Promise<typeof overtaken> => {
    const { client } = store
    if (base === undefined) {
      await client.createTemplate(content)
      return undefined
    }
    try {
      const current = await client.getTemplate({ id: base.id })
      // The next attempt replaces what there is.
      setBase(current)
      if (current.name !== base.name || current.body !== base.body) return "changed"
      await client.updateTemplate({ id: base.id, ...content }, { ifMatch: current })
      return undefined
    } catch (error) {
      if (!isProblem(error, "precondition_failed", "not_found")) throw error
      const isChanged = isProblem(error, "precondition_failed")
      setBase(isChanged ? await client.getTemplate({ id: base.id }) : undefined)
      return isChanged ? "changed" : "gone"
    }
  }
  const submit = async () => {
    setOvertaken(undefined)
    const found = await save()
    if (found !== undefined) return setOvertaken(found)
    onSaved()
    await store.read()
  }
  return (
    <Form onSubmit={() => run(submit)}>
      <Failure failure={failure} />
      {overtaken !== undefined && (
        <p class="banner" role="alert">
          {templateTexts[overtaken]}
        </p>
      )}
      <Field
        label={templateTexts.name}
        required
        maxLength={100}
        value={content.name}
        onValue={(name) => onType({ ...content, name })}
      />
      <label class="field">
        {templateTexts.body}
        <textarea
          rows={12}
          value={content.body}
          onInput={({ currentTarget }) => onType({ ...content, body: currentTarget.value })}
        />
      </label>
      <details>
        <summary>{templateTexts.placeholders}</summary>
        <dl class="placeholders">
          {templateTexts.hints.map(([placeholder, meaning]) => (
            <div key={placeholder}>
              <dt>{placeholder}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </details>
      <footer class="actions">
        <Button onClick={onBack}>{templateTexts.back}</Button>
        <Button kind="main" type="submit" isDisabled={isBusy}>
          {texts.save}
        </Button>
      </footer>
    </Form>
  )
}
