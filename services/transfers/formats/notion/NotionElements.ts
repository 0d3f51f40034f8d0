import type { Element, ElementContent, Nodes } from "hast"
import { classesOf, isElement } from "../html/Html.ts"
import { isScript } from "../ScriptLinks.ts"

/** Finds elements of Notion pages in HTML. */

export const elementsIn = function* (node: Nodes): Generator<Element> {
  if (isElement(node)) yield node
  if ("children" in node) for (const child of node.children) yield* elementsIn(child)
}
export const first = (node: Nodes, test: (element: Element) => boolean): Element | undefined => {
  for (const each of elementsIn(node)) if (test(each)) return each
  return undefined
}
export const hasClass = (node: Nodes | undefined, name: string): node is Element =>
  isElement(node) && classesOf(node).includes(name)

/** Whether it leads out of the export. Scripts are included, because their scheme may be disguised. */
export const isOutside = (url: string): boolean => /^[a-z][a-z0-9+.-]*:|^\/\//i.test(url) || isScript(url)

/** A node without some of its descendants. */
export const without = (node: ElementContent, taken: ReadonlySet<Nodes>): ReadonlyArray<ElementContent> => {
  if (taken.has(node)) return []
  return isElement(node) ? [{ ...node, children: node.children.flatMap((child) => without(child, taken)) }] : [node]
}
