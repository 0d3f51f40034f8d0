import { isolateHistory } from "@codemirror/commands"
import type { ChangeSpec, EditorState, Line, StateCommand, TransactionSpec } from "@codemirror/state"
import { boxOf } from "../../../../services/markdown/TaskLines.ts"
import { treeTo } from "./Formatting.ts"

/** The signs of quotes and of a list before the text of a line. */
const listStart = /^((?:[ \t]*>)*[ \t]*)((?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$))?/

/** The lines that are selected, without blank ones and code, unless one alone is selected. */
const selectedLines = (state: EditorState): ReadonlyArray<Line> => {
  const { from, to } = state.selection.main
  const tree = treeTo(state, to)
  const lines: Array<Line> = []
  for (let at = from; at <= to;) {
    const line = state.doc.lineAt(at)
    const isCode = ["FencedCode", "CodeText", "CodeMark"].includes(tree.resolveInner(line.from, 1).name)
    const isAlone = line.from <= from && line.to >= to
    if (!isCode && (isAlone || line.text.trim() !== "")) lines.push(line)
    at = line.to + 1
  }
  return lines
}

const box = ({ from }: Line, column: number, isTicked: boolean): ChangeSpec => ({
  from: from + column,
  to: from + column + 1,
  insert: isTicked ? "x" : " "
})

/** Ticks the selected tasks, or empties their boxes if all are ticked. Other lines become tasks first. */
export const toggleTask: StateCommand = ({ dispatch, state }) => {
  const lines = selectedLines(state)
  const boxes = lines.map(({ text }) => boxOf(text))
  const isTicked = !boxes.every((each) => each?.isTicked === true)
  const areTasks = boxes.every((each) => each !== undefined)
  const changes = state.changes(
    lines.flatMap((line, index): ReadonlyArray<ChangeSpec> => {
      const each = boxes[index]
      if (areTasks) return each!.isTicked === isTicked ? [] : [box(line, each!.column, isTicked)]
      if (each !== undefined) return []
      const [start = "", , mark = ""] = listStart.exec(line.text)!
      return [{ from: line.from + start.length, insert: `${mark === "" ? "- " : /\s$/.test(mark) ? "" : " "}[ ] ` }]
    })
  )
  if (changes.empty) return true
  dispatch(
    state.update({
      changes,
      selection: state.selection.map(changes, 1),
      annotations: isolateHistory.of("full"),
      userEvent: "input.task"
    })
  )
  return true
}

/** Changes the box of a task at a place. */
export const toggledBox = (state: EditorState, place: number): TransactionSpec | undefined => {
  const line = state.doc.lineAt(place)
  const found = boxOf(line.text)
  if (found === undefined) return undefined
  const changes = box(line, found.column, !found.isTicked)
  return { changes, annotations: isolateHistory.of("full"), userEvent: "input.task" }
}
