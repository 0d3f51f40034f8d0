import { signal } from "@preact/signals"
import { useId, useLayoutEffect, useState } from "preact/hooks"
import { isProblem, type Schemas, type SheafClient } from "../../client/SheafClient.ts"
import { CodeField } from "../factors/CodeField.tsx"
import { texts } from "../Messages.ts"
import { hasPasskeys, passwords, providers } from "../PageData.ts"
import { administrationTexts } from "./AdministrationMessages.ts"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Failure } from "./Failure.tsx"
import { Field } from "./Field.tsx"
import { Form } from "./Form.tsx"
import { loaded } from "./Notices.tsx"
import { useAction } from "./useAction.ts"
import { useReading } from "./useReading.ts"

/** The member of a request that proves that the user is present. */
export interface Password {
  readonly current_password?: string
}

/** A request that waits for a confirmation. */
interface Waiting {
  /** Sends the request with the password, or after another confirmation. Rejects if the user can try again. */
  readonly send: (password: Password) => Promise<void>
  readonly cancel: () => void
}

const waiting = signal<Waiting | undefined>(undefined)

/**
 * Sends a request that may need a recent sign-in. If the server refuses it for that reason, the user confirms by the
 * password, a factor or a provider, and the request is sent once more. Rejects with the refusal if the user does not.
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

/** How the user can confirm, besides by a provider. */
const waysOf = async (client: SheafClient) => {
  const [me, factors] = await Promise.all([client.getMe(), client.listFactors({ limit: 100 })])
  const has = (kind: Schemas["Factor"]["kind"]) => factors.data.some((factor) => factor.kind === kind)
  return {
    hasPassword: passwords && me.has_password,
    hasApp: has("totp"),
    // Without factors there are no recovery codes.
    hasCode: factors.data.length > 0,
    hasPasskey: hasPasskeys && has("passkey")
  }
}

const PasswordDialog = ({ cancel, client, send }: Waiting & PasswordRequestProps) => {
  const known = useReading(() => waysOf(client), [client])
  const [password, setPassword] = useState("")
  const [code, setCode] = useState("")
  const [isAway, setIsAway] = useState(false)
  const { failure, run } = useAction()
  // The first field has the focus when the dialog opens.
  if (known.value === undefined && known.failure === undefined) return null
  const { hasApp, hasCode, hasPasskey, hasPassword } = known.value ?? {
    hasPassword: passwords,
    hasApp: false,
    hasCode: false,
    hasPasskey: false
  }
  const count = [hasPassword, hasCode, hasPasskey].filter(Boolean).length + providers.length
  const confirm = async (proof: Schemas["Confirm"]) => {
    await client.confirmSignIn(proof)
    await send({})
  }
  const byPasskey = async () => {
    const passkey = await (await loaded(() => import("../factors/Passkey.ts")))?.provePasskey(client)
    if (passkey !== undefined) await confirm({ passkey })
  }
  const submit = () =>
    password !== "" ? send({ current_password: password }) : code !== "" ? confirm({ code }) : send({})
  const isNeeded = count === 1 && !isAway
  return (
    <Dialog title={administrationTexts.password.title} onClose={cancel}>
      <Form onSubmit={() => run(submit)}>
        <p>
          {administrationTexts.password.lead} {count > 1 && administrationTexts.password.one}
        </p>
        <Failure failure={failure} messages={administrationTexts.password.problems} />
        {hasPassword && (
          <Field
            label={texts.account.password}
            type="password"
            autocomplete="current-password"
            autofocus
            required={isNeeded}
            value={password}
            onValue={setPassword}
          />
        )}
        {hasCode && <CodeField hasApp={hasApp} required={isNeeded} value={code} onValue={setCode} />}
        {hasPasskey && (
          <p>
            <Button onClick={() => void run(byPasskey)}>{administrationTexts.password.passkey}</Button>
          </p>
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

/** The places that can ask, the last of which does: that of a dialog is above the page. */
const places = signal<ReadonlyArray<string>>([])

/** A place where a request of the page asks for a confirmation. A request that waits ends with the place. */
export const PasswordRequest = ({ client }: PasswordRequestProps) => {
  const id = useId()
  useLayoutEffect(() => {
    places.value = [...places.value, id]
    return () => {
      places.value = places.value.filter((place) => place !== id)
      waiting.value?.cancel()
    }
  }, [])
  const asked = waiting.value
  return asked === undefined || places.value.at(-1) !== id ? null : <PasswordDialog client={client} {...asked} />
}
