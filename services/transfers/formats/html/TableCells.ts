import type { Element, ElementContent, Root } from "hast"
import { element, isElement, text } from "./Html.ts"

/**
 * In Markdown no cell spans others, and all rows of a table have the same length: the conversion adds empty cells, as many as
 * the rows times the longest row. This is the maximum for a note, beyond the number of cells that are written in it.
 */
const maxAdded = 10_000

/** Parsed as in `hast-util-to-mdast`. */
const spanOf = (value: unknown): number => Math.max(1, Number.parseInt(String(value), 10) || 1)

const sections = ["thead", "tbody", "tfoot"]

const rowsOf = (table: Element): ReadonlyArray<Element> =>
  table.children.flatMap((child) => {
    if (isElement(child, ...sections)) return rowsOf(child)
    return isElement(child, "tr") ? [child] : []
  })

const cellsOf = (row: Element): ReadonlyArray<Element> =>
  row.children.filter((child): child is Element => isElement(child, "td", "th"))

/** The number of cells that are written in a table, and of those that are added for spans and for short rows. */
const countCells = (rows: ReadonlyArray<Element>): { readonly written: number; readonly added: number } => {
  /** Cells that extend from above into each row, as the change from one row to the next. */
  const coming = Array<number>(rows.length + 1).fill(0)
  let written = 0
  let above = 0
  let longest = 1
  for (const [index, row] of rows.entries()) {
    above += coming[index]!
    let own = 0
    for (const { properties } of cellsOf(row)) {
      const columns = spanOf(properties["colSpan"])
      const end = Math.min(index + spanOf(properties["rowSpan"]), rows.length)
      own += columns
      written++
      if (end > index + 1) {
        coming[index + 1]! += columns
        coming[end]! -= columns
      }
    }
    longest = Math.max(longest, above + own)
  }
  // One more row: a table without a header gets an empty one.
  return { written, added: (rows.length + 1) * longest - written }
}

const withoutSpans = (node: Element): Element =>
  node.tagName === "td" || node.tagName === "th"
    ? { ...node, properties: { ...node.properties, colSpan: 1, rowSpan: 1 } }
    : { ...node, children: node.children.map((child) => (child.type === "element" ? withoutSpans(child) : child)) }

const lineOf = (row: Element): Element =>
  element(
    "p",
    cellsOf(row).flatMap(({ children }, index) => (index === 0 ? children : [text(" | "), ...children]))
  )

/**
 * A tree whose tables do not exceed the maximum of added cells: a table that does loses its spans, or becomes one line
 * per row if that is not enough. No text is lost. `isWhole`: no table has changed.
 */
export const withBoundedTables = (tree: Root): { readonly tree: Root; readonly isWhole: boolean } => {
  let left = maxAdded
  let isWhole = true
  const fits = (table: Element): boolean => {
    const { added, written } = countCells(rowsOf(table))
    const beyond = Math.max(0, added - written)
    if (beyond > left) return false
    left -= beyond
    return true
  }
  const bounded = (node: ElementContent): ReadonlyArray<ElementContent> => {
    if (!isElement(node)) return [node]
    if (node.tagName !== "table") return [{ ...node, children: node.children.flatMap(bounded) }]
    if (fits(node)) return [node]
    isWhole = false
    const simple = withoutSpans(node)
    return fits(simple) ? [simple] : rowsOf(node).map(lineOf)
  }
  const children = tree.children.flatMap((child) => (child.type === "doctype" ? [] : bounded(child)))
  return { tree: { ...tree, children }, isWhole }
}
