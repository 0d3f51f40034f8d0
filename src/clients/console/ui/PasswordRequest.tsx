import { signal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import { isProblem, type SheafClient } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { passwords, providers } from "../PageData.ts"
import { administrationTexts } from "./AdministrationMessages.ts"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Failure } from "./Failure.tsx"
import { Field } from "./Field.tsx"
import { Form } from "./Form.tsx"
import { useAction } from "./useAction.ts"

/** The member of a request that proves that the user is present. */
export interface Password {
  readonly current_password?: string
}

/** A request that waits for the password. */
interface Waiting {
  /** Sends the request with the password, or after a confirmation by a provider. Rejects if the user can try again. */
  readonly send: (password: Password) => Promise<void>
  readonly cancel: () => void
}

const waiting = signal<Waiting | undefined>(undefined)

/**
 * Sends a request that may need a recent sign-in. If the server refuses it for that reason, the user enters the password,
 * and the request is sent once more with it. Rejects with the refusal if the user does not.
 */
export const withPassword = async <A,>(send: (password: Password) => Promise<A>): Promise<A> => {
  try {
    return await send({})
  } catch (refusal) {
    if (!isProblem(refusal, "reauthentication_required")) throw refusal
    return new Promise((resolve, reject) => {
      waiting.value = {
        send: async (password) => {
          try {
            resolve(await send(password))
          } catch (error) {
            if (isProblem(error, "reauthentication_required", "invalid_credentials", "login_throttled", "no_response"))
              throw error
            reject(error)
          }
          waiting.value = undefined
        },
        cancel: () => {
          reject(refusal)
          waiting.value = undefined
        }
      }
    })
  }
}

interface PasswordRequestProps {
  readonly client: SheafClient
}

/** Opens the page of a provider next to this one, which keeps what the user was doing. */
const confirmAt = async (client: SheafClient, provider: number) => {
  // At the click: browsers refuse to open a page later.
  const page = open("", "_blank")
  const { redirect_url } = await client.confirmUserIdentity({ provider })
  if (page === null) location.assign(redirect_url)
  else page.location = redirect_url
}

const PasswordDialog = ({ cancel, client, send }: Waiting & PasswordRequestProps) => {
  const [password, setPassword] = useState("")
  const [isAway, setIsAway] = useState(false)
  const { failure, run } = useAction()
  return (
    <Dialog title={administrationTexts.password.title} onClose={cancel}>
      <Form onSubmit={() => run(() => send(password === "" ? {} : { current_password: password }))}>
        <p>{administrationTexts.password.lead}</p>
        <Failure failure={failure} messages={administrationTexts.password.problems} />
        {passwords && (
          <Field
            label={texts.account.password}
            type="password"
            autocomplete="current-password"
            autofocus
            required={!isAway}
            value={password}
            onValue={setPassword}
          />
        )}
        {providers.map(({ name, number }) => (
          <p key={number}>
            <Button onClick={() => void run(() => confirmAt(client, number).then(() => setIsAway(true)))}>
              {administrationTexts.password.by(name)}
            </Button>
          </p>
        ))}
        {isAway && <p role="status">{administrationTexts.password.after}</p>}
        <footer class="actions">
          <Button onClick={cancel}>{texts.cancel}</Button>
          <Button kind="main" type="submit">
            {administrationTexts.password.confirm}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}

/** The place where a request of the page asks for the password. A request that waits ends with the page. */
export const PasswordRequest = ({ client }: PasswordRequestProps) => {
  useEffect(() => () => waiting.value?.cancel(), [])
  return waiting.value === undefined ? null : <PasswordDialog client={client} {...waiting.value} />
}
