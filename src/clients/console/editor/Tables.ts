import type { ChangeSpec, EditorState, Line, StateCommand } from "@codemirror/state"
import { nodeAround, treeTo } from "./Formatting.ts"

/** Maximum number of cells of a table whose columns are aligned. */
const maxCells = 20_000

const delimiter = /^:?-+:?$/

/** White space and signs of quotes before a row. */
const rowStart = /^(?:[ \t]*>)*[ \t]*/

/** A row: what is before it, its cells, and the columns where its bars are. */
interface Row {
  readonly line: Line
  readonly start: string
  readonly cells: ReadonlyArray<string>
  /** Places in the line behind which a cell begins, the first of which may be the start of the row. */
  readonly begins: ReadonlyArray<number>
}

/** Bars that divide cells: one with a backslash is text. */
const barsIn = (text: string, from: number): ReadonlyArray<number> => {
  const bars: Array<number> = []
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === "|") bars.push(at)
  }
  return bars
}

/** The row of a line of a table that begins at `from`: in the first line, the mark of a list may be before it. */
const rowOf = (line: Line, from: number): Row => {
  const { text } = line
  const start = text.slice(0, Math.max(rowStart.exec(text)![0].length, from - line.from))
  const bars = barsIn(text, start.length)
  const begins = bars[0] === start.length ? bars.map((bar) => bar + 1) : [start.length, ...bars.map((bar) => bar + 1)]
  // Nothing is behind the last bar.
  if (begins.length > 1 && text.slice(begins.at(-1)).trim() === "") begins.pop()
  const cells = begins.map((begin) => text.slice(begin, bars.find((bar) => bar >= begin) ?? text.length).trim())
  return { line, start, cells, begins }
}

/** The rows of the table at the cursor, the second of which has the alignment. */
const tableAt = (state: EditorState): ReadonlyArray<Row> | undefined => {
  const { head } = state.selection.main
  const node = nodeAround(treeTo(state, head), head, ["Table"])
  if (node === undefined) return undefined
  const rows: Array<Row> = []
  let cells = 0
  for (let at = node.from; at <= node.to;) {
    const line = state.doc.lineAt(at)
    const row = rowOf(line, node.from)
    cells += row.cells.length
    if (cells > maxCells) return undefined
    rows.push(row)
    at = line.to + 1
  }
  return rows.length >= 2 && rows[1]!.cells.every((cell) => delimiter.test(cell)) ? rows : undefined
}

/** Signs that take the place of two letters. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u

const widthOf = (text: string): number => {
  let width = 0
  for (const sign of text) width += wide.test(sign) ? 2 : /\p{M}/u.test(sign) ? 0 : 1
  return width
}

/** Maximum width of a column that is filled up with blanks. */
const maxWidth = 200

const filled = (cell: string, width: number, alignment: string): string => {
  const missing = Math.max(0, width - widthOf(cell))
  const before = !alignment.endsWith(":") ? 0 : alignment.startsWith(":") ? Math.floor(missing / 2) : missing
  return " ".repeat(before) + cell + " ".repeat(missing - before)
}

const delimiterOf = (alignment: string, width: number): string => {
  const [start, end] = [alignment.startsWith(":") ? ":" : "", alignment.endsWith(":") ? ":" : ""]
  return start + "-".repeat(width - start.length - end.length) + end
}

/** A written row, and where the text of each cell is in it. */
const written = (start: string, cells: ReadonlyArray<string>, fill: (cell: string, column: number) => string) => {
  let text = `${start}|`
  const places = cells.map((cell, column) => {
    const shown = fill(cell, column)
    const from = text.length + 1 + (cell === "" ? 0 : shown.length - shown.trimStart().length)
    text += ` ${shown} |`
    return { from, to: from + cell.length }
  })
  return { text, places }
}

/** Goes some cells on in the table at the cursor, aligns its columns, and adds a row behind the last one. */
const toCell =
  (step: 1 | -1): StateCommand =>
  ({ dispatch, state }) => {
    const rows = tableAt(state)
    if (rows === undefined) return false
    const { head } = state.selection.main
    const columns = rows[0]!.cells.length
    const isData = (index: number) => index !== 1
    const at = rows.findIndex(({ line }) => line.from <= head && head <= line.to)
    const begun = rows[at]!.begins.filter((begin) => rows[at]!.line.from + begin <= head).length
    let row = at
    let column = Math.max(0, begun - 1) + step
    if (column < 0) {
      column = columns - 1
      do row--
      while (row >= 0 && !isData(row))
    } else if (column >= Math.max(columns, rows[at]!.cells.length)) {
      column = 0
      do row++
      while (!isData(row))
    }
    // Before the first cell.
    if (row < 0) return true
    const alignments = rows[1]!.cells
    const cellsOf = ({ cells }: Row) => [
      ...cells,
      ...Array.from({ length: Math.max(0, columns - cells.length) }, () => "")
    ]
    const widths = Array.from({ length: columns }, (_, index) =>
      rows.reduce(
        (most, { cells }, each) =>
          isData(each) ? Math.max(most, Math.min(maxWidth, widthOf(cells[index] ?? ""))) : most,
        3
      )
    )
    const fill = (cell: string, index: number) => filled(cell, widths[index] ?? 0, alignments[index] ?? "")
    const made = rows.map((each, index) =>
      written(
        each.start,
        cellsOf(each),
        isData(index) ? fill : (cell, column) => delimiterOf(cell, widths[column] ?? 3)
      )
    )
    if (row === rows.length)
      made.push(
        written(
          rows[1]!.start,
          Array.from({ length: columns }, () => ""),
          fill
        )
      )
    const changes: Array<ChangeSpec> = rows.flatMap(({ line }, index) =>
      line.text === made[index]!.text ? [] : [{ from: line.from, to: line.to, insert: made[index]!.text }]
    )
    if (made.length > rows.length) changes.push({ from: rows.at(-1)!.line.to, insert: `\n${made.at(-1)!.text}` })
    const before = made.slice(0, row).reduce((sum, { text }) => sum + text.length + 1, rows[0]!.line.from)
    const { from, to } = made[row]!.places[Math.min(column, made[row]!.places.length - 1)]!
    dispatch(
      state.update({
        changes,
        selection: { anchor: before + from, head: before + to },
        scrollIntoView: true,
        userEvent: "input.table"
      })
    )
    return true
  }

export const nextCell = toCell(1)
export const previousCell = toCell(-1)
