import { boxOf, withBox } from "../../../../services/markdown/contents/TaskLines.ts"

/** The lines of a text with all boxes of tasks empty. */
const untickedLines = (text: string): ReadonlyArray<string> => text.split("\n").map((line) => withBox(line, false))

/** Whether two texts differ in the boxes of tasks alone, or not at all. */
export const differOnlyInTicks = (one: string, other: string): boolean =>
  one === other || untickedLines(one).join("\n") === untickedLines(other).join("\n")

/** The index of each line that is there once; -1 for others. */
const onlyPlaces = (lines: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const places = new Map<string, number>()
  lines.forEach((line, index) => places.set(line, places.has(line) ? -1 : index))
  return places
}

/**
 * Finds lines of a text in a later one, whatever their boxes. If lines were changed or moved, a line is found by its text,
 * which both texts must have once: of equal lines, each could be the one that was meant.
 */
export const linesIn = (before: string, now: string): ((line: number) => number | undefined) => {
  const [known, found] = [untickedLines(before), untickedLines(now)]
  if (known.join("\n") === found.join("\n")) return (line) => line
  const [places, newPlaces] = [onlyPlaces(known), onlyPlaces(found)]
  return (line) => {
    const text = known[line]!
    const place = newPlaces.get(text)
    return places.get(text) === line && place !== -1 ? place : undefined
  }
}

/** Ticks or empties the box of a line that was read in `read`, in the text as it is now; undefined if the line is gone. */
export const ticked = (read: string, now: string, line: number, isTicked: boolean): string | undefined => {
  const place = linesIn(read, now)(line)
  const lines = now.split("\n")
  if (place === undefined || boxOf(lines[place]!) === undefined) return undefined
  lines[place] = withBox(lines[place]!, isTicked)
  return lines.join("\n")
}

/** Makes the ticks that lead from `base` to `yours` in the text of others. `isWhole`: it still has all those lines. */
export const tickedIn = (
  base: string,
  yours: string,
  theirs: string
): { readonly text: string; readonly isWhole: boolean } => {
  const placeOf = linesIn(base, theirs)
  const before = base.split("\n")
  const lines = theirs.split("\n")
  let isWhole = true
  yours.split("\n").forEach((line, index) => {
    if (line === before[index]) return
    const place = placeOf(index)
    if (place === undefined) isWhole = false
    else lines[place] = withBox(lines[place]!, boxOf(line)!.isTicked)
  })
  return { text: lines.join("\n"), isWhole }
}
