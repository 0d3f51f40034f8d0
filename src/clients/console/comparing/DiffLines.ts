import { lineRuns, type Run, wordRuns } from "./TextChanges.ts"

/** Lines of unchanged text that are shown around a change. */
const context = 3
/** Maximum lines of a change on the screen. */
const maxShown = 2_000

const shortened = (lines: ReadonlyArray<string>, isFirst: boolean, isLast: boolean): ReadonlyArray<string> => {
  const [before, after] = [isFirst ? 0 : context, isLast ? 0 : context]
  if (lines.length <= before + after + 1) return lines
  return [...lines.slice(0, before), "⋯", ...lines.slice(lines.length - after)]
}

/** Lines as a text; empty without lines. */
const textOf = (lines: ReadonlyArray<string>): string =>
  lines
    .slice(0, maxShown)
    .map((line) => `${line}\n`)
    .join("")

/** A part of a line. */
export interface Part {
  readonly kind: "same" | "added" | "removed"
  readonly text: string
}

/** Changed lines: the words that differ if most are the same, as in a long paragraph, and else whole lines. */
const changedParts = ({ added, removed }: Run): ReadonlyArray<Part> => {
  const [from, to] = [textOf(removed), textOf(added)]
  const words = from === "" || to === "" ? undefined : wordRuns(from, to)
  const runs = words ?? [{ same: [], removed: [from], added: [to] }]
  return runs.flatMap(({ added, removed, same }) => [
    { kind: "same", text: same.join("") },
    { kind: "removed", text: removed.join("") },
    { kind: "added", text: added.join("") }
  ])
}

/** The parts of each line. */
const linesOf = (parts: ReadonlyArray<Part>): ReadonlyArray<ReadonlyArray<Part>> => {
  const all: Array<Array<Part>> = [[]]
  for (const { kind, text } of parts) {
    const pieces = text.split("\n")
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) all.push([])
      // Also an empty line that was added or removed.
      if (piece !== "" || index < pieces.length - 1) all.at(-1)!.push({ kind, text: piece })
    }
  }
  return all.at(-1)!.length === 0 ? all.slice(0, -1) : all
}

const fence = /^\s*(?:```|~~~)/
const kinds = [
  ["heading", /^ {0,3}#{1,6}\s/],
  ["quote", /^ {0,3}>/]
] as const

/** A line of a comparison, and how it looks: the name of a class. */
export interface DiffLine {
  readonly parts: ReadonlyArray<Part>
  readonly look: string
}

/** The lines of two texts around their differences, and how they look in the text that is written. */
export const diffLines = (from: string, to: string): ReadonlyArray<DiffLine> => {
  const runs = lineRuns(from, to)
  const all = linesOf(
    runs.flatMap((run, index): ReadonlyArray<Part> => [
      { kind: "same", text: textOf(shortened(run.same, index === 0, index === runs.length - 1)) },
      ...changedParts(run)
    ])
  )
  let isCode = false
  return all.map((parts) => {
    const text = parts.map((part) => part.text).join("")
    const isFence = fence.test(text)
    if (isFence) isCode = !isCode
    const look = isCode || isFence ? "fenced" : (kinds.find(([, pattern]) => pattern.test(text))?.[0] ?? "")
    return { parts, look }
  })
}
