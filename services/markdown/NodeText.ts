import type { Nodes } from "mdast"

const isBlock = ({ type }: Nodes): boolean => type === "list" || type === "listItem" || type === "blockquote"

/** The words that a link in double brackets shows. */
export const wikiWords = (value: string): string => {
  const [address = "", ...aliases] = value.split(/\\?\|/).map((part) => part.trim())
  return aliases.join("|") || address
}

/** The words of a tree, on one line. */
export const nodeText = (node: Nodes): string => {
  switch (node.type) {
    case "text":
    case "inlineCode":
    case "inlineMath":
      return node.value
    case "wikiLink":
      return wikiWords(node.value)
    case "break":
      return " "
    default:
      return "children" in node ? node.children.map(nodeText).join(isBlock(node) ? " " : "") : ""
  }
}
