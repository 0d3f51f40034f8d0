import type { Schemas } from "../../../client/SheafClient.ts"
import { texts } from "../ServerMessages.ts"

/** Whether a user is suspended or an operator. */
export const UserState = ({ user: { operator, suspended_at } }: { readonly user: Schemas["ServerUser"] }) => (
  <span>
    {suspended_at === null ? texts.users.usual : <span class="badge failed">{texts.users.suspended}</span>}{" "}
    {operator && <span class="badge">{texts.users.operator}</span>}
  </span>
)
