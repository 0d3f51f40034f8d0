import type { ListItem, Nodes } from "mdast"
import type { PublicText } from "../PublicText.ts"
import { boxOf } from "./TaskLines.ts"

const tasksIn = (node: Nodes, found: Array<ListItem> = []): Array<ListItem> => {
  if (node.type === "listItem" && typeof node.checked === "boolean") found.push(node)
  if ("children" in node) for (const child of node.children) tasksIn(child, found)
  return found
}

/** The mark of a list item, its box, and what may be between them. */
const itemStart = /(?:[-+*]|\d{1,9}[.)])[\s>]*\[(?=[ xX]\])/y

/** A task of a tree, and the number of its line in the body, from 0. */
export interface TaskLine {
  readonly task: ListItem
  readonly line: number
}

/**
 * The tasks of a text with their lines in the body, in its order. A task is left out if its line in the body is not that of
 * a task, such as one with a comment before its box.
 */
export const taskLines = ({ inBody, text, tree }: PublicText, body: string): ReadonlyArray<TaskLine> => {
  const tasks = tasksIn(tree).flatMap((task) => {
    itemStart.lastIndex = task.position?.start.offset ?? text.length
    return itemStart.test(text) ? [{ task, box: itemStart.lastIndex }] : []
  })
  // Footnotes may be elsewhere in the tree than in the text.
  tasks.sort((one, other) => one.box - other.box)
  const places = inBody(tasks.map(({ box }) => box))
  let line = 0
  let start = 0
  return tasks.flatMap(({ task }, index) => {
    const place = places[index]!
    for (let end = body.indexOf("\n", start); end >= 0 && end < place; end = body.indexOf("\n", start)) {
      start = end + 1
      line++
    }
    const end = body.indexOf("\n", place)
    const box = boxOf(body.slice(start, end < 0 ? body.length : end))
    return box?.column === place - start && box.isTicked === task.checked ? [{ task, line }] : []
  })
}

/** Gives each task of a tree the number of its line in the body, behind `mark`. */
export const referToLines = (shown: PublicText, body: string, mark: string): void => {
  for (const { line, task } of taskLines(shown, body))
    task.data = { ...task.data, hProperties: { dataLine: `${mark}${line}` } }
}
