import type { Element, ElementContent } from "hast"
import type { Task } from "./EnexTask.ts"
import { element, isBlank, isBlock, isElement, text } from "../html/Html.ts"
import { paragraphs } from "../html/MarkdownWriter.ts"

/** Check boxes and tasks in the text of an Evernote note. */

export const isTrue = (value: unknown): boolean => String(value).toLowerCase() === "true"
const box = (isChecked: boolean): Element =>
  element("input", [], { type: "checkbox", ...(isChecked ? { checked: true } : {}) })

/** Removes the check box at the beginning of a line and returns its state. */
const leadingTodo = (
  node: Element
): { readonly isChecked: boolean; readonly children: Array<ElementContent> } | undefined => {
  const at = node.children.findIndex((child) => !isBlank(child))
  const first = node.children[at]
  if (!isElement(first)) return undefined
  const rest = node.children.slice(at + 1)
  if (first.tagName === "en-todo") return { isChecked: isTrue(first.properties["checked"]), children: rest }
  if (!["div", "p", "span", "font", "b", "i", "u"].includes(first.tagName)) return undefined
  const inner = leadingTodo(first)
  return inner === undefined ? undefined : { ...inner, children: [{ ...first, children: inner.children }, ...rest] }
}

/** Elements whose lines are paragraphs. */
export const flows = new Set(["article", "blockquote", "center", "div", "main", "p", "section"])
const wrappers = ["span", "font", "b", "i", "u"]

const holds = (node: Element, name: string): boolean =>
  node.children.some((child) => isElement(child) && (child.tagName === name || holds(child, name)))

/** Splits at `br`; an element around several check boxes is repeated around each of their lines. */
const linesIn = (nodes: ReadonlyArray<ElementContent>): ReadonlyArray<Array<ElementContent>> => {
  const lines: Array<Array<ElementContent>> = [[]]
  for (const node of nodes) {
    if (!isElement(node)) lines.at(-1)!.push(node)
    else if (node.tagName === "br") lines.push([])
    else if (wrappers.includes(node.tagName) && holds(node, "br") && holds(node, "en-todo")) {
      for (const [index, children] of linesIn(node.children).entries()) {
        if (index > 0) lines.push([])
        lines.at(-1)!.push({ ...node, children })
      }
    } else lines.at(-1)!.push(node)
  }
  return lines
}

/** Puts each loose line that begins with a check box into an element, as newer notes do. */
export const withTodoLines = (nodes: ReadonlyArray<ElementContent>): ReadonlyArray<ElementContent> => {
  const made: Array<ElementContent> = []
  let loose: Array<ElementContent> = []
  const endLoose = (): void => {
    let isBehindTodo = false
    for (const [index, line] of linesIn(loose).entries()) {
      const isTodo = leadingTodo(element("div", line)) !== undefined
      // The element of a check box ends its line.
      if (index > 0 && !isBehindTodo) made.push(element("br", []))
      made.push(...(isTodo ? [element("div", line)] : line))
      isBehindTodo = isTodo
    }
    loose = []
  }
  for (const node of nodes) {
    if (isBlock(node)) {
      endLoose()
      made.push(node)
    } else loose.push(node)
  }
  endLoose()
  return made
}

/** Whether it contains several blocks, of which the first is a line. */
export const holdsLines = (node: Element): boolean => {
  const [first, ...rest] = node.children.filter((child) => !isBlank(child))
  return isElement(first, "div", "p") && rest.some(isBlock)
}

/** The lines of an element that begins with a check box; a line without a box continues the line before it. */
export const todosIn = (
  node: Element
): ReadonlyArray<{ readonly isChecked: boolean; readonly children: Array<ElementContent> }> => {
  const todos: Array<{ readonly isChecked: boolean; readonly children: Array<ElementContent> }> = []
  if (leadingTodo(node) === undefined) return todos
  for (const line of linesIn(node.children)) {
    const todo = leadingTodo(element("div", line))
    const last = todos.at(-1)
    if (todo !== undefined) todos.push(todo)
    else if (last !== undefined && !line.every(isBlank)) last.children.push(element("br", []), ...line)
  }
  return todos
}

export const taskItem = (isDone: boolean, children: Array<ElementContent>): Element =>
  element("li", [box(isDone), ...children])

export const listOf = (tasks: ReadonlyArray<Task>): Array<Element> =>
  tasks.length === 0
    ? []
    : [
        element(
          "ul",
          tasks.map(({ isDone, lines, title }) =>
            taskItem(
              isDone,
              [title, ...lines].flatMap((line, index) => (index === 0 ? [text(line)] : [element("br", []), text(line)]))
            )
          )
        )
      ]

/** The tasks of a note whose text could not be read. */
export const tasksAlone = (tasks: ReadonlyArray<Task>): string =>
  tasks.length === 0
    ? ""
    : `\n${paragraphs(tasks.map(({ isDone, lines, title }) => [`${isDone ? "☑" : "☐"} ${title}`, ...lines].join("; ")))}`
