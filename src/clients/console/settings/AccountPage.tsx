import { useEffect, useState } from "preact/hooks"
import { isProblem } from "../../client/SheafClient.ts"
import { texts as main } from "../Messages.ts"
import { passwords, providers } from "../PageData.ts"
import { Button } from "../ui/Button.tsx"
import { Submit } from "../ui/Submit.tsx"
import { EmailField } from "../ui/EmailField.tsx"
import { errorsOf } from "../ui/errorsOf.ts"
import { Failure } from "../ui/Failure.tsx"
import { Field } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { loaded, notify } from "../ui/Notices.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Question } from "../ui/Question.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import { useReading } from "../ui/useReading.ts"
import { IdentitiesSection } from "./IdentitiesSection.tsx"
import { ProfileForm } from "./ProfileForm.tsx"
import { administrationTexts, words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"
import { AppearanceSection } from "./AppearanceSection.tsx"
import type { SettingsProps } from "./SettingsProps.ts"

interface CurrentPasswordProps {
  /** Whether the user has one; undefined if that is not known. */
  readonly hasPassword: boolean | undefined
  readonly value: string
  readonly onValue: (value: string) => void
}

const CurrentPassword = ({ hasPassword, onValue, value }: CurrentPasswordProps) =>
  hasPassword === false ? null : (
    <Field
      label={texts.currentPassword}
      type="password"
      autocomplete="current-password"
      required={hasPassword === true}
      value={value}
      onValue={onValue}
    />
  )

const given = (current_password: string) => (current_password === "" ? {} : { current_password })

type PartProps = Pick<SettingsProps, "store"> & Pick<CurrentPasswordProps, "hasPassword">

const EmailForm = ({ hasPassword, onUser, store }: PartProps & Pick<SettingsProps, "onUser">) => {
  const [email, setEmail] = useState("")
  const [current_password, setPassword] = useState("")
  const { failure, run } = useAction()
  const submit = async () => {
    const user = await withPassword((proof) => store.client.updateMe({ email, ...given(current_password), ...proof }))
    setEmail("")
    setPassword("")
    notify(texts.account.emailChanged)
    onUser(user)
  }
  return (
    <Section title={words.email} lead={store.account.email}>
      <Form class="form" onSubmit={() => run(submit)}>
        <Failure failure={failure} messages={administrationTexts.password.problems} fields={["email"]} />
        <EmailField
          label={texts.account.newEmail}
          hint={texts.account.emailHint}
          failure={failure}
          isOwn
          value={email}
          onValue={setEmail}
        />
        <CurrentPassword hasPassword={hasPassword} value={current_password} onValue={setPassword} />
        <Submit label={texts.account.changeEmail} />
      </Form>
    </Section>
  )
}

const PasswordForm = ({ store }: Pick<SettingsProps, "store">) => {
  const [current_password, setCurrent] = useState("")
  const [new_password, setNew] = useState("")
  const { failure, run } = useAction()
  const submit = async () => {
    await store.client.changePassword({ current_password, new_password })
    setCurrent("")
    setNew("")
    notify(texts.account.passwordChanged)
  }
  return (
    <Section title={words.password} lead={texts.account.passwordHint}>
      <Form class="form" onSubmit={() => run(submit)}>
        <Failure failure={failure} messages={administrationTexts.password.problems} fields={["new_password"]} />
        <CurrentPassword hasPassword value={current_password} onValue={setCurrent} />
        <Field
          label={texts.account.newPassword}
          hint={main.account.passwordHint}
          error={errorsOf(failure)["new_password"]}
          type="password"
          autocomplete="new-password"
          required
          value={new_password}
          onValue={setNew}
        />
        <Submit label={texts.account.changePassword} />
      </Form>
    </Section>
  )
}

const AccountEnd = ({ hasPassword, onDeleted, store }: PartProps & Pick<SettingsProps, "onDeleted">) => {
  const [isAsking, setIsAsking] = useState(false)
  const [current_password, setPassword] = useState("")
  const [owned, setOwned] = useState<ReadonlyArray<string>>([])
  const remove = async () => {
    setOwned([])
    try {
      await withPassword((proof) => store.client.deleteMe({ ...given(current_password), ...proof }))
    } catch (error) {
      if (isProblem(error, "last_owner")) setOwned((error.problem.workspaces ?? []).map(({ name }) => `“${name}”`))
      throw error
    }
    onDeleted()
  }
  return (
    <Section title={texts.account.end} lead={texts.account.endHint}>
      <p class="actions start">
        <Button kind="danger" onClick={() => setIsAsking(true)}>
          {texts.account.endAction}
        </Button>
      </p>
      {isAsking && (
        <Question
          title={texts.account.end}
          lead={texts.account.endConfirm}
          action={texts.account.endButton}
          messages={{
            ...administrationTexts.password.problems,
            ...(owned.length === 0 ? {} : { last_owner: texts.account.lastOwner(owned) })
          }}
          onConfirm={remove}
          onClose={() => (setIsAsking(false), setPassword(""))}
        >
          <CurrentPassword hasPassword={hasPassword} value={current_password} onValue={setPassword} />
        </Question>
      )}
    </Section>
  )
}

/** The account of the user. */
export const AccountPage = ({ onDeleted, onUser, store }: SettingsProps) => {
  const { client } = store
  const { failure, value: me } = useReading(() => client.getMe(), [client, store.connections.value])
  // No field appears for a user without a password, not even while the account is read.
  const hasPassword = !passwords || (me === undefined && failure === undefined) ? false : me?.has_password
  const [parts, setParts] = useState<typeof import("../factors/FactorParts.ts")>()
  useEffect(() => void loaded(() => import("../factors/FactorParts.ts")).then(setParts), [])
  return (
    <>
      <ProfileForm store={store} onUser={onUser} />
      <AppearanceSection />
      <EmailForm store={store} hasPassword={hasPassword} onUser={onUser} />
      {providers.length > 0 && <IdentitiesSection store={store} />}
      {hasPassword === true && <PasswordForm store={store} />}
      {parts !== undefined && <parts.FactorsSection client={client} email={store.account.email} />}
      <AccountEnd store={store} hasPassword={hasPassword} onDeleted={onDeleted} />
    </>
  )
}
