import { useEffect, useState } from "preact/hooks"
import { type CopyState, keptNotebooks } from "../offline/CopyMarks.ts"
import type { Kept } from "../offline/KeptNotebooks.ts"
import { chooseCopy, endCopy, watchCopy } from "../offline/OfflineCopy.ts"
import { Failure } from "../ui/Failure.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import { nested } from "../workspace/NestedNotebooks.ts"
import { NotebookBoxes } from "./NotebookBoxes.tsx"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

const { offline } = texts.workspace

/** Which notes of the workspace are kept on this device, and how far that has come. */
export const OfflineSection = ({ store }: Pick<SettingsProps, "store">) => {
  const [kept, setKept] = useState(keptNotebooks(store.account))
  const [state, setState] = useState<CopyState>()
  const { failure, run } = useAction()
  const isKept = kept !== undefined
  useEffect(() => (isKept ? watchCopy(store, setState) : setState(undefined)), [isKept])
  const choose = (wanted: Kept | undefined) =>
    run(async () => {
      setKept(wanted)
      try {
        await (wanted === undefined ? endCopy(store) : chooseCopy(store, wanted))
      } finally {
        setKept(keptNotebooks(store.account))
      }
    })
  const isChosen = isKept && kept !== "all"
  // What is on the device stays there until a notebook is left out.
  const top = () => nested(store.notebooks.value).flatMap(({ depth, notebook: { id } }) => (depth === 0 ? [id] : []))
  const option = (label: string, isChecked: boolean, wanted: Kept | undefined) => (
    <label class="check">
      <input type="radio" name="kept" checked={isChecked} onChange={() => void choose(wanted)} />
      <span>{label}</span>
    </label>
  )
  return (
    <Section title={offline.title} lead={offline.hint}>
      <Failure failure={failure} />
      <div role="radiogroup" aria-label={offline.title}>
        {option(offline.nothing, !isKept, undefined)}
        {option(offline.all, kept === "all", "all")}
        {option(offline.chosen, isChosen, kept === "all" ? top() : [])}
      </div>
      {isChosen && (
        <NotebookBoxes
          label={offline.notebooks}
          notebooks={store.notebooks.value}
          chosen={kept}
          onChoose={(chosen) => void choose(chosen)}
        />
      )}
      <p role="status" class="hint">
        {isKept &&
          state !== undefined &&
          (state.isUnstored ? offline.unstored : offline.state(state.notes, state.isWhole))}
      </p>
    </Section>
  )
}
