import { useId, useState } from "preact/hooks"
import type { Schemas, SheafClient } from "../../client/SheafClient.ts"
import { texts as main } from "../Messages.ts"
import { QrCode } from "../start/QrCode.tsx"
import { administrationTexts } from "../ui/AdministrationMessages.ts"
import { Button } from "../ui/Button.tsx"
import { copyText } from "../ui/copyText.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { errorsOf } from "../ui/errorsOf.ts"
import { Failure } from "../ui/Failure.tsx"
import { Field } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { useAction } from "../ui/useAction.ts"
import { texts } from "./FactorMessages.ts"

interface NewAppProps {
  readonly client: SheafClient
  readonly offer: Schemas["OfferedFactor"]
  readonly onAdded: (added: Schemas["AddedFactor"]) => void
  readonly onClose: () => void
}

/** Adds an authenticator app, once it shows the right code. */
export const NewApp = ({ client, offer, onAdded, onClose }: NewAppProps) => {
  const { secret = "", token, uri = "" } = offer
  const id = useId()
  const [code, setCode] = useState("")
  const { failure, run } = useAction()
  return (
    <Dialog title={texts.addApp} onClose={onClose}>
      <Form onSubmit={() => run(async () => onAdded(await client.addFactor({ token, code, name: texts.kinds.totp })))}>
        <p>{texts.app.scan}</p>
        <QrCode label={texts.app.picture} text={uri} />
        <p>
          <a href={uri}>{texts.app.open}</a>
        </p>
        <div class="field">
          <p id={id} class="label">
            {texts.app.secret}
          </p>
          <pre class="code" role="region" aria-labelledby={id} tabIndex={0}>
            {secret.replaceAll(/.{4}(?=.)/g, "$& ")}
          </pre>
          {isSecureContext && (
            <p>
              <Button onClick={() => void copyText(secret)}>{administrationTexts.copy}</Button>
            </p>
          )}
        </div>
        <Failure failure={failure} messages={texts.app.problems} fields={["code"]} />
        <Field
          label={texts.app.code}
          error={errorsOf(failure)["code"]}
          autocomplete="one-time-code"
          inputmode="numeric"
          autofocus
          required
          maxLength={64}
          value={code}
          onValue={setCode}
        />
        <footer class="actions">
          <Button onClick={onClose}>{main.cancel}</Button>
          <Button kind="main" type="submit">
            {texts.app.add}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
