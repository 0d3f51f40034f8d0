import type { Schemas } from "../../../client/SheafClient.ts"
import { texts } from "../ServerMessages.ts"

interface WorkspaceStateProps {
  readonly workspace: Schemas["ServerWorkspace"]
}

/** Whether a workspace is used, personal, deleted, or being erased. */
export const WorkspaceState = ({ workspace: { deleted_at, personal, purge_at } }: WorkspaceStateProps) => (
  <span>
    {deleted_at === null ? (
      texts.workspaces.present
    ) : (
      <span class="badge failed">{purge_at === null ? texts.workspaces.deleted : texts.workspaces.erasing}</span>
    )}{" "}
    {personal && <span class="badge">{texts.workspaces.personal}</span>}
  </span>
)
