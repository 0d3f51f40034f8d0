import type { Nodes as HtmlNodes } from "hast"
import type { Nodes, Root } from "mdast"
import { utf8 } from "./Utf8.ts"

/**
 * The size of rendered notes is bounded (contract 8). A text that is written once may be shown many times, such as the
 * address and title of a definition. So sizes are counted in the trees, before any text is joined.
 */

/** Maximum bytes of the HTML of a body, with its addresses. */
export const maxBytes = (body: string): number => 4 * utf8(body).length + 256 * 1024

/** Bytes of an address by its target, at most: the signed one of a file, or the percent-encoded one of a note. */
export const addressBytes = (target: string): number =>
  target.startsWith("note:") ? 3 * utf8(target).length + 40 : 256

/** Bytes of a tag without its name and values. */
const tagBytes = 5

/** Characters that HTML writes as references of up to six bytes. */
const escapes = /[&<"'`]/g

const bytesOf = (text: string): number => {
  const signs = text.match(escapes)
  return utf8(text).length + (signs === null ? 0 : 5 * signs.length)
}

/** Whether the sum of sizes is over a limit. It stops counting there. */
const exceeds = <Node extends object>(
  tree: Node,
  most: number,
  sizeOf: (node: Node) => number,
  childrenOf: (node: Node) => ReadonlyArray<Node>
): boolean => {
  let left = most
  const waiting = [tree]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    left -= sizeOf(node)
    if (left < 0) return true
    for (const child of childrenOf(node)) waiting.push(child)
  }
  return false
}

/** Whether the texts and the addresses of a Markdown tree have more bytes. */
export const isLargeMarkdown = (tree: Root, most: number): boolean => {
  const definitions = new Map<string, number>()
  const visit = (node: Nodes): void => {
    if (node.type === "definition" && !definitions.has(node.identifier))
      definitions.set(node.identifier, utf8(node.url).length + utf8(node.title ?? "").length)
    if ("children" in node) for (const child of node.children) visit(child)
  }
  visit(tree)
  return exceeds<Nodes>(
    tree,
    most,
    (node) => {
      if (node.type === "linkReference" || node.type === "imageReference") return definitions.get(node.identifier) ?? 0
      return "value" in node ? utf8(node.value).length : 0
    },
    (node) => ("children" in node ? node.children : [])
  )
}

const valueBytes = (value: unknown): number =>
  typeof value === "string" ? bytesOf(value) : Array.isArray(value) ? value.join(" ").length : 8

/** Whether the HTML of a tree has more bytes. `placed` returns the bytes of an address for its placeholder. */
export const isLargeHtml = (tree: HtmlNodes, most: number, placed: (text: string) => number | undefined): boolean =>
  exceeds<HtmlNodes>(
    tree,
    most,
    (node) => {
      if (node.type === "text") return bytesOf(node.value)
      if (node.type !== "element") return 0
      let size = 2 * node.tagName.length + tagBytes
      for (const [name, value] of Object.entries(node.properties)) {
        size += name.length + 4 + ((typeof value === "string" ? placed(value) : undefined) ?? valueBytes(value))
      }
      return size
    },
    (node) => ("children" in node ? node.children : [])
  )
