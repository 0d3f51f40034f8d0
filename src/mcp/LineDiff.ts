import { diffIndices } from "node-diff3"
import { replaced, stepsOf } from "../sync/ListChanges.ts"

/** Maximum steps of a comparison, on the main thread. Larger differences are one removed and one added block. */
const mostSteps = 2e7

/** Lines around a change that are shown with it. */
const around = 2

export interface DiffLine {
  /** `-` is a removed line, `+` an added one, and a space one that both texts have. */
  readonly mark: "-" | "+" | " "
  /** The line number: in the old text for a removed line, else in the new text. */
  readonly line: number
  readonly text: string
}

/** Lines that were replaced: where they begin in the old and in the new text, and their numbers. */
type Hunk = readonly [oldStart: number, oldCount: number, start: number, count: number]

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

const hunksOf = (old: ReadonlyArray<string>, by: ReadonlyArray<string>): ReadonlyArray<Hunk> => {
  const { end, start } = replaced(old, by)
  const [before, after] = [old.slice(start, end), by.slice(start, by.length - old.length + end)]
  if (before.length + after.length === 0) return []
  if (stepsOf(before, after) > mostSteps) return [[start, before.length, start, after.length]]
  return diffIndices([...before], [...after]).map(({ buffer1, buffer2 }): Hunk => [
    start + buffer1[0],
    buffer1[1],
    start + buffer2[0],
    buffer2[1]
  ])
}

/** The first `most` changed lines between two texts, with lines around them. Without changes there are none. */
export const diff = (before: string, after: string, most: number): ReadonlyArray<DiffLine> => {
  const [old, by] = [linesOf(before), linesOf(after)]
  const hunks = hunksOf(old, by)
  const lines: Array<DiffLine> = []
  const add = (mark: DiffLine["mark"], of: ReadonlyArray<string>, from: number, to: number) => {
    for (let at = from; at < to && lines.length < most; at++) lines.push({ mark, line: at + 1, text: of[at]! })
  }
  let shown = 0
  for (const [index, [oldStart, oldCount, start, count]] of hunks.entries()) {
    add(" ", by, Math.max(shown, start - around), start)
    add("-", old, oldStart, oldStart + oldCount)
    add("+", by, start, start + count)
    shown = Math.min(start + count + around, hunks[index + 1]?.[2] ?? by.length)
    add(" ", by, start + count, shown)
  }
  return lines
}
