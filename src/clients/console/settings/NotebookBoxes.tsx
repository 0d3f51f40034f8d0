import type { ComponentChildren } from "preact"
import type { Schemas } from "../../client/SheafClient.ts"
import { Check } from "../ui/Field.tsx"
import { nested, pathTo } from "../workspace/NestedNotebooks.ts"
import { texts } from "./SettingsMessages.ts"

type Notebook = Schemas["Notebook"]

interface NotebookBoxesProps {
  readonly label: string
  /** Whether only screen readers get the label, because the page shows it before. */
  readonly isLabelHidden?: boolean
  readonly notebooks: ReadonlyArray<Notebook>
  readonly chosen: ReadonlyArray<string>
  readonly onChoose: (chosen: ReadonlyArray<string>) => void
  /** What is next to the box of a chosen notebook. */
  readonly beside?: (notebook: Notebook) => ComponentChildren
}

/** A box for each notebook. Those inside of a chosen one go with it. */
export const NotebookBoxes = ({
  beside,
  chosen,
  isLabelHidden = false,
  label,
  notebooks,
  onChoose
}: NotebookBoxesProps) => {
  const around = (id: string) => pathTo(notebooks, id).slice(1)
  const choose = (id: string, isChosen: boolean) => {
    const others = chosen.filter((each) => each !== id && (!isChosen || !around(each).includes(id)))
    onChoose(isChosen ? [...others, id] : others)
  }
  return (
    <fieldset class="checks single">
      <legend class={isLabelHidden ? "visually-hidden" : ""}>{label}</legend>
      {nested(notebooks).map(({ depth, notebook }) => {
        const { id, name } = notebook
        const isInside = around(id).some((each) => chosen.includes(each))
        const isChosen = chosen.includes(id)
        return (
          <div key={id} class="check-row" style={{ paddingInlineStart: `${depth * 20}px` }}>
            <Check isChecked={isInside || isChosen} isDisabled={isInside} onCheck={(isNow) => choose(id, isNow)}>
              {name}
            </Check>
            {isChosen && beside?.(notebook)}
          </div>
        )
      })}
      <p class="hint">{texts.workspace.offline.inner}</p>
    </fieldset>
  )
}
