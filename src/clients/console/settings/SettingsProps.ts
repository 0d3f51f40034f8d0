import type { Schemas } from "../../client/SheafClient.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** Properties of the pages of the settings. */
export interface SettingsProps {
  readonly store: WorkspaceStore
  /** The id in the address, if the page shows one thing of several. */
  readonly id: string | undefined
  /** Opens another workspace. */
  readonly onWorkspace: (id: string) => void
  /** Called after the name, the address or the locale of the account has changed. */
  readonly onUser: (user: Pick<Schemas["User"], "email" | "locale" | "name">) => void
  /** Called after the account was deleted. */
  readonly onDeleted: () => void
}
