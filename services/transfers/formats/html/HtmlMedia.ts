import type { ElementContent } from "hast"
import { element, isElement, text } from "./Html.ts"

/** Replaces elements that load something by links, and moves content out of elements that are empty in HTML. */

/** Elements without content in HTML. */
const empty = new Set(["area", "br", "embed", "hr", "img", "input", "source", "track", "wbr"])

const sources: Readonly<Record<string, string>> = {
  area: "href",
  audio: "src",
  embed: "src",
  frame: "src",
  iframe: "src",
  object: "data",
  source: "src",
  track: "src",
  video: "src"
}

/** The same nodes in the elements that converters support. */
export const plainer = (nodes: ReadonlyArray<ElementContent>): Array<ElementContent> =>
  nodes.flatMap((node): ReadonlyArray<ElementContent> => {
    if (!isElement(node)) return [node]
    const { content, ...rest } = node
    const children = plainer(content === undefined ? node.children : contentOf(content.children))
    // Pages hide elements with these, also from the library that writes Markdown.
    const { dataMdast: _, hidden: __, ...properties } = node.properties
    const made = { ...rest, properties, children }
    const name = sources[node.tagName]
    if (name !== undefined) {
      const { alt, title } = properties
      const href = properties[name]
      const label = [title, alt].find((each) => typeof each === "string" && each.trim() !== "")
      const isLink = typeof href === "string" && href.trim() !== ""
      if (!isLink) return label === undefined ? children : [text(String(label)), ...children]
      return [element("a", [text(String(label ?? href))], { href }), text(" "), ...children]
    }
    if (node.tagName === "wbr") return children
    return empty.has(node.tagName) ? [{ ...made, children: [] }, ...children] : [made]
  })

const contentOf = (nodes: ReadonlyArray<ElementContent | { readonly type: "doctype" }>): Array<ElementContent> =>
  nodes.filter((node): node is ElementContent => node.type !== "doctype")
