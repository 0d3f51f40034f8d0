import { diffIndices } from "node-diff3"
import { replaced, stepsOf } from "../../ListChanges.ts"

/** Maximum steps and lines of a comparison, on the main thread. Larger differences are one removed and one added block. */
const maxSteps = 2e7
const maxLines = 20_000

/** Lines around a change that are shown with it. */
const around = 2

export interface DiffLine {
  /** `-` is a removed line, `+` an added one, and a space one that both texts have. */
  readonly mark: "-" | "+" | " "
  /** The line number: in the old text for a removed line, else in the new text. */
  readonly line: number
  readonly text: string
  /** The added line in the place of a removed one, or the reverse, if any. */
  readonly counterpart?: string
}

/** Lines that were replaced: where they begin in the old and in the new text, and their numbers. */
type Hunk = readonly [oldStart: number, oldCount: number, start: number, count: number]

/** The lines of one text in a hunk. */
interface Block {
  readonly mark: "-" | "+"
  readonly of: ReadonlyArray<string>
  readonly start: number
  readonly count: number
}

const linesOf = (text: string): ReadonlyArray<string> =>
  text === "" ? [] : (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")

const hunksOf = (old: ReadonlyArray<string>, by: ReadonlyArray<string>): ReadonlyArray<Hunk> => {
  const { end, start } = replaced(old, by)
  const [before, after] = [old.slice(start, end), by.slice(start, by.length - old.length + end)]
  if (before.length + after.length === 0) return []
  if (before.length + after.length > maxLines || stepsOf(before, after) > maxSteps) {
    return [[start, before.length, start, after.length]]
  }
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
  const addKept = (from: number, to: number) => {
    for (let at = from; at < to && lines.length < most; at++) lines.push({ mark: " ", line: at + 1, text: by[at]! })
  }
  const addChanged = (block: Block, other: Block) => {
    for (let at = 0; at < block.count && lines.length < most; at++) {
      const line = { mark: block.mark, line: block.start + at + 1, text: block.of[block.start + at]! }
      lines.push(at < other.count ? { ...line, counterpart: other.of[other.start + at]! } : line)
    }
  }
  let shown = 0
  for (const [index, [oldStart, oldCount, start, count]] of hunks.entries()) {
    addKept(Math.max(shown, start - around), start)
    const removed: Block = { mark: "-", of: old, start: oldStart, count: oldCount }
    const added: Block = { mark: "+", of: by, start, count }
    addChanged(removed, added)
    addChanged(added, removed)
    shown = Math.min(start + count + around, hunks[index + 1]?.[2] ?? by.length)
    addKept(start + count, shown)
  }
  return lines
}

/** The number of characters with which both texts begin. */
export const commonStart = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length)
  let count = 0
  while (count < most && one.charCodeAt(count) === other.charCodeAt(count)) count++
  return count
}
