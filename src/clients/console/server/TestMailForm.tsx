import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { Button } from "../ui/Button.tsx"
import { EmailField } from "../ui/EmailField.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { useAction } from "../ui/useAction.ts"
import { texts } from "./ServerMessages.ts"
import type { ServerProps } from "./ServerProps.ts"

const resultOf = ({ error, recipient, sent }: Schemas["MailTest"]): string =>
  sent ? texts.mails.tested(recipient) : error === null ? texts.mails.testKept : texts.mails.testFailed(error)

/** Sends a test mail, and shows the response of the mail server. */
export const TestMailForm = ({ admin }: Pick<ServerProps, "admin">) => {
  const [email, setEmail] = useState("")
  const [result, setResult] = useState<Schemas["MailTest"]>()
  const { failure, run } = useAction()
  const send = async () => {
    setResult(undefined)
    setResult(await admin.adminTestMail({ email }))
  }
  return (
    <Form class="form" onSubmit={() => run(send)}>
      <Failure failure={failure} fields={["email"]} />
      <EmailField label={texts.mails.testTo} failure={failure} isOwn value={email} onValue={setEmail} />
      {result !== undefined && (
        <p class={`banner ${result.sent ? "" : "fault"}`} role="status">
          {resultOf(result)}
        </p>
      )}
      <p class="actions">
        <Button type="submit">{texts.mails.sendTest}</Button>
      </p>
    </Form>
  )
}
