import type { ListItem, Nodes } from "mdast"
import type { PublicText } from "./PublicText.ts"
import { boxOf } from "./TaskLines.ts"

const tasksIn = (node: Nodes, found: Array<ListItem> = []): Array<ListItem> => {
  if (node.type === "listItem" && typeof node.checked === "boolean") found.push(node)
  if ("children" in node) for (const child of node.children) tasksIn(child, found)
  return found
}

/** The mark of a list item, its box, and what may be between them. */
const itemStart = /(?:[-+*]|\d{1,9}[.)])[\s>]*\[(?=[ xX]\])/y

/**
 * Gives each task of a tree the number of its line in the body, from 0, behind `mark`. A task has none if its line in the
 * body is not that of a task, such as one with a comment before its box.
 */
export const referToLines = ({ inBody, text, tree }: PublicText, body: string, mark: string): void => {
  const tasks = tasksIn(tree).flatMap((task) => {
    itemStart.lastIndex = task.position?.start.offset ?? text.length
    return itemStart.test(text) ? [{ task, box: itemStart.lastIndex }] : []
  })
  // Footnotes may be elsewhere in the tree than in the text.
  tasks.sort((one, other) => one.box - other.box)
  const places = inBody(tasks.map(({ box }) => box))
  let line = 0
  let start = 0
  tasks.forEach(({ task }, index) => {
    const place = places[index]!
    for (let end = body.indexOf("\n", start); end >= 0 && end < place; end = body.indexOf("\n", start)) {
      start = end + 1
      line++
    }
    const end = body.indexOf("\n", place)
    const box = boxOf(body.slice(start, end < 0 ? body.length : end))
    if (box?.column === place - start && box.isTicked === task.checked)
      task.data = { ...task.data, hProperties: { dataLine: `${mark}${line}` } }
  })
}
