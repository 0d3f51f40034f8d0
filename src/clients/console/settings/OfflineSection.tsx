import { useEffect, useState } from "preact/hooks"
import { isKept } from "../DeviceSettings.ts"
import { beginCopy, type CopyState, endCopy, keepCopy, watchCopy } from "../offline/OfflineCopy.ts"
import { Check } from "../ui/Field.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

const { offline } = texts.workspace

/** Whether the notes of the workspace are kept on this device, and how far that has come. */
export const OfflineSection = ({ store }: Pick<SettingsProps, "store">) => {
  const [isOn, setIsOn] = useState(isKept(store.account))
  const [state, setState] = useState<CopyState>()
  const { failure, run } = useAction()
  useEffect(() => (isOn ? watchCopy(store, setState) : setState(undefined)), [isOn])
  const change = async (isWanted: boolean) => {
    setIsOn(isWanted)
    try {
      await (isWanted ? beginCopy(store) : endCopy(store))
    } finally {
      setIsOn(isKept(store.account))
    }
    if (isWanted) void keepCopy(store)
  }
  return (
    <Section title={offline.title} lead={offline.hint}>
      <Failure failure={failure} />
      <Check isChecked={isOn} onCheck={(isWanted) => void run(() => change(isWanted))}>
        {offline.keep}
      </Check>
      <p role="status" class="hint">
        {isOn &&
          state !== undefined &&
          (state.isUnstored ? offline.unstored : offline.state(state.notes, state.isWhole))}
      </p>
    </Section>
  )
}
