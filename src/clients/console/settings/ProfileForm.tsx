import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { Button } from "../ui/Button.tsx"
import { Check, Field } from "../ui/Field.tsx"
import { errorsOf } from "../ui/errorsOf.ts"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { notify } from "../ui/Notices.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

type Profile = Pick<Schemas["User"], "name" | "timezone" | "security_mails">

/** The name, the time zone and the mails of the user. */
export const ProfileForm = ({ onUser, store }: Pick<SettingsProps, "onUser" | "store">) => {
  const [profile, setProfile] = useState<Profile>()
  const { failure, run } = useAction()
  useEffect(() => {
    // Again when the server is reached, if it was away.
    if (profile === undefined) void run(async () => setProfile(await store.client.getMe()))
  }, [store.connections.value])
  const errors = errorsOf(failure)
  const save = async ({ name, security_mails, timezone }: Profile) => {
    const user = await store.client.updateMe({ name, security_mails, timezone })
    notify(texts.saved)
    onUser(user)
  }
  return (
    <Section title={texts.account.profile}>
      <Failure failure={failure} fields={["name", "timezone"]} />
      {profile !== undefined && (
        <Form class="form" onSubmit={() => run(() => save(profile))}>
          <Field
            label={texts.account.name}
            error={errors["name"]}
            autocomplete="name"
            required
            maxLength={100}
            value={profile.name}
            onValue={(name) => setProfile({ ...profile, name })}
          />
          <Field
            label={texts.account.timezone}
            hint={texts.account.timezoneHint}
            error={errors["timezone"]}
            autocomplete="off"
            required
            choices={Intl.supportedValuesOf("timeZone")}
            value={profile.timezone}
            onValue={(timezone) => setProfile({ ...profile, timezone })}
          />
          <Check
            isChecked={profile.security_mails}
            onCheck={(security_mails) => setProfile({ ...profile, security_mails })}
          >
            {texts.account.securityMails}
          </Check>
          <p class="actions">
            <Button kind="main" type="submit">
              {texts.account.save}
            </Button>
          </p>
        </Form>
      )}
    </Section>
  )
}
