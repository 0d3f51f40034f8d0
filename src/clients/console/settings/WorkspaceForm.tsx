import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { Submit } from "../ui/Submit.tsx"
import { errorsOf } from "../ui/errorsOf.ts"
import { Failure } from "../ui/Failure.tsx"
import { Field } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { NameField } from "../ui/NameField.tsx"
import { plans } from "../workspace/plans.ts"
import { keepFocus } from "../ui/focusHeading.ts"
import { notify } from "../ui/Notices.tsx"
import { Section } from "../ui/Section.tsx"
import { Select } from "../ui/Select.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { isAtLeast } from "./Roles.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"

type Workspace = Schemas["Workspace"]

interface WorkspaceFormProps {
  readonly store: WorkspaceStore
  readonly workspace: Workspace
}

/** The name of the workspace, and for owners its short name, plan and seats. */
export const WorkspaceForm = ({ store, workspace }: WorkspaceFormProps) => {
  const [name, setName] = useState(workspace.name)
  const [slug, setSlug] = useState(workspace.slug)
  const [plan, setPlan] = useState(workspace.plan)
  const [seats, setSeats] = useState(String(workspace.seats))
  const { failure, run } = useAction()
  const errors = errorsOf(failure)
  const role = store.role.value ?? "viewer"
  const isOwner = isAtLeast(role, "owner")
  const save = async () => {
    // Unchanged members are left out: owners change the rest, and on some servers the operator sets the plan.
    const changed = Object.entries({ name, slug, plan, seats: Number(seats) }).filter(
      ([field, value]) => workspace[field as keyof Workspace] !== value
    )
    await store.client.updateWorkspace({ id: workspace.id, ...Object.fromEntries(changed) })
    notify(words.saved)
    await store.read()
    // The form begins again with what was saved.
    keepFocus()
  }
  if (!isAtLeast(role, "admin")) {
    return (
      <Section title={workspace.name} lead={texts.workspace.readOnly(words.plans[workspace.plan], workspace.seats)}>
        {null}
      </Section>
    )
  }
  return (
    <Section title={texts.workspace.settings}>
      <Form class="form" onSubmit={() => run(save)}>
        <Failure failure={failure} messages={texts.workspace.problems} fields={["name", "slug", "seats"]} />
        <NameField label={words.name} failure={failure} required value={name} onValue={setName} />
        {isOwner && (
          <>
            <Field
              label={texts.workspace.slug}
              hint={texts.workspace.slugHint}
              error={errors["slug"]}
              autocomplete="off"
              required
              maxLength={63}
              value={slug}
              onValue={setSlug}
            />
            <Select label={words.plan} options={plans} value={plan} onValue={setPlan} />
            <Field
              label={words.seats}
              error={errors["seats"]}
              type="number"
              required
              value={seats}
              onValue={setSeats}
            />
          </>
        )}
        <Submit label={texts.workspace.save} />
      </Form>
    </Section>
  )
}
