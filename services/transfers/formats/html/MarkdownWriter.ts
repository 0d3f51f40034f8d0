import type { Nodes, Root } from "mdast"
import remarkGfm from "remark-gfm"
import remarkStringify, { type Options } from "remark-stringify"
import { unified } from "unified"
import { emphasisHandlers, phrasing } from "./Emphasis.ts"

/** Writes trees of Markdown in the style that all imports use. */

/** Escapes underscores next to emoji, which the writer, reading half a surrogate pair, takes for letters. */
const text: NonNullable<Options["handlers"]>["text"] = (node, _, state, info) =>
  state.safe(node.value, info).replaceAll(/(?<=[\uDC00-\uDFFF])_|(?<!\\)_(?=[\uD800-\uDBFF])/g, "\\_")

const stringify = unified()
  .use(remarkGfm, { tablePipeAlign: false })
  .use(remarkStringify, {
    bullet: "-",
    rule: "*",
    listItemIndent: "one",
    fences: true,
    handlers: { ...emphasisHandlers, text }
  })
  .freeze()

/** Adjusts a tree to what Markdown can express. */
const tidy = (node: Nodes): void => {
  if (!("children" in node)) return
  for (const child of node.children) tidy(child)
  switch (node.type) {
    // An item of one paragraph with lists below has no empty lines.
    case "listItem":
      node.spread = node.children.filter((child) => child.type !== "list").length > 1
      break
    case "list":
      node.spread = node.children.some((item) => item.spread === true)
      break
    case "heading":
    case "paragraph":
    case "tableCell":
      node.children = phrasing(node.children)
  }
}

/** The Markdown of a tree; changes the tree. */
export const written = (tree: Root): string => {
  tidy(tree)
  return stringify.stringify(tree)
}

/** Lines of plain text as paragraphs of Markdown. */
export const paragraphs = (lines: ReadonlyArray<string>): string =>
  written({
    type: "root",
    children: lines.map((value) => ({ type: "paragraph", children: [{ type: "text", value }] }))
  })
