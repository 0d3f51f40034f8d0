import { useEffect, useState } from "preact/hooks"
import { type CopyState, keptNotebooks } from "../offline/CopyMarks.ts"
import type { Kept } from "../offline/KeptNotebooks.ts"
import { chooseCopy, endCopy, watchCopy } from "../offline/OfflineCopy.ts"
import { Check } from "../ui/Field.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import { nested, pathTo } from "../workspace/NestedNotebooks.ts"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

const { offline } = texts.workspace

interface ChosenProps extends Pick<SettingsProps, "store"> {
  readonly chosen: ReadonlyArray<string>
  readonly onChoose: (chosen: ReadonlyArray<string>) => void
}

/** A box for each notebook. Those inside of a chosen one are kept with it. */
const ChosenNotebooks = ({ chosen, onChoose, store }: ChosenProps) => {
  const notebooks = store.notebooks.value
  const around = (id: string) => pathTo(notebooks, id).slice(1)
  const choose = (id: string, isChosen: boolean) => {
    const others = chosen.filter((each) => each !== id && (!isChosen || !around(each).includes(id)))
    onChoose(isChosen ? [...others, id] : others)
  }
  return (
    <fieldset class="checks single">
      <legend>{offline.notebooks}</legend>
      {nested(notebooks).map(({ depth, notebook: { id, name } }) => {
        const isInside = around(id).some((each) => chosen.includes(each))
        return (
          <div key={id} style={{ paddingInlineStart: `${depth * 20}px` }}>
            <Check
              isChecked={isInside || chosen.includes(id)}
              isDisabled={isInside}
              onCheck={(isChosen) => choose(id, isChosen)}
            >
              {name}
            </Check>
          </div>
        )
      })}
      <p class="hint">{offline.inner}</p>
    </fieldset>
  )
}

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
      {isChosen && <ChosenNotebooks store={store} chosen={kept} onChoose={(chosen) => void choose(chosen)} />}
      <p role="status" class="hint">
        {isKept &&
          state !== undefined &&
          (state.isUnstored ? offline.unstored : offline.state(state.notes, state.isWhole))}
      </p>
    </Section>
  )
}
