import { useRef, useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { RequestKey } from "../../drafts/RequestKey.ts"
import { Submit } from "../../ui/Submit.tsx"
import { EmailField } from "../../ui/EmailField.tsx"
import { errorsOf } from "../../ui/errorsOf.ts"
import { Failure } from "../../ui/Failure.tsx"
import { Field } from "../../ui/Field.tsx"
import { Form } from "../../ui/Form.tsx"
import { NameField } from "../../ui/NameField.tsx"
import { Select } from "../../ui/Select.tsx"
import { withPassword } from "../../ui/PasswordRequest.tsx"
import { useAction } from "../../ui/useAction.ts"
import { plans } from "../../workspace/plans.ts"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../ServerMessages.ts"
import type { ServerProps } from "../ServerProps.ts"

interface UserFormProps extends Pick<ServerProps, "admin"> {
  readonly onMade: (user: Schemas["ServerUser"]) => void
}

/** Creates a user. */
export const UserForm = ({ admin, onMade }: UserFormProps) => {
  const [email, setEmail] = useState("")
  const [name, setName] = useState("")
  const [password, setPassword] = useState("")
  const [plan, setPlan] = useState<Schemas["ServerWorkspace"]["plan"]>("free")
  const requestKey = useRef(new RequestKey()).current
  const { failure, run } = useAction()
  const errors = errorsOf(failure)
  const create = async () => {
    const input = { email, password, plan, ...(name === "" ? {} : { name }) }
    const user = await withPassword((password) =>
      admin.adminCreateUser({ ...input, ...password }, { idempotencyKey: requestKey.of(input) })
    )
    requestKey.succeeded()
    onMade(user)
  }
  return (
    <Form class="form" onSubmit={() => run(create)}>
      <Failure failure={failure} messages={texts.users.problems} fields={["email", "name", "password"]} />
      <EmailField label={words.email} failure={failure} value={email} onValue={setEmail} />
      <NameField label={texts.users.nameOptional} failure={failure} value={name} onValue={setName} />
      <Field
        label={words.password}
        hint={texts.users.passwordHint}
        error={errors["password"]}
        type="password"
        autocomplete="new-password"
        required
        value={password}
        onValue={setPassword}
      />
      <Select label={words.plan} options={plans} value={plan} onValue={setPlan} />
      <Submit label={texts.users.submit} />
    </Form>
  )
}
