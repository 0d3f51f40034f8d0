import { useState } from "preact/hooks"
import type { Schemas, SheafClient } from "../../client/SheafClient.ts"
import type { Barrier } from "../accounts/AccountStore.ts"
import { texts as main } from "../Messages.ts"
import { hasPasskeys } from "../PageData.ts"
import { administrationTexts, words } from "../ui/AdministrationMessages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { PasswordRequest } from "../ui/PasswordRequest.tsx"
import { useAction } from "../ui/useAction.ts"
import { useReading } from "../ui/useReading.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { CodeField } from "./CodeField.tsx"
import { texts } from "./FactorMessages.ts"
import { FactorsSection } from "./FactorsSection.tsx"
import { provePasskey } from "./Passkey.ts"
import "../style/OnDemandStyle.ts"

interface ConfirmationProps {
  readonly client: SheafClient
  readonly factors: ReadonlyArray<Schemas["Factor"]>
  readonly onConfirmed: () => void
}

/** Gives the session its second factor by one that the account has. */
const Confirmation = ({ client, factors, onConfirmed }: ConfirmationProps) => {
  const [code, setCode] = useState("")
  const { failure, run } = useAction()
  const confirm = (proof: Schemas["Confirm"]) => run(() => client.confirmSignIn(proof).then(onConfirmed))
  const byPasskey = async () => {
    const passkey = await provePasskey(client)
    if (passkey !== undefined) await client.confirmSignIn({ passkey }).then(onConfirmed)
  }
  return (
    <Form onSubmit={() => confirm({ code })}>
      <p>{texts.needed.confirm}</p>
      <Failure failure={failure} />
      <CodeField hasApp={factors.some(({ kind }) => kind === "totp")} required value={code} onValue={setCode} />
      <p class="actions start">
        <Button kind="main" type="submit">
          {administrationTexts.password.confirm}
        </Button>
        {hasPasskeys && factors.some(({ kind }) => kind === "passkey") && (
          <Button onClick={() => void run(byPasskey)}>{administrationTexts.password.passkey}</Button>
        )}
      </p>
    </Form>
  )
}

interface TwoFactorsNeededProps {
  /** What needs them. */
  readonly by: Barrier
  readonly store: WorkspaceStore
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly onClose: () => void
  /** Called when the session has two factors. */
  readonly onConfirmed: () => void
  readonly onSignOut: () => void
  readonly onWorkspace: (id: string) => void
}

const NeedDialog = ({ by, onClose, onConfirmed, onSignOut, onWorkspace, store }: TwoFactorsNeededProps) => {
  const { account, client } = store
  const known = useReading(
    () => Promise.all([client.listFactors({ limit: 100 }), client.listWorkspaces({ limit: 100 })]),
    [client]
  )
  if (known.value === undefined && known.failure === undefined) return null
  const [factors, workspaces] = known.value ?? []
  const others = by === "server" ? [] : (workspaces?.data.filter(({ id }) => id !== account.workspace) ?? [])
  return (
    <Dialog title={texts.needed.title} onClose={onClose}>
      <p>{texts.needed.leads[by]}</p>
      <Failure failure={known.failure} />
      {factors !== undefined && factors.data.length > 0 && (
        <Confirmation client={client} factors={factors.data} onConfirmed={onConfirmed} />
      )}
      {factors !== undefined && (
        <>
          <p>{texts.needed.add}</p>
          <FactorsSection client={client} email={account.email} onAdded={onConfirmed} />
        </>
      )}
      <footer class="actions">
        {others.map(({ id, name }) => (
          <Button key={id} onClick={() => onWorkspace(id)}>
            {words.openOf(name)}
          </Button>
        ))}
        <Button onClick={onSignOut}>{main.account.signOut}</Button>
      </footer>
      <PasswordRequest client={client} />
    </Dialog>
  )
}

/** Says that the session needs a second factor, with a dialog in which the user confirms with one, or adds one. */
export const TwoFactorsNeeded = (props: TwoFactorsNeededProps) =>
  props.isOpen ? (
    <NeedDialog {...props} />
  ) : (
    <div class="notices top" role="alert">
      <div class="notice">
        <span>{texts.needed.leads[props.by]}</span>
        <button type="button" class="link" onClick={props.onOpen}>
          {administrationTexts.password.confirm}
        </button>
      </div>
    </div>
  )
