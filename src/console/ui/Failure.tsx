import type { SheafError } from "../../client/SheafClient.ts"
import { messageOf } from "./Notices.tsx"

/** Why an action of a dialog has failed, if it has. */
export const Failure = ({ failure }: { readonly failure: SheafError | undefined }) =>
  failure === undefined ? null : (
    <p class="banner" role="alert">
      {messageOf(failure)}
    </p>
  )
