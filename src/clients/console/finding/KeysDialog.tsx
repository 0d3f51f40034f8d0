import { isApple, keyName } from "../Keys.ts"
import { chooseSingleKeys, hasSingleKeys } from "../ShownOverlay.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { Check } from "../ui/Field.tsx"
import { texts } from "./FindingMessages.ts"
import { type KeyPlace, keyTable } from "./KeyTable.ts"

const places = Object.entries(texts.keys.places) as ReadonlyArray<readonly [KeyPlace, string]>

/** The parts of a row of keys: combinations, which are shown as keys, and the words between them. */
const partsOf = (keys: string): ReadonlyArray<string> =>
  keys.replaceAll("`", "").split(/( or |, then | in a list|[,;] )/)

/** All keys, and a switch for those without Ctrl. */
export const KeysDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title={texts.keys.title} isWide onClose={onClose}>
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
                    {partsOf(keys).map((part, index) =>
                      index % 2 === 0 ? part && <kbd key={index}>{keyName(part, isApple)}</kbd> : part
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
