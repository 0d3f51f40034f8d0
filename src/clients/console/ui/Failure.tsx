import { isProblem, type ProblemCode, type SheafError } from "../../client/SheafClient.ts"
import { messageOf } from "./Notices.tsx"

interface FailureProps {
  readonly failure: SheafError | undefined
  /** Sentences for problems that mean something particular here. */
  readonly messages?: Partial<Record<ProblemCode, string>> | undefined
  /** Fields that show what is wrong with them themselves. */
  readonly fields?: ReadonlyArray<string>
}

/** Why an action has failed, if it has. */
export const Failure = ({ failure, fields = [], messages = {} }: FailureProps) => {
  if (failure === undefined) return null
  const message = messages[failure.problem.code]
  const isAtFields =
    isProblem(failure, "validation_failed") && failure.problem.errors.every(({ field }) => fields.includes(field))
  return message === undefined && isAtFields ? null : (
    <p class="banner" role="alert">
      {message ?? messageOf(failure)}
    </p>
  )
}
