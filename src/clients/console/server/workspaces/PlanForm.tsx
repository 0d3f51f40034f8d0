import { useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { Submit } from "../../ui/Submit.tsx"
import { errorsOf } from "../../ui/errorsOf.ts"
import { Failure } from "../../ui/Failure.tsx"
import { Field } from "../../ui/Field.tsx"
import { Form } from "../../ui/Form.tsx"
import { notify } from "../../ui/Notices.tsx"
import { Section } from "../../ui/Section.tsx"
import { Select } from "../../ui/Select.tsx"
import { useAction } from "../../ui/useAction.ts"
import { plans } from "../../workspace/plans.ts"
import { texts as main } from "../../Messages.ts"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../ServerMessages.ts"
import type { ServerProps } from "../ServerProps.ts"

interface PlanFormProps extends Pick<ServerProps, "admin"> {
  readonly workspace: Schemas["ServerWorkspace"]
  readonly onSaved: () => Promise<void>
}

/** Sets the plan and the seats of a workspace. */
export const PlanForm = ({ admin, onSaved, workspace }: PlanFormProps) => {
  const [plan, setPlan] = useState(workspace.plan)
  const [seats, setSeats] = useState(String(workspace.seats))
  const { failure, run } = useAction()
  const save = async () => {
    await admin.adminUpdateWorkspace({ id: workspace.id, plan, seats: Number(seats) })
    notify(words.saved)
    await onSaved()
  }
  return (
    <Section title={texts.workspaces.planTitle}>
      <Form class="form" onSubmit={() => run(save)}>
        <Failure failure={failure} fields={["seats"]} />
        <Select label={words.plan} options={plans} value={plan} onValue={setPlan} />
        <Field
          label={words.seats}
          error={errorsOf(failure)["seats"]}
          type="number"
          required
          value={seats}
          onValue={setSeats}
        />
        <Submit label={main.save} />
      </Form>
    </Section>
  )
}
