import { isProblem, type SheafError } from "../../client/SheafClient.ts"

/** Returns the error of each field of a form, by the name of the field. */
export const errorsOf = (failure: SheafError | undefined): Partial<Record<string, string>> =>
  isProblem(failure, "validation_failed")
    ? Object.fromEntries(failure.problem.errors.map(({ field, message }) => [field, message]))
    : {}
