/**
 * The lines of a text that are tasks, such as `- [ ] tickets`. A rendered note names the line of each of its boxes, and a
 * client changes that line alone.
 */

/** A line up to its box: signs of quotes and lists, the last of which is that of a list. Then the box and the text. */
const task =
  /^((?:[ \t]*>|[ \t]*(?:[-+*]|\d{1,9}[.)])(?=[ \t]))*[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+\[)([ xX])\](?=[ \t]|\r?$)/

/** The column of the sign in the box of a line, and whether it is ticked; undefined for a line that is no task. */
export const boxOf = (line: string): { readonly column: number; readonly isTicked: boolean } | undefined => {
  const [, start, sign] = task.exec(line) ?? []
  return start === undefined ? undefined : { column: start.length, isTicked: sign !== " " }
}

/** A task with its box ticked or empty. Other lines stay. */
export const withBox = (line: string, isTicked: boolean): string => {
  const box = boxOf(line)
  if (box === undefined || box.isTicked === isTicked) return line
  return `${line.slice(0, box.column)}${isTicked ? "x" : " "}${line.slice(box.column + 1)}`
}
