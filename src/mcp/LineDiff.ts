/** Maximum number of comparisons. Larger differences are shown as one removed and one added block. */
const mostSteps = 400_000

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

export interface DiffLine {
  /** `-` is a removed line, `+` an added one, and a space one that both texts have. */
  readonly mark: "-" | "+" | " "
  /** The line number: in the old text for a removed line, else in the new text. */
  readonly line: number
  readonly text: string
}

/** Maximum number of lines of a difference; the rest is left out. */
const mostLines = 10_000

/** Lines around a change that are shown with it. */
const around = 2

/** Finds the common lines of two lists by their longest common subsequence. Undefined if that takes too many steps. */
const common = (
  old: ReadonlyArray<string>,
  by: ReadonlyArray<string>
): ReadonlyArray<readonly [number, number]> | undefined => {
  if (old.length * by.length > mostSteps) return undefined
  const width = by.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  for (let one = old.length - 1; one >= 0; one--) {
    for (let two = by.length - 1; two >= 0; two--) {
      lengths[one * width + two] =
        old[one] === by[two]
          ? lengths[(one + 1) * width + two + 1]! + 1
          : Math.max(lengths[(one + 1) * width + two]!, lengths[one * width + two + 1]!)
    }
  }
  const pairs: Array<readonly [number, number]> = []
  for (let one = 0, two = 0; one < old.length && two < by.length;) {
    if (old[one] === by[two]) pairs.push([one++, two++])
    else if (lengths[(one + 1) * width + two]! >= lengths[one * width + two + 1]!) one++
    else two++
  }
  return pairs
}

/** The changed lines between two texts, with lines around them, at most 10 000. Without changes there are no lines. */
export const diff = (before: string, after: string): ReadonlyArray<DiffLine> => {
  const [old, by] = [linesOf(before), linesOf(after)]
  const most = Math.min(old.length, by.length)
  let start = 0
  while (start < most && old[start] === by[start]) start++
  let end = 0
  while (end < most - start && old.at(-1 - end) === by.at(-1 - end)) end++
  const oldEnd = old.length - end
  const byEnd = by.length - end
  if (start === oldEnd && start === byEnd) return []
  const pairs = common(old.slice(start, oldEnd), by.slice(start, byEnd)) ?? []
  const lines: Array<DiffLine> = []
  const same = (from: number, to: number) => {
    for (let at = Math.max(0, from); at < to; at++) lines.push({ mark: " ", line: at + 1, text: by[at]! })
  }
  same(start - around, start)
  let [one, two] = [start, start]
  const isFull = () => lines.length >= mostLines
  for (const [oldAt, byAt] of [...pairs.map(([a, b]) => [a + start, b + start] as const), [oldEnd, byEnd] as const]) {
    for (; one < oldAt && !isFull(); one++) lines.push({ mark: "-", line: one + 1, text: old[one]! })
    for (; two < byAt && !isFull(); two++) lines.push({ mark: "+", line: two + 1, text: by[two]! })
    if (isFull()) break
    if (byAt < byEnd) same(byAt, byAt + 1)
    one = oldAt + 1
    two = byAt + 1
  }
  if (!isFull()) same(byEnd, Math.min(by.length, byEnd + around))
  return trimmed(lines)
}

/** Leaves out lines that are far from every change. */
const trimmed = (lines: ReadonlyArray<DiffLine>): ReadonlyArray<DiffLine> => {
  const near = new Uint8Array(lines.length)
  for (const [index, { mark }] of lines.entries()) {
    if (mark !== " ") near.fill(1, Math.max(0, index - around), Math.min(lines.length, index + around + 1))
  }
  return lines.filter((_, index) => near[index] === 1)
}
