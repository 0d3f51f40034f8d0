import { isApple, keyName } from "../Keys.ts"
import { chooseSingleKeys, hasSingleKeys } from "../ShownOverlay.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { Check } from "../ui/Field.tsx"
import { texts } from "./FindingMessages.ts"
import { keyParts, type KeyPlace, keyTable } from "./KeyTable.ts"

const places = Object.entries(texts.keys.places) as ReadonlyArray<readonly [KeyPlace, string]>

/** All keys, and a switch for those without Ctrl. */
export const KeysDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title={texts.commands.keys.title} isWide onClose={onClose}>
    <div class="key-table">
      {places.map(([place, name]) => (
        <section key={place}>
          <h3>{name}</h3>
          <dl>
            {keyTable
              .filter((row) => row.place === place)
              .map(({ action, keys }) => (
                <div key={keys}>
                  <dt>
                    {keyParts(keys).map((part, index) =>
                      index % 2 === 0 ? part : <kbd key={index}>{keyName(part, isApple)}</kbd>
                    )}
                  </dt>
                  <dd>{action}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </div>
    <Check isChecked={hasSingleKeys.value} onCheck={chooseSingleKeys}>
      {texts.keys.single}
    </Check>
  </Dialog>
)
