import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { localInput } from "../reminders/ReminderTimes.ts"
import { Submit } from "../ui/Submit.tsx"
import { errorsOf } from "../ui/errorsOf.ts"
import { Failure } from "../ui/Failure.tsx"
import { Check, Field } from "../ui/Field.tsx"
import { keepFocus } from "../ui/focusHeading.ts"
import { Form } from "../ui/Form.tsx"
import { notify } from "../ui/Notices.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"

/** Milliseconds until the proposed time, so that members have time to add a factor. */
const week = 7 * 24 * 60 * 60 * 1000

interface MemberFactorsProps {
  readonly store: WorkspaceStore
  readonly workspace: Schemas["Workspace"]
}

/** From when members need a second factor, for owners. */
export const MemberFactors = ({ store, workspace: { id, second_factor_from: saved } }: MemberFactorsProps) => {
  const [isOn, setIsOn] = useState(saved !== null)
  const [from, setFrom] = useState(localInput(new Date(saved ?? Date.now() + week)))
  const { failure, run } = useAction()
  const save = async () => {
    // The field has no seconds.
    const isSame = saved !== null && from === localInput(new Date(saved))
    const second_factor_from = isOn ? (isSame ? saved : new Date(from).toISOString()) : null
    await store.client.updateWorkspace({ id, second_factor_from })
    notify(words.saved)
    await store.read()
    // The form begins again with what was saved.
    keepFocus()
  }
  return (
    <Section title={texts.workspace.factors.title} lead={texts.workspace.factors.lead}>
      <Form class="form" onSubmit={() => run(save)}>
        <Failure failure={failure} fields={["second_factor_from"]} />
        <Check isChecked={isOn} onCheck={setIsOn}>
          {texts.workspace.factors.isOn}
        </Check>
        {isOn && (
          <Field
            label={texts.workspace.factors.from}
            error={errorsOf(failure)["second_factor_from"]}
            type="datetime-local"
            required
            value={from}
            onValue={setFrom}
          />
        )}
        <Submit label={texts.workspace.factors.save} />
      </Form>
    </Section>
  )
}
