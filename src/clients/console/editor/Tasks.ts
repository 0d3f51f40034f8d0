import { isolateHistory } from "@codemirror/commands"
import type { ChangeSpec, EditorState, Line, StateCommand, TransactionSpec } from "@codemirror/state"
import { boxOf } from "../../../../services/markdown/contents/TaskLines.ts"
import { changingLines, partsOf } from "./LineKinds.ts"

const box = ({ from }: Line, column: number, isTicked: boolean): ChangeSpec => ({
  from: from + column,
  to: from + column + 1,
  insert: isTicked ? "x" : " "
})

/** Ticks the selected tasks, or empties their boxes if all are ticked. Other lines become tasks first. */
export const toggleTask: StateCommand = changingLines((lines) => {
  const boxes = lines.map(({ text }) => boxOf(text))
  const areTasks = boxes.every((each) => each !== undefined)
  const isTicked = !boxes.every((each) => each?.isTicked === true)
  return lines.flatMap((line, index): ReadonlyArray<ChangeSpec> => {
    const each = boxes[index]
    if (areTasks) return each!.isTicked === isTicked ? [] : [box(line, each!.column, isTicked)]
    if (each !== undefined) return []
    const { depth, mark } = partsOf(line.text)
    return [
      { from: line.from + depth + mark.length, insert: `${mark === "" ? "- " : /\s$/.test(mark) ? "" : " "}[ ] ` }
    ]
  })
})

/** Changes the box of a task at a place. */
export const toggledBox = (state: EditorState, place: number): TransactionSpec | undefined => {
  const line = state.doc.lineAt(place)
  const found = boxOf(line.text)
  if (found === undefined) return undefined
  const changes = box(line, found.column, !found.isTicked)
  return { changes, annotations: isolateHistory.of("full"), userEvent: "input.task" }
}
