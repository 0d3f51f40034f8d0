import { useEffect, useState } from "preact/hooks"
import { type Language, languageIn, languageOf, languages } from "../../../../services/languages/Language.ts"
import type { Schemas } from "../../client/SheafClient.ts"
import { Submit } from "../ui/Submit.tsx"
import { Check, Field } from "../ui/Field.tsx"
import { errorsOf } from "../ui/errorsOf.ts"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { notify } from "../ui/Notices.tsx"
import { Section } from "../ui/Section.tsx"
import { Select } from "../ui/Select.tsx"
import { useAction } from "../ui/useAction.ts"
import { texts as main } from "../Messages.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

type Profile = Pick<Schemas["User"], "name" | "locale" | "timezone" | "security_mails">

/** The languages by their own names. The Chinese texts are in simplified characters. */
const choices = languages.map((language) => {
  const tag = language === "zh" ? "zh-Hans" : language
  const name = new Intl.DisplayNames(tag, { type: "language" }).of(tag) ?? tag
  return [language, name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)] as const
})

/** The locale of a language: that of the browser, which has a region, or else the language. */
const localeOf = (language: Language): string =>
  navigator.languages.find((locale) => languageOf(locale) === language) ?? language

/** The name, the language, the time zone and the mails of the user. */
export const ProfileForm = ({ onUser, store }: Pick<SettingsProps, "onUser" | "store">) => {
  const [profile, setProfile] = useState<Profile>()
  const { failure, run } = useAction()
  useEffect(() => {
    // Again when the server is reached, if it was away.
    if (profile === undefined) void run(async () => setProfile(await store.client.getMe()))
  }, [store.connections.value])
  const errors = errorsOf(failure)
  const save = async ({ locale, name, security_mails, timezone }: Profile) => {
    const user = await store.client.updateMe({ name, locale, security_mails, timezone })
    notify(words.saved)
    onUser(user)
  }
  return (
    <Section title={texts.account.profile}>
      <Failure failure={failure} fields={["name", "locale", "timezone"]} />
      {profile !== undefined && (
        <Form class="form" onSubmit={() => run(() => save(profile))}>
          <Field
            label={main.account.name}
            error={errors["name"]}
            autocomplete="name"
            required
            maxLength={100}
            value={profile.name}
            onValue={(name) => setProfile({ ...profile, name })}
          />
          <Select
            label={texts.account.language}
            hint={texts.account.languageHint}
            options={choices}
            value={languageIn([profile.locale])}
            onValue={(language) => setProfile({ ...profile, locale: localeOf(language) })}
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
          <Submit label={texts.account.save} />
        </Form>
      )}
    </Section>
  )
}
