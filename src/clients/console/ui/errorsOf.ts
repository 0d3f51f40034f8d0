import { isProblem, type SheafError } from "../../client/SheafClient.ts"
import { translation } from "../ChosenLanguage.ts"

/** Returns the error of each field of a form, by the name of the field. */
export const errorsOf = (failure: SheafError | undefined): Partial<Record<string, string>> =>
  isProblem(failure, "validation_failed")
    ? Object.fromEntries(
        failure.problem.errors.map(({ code, field, message }) => [field, translation?.fields[code] ?? message])
      )
    : {}
