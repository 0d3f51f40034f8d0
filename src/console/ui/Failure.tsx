import type { ProblemCode, SheafError } from "../../client/SheafClient.ts"
import { messageOf } from "./Notices.tsx"

interface FailureProps {
  readonly failure: SheafError | undefined
  /** Sentences for problems that mean something particular here. */
  readonly messages?: Partial<Record<ProblemCode, string>>
}

/** Why an action has failed, if it has. */
export const Failure = ({ failure, messages = {} }: FailureProps) =>
  failure === undefined ? null : (
    <p class="banner" role="alert">
      {messages[failure.problem.code] ?? messageOf(failure)}
    </p>
  )
