import { useState } from "preact/hooks"
import { isProblem } from "../../client/SheafClient.ts"
import { passwords, providers } from "../PageData.ts"
import { Button } from "../ui/Button.tsx"
import { EmailField } from "../ui/EmailField.tsx"
import { errorsOf } from "../ui/errorsOf.ts"
import { Failure } from "../ui/Failure.tsx"
import { Field } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { notify } from "../ui/Notices.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Question } from "../ui/Question.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import { IdentitiesSection } from "./IdentitiesSection.tsx"
import { ProfileForm } from "./ProfileForm.tsx"
import { texts } from "./SettingsMessages.ts"
import { AppearanceSection } from "./AppearanceSection.tsx"
import type { SettingsProps } from "./SettingsProps.ts"

const CurrentPassword = ({ onValue, value }: { readonly value: string; readonly onValue: (value: string) => void }) => (
  <Field
    label={texts.currentPassword}
    type="password"
    autocomplete="current-password"
    // A user who signs in by a provider may have none.
    required={providers.length === 0}
    value={value}
    onValue={onValue}
  />
)

const given = (current_password: string) => (current_password === "" ? {} : { current_password })

const EmailForm = ({ onUser, store }: Pick<SettingsProps, "onUser" | "store">) => {
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
    <Section title={texts.account.email} lead={store.account.email}>
      <Form class="form" onSubmit={() => run(submit)}>
        <Failure failure={failure} messages={texts.passwordProblems} fields={["email"]} />
        <EmailField
          label={texts.account.newEmail}
          hint={texts.account.emailHint}
          failure={failure}
          isOwn
          value={email}
          onValue={setEmail}
        />
        <CurrentPassword value={current_password} onValue={setPassword} />
        <p class="actions">
          <Button kind="main" type="submit">
            {texts.account.changeEmail}
          </Button>
        </p>
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
    <Section title={texts.account.password} lead={texts.account.passwordHint}>
      <Form class="form" onSubmit={() => run(submit)}>
        <Failure failure={failure} messages={texts.passwordProblems} fields={["new_password"]} />
        <CurrentPassword value={current_password} onValue={setCurrent} />
        <Field
          label={texts.account.newPassword}
          hint={texts.account.newPasswordHint}
          error={errorsOf(failure)["new_password"]}
          type="password"
          autocomplete="new-password"
          required
          value={new_password}
          onValue={setNew}
        />
        <p class="actions">
          <Button kind="main" type="submit">
            {texts.account.changePassword}
          </Button>
        </p>
      </Form>
    </Section>
  )
}

const AccountEnd = ({ onDeleted, store }: Pick<SettingsProps, "onDeleted" | "store">) => {
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
            ...texts.passwordProblems,
            ...(owned.length === 0 ? {} : { last_owner: texts.account.lastOwner(owned) })
          }}
          onConfirm={remove}
          onClose={() => (setIsAsking(false), setPassword(""))}
        >
          <CurrentPassword value={current_password} onValue={setPassword} />
        </Question>
      )}
    </Section>
  )
}

/** The account of the user. */
export const AccountPage = ({ onDeleted, onUser, store }: SettingsProps) => (
  <>
    <ProfileForm store={store} onUser={onUser} />
    <AppearanceSection />
    <EmailForm store={store} onUser={onUser} />
    {providers.length > 0 && <IdentitiesSection store={store} />}
    {passwords && <PasswordForm store={store} />}
    <AccountEnd store={store} onDeleted={onDeleted} />
  </>
)
