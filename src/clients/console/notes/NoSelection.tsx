import { keyName } from "../Keys.ts"
import { texts } from "../Messages.ts"
import { openStart } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

interface NoSelectionProps {
  readonly store: WorkspaceStore
  readonly onNew: () => void
}

/** Keys while no note is open, and in a workspace without notes the ways to the first ones. */
export const NoSelection = ({ onNew, store }: NoSelectionProps) => (
  <div class="blank">
    {store.isReady.value && !store.hasNotes.value && store.canWrite.value && (
      <>
        <p>{texts.noSelection}</p>
        <p class="actions">
          <Button onClick={onNew}>{texts.writeNote}</Button>
          <Button onClick={() => openStart("import")}>{texts.importNotes}</Button>
        </p>
      </>
    )}
    <p class="hint">{texts.keysHint(keyName("Ctrl-K"), keyName("Ctrl-E"))}</p>
  </div>
)
