import type { SheafError } from "../../client/SheafClient.ts"
import { errorsOf } from "./errorsOf.ts"
import { Field, type FieldProps } from "./Field.tsx"

interface NameFieldProps extends Pick<FieldProps, "autofocus" | "hint" | "label" | "onValue" | "required" | "value"> {
  /** The failure of the form. */
  readonly failure: SheafError | undefined
}

/** The field `name` of a form, with what is wrong with its value. */
export const NameField = ({ failure, ...field }: NameFieldProps) => (
  <Field {...field} error={errorsOf(failure)["name"]} autocomplete="off" maxLength={100} />
)
