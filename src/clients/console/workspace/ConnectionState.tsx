import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { messageOf } from "../ui/Notices.tsx"
import { isRefusal, type Place } from "./Place.ts"

interface ConnectionStateProps {
  readonly place: Place
  readonly onWorkspace: (id: string) => void
}

/** Why no changes come, and what the user can do. It is empty while they come. */
export const ConnectionState = ({ onWorkspace, place }: ConnectionStateProps) => {
  const failure = place.failure.value
  if (failure === undefined) return null
  const { session, workspace } = place.account
  const own = session.workspace_id
  return (
    <div class="banner" role="status">
      <p>{isRefusal(failure) ? texts.noWorkspace : messageOf(failure)}</p>
      <Button onClick={() => void place.retry()}>{texts.retry}</Button>
      {isRefusal(failure) && own !== workspace && (
        <Button onClick={() => onWorkspace(own)}>{texts.openOwnWorkspace}</Button>
      )}
    </div>
  )
}
