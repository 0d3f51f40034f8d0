import { useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { Submit } from "../../ui/Submit.tsx"
import { EmailField } from "../../ui/EmailField.tsx"
import { Failure } from "../../ui/Failure.tsx"
import { Form } from "../../ui/Form.tsx"
import { NameField } from "../../ui/NameField.tsx"
import { notify } from "../../ui/Notices.tsx"
import { withPassword } from "../../ui/PasswordRequest.tsx"
import { Section } from "../../ui/Section.tsx"
import { useAction } from "../../ui/useAction.ts"
import { texts as main } from "../../Messages.ts"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../ServerMessages.ts"
import type { ServerProps } from "../ServerProps.ts"

interface UserNamesProps extends Pick<ServerProps, "admin"> {
  readonly user: Schemas["ServerUser"]
  readonly onSaved: () => Promise<void>
}

/** Changes the address and the name of a user. */
export const UserNames = ({ admin, onSaved, user }: UserNamesProps) => {
  const [email, setEmail] = useState(user.email)
  const [name, setName] = useState(user.name)
  const { failure, run } = useAction()
  const save = async () => {
    // Another address would count as confirmed: it is sent only if it was changed.
    const changed = { ...(email === user.email ? {} : { email }), ...(name === user.name ? {} : { name }) }
    await withPassword((password) => admin.adminUpdateUser({ id: user.id, ...changed, ...password }))
    notify(words.saved)
    await onSaved()
  }
  return (
    <Section title={texts.users.names} lead={texts.users.namesLead}>
      <Form class="form" onSubmit={() => run(save)}>
        <Failure failure={failure} messages={texts.users.problems} fields={["email", "name"]} />
        <EmailField label={words.email} failure={failure} value={email} onValue={setEmail} />
        <NameField label={words.name} failure={failure} value={name} onValue={setName} />
        <Submit label={main.save} />
      </Form>
    </Section>
  )
}
