import { useState } from "preact/hooks"
import { isProblem, SheafError } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { hasPasskeys, passwords, type Provider, providers, signInUrl, signUp as policy } from "../PageData.ts"
import { Button } from "../ui/Button.tsx"
import { errorsOf } from "../ui/errorsOf.ts"
import { Form } from "../ui/Form.tsx"
import { Field } from "../ui/Field.tsx"
import { lazily } from "../ui/lazily.tsx"
import { loaded, messageOf } from "../ui/Notices.tsx"
import { openClient, signIn, signInWith, signUp } from "./AccountStore.ts"
import { type Account, rememberPage, withDevice } from "./KeptAccounts.ts"

const SecondStep = lazily(async () => (await import("../factors/FactorParts.ts")).SecondStep)

const byPasskey = async (): Promise<Account | undefined> => {
  const proof = await (await loaded(() => import("../factors/Passkey.ts")))?.provePasskey(openClient())
  return proof && signInWith(proof)
}

type Way = "signIn" | "signUp" | "forgot"

interface SignInProps {
  readonly onSignedIn: (account: Account) => void
  /** The address of an account whose session has ended. */
  readonly email?: string | undefined
  /** An address that can be changed. */
  readonly suggestion?: string | undefined
}

/** The address of a provider, with the invitation that led here. */
const addressOf = (provider: Provider, invitation: string | null): string => {
  const url = new URL(withDevice(signInUrl(provider)))
  if (invitation !== null) url.searchParams.set("invitation", invitation)
  return url.href
}

/** The form to sign in, to create an account, and to get a mail with a new password. */
export const SignIn = ({ onSignedIn, suggestion, ...known }: SignInProps) => {
  const invited = new URLSearchParams(location.search).get("invitation")
  const [way, setWay] = useState<Way>(invited === null ? "signIn" : "signUp")
  const [email, setEmail] = useState(known.email ?? suggestion ?? "")
  const [password, setPassword] = useState("")
  const [name, setName] = useState("")
  const [invitation, setInvitation] = useState(invited ?? "")
  const [isBusy, setIsBusy] = useState(false)
  const [isSent, setIsSent] = useState(false)
  const [failure, setFailure] = useState<SheafError>()
  const errors = errorsOf(failure)
  const enter = async (): Promise<Account | undefined> => {
    if (way === "signIn") return signIn({ email, password })
    if (way === "forgot") {
      await openClient().forgotPassword({ email })
      setIsSent(true)
      return undefined
    }
    const optional = {
      ...(name === "" ? {} : { name }),
      ...(invitation === "" ? {} : { invitation_token: invitation })
    }
    return signUp({ email, password, ...optional })
  }
  const submit = async (entering: () => Promise<Account | undefined>) => {
    setIsBusy(true)
    setFailure(undefined)
    try {
      const account = await entering()
      if (account !== undefined) onSignedIn(account)
    } catch (error) {
      if (!(error instanceof SheafError)) throw error
      setFailure(error)
    } finally {
      setIsBusy(false)
    }
  }
  const other = (to: Way, label: string) => (
    <button type="button" class="link" onClick={() => (setWay(to), setFailure(undefined), setIsSent(false))}>
      {label}
    </button>
  )
  const lead = {
    signIn: texts.account.signInLead,
    signUp: texts.account.signUpLeads[policy],
    forgot: texts.account.forgotLead
  }
  if (isProblem(failure, "second_factor_required")) {
    return (
      <SecondStep
        factors={failure.problem.factors}
        onCode={(code) => signIn({ email, password, code })}
        onPasskey={byPasskey}
        onSignedIn={onSignedIn}
        onClose={() => setFailure(undefined)}
      />
    )
  }
  const refusal = failure !== undefined && Object.keys(errors).length === 0 && (
    <p class="banner" role="alert">
      {messageOf(failure)}
    </p>
  )
  const others = (
    <>
      {hasPasskeys && (way === "signIn" || !passwords) && (
        <Button isDisabled={isBusy} onClick={() => void submit(byPasskey)}>
          {texts.account.byPasskey}
        </Button>
      )}
      {providers.map((provider) => (
        <a
          key={provider.number}
          class={`button ${passwords ? "" : "main"}`}
          href={addressOf(provider, invited)}
          onClick={() => rememberPage(location.href)}
        >
          {texts.account.by(provider.name)}
        </a>
      ))}
    </>
  )
  if (!passwords) {
    return (
      <div class="sign-in">
        <p class="lead">{texts.account.signInLead}</p>
        {refusal}
        {others}
      </div>
    )
  }
  return (
    <Form class="sign-in" onSubmit={() => submit(enter)}>
      <p class="lead">{lead[way]}</p>
      {refusal}
      {isSent && (
        <p class="banner" role="status">
          {texts.account.linkSent}
        </p>
      )}
      {way === "signUp" && (
        <>
          <Field
            label={texts.account.invitation}
            hint={texts.account.invitationHint}
            error={errors["invitation_token"]}
            value={invitation}
            autocomplete="off"
            onValue={setInvitation}
          />
          <Field
            label={texts.account.name}
            error={errors["name"]}
            value={name}
            autocomplete="name"
            maxLength={100}
            onValue={setName}
          />
        </>
      )}
      <Field
        label={texts.account.email}
        error={errors["email"]}
        type="email"
        required
        autocomplete="username"
        value={email}
        readOnly={known.email !== undefined}
        onValue={setEmail}
      />
      {way !== "forgot" && (
        <Field
          label={texts.account.password}
          error={errors["password"]}
          hint={way === "signUp" ? texts.account.passwordHint : undefined}
          type="password"
          autofocus={(known.email ?? suggestion) !== undefined}
          required
          autocomplete={way === "signUp" ? "new-password" : "current-password"}
          value={password}
          onValue={setPassword}
        />
      )}
      <Button kind="main" type="submit" isDisabled={isBusy}>
        {way === "forgot" ? texts.account.sendLink : texts.account[way]}
      </Button>
      {way !== "forgot" && others}
      {known.email === undefined && (
        <p class="ways">
          {way !== "signIn" && other("signIn", texts.account.signIn)}
          {way !== "signUp" && (policy === "open" || invited !== null) && other("signUp", texts.account.signUp)}
          {way !== "forgot" && other("forgot", texts.account.forgot)}
        </p>
      )}
    </Form>
  )
}
