import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { messageOf } from "../ui/Notices.tsx"
import { isRefusal, type WorkspaceStore } from "./WorkspaceStore.ts"

interface ConnectionStateProps {
  readonly store: WorkspaceStore
  readonly onWorkspace: (id: string) => void
}

/** Why no changes come, and what the user can do. It is empty while they come. */
export const ConnectionState = ({ onWorkspace, store }: ConnectionStateProps) => {
  const failure = store.failure.value
  if (failure === undefined) return null
  const { session, workspace } = store.account
  const own = session.workspace_id
  return (
    <div class="banner" role="status">
      <p>{isRefusal(failure) ? texts.noWorkspace : messageOf(failure)}</p>
      <Button onClick={() => void store.retry()}>{texts.retry}</Button>
      {isRefusal(failure) && own !== workspace && (
        <Button onClick={() => onWorkspace(own)}>{texts.openOwnWorkspace}</Button>
      )}
    </div>
  )
}
