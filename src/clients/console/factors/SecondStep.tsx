import { useEffect, useRef, useState } from "preact/hooks"
import type { Account } from "../accounts/KeptAccounts.ts"
import { texts as main } from "../Messages.ts"
import { hasPasskeys } from "../PageData.ts"
import { administrationTexts } from "../ui/AdministrationMessages.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { useAction } from "../ui/useAction.ts"
import { CodeField } from "./CodeField.tsx"
import { texts } from "./FactorMessages.ts"

interface SecondStepProps {
  /** The kinds of factors that can complete the sign-in. */
  readonly factors: ReadonlyArray<string>
  readonly onCode: (code: string) => Promise<Account>
  readonly onPasskey: () => Promise<Account | undefined>
  readonly onSignedIn: (account: Account) => void
  /** Goes back to the password. */
  readonly onClose: () => void
}

/** The second step of a sign-in by password: a code, or a passkey instead of both steps. */
export const SecondStep = ({ factors, onClose, onCode, onPasskey, onSignedIn }: SecondStepProps) => {
  const [code, setCode] = useState("")
  const { failure, isBusy, run } = useAction()
  const fields = useRef<HTMLDivElement>(null)
  // The field that had the focus is gone.
  useEffect(() => fields.current!.querySelector<HTMLElement>("input, button")?.focus(), [])
  const enter = (entering: () => Promise<Account | undefined>) =>
    run(async () => {
      const account = await entering()
      if (account !== undefined) onSignedIn(account)
    })
  const hasCode = factors.some((kind) => kind !== "passkey")
  return (
    <Form class="sign-in" onSubmit={() => enter(() => onCode(code))}>
      <p class="lead">{texts.step.lead}</p>
      <Failure failure={failure} />
      <div ref={fields} class="sign-in">
        {hasCode && (
          <>
            <CodeField hasApp={factors.includes("totp")} required value={code} onValue={setCode} />
            <Button kind="main" type="submit" isDisabled={isBusy}>
              {main.account.signIn}
            </Button>
          </>
        )}
        {hasPasskeys && factors.includes("passkey") && (
          <Button isDisabled={isBusy} onClick={() => void enter(onPasskey)}>
            {administrationTexts.password.passkey}
          </Button>
        )}
      </div>
      <p class="ways">
        <button type="button" class="link" onClick={onClose}>
          {texts.step.back}
        </button>
      </p>
    </Form>
  )
}
