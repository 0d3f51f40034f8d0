import { isApple } from "../Keys.ts"
import { texts } from "../Messages.ts"
import { openStart } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import type { Place } from "../workspace/Place.ts"

interface NoSelectionProps {
  readonly place: Place
  readonly onNew: () => void
}

/** Actions while no note is open. */
export const NoSelection = ({ onNew, place }: NoSelectionProps) => (
  <div class="blank">
    <p>{texts.noSelection}</p>
    {place.canWrite.value && (
      <p class="actions">
        <Button onClick={onNew}>{texts.writeNote}</Button>
        <Button onClick={() => openStart("import")}>{texts.imports.menu}</Button>
      </p>
    )}
    <p class="hint">{texts.keysHint(isApple ? "⌘E" : "Ctrl-E")}</p>
  </div>
)
