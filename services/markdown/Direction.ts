import type { Element, Nodes, Root } from "hast"

/** Letters of right-to-left scripts. */
const rightToLeft =
  /\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}|\p{Script=Samaritan}|\p{Script=Mandaic}|\p{Script=Adlam}|\p{Script=Hanifi_Rohingya}/u

const letter = /\p{L}/u

/** Blocks of text. The browser sets their direction by their first letter. */
const blocks = new Set([
  "p",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "th",
  "td",
  "dt",
  "dd",
  "summary",
  "figcaption",
  "caption"
])
/** Containers. The browser skips blocks with a `dir` attribute in them, so their direction is computed here. */
const holders = new Set(["ul", "ol", "li", "dl", "blockquote", "table", "details"])

/**
 * Gives each block the direction of its own text, when the note has right-to-left letters (contract 5, "shares"). It
 * does not change a `dir` of the author.
 */
export const direct = (tree: Root, text: string): void => {
  if (!rightToLeft.test(text)) return
  /** The first letter in each element, computed once. */
  const firstOf = (node: Nodes): string | undefined => {
    if (node.type === "text") return letter.exec(node.value)?.[0]
    if (!("children" in node) || (node.type === "element" && node.tagName === "math")) return undefined
    let first: string | undefined
    for (const child of node.children) {
      const found = firstOf(child)
      first ??= found
    }
    if (node.type === "element") give(node, first)
    return first
  }
  const give = (node: Element, first: string | undefined): void => {
    if (node.properties["dir"] !== undefined) return
    if (blocks.has(node.tagName)) node.properties = { ...node.properties, dir: "auto" }
    else if (holders.has(node.tagName) && first !== undefined) {
      node.properties = { ...node.properties, dir: rightToLeft.test(first) ? "rtl" : "ltr" }
    }
  }
  firstOf(tree)
}
