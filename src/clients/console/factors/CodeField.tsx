import { administrationTexts } from "../ui/AdministrationMessages.ts"
import { Field } from "../ui/Field.tsx"

interface CodeFieldProps {
  /** Whether the account has an authenticator app. Without one it has recovery codes only. */
  readonly hasApp: boolean
  readonly required: boolean
  readonly value: string
  readonly onValue: (value: string) => void
}

/** The code of an authenticator app, or a recovery code, which has letters. */
export const CodeField = ({ hasApp, ...field }: CodeFieldProps) => (
  <Field
    label={hasApp ? administrationTexts.password.code : administrationTexts.password.recoveryCode}
    autocomplete="one-time-code"
    autofocus
    maxLength={64}
    {...field}
  />
)
