import type { SheafError } from "../../client/SheafClient.ts"
import { errorsOf } from "./errorsOf.ts"
import { Field, type FieldProps } from "./Field.tsx"

interface EmailFieldProps extends Pick<FieldProps, "label" | "hint" | "value" | "onValue"> {
  /** The failure of the form. */
  readonly failure: SheafError | undefined
  /** Whether it is an address of the user, which browsers offer. */
  readonly isOwn?: boolean
}

/** The field `email` of a form, which is required, with what is wrong with its value. */
export const EmailField = ({ failure, isOwn = false, ...field }: EmailFieldProps) => (
  <Field {...field} error={errorsOf(failure)["email"]} type="email" autocomplete={isOwn ? "email" : "off"} required />
)
