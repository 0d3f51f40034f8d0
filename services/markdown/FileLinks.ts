import type { Nodes, Root } from "mdast"
import type { FileLink } from "./Rendered.ts"
import { escapedName } from "./LinkText.ts"

/** Finds the file that a link leads to. */
interface Findable {
  readonly find: (target: string) => { readonly id: string } | undefined
}

const titleOf = (title: string | null | undefined): string =>
  title === null || title === undefined ? "" : ` "${title.replaceAll(/["\\]/g, "\\$&")}"`

/** A place in a source whose link leads to `url`. For another address it becomes `before`, the address and `after`. */
export interface LinkPlace {
  readonly start: number
  readonly end: number
  readonly before: string
  readonly url: string
  readonly after: string
  readonly isImage: boolean
  /** For an image, or a link without a label: the text that replaces it. */
  readonly text: string | undefined
  /** The position where the label of a link opens, when `before` does not contain the label. */
  readonly label: number | undefined
}

/** The source before the address of an image. In a table, it has escaped bars that are not part of the name. */
const imageLabel = (written: string, alt: string | null | undefined): string => {
  const end = written.lastIndexOf("](")
  return end < 0 ? `![${escapedName(alt ?? "")}](` : written.slice(0, end + 2)
}

/** The places of the addresses of links, images and definitions in a parsed tree. Labels are not changed. */
export const linkPlaces = (tree: Root, source: string): Array<LinkPlace> => {
  const found: Array<LinkPlace> = []
  const add = (node: Nodes, url: string, start: number, before: string, after: string) => {
    const end = node.position?.end.offset
    if (end === undefined) return
    const isImage = node.type === "image"
    const opens = node.position?.start.offset
    found.push({
      start,
      end,
      before,
      url,
      after,
      isImage,
      text: isImage ? (node.alt ?? "") : node.type === "link" && start === opens ? "" : undefined,
      label: node.type === "link" && start !== opens ? opens : undefined
    })
  }
  const visit = (node: Nodes): void => {
    const start = node.position?.start.offset
    if (start !== undefined) {
      if (node.type === "image") {
        add(
          node,
          node.url,
          start,
          imageLabel(source.slice(start, node.position?.end.offset), node.alt),
          `${titleOf(node.title)})`
        )
      } else if (node.type === "definition") {
        add(node, node.url, start, `[${node.label ?? node.identifier}]: `, titleOf(node.title))
      } else if (node.type === "link") {
        const label = node.children.at(-1)?.position?.end.offset
        // `<attachment:…>` has no label but its address.
        if (source[start] === "[") {
          add(node, node.url, label ?? start + 1, "](", `${titleOf(node.title)})`)
        } else add(node, node.url, start, `[${escapedName(node.url)}](`, ")")
      }
    }
    if ("children" in node) for (const child of node.children) visit(child)
  }
  visit(tree)
  return found
}

/** The places that lead to files. */
export const linksToFiles = (tree: Root, source: string, targets: Findable): Array<FileLink> =>
  linkPlaces(tree, source).flatMap(({ after, before, end, start, url }) => {
    const file = targets.find(url)
    return file === undefined ? [] : [{ start, end, before, file: file.id, after }]
  })
