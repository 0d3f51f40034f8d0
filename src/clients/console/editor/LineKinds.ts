import { isolateHistory } from "@codemirror/commands"
import type { ChangeSpec, EditorState, Line, StateCommand } from "@codemirror/state"
import { treeTo } from "./Formatting.ts"

/** What a line is: a heading, or an item of a list. */
export type ListKind = "bullet" | "number" | "task"

/** A line before its text: signs of quotes and white space, the mark of a list, and a box. */
const listStart = /^((?:[ \t]*>)*[ \t]*)((?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$))?(\[[ xX]\](?:[ \t]+|$))?/

/** The parts of a line. */
interface Parts {
  /** Characters before the mark. */
  readonly depth: number
  readonly mark: string
  readonly box: string
  readonly kind: ListKind | undefined
}

export const partsOf = (text: string): Parts => {
  const [, start = "", mark = "", box = ""] = listStart.exec(text)!
  const kind = mark === "" ? undefined : box !== "" ? "task" : /\d/.test(mark) ? "number" : "bullet"
  // Without a mark before it, a box is text.
  return { depth: start.length, mark, box: mark === "" ? "" : box, kind }
}

/** The lines that are selected, without code, and without blank ones unless one alone is selected. */
export const selectedLines = (state: EditorState): ReadonlyArray<Line> => {
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

/** Changes the selected lines, as one step of undo. */
export const changingLines =
  (changesOf: (lines: ReadonlyArray<Line>, state: EditorState) => ReadonlyArray<ChangeSpec>): StateCommand =>
  ({ dispatch, state }) => {
    const changes = state.changes([...changesOf(selectedLines(state), state)])
    if (changes.empty) return true
    dispatch(
      state.update({
        changes,
        selection: state.selection.map(changes, 1),
        annotations: isolateHistory.of("full"),
        userEvent: "input.line"
      })
    )
    return true
  }

/** The number of the item before a line, in a list of the same depth; 0 if there is none. */
const numberBefore = (state: EditorState, { number, text }: Line): number => {
  const wanted = partsOf(text).depth
  for (let at = number - 1; at > 0; at--) {
    const { depth, mark } = partsOf(state.doc.line(at).text)
    // Inner items of the item before.
    if (depth > wanted) continue
    return depth === wanted && /\d/.test(mark) ? Number.parseInt(mark, 10) : 0
  }
  return 0
}

const listing = (kind: ListKind, isToggled: boolean): StateCommand =>
  changingLines((lines, state) => {
    const isEnded = isToggled && lines.every(({ text }) => partsOf(text).kind === kind)
    /** The numbers of the last items, by their depth. */
    const numbers = new Map<number, number>()
    const nextOf = (line: Line, depth: number): number => {
      for (const inner of numbers.keys()) if (inner > depth) numbers.delete(inner)
      const next = (numbers.get(depth) ?? numberBefore(state, line)) + 1
      numbers.set(depth, next)
      return next
    }
    return lines.map((line) => {
      const { box, depth, mark } = partsOf(line.text)
      const from = line.from + depth
      const markOf = () =>
        kind === "bullet" ? "- " : kind === "number" ? `${nextOf(line, depth)}. ` : `- ${box || "[ ] "}`
      const insert = isEnded ? "" : markOf()
      return { from, to: from + mark.length + box.length, insert }
    })
  })

/** Makes items of a list of the selected lines, or text if all are such items. */
export const toggleList = (kind: ListKind): StateCommand => listing(kind, true)

/** Makes items of a list of the selected lines. */
export const setList = (kind: ListKind): StateCommand => listing(kind, false)

const headingMark = /^ {0,3}#{1,6}(?:[ \t]+|$)/

/** The level of a heading; 0 of other lines. */
const levelOf = (text: string): number => headingMark.exec(text)?.[0].trim().length ?? 0

const leveled = ({ from, text }: Line, level: number): ChangeSpec => ({
  from,
  to: from + (headingMark.exec(text)?.[0].length ?? 0),
  insert: level === 0 ? "" : `${"#".repeat(level)} `
})

/** Makes a heading of the next level of each selected line, and text of one of the third level. */
export const cycleHeading: StateCommand = changingLines((lines) => {
  const level = levelOf(lines[0]?.text ?? "")
  return lines.map((line) => leveled(line, level >= 3 ? 0 : level + 1))
})

/** Makes headings of the selected lines. */
export const setHeading = (level: number): StateCommand =>
  changingLines((lines) => lines.map((line) => leveled(line, level)))
