import type { Nodes, Root } from "mdast"
import type { FileLink } from "./Rendered.ts"
import { escapedLabel } from "./WikiLinks.ts"

/** What links may lead to. */
interface Findable {
  readonly find: (target: string) => { readonly id: string } | undefined
}

const titleOf = (title: string | null | undefined): string =>
  title === null || title === undefined ? "" : ` "${title.replaceAll(/["\\]/g, "\\$&")}"`

/** Where the links, images and definitions of a tree, as it was read, lead to files: their labels stay as they are. */
export const linksToFiles = (tree: Root, source: string, targets: Findable): Array<FileLink> => {
  const found: Array<FileLink> = []
  const add = (node: Nodes, url: string, start: number, before: string, after: string) => {
    const file = targets.find(url)
    const end = node.position?.end.offset
    if (file !== undefined && end !== undefined) found.push({ start, end, before, file: file.id, after })
  }
  const visit = (node: Nodes): void => {
    const start = node.position?.start.offset
    if (start !== undefined) {
      if (node.type === "image") {
        add(node, node.url, start, `![${escapedLabel(node.alt ?? "")}](`, `${titleOf(node.title)})`)
      } else if (node.type === "definition") {
        add(node, node.url, start, `[${node.label ?? node.identifier}]: `, titleOf(node.title))
      } else if (node.type === "link") {
        const label = node.children.at(-1)?.position?.end.offset
        // `<attachment:…>` has no label but its address.
        if (source[start] === "[") {
          add(node, node.url, label ?? start + 1, "](", `${titleOf(node.title)})`)
        } else add(node, node.url, start, `[${escapedLabel(node.url)}](`, ")")
      }
    }
    if ("children" in node) for (const child of node.children) visit(child)
  }
  visit(tree)
  return found
}
